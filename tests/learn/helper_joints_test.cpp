#include "sinew/learn/helper_joints.h"
#include "sinew/learn/fit/useful_helpers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/posing.h"
#include "sinew/samples/exact_arm.h"
#include "sinew/samples/samples.h"
#include "support/message_of.h"

namespace sinew::helper_joints_test {
namespace {

using test::messageOf;

constexpr double kDegree = std::numbers::pi / 180;

Quat turnAbout(const Vec3& axis, double degrees) {
  return Quat(Eigen::AngleAxisd(degrees * kDegree, axis.normalized()));
}

/// Examples at given bends and twists of the exact arm, degrees; their points are its sculptor's.
ExampleSet armExamples(const Character& arm, const std::vector<std::pair<double, double>>& turns) {
  ExampleSet set;
  for (const auto& [bend, twist] : turns) {
    Example example;
    example.name = fmt::format("turn{}", set.examples.size());
    example.pose = exactArmPose(arm, bend * kDegree, twist * kDegree);
    example.points = exactArmSculpt(bend * kDegree, twist * kDegree);
    set.examples.push_back(std::move(example));
  }
  return set;
}
const std::vector<std::pair<double, double>> kBends = {{40, 0}, {80, 0}, {120, 0}};
const std::vector<std::pair<double, double>> kBendsAndTwists = {{0, 80}, {60, -40}, {90, 60}, {120, 0}, {120, -80}};

std::vector<std::string> namesOf(const std::vector<HelperTrial>& trials) {
  std::vector<std::string> names;
  for (const HelperTrial& trial : trials) names.push_back(trial.name);
  return names;
}

/// worldFromRest of the first binding of a joint.
Affine worldFromRest(const Character& character, const Pose& pose, const std::string& joint) {
  PosedJoints posed;
  poseJoints(character, pose, posed);
  for (std::size_t b = 0; b < character.skin.bindings.size(); ++b) {
    if (character.skeleton[character.skin.bindings[b].joint].name == joint) return posed.worldFromRest[b];
  }
  throw Error(ErrorCode::NotFound, fmt::format("no binding of {}", joint));
}

Pose extended(const Character& character, const Pose& pose) {
  ExampleSet one;
  one.examples.push_back({"pose", pose, {}, {}, 1});
  return withHelperPoses(character, one).examples[0].pose;
}

double difference(const Affine& a, const Affine& b) {
  return (a.matrix() - b.matrix()).norm();
}

TEST(WithHelpers, ProposesAHalfJointAndBulgesOfBothBonesForABend) {
  const Character arm = makeExactArm().character;
  std::vector<HelperTrial> trials;
  const Character all = withHelpers(arm, armExamples(arm, kBends), {}, trials);
  EXPECT_EQ(namesOf(trials),
            (std::vector<std::string>{"lower_half", "lower_bulge_upper_y_grow", "lower_bulge_upper_y_shrink",
                                      "lower_bulge_upper_z_grow", "lower_bulge_upper_z_shrink",
                                      "lower_bulge_lower_y_grow", "lower_bulge_lower_y_shrink",
                                      "lower_bulge_lower_z_grow", "lower_bulge_lower_z_shrink"}));
  EXPECT_EQ(trials[0].rule, "half of lower's turn");
  EXPECT_EQ(trials[2].rule, "shrinks with lower's bend");
  checkCharacter(all, "test");
  EXPECT_EQ(all.skeleton.size(), 11);
  EXPECT_EQ(all.skin.bindings.size(), 11u);
  EXPECT_EQ(all.skin.weights.maxInfluences(), arm.skin.weights.maxInfluences());
  for (int j = 0; j < arm.skeleton.size(); ++j) EXPECT_EQ(all.skeleton[j].name, arm.skeleton[j].name);
  // With an older pose, and no helper moves anything at rest.
  for (const HelperTrial& trial : trials)
    EXPECT_LT(difference(worldFromRest(all, restPose(all), trial.name), Affine::Identity()), 1e-12) << trial.name;
}

TEST(WithHelpers, GivesTheJointsOfTheNotes) {
  // psd: half joint, bulges about the middle of the upper bone (-0.5, 0, 0) along y and z with k = 4 and -0.9.
  const Character arm = makeExactArm().character;
  std::vector<HelperTrial> trials;
  const Character all = withHelpers(arm, armExamples(arm, kBendsAndTwists), {}, trials);
  for (const auto& [bend, twist] : kBendsAndTwists) {
    const Pose pose = extended(all, exactArmPose(arm, bend * kDegree, twist * kDegree));
    const Quat lower = turnAbout(Vec3::UnitZ(), bend) * turnAbout(Vec3::UnitX(), twist);
    Affine half = Affine::Identity();
    half.linear() = Quat::Identity().slerp(0.5, lower).toRotationMatrix();
    EXPECT_LT(difference(worldFromRest(all, pose, "lower_half"), half), 1e-12);
    for (const bool alongZ : {false, true}) {
      for (const double k : {4.0, -0.9}) {
        Vec3 scale = Vec3::Ones();
        scale[alongZ ? 2 : 1] = 1 + k * (1 - std::cos(bend * kDegree)) / 2;
        const Affine wanted(Eigen::Translation3d(Vec3(-0.5, 0, 0)) * Eigen::Scaling(scale) *
                            Eigen::Translation3d(Vec3(0.5, 0, 0)));
        const std::string name = fmt::format("lower_bulge_upper_{}_{}", alongZ ? "z" : "y", k > 0 ? "grow" : "shrink");
        EXPECT_LT(difference(worldFromRest(all, pose, name), wanted), 1e-12) << name << " at " << bend;
      }
    }
  }
}

TEST(WithHelpers, ATwistAloneBulgesNothing) {
  const Character arm = makeExactArm().character;
  std::vector<HelperTrial> trials;
  withHelpers(arm, armExamples(arm, {{0, 60}, {0, -40}}), {}, trials);
  EXPECT_EQ(namesOf(trials), (std::vector<std::string>{"lower_half", "lower_twist_none", "lower_twist_half"}));
  withHelpers(arm, armExamples(arm, {{0, 60}}), {.half = false}, trials);
  EXPECT_TRUE(trials.empty());
  withHelpers(arm, armExamples(arm, kBends), {.half = false}, trials);
  EXPECT_EQ(trials.size(), 8u);
  withHelpers(arm, armExamples(arm, kBends), {.bulge = false}, trials);
  EXPECT_EQ(trials.size(), 1u);
  withHelpers(arm, armExamples(arm, kBends), {.leastTurn = 121}, trials);
  EXPECT_TRUE(trials.empty());
}

TEST(WithHelpers, TheJointThatCarriesTheBodyIsNoSource) {
  Character arm = makeExactArm().character;
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  for (Joint& joint : joints) joint.parent = joint.parent < 0 ? 2 : joint.parent;
  joints.push_back({"scene", -1, {}});
  arm.skeleton = Skeleton(joints);
  ExampleSet set = armExamples(arm, {{60, 0}});
  set.examples[0].pose.local[0].rotation = turnAbout(Vec3::UnitY(), 90);
  std::vector<HelperTrial> trials;
  withHelpers(arm, set, {.bulge = false}, trials);
  EXPECT_EQ(namesOf(trials), std::vector<std::string>{"lower_half"});
}

TEST(WithHelpers, NamesStayUniqueAndNothingIsProposedTwice) {
  Character arm = makeExactArm().character;
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints.push_back({"lower_half", 0, {}});
  arm.skeleton = Skeleton(joints);
  std::vector<HelperTrial> trials;
  const ExampleSet set = armExamples(arm, kBendsAndTwists);
  const Character once = withHelpers(arm, set, {}, trials);
  EXPECT_EQ(trials[0].name, "lower_half_2");
  std::set<std::string> names;
  for (const Joint& joint : once.skeleton.joints()) EXPECT_TRUE(names.insert(joint.name).second) << joint.name;
  const Character twice = withHelpers(once, withHelperPoses(once, set), {}, trials);
  EXPECT_TRUE(trials.empty());
  EXPECT_EQ(twice.skeleton.size(), once.skeleton.size());
}

/// upper and lower with a turned rest of `lower` that its skin is not bound in, and a node between the two.
Character oddArm() {
  Character arm = makeExactArm().character;
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  Joint node{"node", 0, {}};
  node.rest.translation = Vec3(0.25, 0.1, 0);
  node.rest.rotation = turnAbout(Vec3(1, 1, 0), 40);
  joints.push_back(node);
  joints[1].parent = 2;
  const Affine place = node.rest.parentFromJoint().inverse();
  joints[1].rest.translation = place * Vec3(1, 0, 0);
  joints[1].rest.rotation = Quat(Mat3(place.linear())) * turnAbout(Vec3::UnitZ(), 30);
  arm.skeleton = Skeleton(joints);
  return arm;
}

/// One example that bends joint 1 by 70 degrees, with the points of the rest.
ExampleSet bentExample(const Character& arm) {
  ExampleSet set;
  Example example;
  example.name = "bent";
  example.pose = restPose(arm);
  example.pose.local[1].rotation = example.pose.local[1].rotation * turnAbout(Vec3::UnitZ(), 70);
  example.points = arm.mesh.points;
  set.examples = {example};
  return set;
}

TEST(WithHelpers, HelpersMoveAtRestAsTheirBonesDoWhereBindAndRestDiffer) {
  const Character arm = oddArm();
  const ExampleSet set = bentExample(arm);
  std::vector<HelperTrial> trials;
  const Character all = withHelpers(arm, set, {}, trials);
  ASSERT_EQ(trials.size(), 9u);
  for (const HelperTrial& trial : trials) {
    const bool upper = trial.name.find("upper") != std::string::npos;
    EXPECT_LT(difference(worldFromRest(all, restPose(all), trial.name),
                         worldFromRest(all, restPose(all), upper ? "upper" : "lower")),
              1e-12)
        << trial.name;
  }
  // The upper bone runs from `upper` to `lower`, past the node: its bulge joints stand at the middle.
  PosedJoints posed;
  poseJoints(all, restPose(all), posed);
  EXPECT_LT((posed.worldFromJoint[4].translation() - Vec3(-0.5, 0, 0)).norm(), 1e-12);
  EXPECT_EQ(all.skeleton[trials[1].helper.joint].parent, 2);
}

TEST(WithHelpers, AParentThatNoSkinBindsIsBoundThroughItsChild) {
  Character arm = oddArm();
  // The skin keeps `lower` alone.
  arm.skin.bindings = {arm.skin.bindings[1]};
  arm.skin.weights = SkinWeights::rigid(1, arm.mesh.vertexCount(), 0);
  ExampleSet set = bentExample(arm);
  std::vector<HelperTrial> trials;
  // It carries the whole body, so it takes a second joint with skin to be a source.
  withHelpers(arm, set, {}, trials);
  EXPECT_TRUE(trials.empty());
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints.push_back({"other", 0, {}});
  arm.skeleton = Skeleton(joints);
  set.examples[0].pose.local.push_back(joints.back().rest);
  arm.skin.bindings.push_back({3, Affine::Identity()});
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) columns.push_back({{arm.mesh.points(0, v) > 0 ? 0u : 1u, 1}});
  arm.skin.weights = SkinWeights::fromColumns(2, columns);
  const Character all = withHelpers(arm, set, {}, trials);
  ASSERT_EQ(trials.size(), 9u);
  for (const HelperTrial& trial : trials) {
    EXPECT_LT(difference(worldFromRest(all, restPose(all), trial.name), worldFromRest(all, restPose(all), "lower")),
              1e-12)
        << trial.name;
  }
}

TEST(WithHelpers, EverySkinOfTheSourceGetsABinding) {
  Character arm = makeExactArm().character;
  Affine shifted = Affine::Identity();
  shifted.translation() = Vec3(5, 0, 0);
  const std::vector<Binding> first = arm.skin.bindings;
  for (Binding binding : first) {
    binding.jointFromRest = binding.jointFromRest * shifted;
    binding.skin = 1;
    arm.skin.bindings.push_back(binding);
  }
  arm.skin.bindings.push_back({1, Affine::Identity(), -1});  // places a part, binds no skin
  arm.skin.weights = arm.skin.weights.widened(arm.skin.bindings.size());
  std::vector<HelperTrial> trials;
  const Character all = withHelpers(arm, armExamples(arm, {{60, 0}}), {}, trials);
  ASSERT_EQ(trials.size(), 9u);
  EXPECT_EQ(all.skin.bindings.size(), 5u + 2 * 9);
  PosedJoints posed;
  poseJoints(all, restPose(all), posed);
  for (std::size_t b = 5; b < all.skin.bindings.size(); ++b)
    EXPECT_LT(difference(posed.worldFromRest[b], all.skin.bindings[b].skin == 0 ? Affine::Identity() : shifted), 1e-12);
}

TEST(WithHelpers, BonesWithoutLengthDoNotBulge) {
  Character arm = makeExactArm().character;
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints[1].rest.translation.setZero();
  arm.skeleton = Skeleton(joints);
  arm.skin.bindings[1].jointFromRest = arm.skin.bindings[0].jointFromRest;
  std::vector<HelperTrial> trials;
  const Character all = withHelpers(arm, armExamples(arm, {{60, 0}}), {}, trials);
  EXPECT_EQ(trials.size(), 5u);  // the half joint and the lower bone's
  for (const HelperTrial& trial : trials) EXPECT_EQ(trial.name.find("upper"), std::string::npos);
  for (const Binding& binding : all.skin.bindings) EXPECT_TRUE(binding.jointFromRest.matrix().allFinite());
}

TEST(WithHelpers, RefusesBadOptionsAndPoses) {
  const Character arm = makeExactArm().character;
  ExampleSet set = armExamples(arm, {{60, 0}});
  std::vector<HelperTrial> trials;
  const auto fault = [&](const HelperOptions& options) {
    return messageOf([&] { (void)withHelpers(arm, set, options, trials); });
  };
  EXPECT_EQ(fault({.leastTurn = -1}), "helper joints: the least turn is -1 degrees; choose 0 to 180");
  EXPECT_EQ(fault({.leastGain = 2}), "helper joints: the least gain is 2; choose 0 to 1");
  EXPECT_EQ(fault({.grow = 0}), "helper joints: growing bulge joints have a gain of 0; it must be above 0");
  EXPECT_EQ(fault({.shrink = -1}), "helper joints: shrinking bulge joints have a gain of -1; choose between -1 and 0");
  set.examples[0].pose.local.pop_back();
  EXPECT_EQ(fault({}), "helper joints: the pose of example 'turn0' has 1 joints, the skeleton has 2");
}

/// The arm with all helpers, some of which have weights; and examples that it plays exactly.
struct Planted {
  Character arm = makeExactArm().character;
  ExampleSet set;

  explicit Planted(const std::vector<std::string>& used) {
    set = armExamples(arm, kBendsAndTwists);
    std::vector<HelperTrial> trials;
    Character truth = withHelpers(arm, set, {}, trials);
    std::vector<std::vector<Influence>> columns;
    for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
      std::vector<Influence> column(arm.skin.weights[v].begin(), arm.skin.weights[v].end());
      double sum = 1;
      for (std::size_t k = 0; k < used.size(); ++k) {
        const int joint = truth.skeleton.index(used[k]);
        const double weight =
            0.4 * std::exp(-std::pow((arm.mesh.points(0, v) + 0.5 - 0.5 * static_cast<double>(k)) / 0.3, 2));
        column.push_back({static_cast<std::uint32_t>(joint), weight});  // the joint's binding has its number
        sum += weight;
      }
      for (Influence& influence : column) influence.weight /= sum;
      columns.push_back(column);
    }
    truth.skin.weights = SkinWeights::fromColumns(truth.skin.bindings.size(), columns);
    const ExampleSet posed = withHelperPoses(truth, set);
    for (std::size_t e = 0; e < set.examples.size(); ++e)
      set.examples[e].points = posePoints(truth, posed.examples[e].pose);
  }
};

TEST(WithUsefulHelpers, KeepsThePlantedOnes) {
  for (const auto& used : {std::vector<std::string>{"lower_half"},
                           std::vector<std::string>{"lower_bulge_upper_y_grow", "lower_twist_none"}}) {
    const Planted planted(used);
    std::vector<HelperTrial> trials;
    const Character kept = fit::withUsefulHelpers(planted.arm, planted.set, {}, {}, trials);
    std::vector<std::string> names;
    for (const HelperTrial& trial : trials) {
      if (!trial.kept) {
        EXPECT_EQ(trial.helper.joint, -1);
        EXPECT_LT(trial.gain, 0.01);
        continue;
      }
      names.push_back(trial.name);
      EXPECT_EQ(kept.skeleton[trial.helper.joint].name, trial.name);
      EXPECT_GE(trial.gain, 0.01);
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, used);
    EXPECT_EQ(trials.size(), 12u);
    checkCharacter(kept, "test");
    EXPECT_EQ(kept.skin.bindings.size(), 2 + used.size());
    EXPECT_EQ(kept.helpers.size(), used.size());
    // The weights that were there stay until someone fits them.
    for (Index v = 0; v < planted.arm.mesh.vertexCount(); v += 50)
      EXPECT_TRUE(std::equal(kept.skin.weights[v].begin(), kept.skin.weights[v].end(),
                             planted.arm.skin.weights[v].begin(), planted.arm.skin.weights[v].end()));
  }
}

TEST(WithUsefulHelpers, KeepsNoneWhereTheSkinIsRightAlready) {
  const Planted planted({});
  std::vector<HelperTrial> trials;
  const Character kept = fit::withUsefulHelpers(planted.arm, planted.set, {}, {}, trials);
  EXPECT_EQ(kept.skeleton.size(), 2);
  EXPECT_TRUE(std::none_of(trials.begin(), trials.end(), [](const HelperTrial& trial) { return trial.kept; }));
}

TEST(WithUsefulHelpers, ABudgetOfNoneProposesNothing) {
  const Planted planted({"lower_half"});
  std::vector<HelperTrial> trials(1);
  EXPECT_EQ(fit::withUsefulHelpers(planted.arm, planted.set, {.most = 0}, {}, trials).skeleton.size(), 2);
  EXPECT_TRUE(trials.empty());
}

TEST(WithUsefulHelpers, TheSameOnOneThreadAndOnSeveral) {
  const Planted planted({"lower_half", "lower_bulge_lower_z_shrink"});
  std::vector<HelperTrial> one;
  std::vector<HelperTrial> several;
  {
    const ThreadLimit limit(1);
    fit::withUsefulHelpers(planted.arm, planted.set, {.leastGain = 1e-4}, {}, one);
  }
  fit::withUsefulHelpers(planted.arm, planted.set, {.leastGain = 1e-4}, {}, several);
  ASSERT_EQ(one.size(), several.size());
  for (std::size_t h = 0; h < one.size(); ++h) {
    EXPECT_EQ(one[h].gain, several[h].gain);
    EXPECT_EQ(one[h].kept, several[h].kept);
  }
}

TEST(WithUsefulHelpers, LockedVerticesAndJointsAskForNoHelper) {
  const Planted planted({"lower_half"});
  fit::WeightOptions weights;
  for (std::uint32_t v = 0; v < 984; ++v) weights.lockedVertices.push_back(v);
  std::vector<HelperTrial> trials;
  EXPECT_EQ(fit::withUsefulHelpers(planted.arm, planted.set, {}, weights, trials).skeleton.size(), 2);
  weights.lockedVertices.clear();
  weights.lockedBindings = {0, 1};
  EXPECT_EQ(fit::withUsefulHelpers(planted.arm, planted.set, {}, weights, trials).skeleton.size(), 2);
}

TEST(WithUsefulHelpers, MasksHideWhatNoOneSees) {
  Planted planted({"lower_half"});
  for (Example& example : planted.set.examples) example.mask.assign(984, 0);
  std::vector<HelperTrial> trials;
  const Character kept = fit::withUsefulHelpers(planted.arm, planted.set, {}, {}, trials);
  EXPECT_EQ(kept.skeleton.size(), 2);
  for (const HelperTrial& trial : trials) EXPECT_TRUE(std::isfinite(trial.gain));
}

TEST(WithUsefulHelpers, CanBeCancelledAndTellsHowFarItIs) {
  const Planted planted({"lower_half"});
  std::vector<HelperTrial> trials;
  double last = -1;
  const Character kept =
      fit::withUsefulHelpers(planted.arm, planted.set, {}, {}, trials, [&](const ProgressState& state) {
        EXPECT_GE(state.fraction, 0);
        EXPECT_LE(state.fraction, 1);
        last = state.fraction;
        return true;
      });
  EXPECT_GT(last, 0.2);
  int calls = 0;
  try {
    (void)fit::withUsefulHelpers(planted.arm, planted.set, {}, {}, trials,
                                 [&](const ProgressState&) { return ++calls < 6; });
    FAIL() << "not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Cancelled);
  }
}

/// Root mean square of a fit with 4 influences at other poses.
double heldOutError(const Character& character, const ExampleSet& examples, const ExampleSet& heldOut) {
  const fit::FitProblem problem = fit::makeFitProblem(character, withHelperPoses(character, examples));
  Character fitted = character;
  fitted.skin.weights = fit::weightsOfVertices(character, problem, fit::fitWeights(character, problem).columns);
  const ExampleSet posed = withHelperPoses(character, heldOut);
  double sum = 0;
  for (const Example& example : posed.examples)
    sum += (posePoints(fitted, example.pose) - example.points).squaredNorm();
  return std::sqrt(sum);
}

TEST(WithUsefulHelpers, FewJointsDoNearlyAllTheWorkAtNewPoses) {
  const Sample sample = makeSample("arm", {.vertices = 1500});
  std::vector<HelperTrial> trials;
  const Character all = withHelpers(sample.character, sample.examples, {}, trials);
  const Character useful = fit::withUsefulHelpers(sample.character, sample.examples, {}, {}, trials);
  const double original = heldOutError(sample.character, sample.examples, sample.heldOut);
  const double withAll = heldOutError(all, sample.examples, sample.heldOut);
  const double withUseful = heldOutError(useful, sample.examples, sample.heldOut);
  EXPECT_LT(useful.helpers.size(), all.helpers.size() * 3 / 4);
  EXPECT_LT(withUseful, original / 5);
  EXPECT_LT(withUseful, 1.5 * withAll);
}

/// The exact arm with three helpers that move skin, and clips of every kind.
Character armToBake() {
  const Planted planted({"lower_half", "lower_bulge_upper_y_grow", "lower_twist_none"});
  std::vector<HelperTrial> trials;
  Character arm = withHelpers(planted.arm, planted.set, {}, trials);
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
    columns.push_back({{0, 0.2}, {1, 0.2}});
    for (const char* name : {"lower_half", "lower_bulge_upper_y_grow", "lower_twist_none"})
      columns.back().push_back({static_cast<std::uint32_t>(arm.skeleton.index(name)), 0.2});
  }
  arm.skin.weights = SkinWeights::fromColumns(arm.skin.bindings.size(), columns);
  ClipChannel turns = arm.clips[0].channels[0];
  Clip steps{"steps", {turns}};
  steps.channels[0].interpolation = Interpolation::Step;
  Clip splines{"splines", {turns}};
  ClipChannel& spline = splines.channels[0];
  spline.interpolation = Interpolation::CubicSpline;
  spline.values.resize(4, 3 * turns.values.cols());
  for (Index k = 0; k < turns.values.cols(); ++k) {
    spline.values.col(3 * k) = Eigen::Vector4d(0.1, -0.2, 0.3, 0);
    spline.values.col(3 * k + 1) = turns.values.col(k);
    spline.values.col(3 * k + 2) = Eigen::Vector4d(-0.1, 0.2, 0.1, 0);
  }
  ClipChannel shift;
  shift.path = ClipPath::Translation;
  shift.joint = 1;
  shift.interpolation = Interpolation::CubicSpline;
  shift.times = {0.2, 1.3};
  shift.values = Eigen::MatrixXd::Zero(3, 6);
  shift.values.col(1) = Vec3(1, 0, 0);
  shift.values.col(2) = Vec3(0, 0.3, 0);
  shift.values.col(4) = Vec3(1.2, 0.1, 0);
  splines.channels.push_back(shift);
  ClipChannel root;
  root.joint = 0;
  root.times = {0, 1};
  root.values = Eigen::MatrixXd::Random(3, 2);
  Clip still{"still", {root}};
  ClipChannel stale = turns;
  stale.joint = arm.skeleton.index("lower_half");
  still.channels.push_back(stale);
  arm.clips = {arm.clips[0], steps, splines, still};
  return arm;
}

double largestGap(const Character& ruled, const Character& plain, const Clip& clip, double time) {
  Pose pose = restPose(plain);
  sampleClip(clip, time, pose);
  return (posePoints(ruled, pose) - posePoints(plain, pose)).colwise().norm().maxCoeff() / std::sqrt(4.32);
}

TEST(BakeHelpers, PlayedWithoutRulesAClipShowsTheSame) {
  Character ruled = armToBake();
  bakeHelpers(ruled, 30, 1e-4);
  Character plain = ruled;
  plain.helpers.clear();
  for (const Clip& clip : ruled.clips) {
    for (const ClipChannel& channel : clip.channels) {
      if (!isHelper(ruled.helpers, channel.joint)) continue;
      for (const double time : channel.times) EXPECT_LT(largestGap(ruled, plain, clip, time), 1e-9) << clip.name;
    }
    for (int k = 0; k <= 997; ++k)
      EXPECT_LT(largestGap(ruled, plain, clip, clip.seconds() * k / 997), 1e-4) << clip.name << " at " << k;
  }
}

TEST(BakeHelpers, KeysAreAsDenseAsAskedAndStepsStaySteps) {
  Character arm = armToBake();
  bakeHelpers(arm, 24, 1);
  const auto channelsOf = [&](const Clip& clip, int joint) {
    std::vector<ClipChannel> found;
    for (const ClipChannel& channel : clip.channels) {
      if (channel.joint == joint) found.push_back(channel);
    }
    return found;
  };
  const int half = arm.skeleton.index("lower_half");
  const int bulge = arm.skeleton.index("lower_bulge_upper_y_grow");
  const auto flex = channelsOf(arm.clips[0], half);
  ASSERT_EQ(flex.size(), 1u);
  EXPECT_EQ(flex[0].path, ClipPath::Rotation);
  EXPECT_EQ(flex[0].times.size(), 49u);  // 2 s at 24 keys a second
  for (const ClipChannel& channel : arm.clips[0].channels) {
    EXPECT_TRUE(!isHelper(arm.helpers, channel.joint) || channel.times == flex[0].times);
  }
  for (std::size_t k = 1; k < flex[0].times.size(); ++k)
    EXPECT_GE(flex[0].values.col(static_cast<Index>(k)).dot(flex[0].values.col(static_cast<Index>(k) - 1)), 0);
  const auto scale = channelsOf(arm.clips[0], bulge);
  ASSERT_EQ(scale.size(), 1u);
  EXPECT_EQ(scale[0].path, ClipPath::Scale);
  const auto steps = channelsOf(arm.clips[1], half);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].interpolation, Interpolation::Step);
  EXPECT_EQ(steps[0].times, arm.clips[1].channels[0].times);
  const auto splines = channelsOf(arm.clips[2], half);
  ASSERT_EQ(splines.size(), 2u);  // rotation, and the source's translation
  EXPECT_EQ(splines[0].path, ClipPath::Translation);
  EXPECT_EQ(splines[0].interpolation, Interpolation::CubicSpline);
  // A pose that moves only the root moves no helper, and old channels are removed.
  EXPECT_TRUE(channelsOf(arm.clips[3], half).empty());
  EXPECT_EQ(arm.clips[3].channels.size(), 1u);
}

TEST(BakeHelpers, TwiceGivesTheSameAndBadNumbersAreRefused) {
  Character once = armToBake();
  bakeHelpers(once);
  Character twice = once;
  bakeHelpers(twice);
  for (std::size_t c = 0; c < once.clips.size(); ++c) {
    ASSERT_EQ(once.clips[c].channels.size(), twice.clips[c].channels.size());
    for (std::size_t i = 0; i < once.clips[c].channels.size(); ++i)
      EXPECT_EQ(once.clips[c].channels[i].values, twice.clips[c].channels[i].values);
  }
  EXPECT_EQ(messageOf([&] { bakeHelpers(once, 0); }), "helper joints: the number of keys per second must be positive");
  EXPECT_EQ(messageOf([&] { bakeHelpers(once, 30, -1); }),
            "helper joints: the tolerance of baked keys must be zero or more");
}

}  // namespace
}  // namespace sinew::helper_joints_test
