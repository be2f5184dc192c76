#include "sinew/io/deformer_files.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sinew/base/error.h"
#include "support/test_arm.h"

namespace sinew::deformer_files_test {
namespace {

class DeformerFiles : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    path_ = std::filesystem::temp_directory_path() / ("sinew_deformer_" + std::to_string(::getpid()) + ".json");
    std::ofstream(path_) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Points moved(std::string_view kind, const std::string& text) {
    const DeformerPtr deformer = readDeformer(kind, write(text), arm_, PointSpace::Posed);
    PosedJoints joints;
    poseJoints(arm_, restPose(arm_), joints);
    return deformer->deform(arm_.mesh.points, joints);
  }
  void expectRefused(std::string_view kind, const std::string& text, const std::string& word) {
    try {
      readDeformer(kind, write(text), arm_, PointSpace::Posed);
      FAIL() << "accepted " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), path_.string());
      EXPECT_NE(error.message().find(word), std::string::npos) << error.what();
    }
  }

  Character arm_ = test::testArm();
  std::filesystem::path path_;
};

TEST_F(DeformerFiles, LatticeMovedAsAWholeMovesEveryPointInside) {
  const Points result =
      moved("lattice", R"({"low": [-2, -2, -2], "high": [2, 2, 2], "resolution": [2, 2, 2], "outside": "clamp",
    "follow": "root", "displacements": [[0,1,0],[0,1,0],[0,1,0],[0,1,0],[0,1,0],[0,1,0],[0,1,0],[0,1,0]]})");
  EXPECT_LT((result - (arm_.mesh.points.colwise() + Vec3(0, 1, 0))).norm(), 1e-9);
}

TEST_F(DeformerFiles, WireCarriesWhatIsNearAndLeavesTheRest) {
  const Points result = moved(
      "wire", R"({"wires": [{"reference": [[-1,0,0],[0,0,0]], "driven": [[-1,0.5,0],[0,0.5,0]], "radius": 0.4}]})");
  const auto lift = (result - arm_.mesh.points).row(1);
  EXPECT_GT(lift.head(12).minCoeff(), 0.1) << "the ring at x = -1 lies around the wire";
  EXPECT_EQ(lift.tail(12).cwiseAbs().maxCoeff(), 0) << "the ring at x = 1 is out of reach";
}

TEST_F(DeformerFiles, FaultsNameTheFileTheKeyAndTheRemedy) {
  expectRefused("lattice", R"({"low": [0,0,0], "high": [1,1,1]})", "needs 'resolution'");
  expectRefused("lattice", R"({"low": [0,0,0], "high": [1,1,1], "resolution": [1, 2, 2]})", "from 2 to");
  expectRefused("lattice", R"({"low": [0,0,0], "high": [1,1,1], "resolution": [2,2,2], "folow": "root"})", "follow");
  expectRefused("lattice", R"({"low": [0,0,0], "high": [1,1,1], "resolution": [2,2,2], "follow": "rot"})", "root");
  expectRefused("lattice", R"({"low": [0,0,0], "high": [1,1,1], "resolution": [2,2,2], "displacements": [[1,1,1]]})",
                "8");
  expectRefused("lattice", R"({"low": [0,0,0], "high": [1,1,1], "resolution": [2,2,2], "outside": "stop"})", "clamp");
  expectRefused("wire", R"({})", "'wires'");
  expectRefused("wire", R"({"wires": [{"reference": [[0,0,0]]}]})", "point");
}

}  // namespace
}  // namespace sinew::deformer_files_test
