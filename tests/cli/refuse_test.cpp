// Wrong sculpts are refused by every command that learns from them; probable mistakes get a warning.
#include <gtest/gtest.h>

#include <numeric>

#include "run_sinew.h"
#include "sinew/base/random.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/io/obj.h"
#include "support/data.h"

namespace sinew::test::refuse_test {
namespace {

using Json = nlohmann::json;

bool has(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

/// A limb and wrong copies of one of its sculpts.
class Refuse : public ::testing::Test {
 protected:
  static const TemporaryFolder& folder() {
    static const TemporaryFolder made;
    static const bool ready = [] {
      EXPECT_EQ(runSinew({"sample", "limb", "-o", made.file("limb"), "--vertices", "1500", "-q"}).exitCode, 0);
      return true;
    }();
    EXPECT_TRUE(ready);
    return made;
  }
  static std::string in(const std::string& name) { return folder().file("limb/" + name); }

  static Json manifest() { return Json::parse(readText(in("examples.json"))); }

  /// An examples file without a rest mesh, whose second sculpt is `change`d.
  template <class Change>
  static std::string wrong(const std::string& name, const Change& change) {
    Json json = manifest();
    json.erase("rest");
    CharacterFile file = readCharacter(in(json["examples"][1]["mesh"]));
    change(file.character.mesh);
    folder().write("limb/" + name + ".obj", formatObj(file.character.mesh));
    json["examples"][1]["mesh"] = name + ".obj";
    folder().write("limb/" + name + ".json", json.dump());
    return in(name + ".json");
  }

  static std::string shuffled() {
    return wrong("shuffled", [](Mesh& mesh) {
      std::vector<std::uint32_t> order(static_cast<std::size_t>(mesh.vertexCount()));
      std::iota(order.begin(), order.end(), 0U);
      Lcg random{1};
      for (std::size_t i = order.size() - 1; i > 0; --i)
        std::swap(order[i], order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i + 1))]);
      Points points(3, mesh.vertexCount());
      for (Index v = 0; v < points.cols(); ++v) points.col(order[static_cast<std::size_t>(v)]) = mesh.points.col(v);
      mesh.points = points;
      for (std::uint32_t& corner : mesh.faces.corner) corner = order[corner];
    });
  }
};

TEST_F(Refuse, ShuffledSculptsAreRefusedAndForcedWithAWarning) {
  const std::string examples = shuffled();
  const TemporaryFolder out;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"psd", "-o", out.file("a.glb")}, {"fit", "-o", out.file("a.glb")}, {"evaluate"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {in("limb.glb"), "--examples", examples, "--json"});
    const CommandResult refused = runSinew(all);
    EXPECT_EQ(refused.exitCode, 2) << words[0];
    EXPECT_TRUE(has(refused.err, "shuffled.obj") && has(refused.err, "a different order") &&
                has(refused.err, "--force"))
        << refused.err;
    EXPECT_TRUE(out.names().empty());
  }
  const CommandResult forced =
      runSinew({"fit", in("limb.glb"), "--examples", examples, "--json", "-q", "--force", "-o", out.file("a.glb")});
  EXPECT_EQ(forced.exitCode, 0) << forced.err;
  EXPECT_TRUE(has(forced.err, "warning: shuffled.obj")) << forced.err;
  EXPECT_TRUE(has(forced.json()["warnings"].dump(), "shuffled.obj"));
  const CommandResult honest = runSinew({"evaluate", in("limb.glb"), "--examples", in("heldout.json"), "--json"});
  EXPECT_EQ(honest.exitCode, 0) << honest.err;
}

TEST_F(Refuse, SculptsInOtherUnitsPlacesAndPosesAreRefused) {
  const TemporaryFolder out;
  const auto refusal = [&](const std::string& examples) {
    const CommandResult result =
        runSinew({"psd", in("limb.glb"), "--examples", examples, "-o", out.file("a.glb"), "-q"});
    EXPECT_EQ(result.exitCode, 2);
    return result.err;
  };
  EXPECT_TRUE(has(refusal(wrong("cm", [](Mesh& mesh) { mesh.points *= 100; })), "100 times the size"));
  EXPECT_TRUE(has(refusal(wrong("away", [](Mesh& mesh) { mesh.points.row(0).array() += 5; })), "offset by"));
  const std::string swapped = wrong("pose", [](Mesh&) {});
  Json json = Json::parse(readText(swapped));
  std::swap(json["examples"][1]["pose"], json["examples"].back()["pose"]);
  folder().write("limb/pose.json", json.dump());
  EXPECT_TRUE(has(refusal(swapped), "does not match its pose")) << refusal(swapped);
  // The same for a single sculpt.
  const Json last = manifest()["examples"].back();
  const std::vector<std::string> invert = {"invert",         in("limb.glb"), "--pose",          "rest", "--sculpt",
                                           in(last["mesh"]), "-o",           out.file("a.obj"), "-q",   "--json"};
  const CommandResult result = runSinew(invert);
  EXPECT_EQ(result.exitCode, 2) << result.err;
  EXPECT_TRUE(has(result.err, "does not match its pose")) << result.err;
  std::vector<std::string> forced = invert;
  forced.emplace_back("--force");
  const CommandResult went = runSinew(forced);
  EXPECT_NE(went.exitCode, 2) << went.err;
  EXPECT_EQ(went.json()["warnings"].size(), 1u);
}

/// The message of `invert` for a small posed character whose vertices were moved by `change`.
template <class Change>
CommandResult invertedWrong(const TemporaryFolder& folder, const std::string& name, const Change& change) {
  const std::string file = (dataDir() / "gltf" / (name + ".glb")).string();
  EXPECT_EQ(runSinew({"deform", file, "--pose", "0@0.5", "-o", folder.file("posed.obj"), "-q"}).exitCode, 0);
  Mesh mesh = readCharacter(folder.file("posed.obj")).character.mesh;
  change(mesh.points);
  folder.write("wrong.obj", formatObj(mesh));
  return runSinew({"invert", file, "--pose", "0@0.5", "--sculpt", folder.file("wrong.obj"), "-o", folder.file("o.obj"),
                   "--json", "-q"});
}

TEST(RefuseOfFewVertices, OtherOrdersAndScalesAreRefused) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder folder;
  const CommandResult reversed =
      invertedWrong(folder, "RiggedSimple", [](Points& points) { points = Points(points.rowwise().reverse()); });
  EXPECT_EQ(reversed.exitCode, 2) << reversed.out;
  const CommandResult shifted = invertedWrong(folder, "RiggedFigure", [](Points& points) {
    Points moved(3, points.cols());
    for (Index v = 0; v < points.cols(); ++v) moved.col(v) = points.col((v + 1) % points.cols());
    points = moved;
  });
  EXPECT_EQ(shifted.exitCode, 2) << shifted.out;
  const CommandResult large = invertedWrong(folder, "RiggedFigure", [](Points& points) { points *= 1.3; });
  EXPECT_EQ(large.exitCode, 2) << large.out;
  EXPECT_TRUE(has(large.err, "1.3 times the size")) << large.err;
}

TEST(RefuseOfFewVertices, OffsetsAndOutliersAreSaidAloud) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder folder;
  const CommandResult moved = invertedWrong(folder, "Fox", [](Points& points) { points.row(0).array() += 5; });
  EXPECT_NE(moved.exitCode, 2) << moved.err;
  EXPECT_TRUE(has(moved.err, "warning: wrong.obj: is offset by (5, 0, 0)")) << moved.err;
  EXPECT_TRUE(has(moved.json()["warnings"].dump(), "as a whole")) << moved.out;
  // Every tenth vertex gets the position of the next tenth.
  const CommandResult shuffled = invertedWrong(folder, "RiggedSimple", [](Points& points) {
    const Vec3 first = points.col(0);
    Index v = 0;
    for (; v + 31 < points.cols(); v += 31) points.col(v) = Vec3(points.col(v + 31));
    points.col(v) = first;
  });
  EXPECT_TRUE(shuffled.exitCode == 2 || has(shuffled.json()["warnings"].dump(), "far from")) << shuffled.out;
  const CommandResult honest = invertedWrong(folder, "RiggedSimple", [](Points&) {});
  EXPECT_EQ(honest.exitCode, 0) << honest.err;
  EXPECT_TRUE(honest.json()["warnings"].empty()) << honest.out;
}

TEST_F(Refuse, OperatorsThatReachNothingAreSaidAloud) {
  const TemporaryFolder out;
  const std::string lattice =
      out.write("far.json", R"({"low": [90, 90, 90], "high": [91, 91, 91], "resolution": [2, 2, 2]})");
  const std::string wire = out.write("wire.json", R"({"wires": [{"reference": [[90, 0, 0], [91, 0, 0]],
    "driven": [[90, 1, 0], [91, 1, 0]], "radius": 0.5}]})");
  const CommandResult result = runSinew({"deform", in("limb.glb"), "--pose", "rest", "--deformer", "lattice:" + lattice,
                                         "wire:" + wire, "-o", out.file("a.obj"), "-q", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.json()["warnings"].size(), 2u) << result.out;
  EXPECT_TRUE(has(result.err, "far.json: affects no vertex") && has(result.err, "wire.json: affects no vertex"))
      << result.err;
}

TEST_F(Refuse, ASkeletonOfAnotherSizeIsSaidAloud) {
  const TemporaryFolder out;
  CharacterFile rig = readCharacter(in("limb.glb"));
  rig.source = nullptr;
  std::vector<Joint> joints(rig.character.skeleton.joints().begin(), rig.character.skeleton.joints().end());
  for (Joint& joint : joints) joint.rest.translation *= 100;
  rig.character.skeleton = Skeleton(joints);
  writeCharacter(out.file("large.glb"), rig);
  const CommandResult result = runSinew(
      {"bind", in("rest.obj"), "--skeleton", out.file("large.glb"), "-o", out.file("bound.glb"), "-q", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(has(result.err, "warning: the joints span")) << result.err;
  EXPECT_TRUE(has(result.json()["warnings"].dump(), "times the size of the mesh"));
  const CommandResult good =
      runSinew({"bind", in("rest.obj"), "--skeleton", in("limb.glb"), "-o", out.file("good.glb"), "--json"});
  ASSERT_EQ(good.exitCode, 0) << good.err;
  EXPECT_FALSE(has(good.json()["warnings"].dump(), "times the size")) << good.out;
}

}  // namespace
}  // namespace sinew::test::refuse_test
