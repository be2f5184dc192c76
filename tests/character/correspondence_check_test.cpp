#include "sinew/character/sculpt_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sinew/base/random.h"
#include "sinew/character/mirror.h"
#include "sinew/character/mirror/parts.h"
#include "support/test_arm.h"

namespace sinew::correspondence_check_test {
namespace {

/// Edges of the character's own faces.
std::vector<std::array<std::uint32_t, 2>> joinedBy(const Faces& faces) {
  std::vector<std::array<std::uint32_t, 2>> joined;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto face = faces[f];
    for (std::size_t i = 0; i < face.size(); ++i) joined.push_back({face[i], face[(i + 1) % face.size()]});
  }
  return joined;
}

class SculptCheckOfArm : public ::testing::Test {
 protected:
  [[nodiscard]] std::string doubtOf(const Points& sculpt, const Points& posed, bool withFaces = true) const {
    SculptView view{.points = sculpt, .posed = posed};
    if (withFaces) view.joined = joinedBy(arm_.mesh.faces);
    return check_.doubt(view).value_or("");
  }
  [[nodiscard]] Points posed(double bend, double twist = 0) const {
    return mirror::blended(arm_, test::bentArmPose(arm_, bend, twist));
  }
  static bool says(const std::string& sentence, std::string_view words) {
    return sentence.find(words) != std::string::npos;
  }

  Character arm_ = test::testArm(41, 24);
  SculptCheck check_{arm_};
};

TEST_F(SculptCheckOfArm, TakesTheSkinItselfAndStrongSculpts) {
  for (const double bend : {0.0, 90.0, 160.0}) {
    const Points skin = posed(bend, 0.5 * bend);
    EXPECT_EQ(doubtOf(skin, skin), "");
    // A bulge of a whole radius around the elbow, and noise of a fifth of an edge.
    Points bulged = skin;
    Lcg random{5};
    for (Index v = 0; v < bulged.cols(); ++v) {
      const double x = arm_.mesh.points(0, v);
      const Vec3 away = arm_.mesh.points.col(v) - Vec3(x, 0, 0);
      bulged.col(v) += 1.5 * std::exp(-20 * x * x) * away + 0.01 * random.vector();
    }
    EXPECT_EQ(doubtOf(bulged, skin), "") << bend;
  }
}

TEST_F(SculptCheckOfArm, RefusesVerticesInAnotherOrder) {
  const Points skin = posed(60);
  std::vector<std::uint32_t> order(static_cast<std::size_t>(skin.cols()));
  std::iota(order.begin(), order.end(), 0U);
  Lcg random{3};
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    const auto j = static_cast<std::size_t>(random.uniform() * static_cast<double>(i + 1));
    std::swap(order[i], order[j]);
  }
  Points shuffled(3, skin.cols());
  Faces faces = arm_.mesh.faces;
  for (std::uint32_t& corner : faces.corner)
    corner = static_cast<std::uint32_t>(std::find(order.begin(), order.end(), corner) - order.begin());
  for (Index v = 0; v < skin.cols(); ++v) shuffled.col(v) = skin.col(order[static_cast<std::size_t>(v)]);
  SculptView view{.points = shuffled, .posed = skin};
  view.joined = joinedBy(faces);
  const std::string byFaces = check_.doubt(view).value_or("");
  EXPECT_TRUE(says(byFaces, "not neighbours on the character")) << byFaces;
  EXPECT_TRUE(says(byFaces, "a different order")) << byFaces;
  // Without faces the lengths of edges tell.
  const std::string byEdges = doubtOf(shuffled, skin, false);
  EXPECT_TRUE(says(byEdges, "times as long") && says(byEdges, "a different order")) << byEdges;
  // A character without faces: neighbours in space.
  Character cloud = arm_;
  cloud.mesh.faces = {};
  EXPECT_TRUE(SculptCheck(cloud).doubt({.points = shuffled, .posed = skin}).has_value());
  EXPECT_FALSE(SculptCheck(cloud).doubt({.points = skin, .posed = skin}).has_value());
  // Faces that were cut into triangles along either diagonal, or listed in another order, do not contradict.
  Faces cut;
  for (std::size_t f = arm_.mesh.faces.size(); f-- > 0;) {
    const auto q = arm_.mesh.faces[f];
    if (q.size() != 4) continue;
    const std::uint32_t one[] = {q[1], q[2], q[3]};
    const std::uint32_t two[] = {q[1], q[3], q[0]};
    cut.add(one);
    cut.add(two);
  }
  SculptView other{.points = skin, .posed = skin};
  other.joined = joinedBy(cut);
  EXPECT_FALSE(check_.doubt(other).has_value());
}

TEST_F(SculptCheckOfArm, RefusesOtherUnitsPlacesAxesAndPoses) {
  const Points skin = posed(60);
  const std::string units = doubtOf(100 * skin, skin);
  EXPECT_TRUE(says(units, "100 times the size") && says(units, "centimetres to metres")) << units;
  const std::string place = doubtOf(skin.colwise() + Vec3(0, 0.5, 0), skin);
  EXPECT_TRUE(says(place, "offset by (0, 0.5, 0) from")) << place;
  const Points turned = Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()).toRotationMatrix() * skin;
  const std::string axes = doubtOf(turned, skin);
  EXPECT_TRUE(says(axes, "rotated by 90 degrees")) << axes;
  const std::string pose = doubtOf(posed(60), posed(0));
  EXPECT_TRUE(says(pose, "another pose") || says(pose, "does not match its pose")) << pose;
  EXPECT_TRUE(says(pose, "'lower'")) << pose;
  // A black box may put the skin anywhere.
  EXPECT_FALSE(check_.doubt({.points = posed(60), .posed = posed(0), .inPose = false}).has_value());
}

TEST(SculptCheckOfBones, TakeASmallRotatedPieceWhereTheRestOfTheirSkinWouldNotFit) {
  // As a decomposition by least squares leaves it: few vertices follow the bone alone, many follow it in part.
  Character arm = test::testArm(41, 24);
  std::vector<std::vector<Influence>> columns;
  std::vector<bool> tip;
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
    tip.push_back(arm.mesh.points(0, v) > 0.9);
    const double lower = tip.back() ? 1 : arm.mesh.points(0, v) > -0.3 ? 0.45 : 0;
    columns.push_back({{1, 1 - lower}, {2, lower}});
  }
  arm.skin.weights = SkinWeights::fromColumns(arm.skin.bindings.size(), columns);
  const SculptCheck check(arm);
  const Points skin = arm.mesh.points;
  const Mat3 turn = Eigen::AngleAxisd(std::numbers::pi / 3, Vec3::UnitX()).toRotationMatrix();
  Points piece = skin;
  Points pose = skin;
  for (Index v = 0; v < skin.cols(); ++v) {
    const Vec3 turned = turn * skin.col(v);
    if (tip[toSize(v)]) piece.col(v) = turned;
    pose.col(v) += columns[toSize(v)][1].weight * (turned - skin.col(v));
  }
  EXPECT_FALSE(check.doubt({.points = piece, .posed = skin}).has_value());
  EXPECT_NE(check.doubt({.points = pose, .posed = skin}).value_or("").find("does not match its pose"),
            std::string::npos);
}

TEST_F(SculptCheckOfArm, RefusesAnotherScaleAsAScale) {
  const Points skin = posed(60);
  for (const double scale : {0.8, 1.3}) {
    const std::string words = doubtOf(scale * skin, skin);
    EXPECT_TRUE(says(words, scale == 1.3 ? "is 1.3 times the size" : "is 0.8 times the size")) << words;
  }
  const SculptFindings little = check_.check({.points = 1.05 * skin, .posed = skin});
  EXPECT_FALSE(little.doubt.has_value()) << *little.doubt;
  ASSERT_EQ(little.warnings.size(), 1u);
  EXPECT_TRUE(says(little.warnings[0], "1.05 times")) << little.warnings[0];
}

TEST_F(SculptCheckOfArm, WarnsOfOffsetsAndOutliers) {
  const Points skin = posed(60);
  const double diagonal = boundingBox(skin).diagonal();
  const SculptFindings offset =
      check_.check({.points = skin.colwise() + 0.01 * diagonal * Vec3::UnitX(), .posed = skin});
  EXPECT_FALSE(offset.doubt.has_value()) << *offset.doubt;
  ASSERT_EQ(offset.warnings.size(), 1u);
  EXPECT_TRUE(says(offset.warnings[0], "as a whole (1 % of the body)")) << offset.warnings[0];
  // Three pairs of vertices from the two ends of the arm.
  Points exchanged = skin;
  for (const Index v : {100, 120, 140}) exchanged.col(v).swap(exchanged.col(skin.cols() - v));
  const SculptFindings few = check_.check({.points = exchanged, .posed = skin});
  EXPECT_FALSE(few.doubt.has_value()) << *few.doubt;
  ASSERT_EQ(few.warnings.size(), 1u);
  EXPECT_TRUE(says(few.warnings[0], "6 vertices lie far from their neighbours")) << few.warnings[0];
  EXPECT_TRUE(check_.check({.points = skin, .posed = skin}).warnings.empty());
}

TEST(SculptCheckOfFewVertices, RefusesOtherOrders) {
  // Edges of such a body are nearly as long as the body: none is four times as long in any order.
  const Character arm = test::testArm(6, 6);
  const SculptCheck check(arm);
  const Points skin = mirror::blended(arm, test::bentArmPose(arm, 50, 0));
  const Index count = skin.cols();
  for (const bool reversed : {true, false}) {
    Points wrong(3, count);
    for (Index v = 0; v < count; ++v) wrong.col(v) = skin.col(reversed ? count - 1 - v : (7 * v + 1) % count);
    SculptView view{.points = wrong, .posed = skin};
    view.joined = joinedBy(arm.mesh.faces);
    EXPECT_TRUE(check.doubt(view).has_value()) << (reversed ? "reversed" : "every seventh");
  }
  EXPECT_FALSE(check.doubt({.points = skin, .posed = skin}).has_value());
}

TEST_F(SculptCheckOfArm, LooksOnlyAtWhatTheSculptHas) {
  const Points skin = posed(60);
  Points partly = skin;
  std::vector<bool> known(static_cast<std::size_t>(skin.cols()), true);
  for (Index v = 0; v < skin.cols() / 2; ++v) {
    partly.col(v).setConstant(50);
    known[static_cast<std::size_t>(v)] = false;
  }
  EXPECT_TRUE(check_.doubt({.points = partly, .posed = skin}).has_value());
  EXPECT_FALSE(check_.doubt({.points = partly, .posed = skin, .known = known}).has_value());
}

}  // namespace
}  // namespace sinew::correspondence_check_test
