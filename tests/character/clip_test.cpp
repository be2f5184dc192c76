#include "sinew/character/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/base/error.h"

namespace sinew::clip_test {
namespace {

Pose onePose() {
  Pose pose;
  pose.local.resize(1);
  pose.morphWeights = {0, 0, 0};
  return pose;
}

ClipChannel moving(Interpolation interpolation, std::vector<double> times, const Eigen::MatrixXd& values) {
  return {ClipPath::Translation, interpolation, 0, 0, std::move(times), values};
}

double xAt(const ClipChannel& channel, double time) {
  Pose pose = onePose();
  sampleClip({"", {channel}}, time, pose);
  return pose.local[0].translation.x();
}

Quat turnAbout(const Vec3& axis, double degrees) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis));
}

ClipChannel turning(const std::vector<Quat>& keys) {
  ClipChannel channel;
  channel.path = ClipPath::Rotation;
  channel.values.resize(4, static_cast<Index>(keys.size()));
  for (std::size_t k = 0; k < keys.size(); ++k) {
    channel.times.push_back(static_cast<double>(k));
    channel.values.col(static_cast<Index>(k)) = keys[k].coeffs();
  }
  return channel;
}

TEST(SampleClip, LinearKeysAreJoinedByLinesAndClampedOutside) {
  Eigen::MatrixXd values(3, 3);
  values << 0, 10, 30, 0, 0, 0, 0, 0, 0;
  const ClipChannel channel = moving(Interpolation::Linear, {1, 2, 4}, values);
  EXPECT_DOUBLE_EQ(xAt(channel, 0), 0);
  EXPECT_DOUBLE_EQ(xAt(channel, 1.25), 2.5);
  EXPECT_DOUBLE_EQ(xAt(channel, 2), 10);
  EXPECT_DOUBLE_EQ(xAt(channel, 3), 20);
  EXPECT_DOUBLE_EQ(xAt(channel, 9), 30);
}

TEST(SampleClip, StepsHoldUntilTheNextKey) {
  Eigen::MatrixXd values(3, 2);
  values << 1, 2, 0, 0, 0, 0;
  const ClipChannel channel = moving(Interpolation::Step, {0, 1}, values);
  EXPECT_EQ(xAt(channel, 0.999), 1);
  EXPECT_EQ(xAt(channel, 1), 2);
}

TEST(SampleClip, CubicSplineByHand) {
  // Keys at 1 and 3 (two seconds apart): values 2 and 4, out-tangent 1 at the first, in-tangent -1 at the second.
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(3, 6);
  values(0, 0) = 99;  // in-tangent of the first key: never used
  values(0, 1) = 2;
  values(0, 2) = 1;
  values(0, 3) = -1;
  values(0, 4) = 4;
  values(0, 5) = 99;
  const ClipChannel channel = moving(Interpolation::CubicSpline, {1, 3}, values);
  // t = 1/2: 0.5*2 + 2*0.125*1 + 0.5*4 + 2*(-0.125)*(-1) = 3.5.
  EXPECT_DOUBLE_EQ(xAt(channel, 2), 3.5);
  // t = 1/4: (2/64 - 3/16 + 1)*2 + 2*(1/64 - 2/16 + 1/4)*1 + (-2/64 + 3/16)*4 + 2*(1/64 - 1/16)*(-1) = 2.6875.
  EXPECT_DOUBLE_EQ(xAt(channel, 1.5), 2.6875);
  EXPECT_DOUBLE_EQ(xAt(channel, 0), 2);
  EXPECT_DOUBLE_EQ(xAt(channel, 3), 4);
  EXPECT_DOUBLE_EQ(xAt(channel, 7), 4);
  // The slope just after a key is its out-tangent.
  EXPECT_NEAR((xAt(channel, 1 + 1e-6) - 2) / 1e-6, 1, 1e-4);
}

TEST(SampleClip, RotationsTakeTheShorterArc) {
  const Quat a = turnAbout(Vec3::UnitZ(), 10);
  Quat b = turnAbout(Vec3::UnitZ(), 50);
  b.coeffs() *= -1;  // the same rotation on the other side of the sphere
  Pose pose = onePose();
  sampleClip({"", {turning({a, b})}}, 0.25, pose);
  EXPECT_LT(pose.local[0].rotation.angularDistance(turnAbout(Vec3::UnitZ(), 20)), 1e-7);
}

TEST(SampleClip, RotationsTurnAtAnEvenPace) {
  const ClipChannel channel = turning({turnAbout(Vec3::UnitX(), 0), turnAbout(Vec3::UnitX(), 150)});
  for (const double t : {0.1, 0.5, 0.9}) {
    Pose pose = onePose();
    sampleClip({"", {channel}}, t, pose);
    EXPECT_LT(pose.local[0].rotation.angularDistance(turnAbout(Vec3::UnitX(), 150 * t)), 1e-7);
  }
}

TEST(SampleClip, CubicRotationsAreNormalised) {
  ClipChannel channel = turning({});
  channel.interpolation = Interpolation::CubicSpline;
  channel.times = {0, 1};
  channel.values = Eigen::MatrixXd::Zero(4, 6);
  channel.values.col(1) = turnAbout(Vec3::UnitY(), 0).coeffs();
  channel.values.col(4) = turnAbout(Vec3::UnitY(), 90).coeffs();
  Pose pose = onePose();
  sampleClip({"", {channel}}, 0.5, pose);
  EXPECT_NEAR(pose.local[0].rotation.norm(), 1, 1e-12);
  EXPECT_LT(pose.local[0].rotation.angularDistance(turnAbout(Vec3::UnitY(), 45)), 1e-7);
}

TEST(SampleClip, WeightsGoToTheirMorphTargetsAndTheRestStays) {
  ClipChannel channel;
  channel.path = ClipPath::Weights;
  channel.firstMorph = 1;
  channel.times = {0, 2};
  channel.values.resize(2, 2);
  channel.values << 0, 1, 4, 0;
  Pose pose = onePose();
  pose.morphWeights[0] = 0.7;
  sampleClip({"", {channel}}, 0.5, pose);
  EXPECT_EQ(pose.morphWeights, (std::vector<double>{0.7, 0.25, 3}));
  channel.firstMorph = 2;
  EXPECT_THROW(sampleClip({"", {channel}}, 0, pose), Error);
  channel.firstMorph = -1;
  EXPECT_THROW(sampleClip({"", {channel}}, 0, pose), Error);
}

TEST(SampleClip, RefusesChannelsThatDoNotFit) {
  Pose pose = onePose();
  EXPECT_THROW(sampleClip({"", {moving(Interpolation::Linear, {0, 1}, Eigen::MatrixXd::Zero(3, 1))}}, 0.5, pose),
               Error);
  EXPECT_THROW(sampleClip({"", {moving(Interpolation::Linear, {0}, Eigen::MatrixXd::Zero(2, 1))}}, 0, pose), Error);
  EXPECT_THROW(sampleClip({"", {moving(Interpolation::CubicSpline, {0}, Eigen::MatrixXd::Zero(3, 1))}}, 0, pose),
               Error);
  ClipChannel beyond = moving(Interpolation::Linear, {0}, Eigen::MatrixXd::Zero(3, 1));
  beyond.joint = 1;
  EXPECT_THROW(sampleClip({"", {beyond}}, 0, pose), Error);
  EXPECT_THROW(sampleClip({"", {}}, std::nan(""), pose), Error);
  EXPECT_NO_THROW(sampleClip({"", {moving(Interpolation::Linear, {}, Eigen::MatrixXd(3, 0))}}, 0, pose));
}

TEST(Clip, SecondsIsTheLastKeyOfAnyChannel) {
  const Clip clip{"",
                  {moving(Interpolation::Step, {0, 2}, Eigen::MatrixXd::Zero(3, 2)),
                   moving(Interpolation::Step, {5}, Eigen::MatrixXd::Zero(3, 1)),
                   moving(Interpolation::Step, {}, Eigen::MatrixXd(3, 0))}};
  EXPECT_EQ(clip.seconds(), 5);
  EXPECT_EQ(Clip().seconds(), 0);
}

}  // namespace
}  // namespace sinew::clip_test
