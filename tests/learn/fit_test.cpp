#include "sinew/learn/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/posing.h"
#include "sinew/samples/exact_arm.h"
#include "support/message_of.h"
#include "support/test_arm.h"

namespace sinew::fit_test {
namespace {

using test::messageOf;

constexpr double kDegree = std::numbers::pi / 180;

ExampleSet armExamples(const Character& arm, std::initializer_list<std::array<double, 2>> turns) {
  ExampleSet set;
  for (const auto& [bend, twist] : turns) {
    Example example;
    example.name = "bend" + std::to_string(static_cast<int>(bend)) + "twist" + std::to_string(static_cast<int>(twist));
    example.pose = exactArmPose(arm, bend * kDegree, twist * kDegree);
    example.points = exactArmSculpt(bend * kDegree, twist * kDegree);
    set.examples.push_back(std::move(example));
  }
  return set;
}

double rmsOf(const Character& character, const ExampleSet& set) {
  double sum = 0;
  double count = 0;
  for (const Example& example : withHelperPoses(character, set).examples) {
    const Points moved = posePoints(character, example.pose);
    sum += (moved - example.points).squaredNorm();
    count += static_cast<double>(moved.cols());
  }
  return std::sqrt(sum / count);
}

class FitArm : public ::testing::Test {
 protected:
  Character arm = makeExactArm().character;
  ExampleSet set = armExamples(arm, {{40, 0}, {80, 0}, {120, 0}, {0, 60}, {0, -60}, {80, 60}, {80, -60}});
};

/// Faces of the second half get vertices of their own, as files have at seams.
Sample withSeam(const Character& whole, const ExampleSet& examples) {
  Sample split{whole, examples, {}};
  Mesh& mesh = split.character.mesh;
  std::vector<std::uint32_t> source(static_cast<std::size_t>(mesh.vertexCount()));
  for (std::size_t v = 0; v < source.size(); ++v) source[v] = static_cast<std::uint32_t>(v);
  std::vector<std::int64_t> twin(source.size(), -1);
  for (std::size_t c = mesh.faces.start[mesh.faces.size() / 2]; c < mesh.faces.corner.size(); ++c) {
    std::uint32_t& corner = mesh.faces.corner[c];
    if (twin[corner] < 0) {
      twin[corner] = static_cast<std::int64_t>(source.size());
      source.push_back(corner);
    }
    corner = static_cast<std::uint32_t>(twin[corner]);
  }
  const auto carried = [&](const Points& points) {
    Points more(3, static_cast<Index>(source.size()));
    for (std::size_t v = 0; v < source.size(); ++v) more.col(static_cast<Index>(v)) = points.col(source[v]);
    return more;
  };
  std::vector<std::vector<Influence>> columns;
  for (const std::uint32_t v : source) {
    const auto column = whole.skin.weights[v];
    columns.emplace_back(column.begin(), column.end());
  }
  split.character.skin.weights = SkinWeights::fromColumns(whole.skin.bindings.size(), columns);
  mesh.points = carried(whole.mesh.points);
  mesh.normals = carried(whole.mesh.normals);
  mesh.parts[0].vertexCount = mesh.vertexCount();
  for (Example& example : split.examples.examples) example.points = carried(example.points);
  split.examples.rest.resize(3, 0);
  return split;
}

/// Vertices at one rest position of the unsplit arm, as pairs (an old one, its copy).
std::vector<std::array<Index, 2>> seamPairs(const Character& split) {
  std::vector<std::array<Index, 2>> pairs;
  const Points rest = exactArmRest();
  for (Index copy = rest.cols(); copy < split.mesh.vertexCount(); ++copy) {
    for (Index v = 0; v < rest.cols(); ++v) {
      if (rest.col(v) == split.mesh.points.col(copy)) pairs.push_back({v, copy});
    }
  }
  return pairs;
}

TEST_F(FitArm, LowersTheErrorAndTellsIt) {
  const FitResult result = fitSkin(arm, set, {.helpers = FitHelpers::All});
  EXPECT_LT(result.report.after.rms, 0.35 * result.report.before.rms);
  EXPECT_NEAR(result.report.before.rms, rmsOf(arm, set), 1e-12);
  EXPECT_NEAR(result.report.after.rms, rmsOf(result.character, set), 1e-12);
  EXPECT_EQ(result.report.examples.size(), set.examples.size());
  EXPECT_FALSE(result.character.helpers.empty());
  EXPECT_EQ(result.character.mesh.points, arm.mesh.points);
  EXPECT_NE(result.report.sentence().find("helper joint"), std::string::npos);
}

TEST_F(FitArm, BakesHelperJointsIntoEveryClip) {
  ASSERT_FALSE(arm.clips.empty());
  const FitResult result = fitSkin(arm, set, {.helpers = FitHelpers::Half});
  for (const HelperJoint& helper : result.character.helpers) {
    const auto& channels = result.character.clips[0].channels;
    EXPECT_TRUE(std::any_of(channels.begin(), channels.end(),
                            [&](const ClipChannel& channel) { return channel.joint == helper.joint; }));
  }
}

TEST_F(FitArm, ErrorNeverRisesBetweenHalfSteps) {
  for (const double stiffness : {0.0, 0.3, 30.0}) {
    const FitResult result =
        fitSkin(arm, set, {.helpers = FitHelpers::Half, .rest = true, .rounds = 8, .restStiffness = stiffness});
    ASSERT_GE(result.report.steps.size(), 4u);
    for (std::size_t k = 1; k < result.report.steps.size(); ++k)
      EXPECT_LE(result.report.steps[k].rms, result.report.steps[k - 1].rms * (1 + 1e-12)) << k;
  }
}

TEST_F(FitArm, StopsWhenARoundGainsNothing) {
  const FitResult result = fitSkin(arm, set, {.rest = true, .rounds = 100});
  EXPECT_LT(result.report.iterations, 100);
}

TEST_F(FitArm, LimitsTheDriftOfTheRestShape) {
  const FitResult far = fitSkin(arm, set, {.rest = true, .restDrift = 1, .restStiffness = 0});
  const FitResult near = fitSkin(arm, set, {.rest = true, .restDrift = 0.002, .restStiffness = 0});
  EXPECT_GT(far.report.drift, 0.005);
  EXPECT_LE(near.report.drift, 0.002 * (1 + 1e-9));
  const double moved = (near.character.mesh.points - arm.mesh.points).colwise().norm().maxCoeff();
  EXPECT_NEAR(moved, near.report.drift * near.report.diagonal, 1e-9);
  EXPECT_NE(near.report.warnings.back().find("reached their drift limit (0.2 % of the diagonal)"), std::string::npos);
  EXPECT_LT(far.report.after.rms, near.report.after.rms);
}

TEST_F(FitArm, TurnsNormalsWithTheRestShape) {
  const FitResult result = fitSkin(arm, set, {.rest = true});
  const Points& normals = result.character.mesh.normals;
  EXPECT_NE(normals, arm.mesh.normals);
  EXPECT_LT((normals.colwise().norm().array() - 1).abs().maxCoeff(), 1e-9);
  Points fresh;
  computeNormals(result.character.mesh.points, triangulate(result.character.mesh), fresh);
  EXPECT_GT((normals.cwiseProduct(fresh)).colwise().sum().minCoeff(), 0.999);
}

TEST_F(FitArm, ObeysTheCap) {
  for (const int most : {1, 2, 3}) {
    const FitResult result = fitSkin(arm, set, {.maxInfluences = most, .helpers = FitHelpers::All});
    EXPECT_LE(result.character.skin.weights.maxInfluences(), most);
    EXPECT_EQ(result.report.maxInfluences, result.character.skin.weights.maxInfluences());
  }
}

TEST_F(FitArm, RoundsWeightsThatSumExactly) {
  const double exact = fitSkin(arm, set, {.helpers = FitHelpers::All}).report.after.rms;
  struct Row {
    WeightFormat format;
    double steps;
  };
  for (const Row& row : {Row{WeightFormat::Bits8, 255}, Row{WeightFormat::Bits16, 65535}}) {
    const FitResult result = fitSkin(arm, set, {.helpers = FitHelpers::All, .quantize = row.format});
    for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
      double sum = 0;
      for (const Influence& influence : result.character.skin.weights[v]) {
        const double units = influence.weight * row.steps;
        EXPECT_NEAR(units, std::round(units), 1e-6);
        sum += std::round(units);
      }
      EXPECT_EQ(sum, row.steps);
    }
    EXPECT_LT(result.report.after.rms, 1.15 * exact);
    EXPECT_EQ(result.report.steps.back().what, "rounding");
  }
}

TEST_F(FitArm, LetsNoExampleBecomeWorse) {
  // Twists dominate, and two bones cannot follow them: least squares would degrade the bends.
  const FitResult spoilt = fitSkin(arm, set, {.mostWorse = 1e6, .prior = "0"});
  const FitResult guarded = fitSkin(arm, set, {.prior = "0"});
  const auto worst = [](const FitReport& report) {
    double ratio = 0;
    for (const FitExample& example : report.examples) ratio = std::max(ratio, example.after.rms / example.before.rms);
    return ratio;
  };
  EXPECT_GT(worst(spoilt.report), 1.03);
  EXPECT_LT(worst(guarded.report), 1.01);
  EXPECT_LE(guarded.report.after.rms, guarded.report.before.rms);
}

TEST_F(FitArm, KeepsLockedJointsAndVertices) {
  const FitResult joint = fitSkin(arm, set, {.helpers = FitHelpers::Half, .locks = {"lower"}});
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v)
    EXPECT_NEAR(joint.character.skin.weights.weight(v, 1), arm.skin.weights.weight(v, 1), 1e-12);
  const FitResult vertex = fitSkin(arm, set, {.helpers = FitHelpers::Half, .lockedVertices = {480, 500}});
  EXPECT_NEAR(vertex.character.skin.weights.weight(480, 1), arm.skin.weights.weight(480, 1), 1e-12);
  EXPECT_GT(joint.report.after.rms, vertex.report.after.rms);
  EXPECT_TRUE(std::any_of(joint.report.warnings.begin(), joint.report.warnings.end(), [](const std::string& warning) {
    return warning.find("locks increase the error") != std::string::npos;
  }));
}

TEST_F(FitArm, TellsJointsThatNoExampleMoves) {
  Character fit = test::testArm();
  ExampleSet still;
  still.examples.push_back({"moved", restPose(fit), {}, {}, 1});
  still.examples[0].pose =
      movedBy(fit.skeleton, still.examples[0].pose, Eigen::Isometry3d(Eigen::Translation3d(1, 2, 3)));
  still.examples[0].points = posePoints(fit, still.examples[0].pose);
  const FitResult result = fitSkin(fit, still, {.helpers = FitHelpers::All, .rest = true});
  ASSERT_FALSE(result.report.warnings.empty());
  EXPECT_EQ(result.report.warnings[0], "no example moves 'lower' against 'upper', so its weights are unchanged");
  for (Index v = 0; v < fit.mesh.vertexCount(); ++v) {
    for (const Influence& influence : fit.skin.weights[v])
      EXPECT_NEAR(result.character.skin.weights.weight(v, influence.binding), influence.weight, 1e-9);
  }
}

TEST_F(FitArm, KeepsSeamsClosed) {
  const Sample split = withSeam(arm, set);
  const auto pairs = seamPairs(split.character);
  ASSERT_GT(pairs.size(), 20u);
  const FitResult result = fitSkin(split.character, split.examples,
                                   {.helpers = FitHelpers::All, .rest = true, .quantize = WeightFormat::Bits8});
  for (const auto& [v, copy] : pairs) {
    const auto a = result.character.skin.weights[v];
    const auto b = result.character.skin.weights[copy];
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << v;
    ASSERT_EQ(result.character.mesh.points.col(v), result.character.mesh.points.col(copy));
  }
}

TEST_F(FitArm, FitsTwoMeshesOfTwoSkinsInOneGo) {
  const Sample split = withSeam(arm, set);
  Character two = split.character;
  const Index first = arm.mesh.vertexCount();
  // Copies are a mesh of their own, whose skin binds in another rest space.
  const Affine shifted(Eigen::Translation3d(5, 0, 0) * Eigen::AngleAxisd(0.7, Vec3::UnitY()) * Eigen::Scaling(10.0));
  for (int b = 0; b < 2; ++b) {
    Binding binding = arm.skin.bindings[static_cast<std::size_t>(b)];
    binding.skin = 1;
    binding.jointFromRest = binding.jointFromRest * shifted.inverse();
    two.skin.bindings.push_back(binding);
  }
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < two.mesh.vertexCount(); ++v) {
    columns.emplace_back();
    for (Influence influence : split.character.skin.weights[v]) {
      if (v >= first) influence.binding += 2;
      columns.back().push_back(influence);
    }
  }
  two.skin.weights = SkinWeights::fromColumns(4, columns);
  for (Index v = first; v < two.mesh.vertexCount(); ++v)
    two.mesh.points.col(v) = shifted * Vec3(two.mesh.points.col(v));
  MeshPart& whole = two.mesh.parts[0];
  MeshPart second = whole;
  whole.vertexCount = first;
  whole.faceCount = two.mesh.faces.size() / 2;
  second.firstVertex = first;
  second.vertexCount = two.mesh.vertexCount() - first;
  second.firstFace = whole.faceCount;
  second.faceCount = two.mesh.faces.size() - whole.faceCount;
  second.mesh = 1;
  second.name = "second";
  two.mesh.parts.push_back(second);

  const FitResult result = fitSkin(two, split.examples, {.helpers = FitHelpers::All, .rest = true});
  EXPECT_LT(result.report.after.rms, 0.35 * result.report.before.rms);
  const ExampleSet posed = withHelperPoses(result.character, split.examples);
  const auto pairs = seamPairs(split.character);
  ASSERT_GT(pairs.size(), 20u);
  for (const Example& example : posed.examples) {
    const Points moved = posePoints(result.character, example.pose);
    for (const auto& [v, copy] : pairs) EXPECT_LT((moved.col(v) - moved.col(copy)).norm(), 1e-9) << v;
  }
}

TEST_F(FitArm, StopsWhenAskedAndLeavesNothing) {
  for (const int calls : {1, 3, 6}) {
    int left = calls;
    try {
      fitSkin(arm, set, {.helpers = FitHelpers::All, .rest = true}, [&](const ProgressState& state) {
        EXPECT_GE(state.fraction, 0);
        EXPECT_LE(state.fraction, 1);
        return --left > 0;
      });
      ADD_FAILURE() << "was not cancelled";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Cancelled);
    }
  }
}

TEST_F(FitArm, HasTheSameBitsOnOneThread) {
  const FitOptions options{.helpers = FitHelpers::All, .rest = true, .quantize = WeightFormat::Bits16};
  const FitResult many = fitSkin(arm, set, options);
  const ThreadLimit one(1);
  const FitResult single = fitSkin(arm, set, options);
  EXPECT_EQ(single.character.skin.weights, many.character.skin.weights);
  EXPECT_EQ(single.character.mesh.points, many.character.mesh.points);
}

TEST_F(FitArm, SurvivesBadExamples) {
  ExampleSet odd = armExamples(arm, {{80, 0}});
  odd.examples.push_back(odd.examples[0]);  // twice the same
  odd.examples.push_back(odd.examples[0]);
  odd.examples.back().points.setZero();  // everything at one place
  odd.examples.push_back(odd.examples[0]);
  odd.examples.back().mask.assign(984, 0);
  odd.examples.push_back(odd.examples[0]);
  odd.examples.back().confidence = 0;
  const FitResult result = fitSkin(arm, odd, {.helpers = FitHelpers::All, .rest = true});
  EXPECT_TRUE(result.character.mesh.points.allFinite());
  EXPECT_TRUE(result.character.mesh.normals.allFinite());
  for (Index v = 0; v < 984; ++v) {
    for (const Influence& influence : result.character.skin.weights[v]) {
      EXPECT_GE(influence.weight, 0);
      EXPECT_LE(influence.weight, 1);
    }
  }
  const auto warned = [&](const char* words) {
    return std::any_of(result.report.warnings.begin(), result.report.warnings.end(),
                       [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(warned("covers no vertex"));
  EXPECT_TRUE(warned("has confidence 0"));
}

TEST_F(FitArm, RefusesWhatItCannotUse) {
  const auto refusal = [&](const Character& character, const ExampleSet& examples, const FitOptions& options) {
    return messageOf([&] { fitSkin(character, examples, options); });
  };
  EXPECT_NE(refusal(arm, {}, {}).find("there is no example to fit to"), std::string::npos);
  Character bare = arm;
  bare.skin = {};
  EXPECT_NE(refusal(bare, set, {}).find("has no skin to fit"), std::string::npos);
  ExampleSet broken = set;
  broken.examples[1].points(0, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(arm, broken, {}).find("not a finite number"), std::string::npos);
  EXPECT_NE(refusal(arm, set, {.locks = {"lowr"}}).find("lower"), std::string::npos);
  EXPECT_EQ(refusal(arm, set, {.quantize = static_cast<WeightFormat>(9)}),
            "fit: unknown quantize '9'; the choices are u8, u16, f32");
  EXPECT_EQ(refusal(arm, set, {.helpers = static_cast<FitHelpers>(9)}),
            "fit: unknown helpers '9'; the choices are none, half, bulge, all");
  EXPECT_EQ(refusal(arm, set, {.lockedVertices = {984}}), "fit: vertex 984 is locked, but the mesh has 984 vertices");
  EXPECT_EQ(refusal(arm, set, {.maxInfluences = 0}), "fit: 0 joints per vertex are requested; at least 1 is needed");
  EXPECT_EQ(refusal(arm, set, {.prior = "-1"}), "fit: the prior is '-1'; write auto, or a number of 0 or more");
  EXPECT_EQ(refusal(arm, set, {.prior = "weak"}), "fit: the prior is 'weak'; write auto, or a number of 0 or more");
}

TEST_F(FitArm, ExplainsWhatEachMeansRemoves) {
  const FitExplanation explanation = explainFit(arm, set);
  ASSERT_EQ(explanation.stages.size(), 5u);
  const char* names[] = {"original", "weights", "helper joints", "rest shape", "pose-space correctives"};
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(explanation.stages[k].name, names[k]);
    EXPECT_EQ(explanation.stages[k].examples.size(), set.examples.size());
    EXPECT_GT(explanation.stages[k].leaveOneOut, 0);
    if (k > 0) {
      EXPECT_LE(explanation.stages[k].total.rms, explanation.stages[k - 1].total.rms);
    }
  }
  EXPECT_LT(explanation.stages[4].total.rms, 1e-3 * explanation.stages[0].total.rms);
  EXPECT_GT(explanation.stages[4].leaveOneOut, explanation.stages[4].total.rms);
  EXPECT_GT(explanation.stages[2].joints, 0);
  EXPECT_GT(explanation.stages[2].bytes, explanation.stages[1].bytes);
  EXPECT_GT(explanation.stages[4].bytes, explanation.stages[3].bytes);
  EXPECT_GT(explanation.stages[4].morphs, 0);
  EXPECT_LT(explanation.multiWeight.total.rms, explanation.stages[1].total.rms);
  EXPECT_GT(explanation.multiWeight.bytes, 0u);
  EXPECT_NE(explanation.advice.find("Helper joints remove"), std::string::npos) << explanation.advice;
}

TEST_F(FitArm, HasNothingToAdviseWhereTheSkinFits) {
  ExampleSet met = set;
  for (Example& example : met.examples) example.points = posePoints(arm, example.pose);
  EXPECT_EQ(explainFit(arm, met).advice, "The skin already matches every example; there is nothing to fit.");
}

}  // namespace
}  // namespace sinew::fit_test
