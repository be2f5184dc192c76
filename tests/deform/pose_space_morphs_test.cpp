// Weights of the morph targets that imitate a pose space.
#include "sinew/deform/pose_space_morphs.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/math/rotation.h"
#include "support/allocations.h"
#include "support/test_arm.h"

namespace sinew::pose_space_morphs_test {
namespace {

/// The arm with one morph target of its own, two of a pose space, and a clip that bends it.
struct Scene {
  Character arm = test::testArm();
  PoseSpaceModel model;
  PoseSpaceMorphs morphs;

  Scene() {
    const int lower = arm.skeleton.index("lower");
    model.poseSpace.drivers = {{DriverKind::RotationVector, lower, "lower", 0.25, Vec3::UnitX()}};
    model.names = {"rest", "half", "full"};
    model.poses = Eigen::MatrixXd::Zero(3, 3);
    model.poses.row(2) << 0, 1, 2;
    for (int k = 0; k < 3; ++k) model.deltas.emplace_back(Points::Zero(3, 0));
    morphs.knots = model.poses;
    morphs.morphs = {1, 2};
    morphs.knotOf = {1, 2};
    morphs.clip = "examples";
    for (const char* name : {"smile", "psd half", "psd full"}) {
      MorphTarget morph;
      morph.name = name;
      morph.deltas = Points::Ones(3, arm.mesh.vertexCount());
      arm.morphs.push_back(std::move(morph));
    }
  }

  [[nodiscard]] Pose bent(double angle) const {
    Pose pose = restPose(arm);
    const auto lower = static_cast<std::size_t>(model.poseSpace.drivers[0].source);
    pose.local[lower].rotation =
        arm.skeleton[static_cast<int>(lower)].rest.rotation * quaternionFromRotationVector(Vec3(0, 0, angle));
    return pose;
  }
};

ClipChannel weightsChannel(int firstMorph, const Eigen::MatrixXd& values) {
  ClipChannel channel;
  channel.path = ClipPath::Weights;
  channel.firstMorph = firstMorph;
  for (Index k = 0; k < values.cols(); ++k) channel.times.push_back(static_cast<double>(k));
  channel.values = values;
  return channel;
}

TEST(PoseSpaceMorphs, EachKnotHasItsOwnMorphTargetAlone) {
  const Scene scene;
  const PoseSpaceMorphWeights weights(scene.model, scene.morphs);
  for (Index k = 0; k < 3; ++k) {
    const Eigen::VectorXd at = weights.evaluate(scene.morphs.knots.col(k));
    EXPECT_LT((at - Eigen::VectorXd::Unit(3, k)).norm(), 1e-12) << k;
  }
}

TEST(PoseSpaceMorphs, MixedWeightsAreAMatrixTimesThoseOfTheKnots) {
  Scene scene;
  const PoseSpaceMorphWeights knots(scene.model, scene.morphs);
  scene.morphs.mixing.resize(2, 3);
  scene.morphs.mixing << 0, 1, -2, 0, 0.5, 3;
  scene.morphs.knotOf = {0, 1};
  const PoseSpaceMorphWeights mixed(scene.model, scene.morphs);
  for (const double angle : {0.0, 0.7, 2.0, 4.5, 9.0}) {
    const Eigen::Vector3d x(0, 0, angle);
    EXPECT_LT((mixed.evaluate(x) - scene.morphs.mixing * knots.evaluate(x)).norm(), 1e-12) << angle;
  }
  Pose pose = scene.bent(2);
  pose.morphWeights = {0.7, 5, 5};
  mixed.apply(scene.arm.skeleton, pose);
  EXPECT_NEAR(pose.morphWeights[1], -2, 1e-12);
  EXPECT_NEAR(pose.morphWeights[2], 3, 1e-12);
}

TEST(PoseSpaceMorphs, FadeAsTheModelDoes) {
  const Scene scene;
  const PoseSpaceMorphWeights weights(scene.model, scene.morphs);
  const PoseSpaceWeights model(scene.model);
  for (const double angle : {0.5, 3.0, 4.5, 6.0, 9.0}) {
    const Eigen::Vector3d x(0, 0, angle);
    // Here knots and examples are the same, so are the weights.
    Eigen::MatrixXd wanted(3, 1);
    model.evaluate(x, wanted);
    EXPECT_LT((weights.evaluate(x) - wanted.col(0)).norm(), 1e-12) << angle;
  }
  EXPECT_EQ(weights.evaluate(Eigen::Vector3d(0, 0, 9)).norm(), 0);
  EXPECT_NEAR(weights.reach(), 2 * std::sqrt(0.25), 1e-12);
}

TEST(PoseSpaceMorphs, AreWrittenIntoAPoseBesideTheOthers) {
  const Scene scene;
  Pose pose = scene.bent(1);
  pose.morphWeights = {0.7, 5, 5};
  PoseSpaceMorphWeights(scene.model, scene.morphs).apply(scene.arm.skeleton, pose);
  EXPECT_EQ(pose.morphWeights[0], 0.7);
  EXPECT_NEAR(pose.morphWeights[1], 1, 1e-12);
  EXPECT_NEAR(pose.morphWeights[2], 0, 1e-12);
  silencePoseSpaceMorphs(scene.morphs, pose);
  EXPECT_EQ(pose.morphWeights, (std::vector<double>{0.7, 0, 0}));
}

TEST(PoseSpaceMorphs, DoNotAllocateOnceTheirMemoryHasGrown) {
  const Scene scene;
  const PoseSpaceMorphWeights weights(scene.model, scene.morphs);
  PoseSpaceMorphScratch scratch;
  Pose pose = scene.bent(0.4);
  weights.apply(scene.arm.skeleton, scratch, pose);
  const std::size_t before = test::allocationCount();
  weights.apply(scene.arm.skeleton, scratch, pose);
  EXPECT_EQ(test::allocationCount(), before);
}

TEST(PoseSpaceMorphs, RefuseKnotsThatDoNotFit) {
  const Scene scene;
  PoseSpaceMorphs wrong = scene.morphs;
  wrong.knotOf[0] = 0;
  EXPECT_THROW(PoseSpaceMorphWeights(scene.model, wrong), Error);
  wrong = scene.morphs;
  wrong.mixing = Eigen::MatrixXd::Ones(3, 2);
  EXPECT_THROW(PoseSpaceMorphWeights(scene.model, wrong), Error);
  wrong.mixing = Eigen::MatrixXd::Ones(2, 3);
  EXPECT_THROW(PoseSpaceMorphWeights(scene.model, wrong), Error);
  wrong = scene.morphs;
  wrong.knots.conservativeResize(2, 3);
  EXPECT_THROW(PoseSpaceMorphWeights(scene.model, wrong), Error);
  wrong = scene.morphs;
  wrong.morphs[1] = 3;
  Pose pose = scene.bent(1);
  EXPECT_THROW(PoseSpaceMorphWeights(scene.model, wrong).apply(scene.arm.skeleton, pose), Error);
}

TEST(PoseSpaceMorphs, GoWithTheirRowsAndTheirClip) {
  Scene scene;
  const Eigen::MatrixXd values = Eigen::MatrixXd::Random(3, 4);
  Clip walk;
  walk.name = "walk";
  walk.channels = {weightsChannel(0, values)};
  Clip wave;
  wave.name = "wave";
  wave.channels = {weightsChannel(1, values.topRows(2))};
  Clip still;
  still.name = "still";
  Eigen::MatrixXd defaults = values;
  defaults.row(0).setZero();
  still.channels = {weightsChannel(0, defaults)};
  Clip own;
  own.name = "examples";
  scene.arm.clips = {walk, wave, still, own};
  removePoseSpaceMorphs(scene.morphs, scene.arm);
  ASSERT_EQ(scene.arm.morphs.size(), 1u);
  EXPECT_EQ(scene.arm.morphs[0].name, "smile");
  ASSERT_EQ(scene.arm.clips.size(), 3u);
  ASSERT_EQ(scene.arm.clips[0].channels.size(), 1u);
  EXPECT_EQ(scene.arm.clips[0].channels[0].values, values.topRows(1));
  EXPECT_TRUE(scene.arm.clips[1].channels.empty());
  // Weights that say no more than the defaults came with the others.
  EXPECT_TRUE(scene.arm.clips[2].channels.empty());
}

TEST(PoseSpaceMorphs, LeaveLaterMorphTargetsWhereTheirChannelsFindThem) {
  Scene scene;
  MorphTarget later;
  later.name = "later";
  later.deltas = Points::Ones(3, scene.arm.mesh.vertexCount());
  scene.arm.morphs.push_back(later);
  const Eigen::MatrixXd values = Eigen::MatrixXd::Random(2, 3);
  Clip clip;
  clip.channels = {weightsChannel(2, values)};
  scene.arm.clips = {clip};
  removePoseSpaceMorphs(scene.morphs, scene.arm);
  const ClipChannel& channel = scene.arm.clips.at(0).channels.at(0);
  EXPECT_EQ(channel.firstMorph, 1);
  EXPECT_EQ(channel.values, values.bottomRows(1));
  EXPECT_EQ(scene.arm.morphs.at(1).name, "later");
}

}  // namespace
}  // namespace sinew::pose_space_morphs_test
