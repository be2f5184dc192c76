#include "sinew/learn/pose_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "arm3.h"
#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/posing.h"
#include "sinew/samples/exact_arm.h"
#include "support/allocations.h"
#include "support/message_of.h"

namespace sinew::pose_space_test {
namespace {

using test::messageOf;

constexpr double kDegree = std::numbers::pi / 180;

Example exactExample(const Character& arm, double bend, double twist = 0) {
  Example example;
  example.name = "bend" + std::to_string(static_cast<int>(bend)) + "twist" + std::to_string(static_cast<int>(twist));
  example.pose = exactArmPose(arm, bend * kDegree, twist * kDegree);
  example.points = exactArmSculpt(bend * kDegree, twist * kDegree);
  return example;
}

ExampleSet bends(const Character& arm, const std::vector<double>& degrees) {
  ExampleSet set;
  for (const double bend : degrees) {
    if (bend != 0) set.examples.push_back(exactExample(arm, bend));
  }
  return set;
}

/// rms over vertices and poses, in diagonals.
double heldOut(const Character& character, const std::vector<Example>& truths,
               const std::shared_ptr<const PoseSpaceModel>& model,
               const Eigen::Isometry3d& root = Eigen::Isometry3d::Identity(), double xCentre = 0, double xReach = 1e9) {
  CharacterPoser poser(character, model ? std::make_shared<PoseSpaceDeformer>(character, model) : Playback{});
  double sum = 0;
  Index count = 0;
  for (const Example& truth : truths) {
    const Points& moved = poser.pose(movedBy(character.skeleton, truth.pose, root));
    for (Index v = 0; v < moved.cols(); ++v) {
      if (std::abs(character.mesh.points(0, v) - xCentre) >= xReach) continue;
      sum += (moved.col(v) - root * truth.points.col(v)).squaredNorm();
      ++count;
    }
  }
  return std::sqrt(sum / static_cast<double>(count)) / boundingBox(character.mesh.points).diagonal();
}

const Eigen::Isometry3d kTurned(Eigen::AngleAxisd(0.8, Vec3::UnitY()) * Eigen::AngleAxisd(0.5, Vec3::UnitX()));

class ExactArmPoseSpace : public ::testing::Test {
 protected:
  Character arm = makeExactArm().character;
  ExampleSet examples = bends(arm, {0, 40, 80, 120, 160});
  std::vector<Example> truths = bends(arm, {20, 60, 100, 140}).examples;
};

// C1: one vertex that moves rigidly with its joint. Forward keeps the direction, inverse turns it with the joint.
TEST(PoseSpace, TurnsTheDirectionOfADeltaOnlyInTheInverseSpace) {
  Character toy;
  toy.mesh.points = (Points(3, 2) << 1, -1, 0.3, 0, 0, 0).finished();
  toy.skeleton = Skeleton({{"root", -1, {}}, {"joint", 0, {}}});
  toy.skin.bindings = {{0, Affine::Identity()}, {1, Affine::Identity()}};
  const std::vector<std::vector<Influence>> columns = {{{1, 1.0}}, {{0, 1.0}}};
  toy.skin.weights = SkinWeights::fromColumns(2, columns);
  const auto posed = [&](double degrees) {
    Pose pose = restPose(toy);
    pose.local[1].rotation = Quat(Eigen::AngleAxisd(degrees * kDegree, Vec3::UnitZ()));
    return pose;
  };
  ExampleSet set;
  set.examples.resize(1);
  set.examples[0].pose = posed(90);
  set.examples[0].points = posePoints(toy, posed(90));
  set.examples[0].points.col(0) += Vec3(0.12, 0.2, 0);
  const double lengths[] = {0.0841567, 0.1327939, 0.1777511};
  const double inverseDirections[] = {-0.9637565, 14.0362435, 29.0362435};
  for (const DeltaSpace space : {DeltaSpace::Forward, DeltaSpace::Inverse}) {
    const auto model =
        learnPoseSpace(toy, set,
                       {.space = space, .kernel = "gaussian", .radius = 90 * kDegree, .ridge = 0, .fade = false})
            .model;
    for (int i = 0; i < 3; ++i) {
      const double degrees = i == 0 ? 30 : i == 1 ? 45 : 60;
      const Vec3 delta = posePoints(toy, posed(degrees), std::make_shared<PoseSpaceDeformer>(toy, model)).col(0) -
                         posePoints(toy, posed(degrees)).col(0);
      const double direction = std::atan2(delta.y(), delta.x()) / kDegree;
      EXPECT_NEAR(direction, space == DeltaSpace::Forward ? 59.0362435 : inverseDirections[i], 1e-6);
      EXPECT_NEAR(delta.norm(), lengths[i], 1e-6);
    }
  }
}

// C3.
TEST_F(ExactArmPoseSpace, ReproducesTheExamplesInEverySpaceAndKernel) {
  for (const auto& [space, name] : kChoices<DeltaSpace>) {
    for (const RbfKernelRow& kernel : rbfKernels()) {
      for (const bool weighted : {false, true}) {
        const PoseSpaceResult result = learnPoseSpace(
            arm, examples,
            {.space = space, .kernel = std::string(kernel.name), .ridge = 0, .weighted = weighted, .leastDelta = 0});
        EXPECT_LT(result.report.after.max, 1e-10 * std::sqrt(4.32)) << name << " " << kernel.name;
        EXPECT_LT(heldOut(arm, examples.examples, result.model), 1e-10) << name << " " << kernel.name;
      }
    }
  }
}

TEST_F(ExactArmPoseSpace, DoesNotFeelTheMotionOfTheRoot) {
  for (const auto& [space, name] : kChoices<DeltaSpace>) {
    const auto model = learnPoseSpace(arm, examples, {.space = space, .ridge = 0}).model;
    EXPECT_NEAR(heldOut(arm, truths, model, kTurned), heldOut(arm, truths, model), 1e-10) << name;
  }
}

TEST_F(ExactArmPoseSpace, LosesWorldSpaceDeltasWhenTheRootTurns) {
  PoseSpaceModel raw =
      *learnPoseSpace(arm, examples, {.space = DeltaSpace::Forward, .kernel = "cubic", .ridge = 0, .leastDelta = 0})
           .model;
  raw.rootFrame = false;
  EXPECT_NEAR(heldOut(arm, truths, std::make_shared<PoseSpaceModel>(raw), kTurned), 0.01339, 1e-5);
}

// C4.
TEST_F(ExactArmPoseSpace, PredictsHeldOutBendsAsTheNotesSay) {
  EXPECT_NEAR(heldOut(arm, truths, nullptr) / 0.0213521, 1, 1e-4);
  struct Row {
    const char* kernel;
    double radius, forward, inverse, frame;
  };
  const Row rows[] = {{"cubic", 0, 4.4989e-4, 2.8018e-3, 2.3364e-4},
                      {"gaussian", 60 * kDegree, 1.25041e-3, 4.83832e-3, 1.14150e-3},
                      {"linear", 0, 1.29688e-3, 4.02989e-3, 7.09272e-4}};
  for (const Row& row : rows) {
    const auto error = [&](DeltaSpace space) {
      return heldOut(
          arm, truths,
          learnPoseSpace(arm, examples,
                         {.space = space, .kernel = row.kernel, .radius = row.radius, .ridge = 0, .leastDelta = 0})
              .model);
    };
    EXPECT_NEAR(error(DeltaSpace::Forward) / row.forward, 1, 1e-3) << row.kernel;
    EXPECT_NEAR(error(DeltaSpace::Inverse) / row.inverse, 1, 1e-3) << row.kernel;
    EXPECT_NEAR(error(DeltaSpace::Frame) / row.frame, 1, 1e-3) << row.kernel;
  }
}

TEST_F(ExactArmPoseSpace, IsAsGoodWithItsDefaults) {
  const PoseSpaceResult result = learnPoseSpace(arm, examples);
  EXPECT_LT(heldOut(arm, truths, result.model), 2.5e-4);
  EXPECT_LT(result.report.after.rms, 1e-4);
  EXPECT_EQ(result.report.examples.size(), 4u);
  EXPECT_GT(result.report.examples[0].leaveOneOut.rms, result.report.examples[0].after.rms);
  EXPECT_LT(result.report.leaveOneOut.rms, result.report.before.rms);
}

// C5: bend and twist as two driver joints.
TEST_F(ExactArmPoseSpace, PredictsBendAndTwistTogether) {
  Character two = arm;
  two.skeleton = Skeleton({arm.skeleton[0], {"bend", 0, arm.skeleton[1].rest}, {"twist", 1, {}}});
  two.skin.bindings[1].joint = 2;
  const auto example = [&](double bend, double twist) {
    Example result;
    result.name = "b" + std::to_string(static_cast<int>(bend)) + "t" + std::to_string(static_cast<int>(twist));
    result.pose = restPose(two);
    result.pose.local[1].rotation = Quat(Eigen::AngleAxisd(bend * kDegree, Vec3::UnitZ()));
    result.pose.local[2].rotation = Quat(Eigen::AngleAxisd(twist * kDegree, Vec3::UnitX()));
    result.points = exactArmSculpt(bend * kDegree, twist * kDegree);
    return result;
  };
  ExampleSet set;
  std::vector<Example> others;
  for (const double bend : {0, 60, 120}) {
    for (const double twist : {-90, 0, 90}) {
      if (bend != 0 || twist != 0) set.examples.push_back(example(bend, twist));
    }
  }
  for (const double bend : {30, 90}) {
    for (const double twist : {-45, 45}) others.push_back(example(bend, twist));
  }
  const auto error = [&](const char* kernel, double radius) {
    return heldOut(two, others,
                   learnPoseSpace(two, set, {.kernel = kernel, .radius = radius, .ridge = 0, .leastDelta = 0}).model);
  };
  EXPECT_NEAR(error("cubic", 0) / 1.77096e-3, 1, 1e-3);
  EXPECT_NEAR(error("gaussian", std::numbers::pi / 2) / 3.52317e-3, 1, 1e-3);
  EXPECT_NEAR(error("linear", 0) / 2.69838e-3, 1, 1e-3);
}

// C6.
TEST(PoseSpace, WeighsJointsPerVertex) {
  const test::Arm3 arm;
  ExampleSet set;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0})
      set.examples.push_back(arm.sculpted(sign * 70 * kDegree * Vec3::Unit(axis), 0));
  }
  for (const double elbow : {60, 120}) set.examples.push_back(arm.sculpted(Vec3::Zero(), elbow * kDegree));
  Lcg training(8);
  for (int i = 0; i < 6; ++i) set.examples.push_back(arm.random(training, 70, 125));
  Lcg testing(5);
  std::vector<Example> truths;
  for (int i = 0; i < 40; ++i) truths.push_back(arm.random(testing, 70, 125));

  const PoseSpaceOptions options{.kernel = "cubic", .ridge = 0, .fade = false, .leastDelta = 0};
  PoseSpaceOptions weighted = options;
  weighted.weighted = true;
  const auto plain = learnPoseSpace(arm.character, set, options).model;
  const auto perVertex = learnPoseSpace(arm.character, set, weighted).model;
  const auto elbow = [&](const auto& model) {
    return heldOut(arm.character, truths, model, Eigen::Isometry3d::Identity(), 1, 0.4);
  };
  EXPECT_NEAR(heldOut(arm.character, truths, plain) / 1.35838e-3, 1, 1e-3);
  EXPECT_NEAR(elbow(plain) / 7.3393e-4, 1, 2e-3);
  EXPECT_NEAR(heldOut(arm.character, truths, perVertex) / 9.0588e-4, 1, 2e-3);
  EXPECT_NEAR(elbow(perVertex) / 1.8486e-4, 1, 5e-3);
}

// C8, and a pose that folds the elbow flat.
TEST_F(ExactArmPoseSpace, StaysBoundedAtASingularPose) {
  const ExampleSet folded = bends(arm, {60, 120, 180});
  for (const auto& [space, name] : kChoices<DeltaSpace>) {
    const PoseSpaceResult result = learnPoseSpace(arm, folded, {.space = space, .ridge = 0, .leastDelta = 0});
    EXPECT_LT(result.report.after.max, 1e-9) << name;
    for (const Points& delta : result.model->deltas) {
      ASSERT_TRUE(delta.allFinite());
      EXPECT_LT(delta.cwiseAbs().maxCoeff(), 20) << name;
    }
    EXPECT_LT(heldOut(arm, bends(arm, {30, 90, 150}).examples, result.model), 0.03) << name;
  }
}

TEST_F(ExactArmPoseSpace, FadesFarFromEveryExample) {
  const ExampleSet few = bends(arm, {30, 60});
  const Pose far = exactArmPose(arm, -170 * kDegree, 0);
  const Points plain = posePoints(arm, far);
  const auto faded = learnPoseSpace(arm, few).model;
  const auto wild = learnPoseSpace(arm, few, {.fade = false}).model;
  EXPECT_LT((posePoints(arm, far, std::make_shared<PoseSpaceDeformer>(arm, faded)) - plain).cwiseAbs().maxCoeff(),
            1e-12);
  EXPECT_GT((posePoints(arm, far, std::make_shared<PoseSpaceDeformer>(arm, wild)) - plain).cwiseAbs().maxCoeff(), 0.02);
  // Within twice the largest gap nothing changes.
  const Pose near = exactArmPose(arm, 110 * kDegree, 0);
  EXPECT_EQ(posePoints(arm, near, std::make_shared<PoseSpaceDeformer>(arm, faded)),
            posePoints(arm, near, std::make_shared<PoseSpaceDeformer>(arm, wild)));
}

TEST_F(ExactArmPoseSpace, TouchesOnlyVerticesThatWereSculpted) {
  ExampleSet set;
  set.examples.resize(1);
  set.examples[0].pose = exactArmPose(arm, 90 * kDegree, 0);
  set.examples[0].points = posePoints(arm, set.examples[0].pose);
  set.examples[0].points.col(264).y() += 0.05;
  const PoseSpaceResult result = learnPoseSpace(arm, set);
  ASSERT_EQ(result.model->vertices, std::vector<std::uint32_t>{264});
  EXPECT_EQ(result.report.touched, 1);
}

TEST_F(ExactArmPoseSpace, HasTheSameBitsOnAnyNumberOfThreads) {
  const auto bits = [&](int threads) {
    const ThreadLimit limit(threads);
    const auto model = learnPoseSpace(arm, examples, {.weighted = true}).model;
    return posePoints(arm, truths[1].pose, std::make_shared<PoseSpaceDeformer>(arm, model));
  };
  EXPECT_EQ(bits(1), bits(4));
}

TEST_F(ExactArmPoseSpace, PlaysWithoutAllocating) {
  for (const auto& [space, name] : kChoices<DeltaSpace>) {
    const auto model = learnPoseSpace(arm, examples, {.space = space, .weighted = true}).model;
    const ThreadLimit limit(1);
    CharacterPoser poser(arm, std::make_shared<PoseSpaceDeformer>(arm, model));
    poser.pose(truths[0].pose);
    const std::size_t before = test::allocationCount();
    poser.pose(truths[1].pose);
    EXPECT_EQ(test::allocationCount(), before) << name;
  }
}

TEST_F(ExactArmPoseSpace, TellsWhereToSculptNext) {
  // A wide gap between 40 and 160 degrees: the next sculpt belongs there.
  const PoseSpaceResult result = learnPoseSpace(arm, bends(arm, {20, 40, 160}));
  ASSERT_FALSE(result.report.next.empty());
  const double angle = result.report.next[0].coordinates.norm() / kDegree;
  EXPECT_GT(angle, 60);
  EXPECT_LT(angle, 140);
  EXPECT_GT(result.report.next[0].predictedError, 0);
}

TEST_F(ExactArmPoseSpace, ASculptGoesBetweenDifferentPoses) {
  ExampleSet set = bends(arm, {20, 40, 160});
  for (std::size_t k = 0; k < 3; ++k) {
    set.examples.push_back(set.examples[k]);
    set.examples.back().name = "copy";
  }
  const PoseSpaceResult result = learnPoseSpace(arm, set);
  ASSERT_FALSE(result.report.next.empty());
  for (const SculptHint& hint : result.report.next) {
    EXPECT_EQ(hint.between.find("copy and"), std::string::npos) << hint.between;
    EXPECT_EQ(hint.between.find("and copy"), std::string::npos) << hint.between;
  }
}

TEST_F(ExactArmPoseSpace, WarnsOfContradictorySculptsAndAveragesThem) {
  ExampleSet set = bends(arm, {60, 120});
  Example other = set.examples[1];
  other.name = "again";
  other.points.row(2).array() += 0.02;
  set.examples.push_back(other);
  const PoseSpaceResult result = learnPoseSpace(arm, set, {.ridge = 0});
  ASSERT_EQ(result.report.warnings.size(), 1u);
  EXPECT_NE(result.report.warnings[0].find("'again' have the same pose but different sculpts"), std::string::npos)
      << result.report.warnings[0];
  const Points moved = posePoints(arm, other.pose, std::make_shared<PoseSpaceDeformer>(arm, result.model));
  EXPECT_LT((moved - 0.5 * (other.points + set.examples[1].points)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(ExactArmPoseSpace, LeavesOutASculptOfTheRestPose) {
  ExampleSet set = bends(arm, {60, 120});
  Example rest;
  rest.name = "fat";
  rest.pose = restPose(arm);
  rest.points = 1.1 * arm.mesh.points;
  set.examples.push_back(rest);
  const PoseSpaceResult result = learnPoseSpace(arm, set);
  EXPECT_NE(result.report.warnings.at(0).find("'fat' is at the rest pose"), std::string::npos);
  EXPECT_LT((posePoints(arm, restPose(arm), std::make_shared<PoseSpaceDeformer>(arm, result.model)) - arm.mesh.points)
                .cwiseAbs()
                .maxCoeff(),
            1e-6);
}

TEST_F(ExactArmPoseSpace, RefusesWhatCannotBeLearned) {
  const auto says = [&](const ExampleSet& set, const char* words) {
    const std::string message = messageOf([&] { learnPoseSpace(arm, set); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  says({}, "no example");
  ExampleSet set = examples;
  set.examples[1].points.conservativeResize(3, 900);
  says(set, "has 900 vertices, the character 984");
  set = examples;
  set.examples[0].points(1, 7) = std::nan("");
  says(set, "not a finite number");
  set = examples;
  set.drivers = {{"upper", 1}};
  says(set, "'upper' never moves");
  set.drivers = {{"lowr", 1}};
  says(set, "lower");
  set = examples;
  set.examples[2].confidence = -1;
  says(set, "confidence -1");
  ExampleSet still;
  still.examples = {exactExample(arm, 0)};
  says(still, "no example rotates a joint");
}

}  // namespace
}  // namespace sinew::pose_space_test
