// Honest sculpts of real bodies are taken; those of the other side, another order or another pose are not.
#include <gtest/gtest.h>

#include <numbers>

#include "sinew/base/random.h"
#include "sinew/character/mirror.h"
#include "sinew/character/sculpt_check.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/deform/posing.h"
#include "sinew/samples/samples.h"

namespace sinew::sculpt_check_test {
namespace {

/// Six joints of the skin, each turned by Euler angles up to `degrees`.
Pose randomPose(const Character& character, Lcg& random, double degrees) {
  Pose pose = restPose(character);
  const std::vector<int> joints = skinJoints(character);
  for (int i = 0; i < 6; ++i) {
    const auto j = static_cast<std::size_t>(random.uniform() * static_cast<double>(joints.size()));
    const Vec3 angles = degrees * std::numbers::pi / 180 * random.vector();
    Quat& rotation = pose.local[static_cast<std::size_t>(joints[j])].rotation;
    rotation = rotation * Eigen::AngleAxisd(angles.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(angles.y(), Vec3::UnitY()) *
               Eigen::AngleAxisd(angles.x(), Vec3::UnitX());
  }
  return pose;
}

const Sample& biped() {
  static const Sample sample = makeSample("biped", {.vertices = 4000});
  return sample;
}

/// What contradicts, or else a warning.
std::string doubtOf(const SculptCheck& check, const Points& sculpt, const Points& posed) {
  const SculptFindings found = check.check({.points = sculpt, .posed = posed});
  return found.doubt.value_or(found.warnings.empty() ? "" : found.warnings.front());
}

TEST(SculptsOfSamples, AreAllTaken) {
  for (const SampleRow& row : samples()) {
    const Sample sample = makeSample(row.name, {.vertices = 2000});
    if (!sample.character.hasSkin()) continue;
    const SculptCheck check(sample.character);
    for (const ExampleSet* set : {&sample.examples, &sample.heldOut}) {
      for (const Example& example : set->examples)
        EXPECT_EQ(doubtOf(check, example.points, posePoints(sample.character, example.pose)), "")
            << row.name << " " << example.name;
    }
  }
}

TEST(SculptsOfSamples, DualQuaternionShapesAtRandomPosesAreTaken) {
  const Character& body = biped().character;
  const SculptCheck check(body);
  const auto dual = std::make_shared<DualQuaternionBlend>(body.skin.weights);
  Lcg random{11};
  for (int i = 0; i < 24; ++i) {
    const Pose pose = randomPose(body, random, i < 16 ? 45 : 160);
    EXPECT_EQ(doubtOf(check, posePoints(body, pose, dual), posePoints(body, pose)), "") << i;
  }
}

TEST(SculptsOfSamples, OfTheOtherSideAreRefused) {
  const Character& body = biped().character;
  const SculptCheck check(body);
  const MirrorMap map = findMirror(body);
  int asymmetric = 0;
  for (const Example& example : biped().examples.examples) {
    const Points posed = posePoints(body, example.pose);
    const Points other = posePoints(body, mirrorPose(body, map, example.pose));
    if ((posed - other).colwise().norm().maxCoeff() < 0.1) continue;
    ++asymmetric;
    // The sculpt of one side given to the pose of the other.
    const std::string side = doubtOf(check, example.points, other);
    EXPECT_NE(side.find("left and right are swapped"), std::string::npos) << example.name << ": " << side;
    // Right in space, with the vertices of left and right exchanged.
    Points exchanged = mirrorPoints(map, example.points, posed);
    for (Index v = 0; v < exchanged.cols(); ++v) exchanged.col(v) = map.point(exchanged.col(v));
    const std::string order = doubtOf(check, exchanged, posed);
    EXPECT_NE(order.find("left and right vertices exchanged"), std::string::npos) << example.name << ": " << order;
  }
  EXPECT_GE(asymmetric, 4);
}

TEST(SculptsOfSamples, OfAnotherPoseAreRefused) {
  const Character& body = biped().character;
  const SculptCheck check(body);
  const Points rest = posePoints(body, restPose(body));
  int bent = 0;
  for (const Example& example : biped().examples.examples) {
    double turn = 0;
    for (std::size_t j = 0; j < example.pose.local.size(); ++j)
      turn = std::max(turn, example.pose.local[j].rotation.angularDistance(restPose(body).local[j].rotation));
    if (turn < 60 * std::numbers::pi / 180) continue;
    ++bent;
    EXPECT_NE(doubtOf(check, example.points, rest), "") << example.name;
  }
  EXPECT_GE(bent, 4);
}

}  // namespace
}  // namespace sinew::sculpt_check_test
