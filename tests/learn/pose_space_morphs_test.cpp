// Pose spaces as morph targets: the error of a plain player against the model and the sculpts.
#include "sinew/learn/pose_space_morphs.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space.h"
#include "sinew/samples/samples.h"

namespace sinew::pose_space_morphs_test {
namespace {

struct Learning {
  Sample sample;
  PoseSpaceResult learned;
  double diagonal = 1;
};

Learning learnArm(const PoseSpaceOptions& options = {}) {
  Learning learning{makeSample("arm", {.exact = true}), {}, 1};
  learning.learned = learnPoseSpace(learning.sample.character, learning.sample.examples, options);
  learning.diagonal = boundingBox(learning.sample.character.mesh.points).diagonal();
  return learning;
}

PoseSpaceExport exported(const Learning& learning, PoseSpaceExportOptions options = {}) {
  options.leaveOneOut = learning.learned.report.leaveOneOut.rms;
  return exportPoseSpace(learning.sample.character, learning.learned.model, learning.sample.examples, options);
}

/// Error on held-out truths, in diagonals: of the model, and of a player that has the morph targets only.
struct HeldOut {
  double model = 0;
  double played = 0;
};

HeldOut heldOut(const Learning& learning, const PoseSpaceExport& result) {
  const PoseSpaceMorphWeights weights(*learning.learned.model, result.morphs);
  std::vector<Points> truth, model, played;
  for (const Example& example : learning.sample.heldOut.examples) {
    truth.push_back(example.points);
    model.push_back(posePoints(learning.sample.character, example.pose,
                               std::make_shared<PoseSpaceDeformer>(learning.sample.character, learning.learned.model)));
    Pose pose = example.pose;
    pose.morphWeights.resize(result.character.morphs.size(), 0);
    weights.apply(result.character.skeleton, pose);
    played.push_back(posePoints(result.character, pose));
  }
  return {compareSequences(truth, model, learning.diagonal).total.rms / learning.diagonal,
          compareSequences(truth, played, learning.diagonal).total.rms / learning.diagonal};
}

const ClipChannel& weightsOf(const Character& character, std::string_view clip) {
  const Clip& found = character.clips[clipIndex(character, clip)];
  const auto channel = std::find_if(found.channels.begin(), found.channels.end(),
                                    [](const ClipChannel& c) { return c.path == ClipPath::Weights; });
  if (channel == found.channels.end()) throw Error(ErrorCode::NotFound, "the clip has no weights");
  return *channel;
}

TEST(PoseSpaceExport, FrameSpaceOfTheArmWithinAFifthOfTheModel) {
  const Learning arm = learnArm();
  const PoseSpaceExport result = exported(arm);
  // The trial of the method needed 9 knots (8 morph targets) for what the model itself reaches.
  EXPECT_LE(result.report.morphs, 10);
  EXPECT_LE(result.report.reached, result.report.asked * 1.05);
  EXPECT_TRUE(result.report.warnings.empty());
  const HeldOut held = heldOut(arm, result);
  EXPECT_NEAR(held.model, 2.3364e-4, 2e-6);
  EXPECT_LE(held.played, 1.2 * held.model);
  EXPECT_LE(result.report.error.total.rms, 1.2 * arm.learned.report.after.rms + 1e-4 * arm.diagonal);
  EXPECT_LE(result.report.error.total.rms, 1e-5 * arm.diagonal);
}

TEST(PoseSpaceExport, InBetweenKnotsAreWhatKeepsTheFrameSpace) {
  const Learning arm = learnArm();
  const PoseSpaceExport few = exported(arm, {.method = MorphMethod::Knots, .maxMorphs = 4});
  const PoseSpaceExport many = exported(arm, {.method = MorphMethod::Knots, .maxMorphs = 12, .askedError = 1e-5});
  EXPECT_EQ(few.report.morphs, 4);
  ASSERT_FALSE(few.report.warnings.empty());
  EXPECT_NE(few.report.warnings[0].find("4 morph targets"), std::string::npos) << few.report.warnings[0];
  EXPECT_GT(heldOut(arm, few).played, 3 * heldOut(arm, many).played);
  // The trade: more morph targets, more bytes, less error.
  ASSERT_GE(many.report.trade.size(), 5u);
  for (std::size_t i = 1; i < many.report.trade.size(); ++i) {
    EXPECT_EQ(many.report.trade[i].morphs, many.report.trade[i - 1].morphs + 1);
    EXPECT_GT(many.report.trade[i].bytes, many.report.trade[i - 1].bytes);
  }
  EXPECT_LT(many.report.trade.back().rms, 0.1 * many.report.trade.front().rms);
}

TEST(PoseSpaceExport, FewerMorphTargetsThanExamplesShowTheWorstFirst) {
  const Learning arm = learnArm();
  const PoseSpaceExport two = exported(arm, {.maxMorphs = 2});
  EXPECT_EQ(two.report.morphs, 2);
  EXPECT_LT(two.report.error.total.rms, 0.5 * arm.learned.report.before.rms);
}

TEST(PoseSpaceExport, InverseSpaceNeedsItsExamplesOnly) {
  const Learning arm = learnArm({.space = DeltaSpace::Inverse});
  const PoseSpaceExport result = exported(arm);
  EXPECT_EQ(result.report.morphs, 4);
  EXPECT_LT(result.report.model.total.rms, 1e-6 * arm.diagonal);
  EXPECT_NEAR(heldOut(arm, result).played, heldOut(arm, result).model, 1e-6);
}

TEST(PoseSpaceExport, EverySpaceMeetsTheExamples) {
  for (const auto& [space, name] : kChoices<DeltaSpace>) {
    for (const bool weighted : {false, true}) {
      SCOPED_TRACE(std::string(name) + (weighted ? ", weighted" : ""));
      const Learning arm = learnArm({.space = space, .weighted = weighted});
      const PoseSpaceExport result = exported(arm);
      EXPECT_LE(result.report.error.total.rms, 1.2 * arm.learned.report.after.rms + 1e-5 * arm.diagonal);
      EXPECT_LE(heldOut(arm, result).played, 1.2 * heldOut(arm, result).model);
    }
  }
}

TEST(PoseSpaceExport, ImitatesAnotherOperatorUnderTheCorrectionsToo) {
  const Learning arm = learnArm({.base = "dual-quaternion"});
  const PoseSpaceExport result = exported(arm);
  EXPECT_LE(result.report.error.total.rms, 1e-4 * arm.diagonal);
  EXPECT_LE(heldOut(arm, result).played, heldOut(arm, result).model + 1e-4);
}

TEST(PoseSpaceExport, RestStaysAsItWas) {
  const Learning arm = learnArm();
  const PoseSpaceExport result = exported(arm);
  const Points moved = posePoints(result.character, restPose(result.character)) -
                       posePoints(arm.sample.character, restPose(arm.sample.character));
  EXPECT_EQ(moved.cwiseAbs().maxCoeff(), 0);
}

TEST(PoseSpaceExport, TheExamplesClipShowsEachSculptAtItsSecond) {
  const Learning arm = learnArm();
  const PoseSpaceExport result = exported(arm);
  EXPECT_EQ(result.morphs.clip, "examples");
  std::vector<Points> truth, played;
  for (std::size_t k = 0; k < arm.sample.examples.examples.size(); ++k) {
    truth.push_back(arm.sample.examples.examples[k].points);
    played.push_back(posePoints(result.character, clipPose(result.character, "examples", static_cast<double>(k + 1))));
  }
  // The reported error is that of the clip.
  const SequenceError error = compareSequences(truth, played, arm.diagonal);
  EXPECT_NEAR(error.total.rms, result.report.error.total.rms, 1e-8);
  EXPECT_NEAR(error.total.max, result.report.error.total.max, 1e-7);
  const Points rest = posePoints(result.character, clipPose(result.character, "examples", 0));
  EXPECT_LT((rest - arm.sample.character.mesh.points).colwise().norm().maxCoeff(), 1e-12);
  const PoseSpaceExport without = exported(arm, {.examplesClip = false});
  EXPECT_EQ(without.character.clips.size(), arm.sample.character.clips.size());
  EXPECT_TRUE(without.morphs.clip.empty());
}

TEST(PoseSpaceExport, LinearKeysFollowTheCurve) {
  const Learning arm = learnArm();
  const PoseSpaceExport result = exported(arm);
  const PoseSpaceMorphWeights weights(*learnArm().learned.model, result.morphs);
  for (const Clip& clip : result.character.clips) {
    const ClipChannel& baked = weightsOf(result.character, clip.name);
    for (std::size_t k = 0; k < baked.times.size(); ++k) {
      if (k > 0) {
        EXPECT_LE(baked.times[k] - baked.times[k - 1], 1 / 30.0 + 1e-4);
      }
      const double time = k > 0 ? 0.3 * baked.times[k - 1] + 0.7 * baked.times[k] : baked.times[k];
      const Pose linear = clipPose(result.character, clip.name, time);
      Pose exact = linear;
      weights.apply(result.character.skeleton, exact);
      const Points off = posePoints(result.character, linear) - posePoints(result.character, exact);
      EXPECT_LT(off.colwise().norm().maxCoeff(), 1e-4 * arm.diagonal) << clip.name << " at " << time;
    }
  }
}

/// The exact arm with a morph target of its own that a clip weighs, in curves of every kind.
Learning armWithSmile(Interpolation interpolation) {
  Learning learning = learnArm();
  Character& character = learning.sample.character;
  MorphTarget smile;
  smile.name = "smile";
  smile.deltas = Points::Constant(3, character.mesh.vertexCount(), 0.01);
  smile.defaultWeight = 0.25;
  character.morphs.push_back(smile);
  for (ExampleSet* set : {&learning.sample.examples, &learning.sample.heldOut}) {
    for (Example& example : set->examples) {
      example.pose.morphWeights = {0.25};
      example.points.array() += 0.25 * 0.01;
    }
  }
  ClipChannel channel;
  channel.path = ClipPath::Weights;
  channel.interpolation = interpolation;
  channel.times = {0, 0.4, 1};
  channel.values = Eigen::RowVector3d(0, 1, 0.5);
  if (interpolation == Interpolation::CubicSpline) {
    channel.values = Eigen::MatrixXd::Zero(1, 9);
    channel.values.row(0) << 0, 0, 2, 0, 1, -1, 0, 0.5, 0;
  }
  character.clips.at(0).channels.push_back(channel);
  learning.learned = learnPoseSpace(character, learning.sample.examples);
  return learning;
}

TEST(PoseSpaceExport, ExtendsTheWeightsThatAClipHas) {
  for (const Interpolation interpolation : {Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline}) {
    const Learning arm = armWithSmile(interpolation);
    const std::string clip = arm.sample.character.clips.at(0).name;
    const PoseSpaceExport result = exported(arm);
    EXPECT_EQ(result.character.morphs.at(0).name, "smile");
    EXPECT_EQ(result.morphs.morphs.front(), 1);
    for (const double time : {0.0, 0.11, 0.39, 0.4, 0.7, 0.95, 1.0}) {
      const double before = clipPose(arm.sample.character, clip, time).morphWeights.at(0);
      EXPECT_NEAR(clipPose(result.character, clip, time).morphWeights.at(0), before, 2e-3)
          << static_cast<int>(interpolation) << " at " << time;
    }
    // In the clip of the examples it has the weight that their poses give it.
    EXPECT_NEAR(clipPose(result.character, "examples", 1.5).morphWeights.at(0), 0.25, 1e-7);
    EXPECT_LE(result.report.error.total.rms, 1e-5 * arm.diagonal);
    // A clip has one channel of weights, the limit for a node.
    for (const Clip& each : result.character.clips) {
      EXPECT_EQ(std::count_if(each.channels.begin(), each.channels.end(),
                              [](const ClipChannel& c) { return c.path == ClipPath::Weights; }),
                1);
    }
  }
}

TEST(PoseSpaceExport, IsUndoneByRemovingItsMorphTargets) {
  const Learning arm = learnArm();
  PoseSpaceExport result = exported(arm);
  removePoseSpaceMorphs(result.morphs, result.character);
  EXPECT_TRUE(result.character.morphs.empty());
  ASSERT_EQ(result.character.clips.size(), arm.sample.character.clips.size());
  for (std::size_t c = 0; c < result.character.clips.size(); ++c) {
    EXPECT_EQ(result.character.clips[c].channels.size(), arm.sample.character.clips[c].channels.size());
  }
  const PoseSpaceExport again = exportPoseSpace(result.character, arm.learned.model, arm.sample.examples,
                                                {.leaveOneOut = arm.learned.report.leaveOneOut.rms});
  EXPECT_EQ(again.report.morphs, static_cast<int>(again.character.morphs.size()));
  EXPECT_EQ(again.report.error.total.rms, exported(arm).report.error.total.rms);
}

TEST(PoseSpaceExport, GivesEachMeshItsOwnMorphTargets) {
  Learning arm = learnArm();
  Character& character = arm.sample.character;
  Mesh& mesh = character.mesh;
  const Index ring = 24;
  const Index half = mesh.vertexCount() / 2;
  // No correction touches the first ring, except for the negligible tail of a bulge.
  arm.learned = learnPoseSpace(character, arm.sample.examples, {.leastDelta = 1e-5});
  mesh.parts = {{.name = "end", .firstVertex = 0, .vertexCount = ring, .mesh = 0},
                {.name = "upper", .firstVertex = ring, .vertexCount = half - ring, .mesh = 1},
                {.name = "lower", .firstVertex = half, .vertexCount = mesh.vertexCount() - half, .mesh = 2}};
  const PoseSpaceExport result = exported(arm);
  EXPECT_EQ(result.character.morphs.size(), 2 * static_cast<std::size_t>(result.report.morphs));
  for (const MorphTarget& morph : result.character.morphs) {
    const MeshPart& part = mesh.parts[static_cast<std::size_t>(morph.mesh)];
    EXPECT_NE(morph.mesh, 0);
    EXPECT_EQ(morph.firstVertex, part.firstVertex);
    EXPECT_EQ(morph.deltas.cols(), part.vertexCount);
  }
  EXPECT_LE(result.report.error.total.rms, 1e-5 * arm.diagonal);
}

TEST(PoseSpaceExport, HasTheSameBitsOnOneThread) {
  const Learning arm = learnArm();
  const PoseSpaceExport many = exported(arm);
  const ThreadLimit limit(1);
  const PoseSpaceExport one = exported(arm);
  ASSERT_EQ(one.character.morphs.size(), many.character.morphs.size());
  for (std::size_t m = 0; m < one.character.morphs.size(); ++m) {
    EXPECT_EQ(one.character.morphs[m].deltas, many.character.morphs[m].deltas);
  }
  EXPECT_EQ(one.report.reached, many.report.reached);
}

TEST(PoseSpaceExport, RefusesWhatDoesNotFit) {
  const Learning arm = learnArm();
  EXPECT_THROW(exportPoseSpace(arm.sample.character, nullptr, arm.sample.examples), Error);
  EXPECT_THROW(exported(arm, {.maxMorphs = 0}), Error);
  EXPECT_THROW(exported(arm, {.framesPerSecond = 0}), Error);
  ExampleSet wrong = arm.sample.examples;
  wrong.examples[0].points = Points::Zero(3, 5);
  EXPECT_THROW(exportPoseSpace(arm.sample.character, arm.learned.model, wrong), Error);
  Character naked = arm.sample.character;
  naked.skin = {};
  EXPECT_THROW(exportPoseSpace(naked, arm.learned.model, arm.sample.examples), Error);
}

TEST(PoseSpaceExport, StopsWhenAsked) {
  const Learning arm = learnArm();
  try {
    exportPoseSpace(arm.sample.character, arm.learned.model, arm.sample.examples, {},
                    [](const ProgressState& state) { return state.fraction < 0.5; });
    ADD_FAILURE() << "it did not stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Cancelled);
  }
}

TEST(PoseSpaceExport, UsesTheMorphTargetsThatItMayWhereTheyAreNotEnough) {
  const Sample limb = makeSample("limb", {.vertices = 1000});
  const PoseSpaceResult learned = learnPoseSpace(limb.character, limb.examples);
  const auto exportedWith = [&](int most, double asked) {
    return exportPoseSpace(limb.character, learned.model, limb.examples, {.maxMorphs = most, .askedError = asked});
  };
  const PoseSpaceExportReport few = exportedWith(26, 1e-7).report;
  const PoseSpaceExportReport many = exportedWith(40, 1e-7).report;
  EXPECT_EQ(few.trade.back().morphs, 26);
  EXPECT_EQ(many.trade.back().morphs, 40);
  EXPECT_LT(many.reached, few.reached);
  ASSERT_EQ(many.warnings.size(), 1u);
  EXPECT_NE(many.warnings[0].find("is requested"), std::string::npos) << many.warnings[0];
  const PoseSpaceExportReport aimed = exportedWith(4, 0).report;
  ASSERT_EQ(aimed.warnings.size(), 1u);
  EXPECT_NE(aimed.warnings[0].find("is the target (--morph-error); more than --max-morphs 4"), std::string::npos)
      << aimed.warnings[0];
}

/// Of the corrections: a half at 1, a tenth at 10, whatever interpolates them.
TEST(PoseSpaceRidge, IsAScaleOfTheWholeCorrectionForEveryKernel) {
  for (const char* name : {"arm", "limb"}) {
    const Sample sample = makeSample(name, {.vertices = 1000});
    for (const char* kernel : {"auto", "cubic", "linear"}) {
      double last = 0;
      for (const double ridge : {0.0, 0.1, 1.0, 10.0}) {
        const PoseSpaceReport report =
            learnPoseSpace(sample.character, sample.examples, {.kernel = kernel, .ridge = ridge}).report;
        const double left = report.after.rms / report.before.rms;
        SCOPED_TRACE(std::string(name) + ", " + kernel + ", " + std::to_string(ridge));
        if (ridge == 0) {
          EXPECT_LT(left, 1e-4);
        } else {
          EXPECT_GT(left, 1.05 * last);
        }
        if (ridge == 1) {
          EXPECT_GT(left, 0.35);
          EXPECT_LT(left, 0.65);
        }
        if (ridge == 10) {
          EXPECT_GT(left, 0.8);
        }
        for (const PoseSpaceExample& example : report.examples)
          EXPECT_LE(example.after.rms, 1.001 * example.before.rms + 1e-9) << example.name;
        last = left;
      }
    }
  }
}

TEST(PoseSpaceExport, LimbWithinItsBounds) {
  Sample limb = makeSample("limb", {.vertices = 2000});
  const PoseSpaceResult learned = learnPoseSpace(limb.character, limb.examples);
  const PoseSpaceExport result =
      exportPoseSpace(limb.character, learned.model, limb.examples, {.leaveOneOut = learned.report.leaveOneOut.rms});
  const double diagonal = boundingBox(posePoints(limb.character, restPose(limb.character))).diagonal();
  EXPECT_LE(result.report.error.total.rms, 1.2 * learned.report.after.rms + 1e-4 * diagonal);
  EXPECT_LE(result.report.reached, 0.2 * learned.report.leaveOneOut.rms);
  EXPECT_LE(result.report.morphs, 32);
}

}  // namespace
}  // namespace sinew::pose_space_morphs_test
