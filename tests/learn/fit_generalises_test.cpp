// Fits that generalise to unseen poses: never worse than the plain skin by default, planted weights are still
// recovered, and the report states its reliability.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <set>

#include "planted.h"
#include "sinew/character/mirror.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/learn/fit.h"
#include "sinew/learn/fit/regions.h"
#include "sinew/learn/fit/weights_near.h"
#include "sinew/learn/fit/weights_smooth.h"

namespace sinew::fit_generalises_test {
namespace {

/// Examples that turn some joints of the skin by up to 45 degrees about each axis, by dual quaternions.
ExampleSet turnedExamples(const Character& character, std::uint32_t seed, int count, int turned) {
  Lcg random(seed);
  std::vector<int> joints;
  for (const Binding& binding : character.skin.bindings) {
    if (std::find(joints.begin(), joints.end(), binding.joint) == joints.end()) joints.push_back(binding.joint);
  }
  const auto truth = std::make_shared<DualQuaternionBlend>(character.skin);
  ExampleSet set;
  for (int e = 0; e < count; ++e) {
    Example example;
    example.name = "pose " + std::to_string(e);
    example.pose = restPose(character);
    for (std::size_t k = 0; k < std::min(joints.size(), static_cast<std::size_t>(turned)); ++k) {
      const auto left = static_cast<double>(joints.size() - k);
      std::swap(joints[k], joints[k + static_cast<std::size_t>(random.uniform() * left)]);
      const Vec3 angles = std::numbers::pi / 4 * random.vector();
      Quat& rotation = example.pose.local[static_cast<std::size_t>(joints[k])].rotation;
      rotation = rotation * Eigen::AngleAxisd(angles.x(), Vec3::UnitX()) *
                 Eigen::AngleAxisd(angles.y(), Vec3::UnitY()) * Eigen::AngleAxisd(angles.z(), Vec3::UnitZ());
      rotation.normalize();
    }
    example.points = posePoints(character, example.pose, truth);
    set.examples.push_back(std::move(example));
  }
  return set;
}

double rmsAt(const Character& character, const ExampleSet& set) {
  double sum = 0;
  CharacterPoser poser(character);
  for (const Example& example : withHelperPoses(character, set).examples)
    sum += (poser.pose(example.pose) - example.points).squaredNorm();
  return std::sqrt(sum);
}

struct Score {
  double heldOut = 0;  ///< as a share of what the plain skin leaves
  FitResult fit;
};

Score scoreOf(const Character& character, std::uint32_t seed, int training, const FitOptions& options) {
  const ExampleSet held = turnedExamples(character, 5000 + seed, 8, 6);
  Score score;
  score.fit = fitSkin(character, turnedExamples(character, seed, training, 6), options);
  score.heldOut = rmsAt(score.fit.character, held) / rmsAt(character, held);
  return score;
}

bool warned(const FitReport& report, const char* words) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

TEST(FitGeneralises, IsNeverWorseThanThePlainSkinAtNewPoses) {
  for (const char* name : {"limb", "biped"}) {
    const Character character = makeSample(name, {.vertices = 1000}).character;
    for (const std::uint32_t seed : {1u, 2u}) {
      EXPECT_LE(scoreOf(character, seed, 8, {}).heldOut, 1.0005) << name << seed;
      EXPECT_LE(scoreOf(character, seed, 8, {.helpers = FitHelpers::Half}).heldOut, 0.85) << name << seed;
    }
  }
  const Character limb = makeSample("limb", {.vertices = 1000}).character;
  EXPECT_LE(scoreOf(limb, 4, 8, {.helpers = FitHelpers::All}).heldOut, 0.85);
}

TEST(FitGeneralises, MoreExamplesMakeABetterSkin) {
  const Character character = makeSample("biped", {.vertices = 1000}).character;
  const double few = scoreOf(character, 11, 3, {.helpers = FitHelpers::Half}).heldOut;
  const double many = scoreOf(character, 11, 16, {.helpers = FitHelpers::Half}).heldOut;
  EXPECT_LT(few, 1);
  EXPECT_LT(many, 0.9 * few);
}

TEST(FitGeneralises, FewExamplesThatTurnOneJointEachDoNoHarm) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  const ExampleSet held = turnedExamples(character, 77, 8, 6);
  for (const FitHelpers helpers : {FitHelpers::None, FitHelpers::Half, FitHelpers::All}) {
    const FitResult fit = fitSkin(character, turnedExamples(character, 7, 4, 1), {.helpers = helpers});
    EXPECT_LE(rmsAt(fit.character, held), 1.0005 * rmsAt(character, held)) << nameOf(helpers);
  }
}

TEST(FitGeneralises, PlantedWeightsComeBackFromWrongOnes) {
  for (const char* name : {"limb", "biped"}) {
    const test::Planted planted(name);
    const FitResult fit = fitSkin(planted.wrong, planted.set);
    EXPECT_LT(fit.report.after.rmsPercent, 1e-4) << name;
    EXPECT_LT(fit.report.leaveOneOut.rmsPercent, 0.1 * fit.report.before.rmsPercent) << name;
    const fit::FitProblem problem = fit::makeFitProblem(planted.wrong, planted.set);
    const SkinWeights direct =
        fit::weightsOfVertices(planted.wrong, problem, fit::fitWeights(planted.wrong, problem).columns);
    const double closest = test::rmsOf(test::weightDifferences(direct, planted.truth.skin.weights));
    const double chosen = test::rmsOf(test::weightDifferences(fit.character.skin.weights, planted.truth.skin.weights));
    EXPECT_LE(chosen, 1.05 * closest + 1e-5) << name;
  }
}

TEST(FitGeneralises, TellsTheLeaveOneOutErrorBesideTheTrainingError) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  const FitResult fit = fitSkin(character, turnedExamples(character, 3, 8, 6), {.helpers = FitHelpers::Half});
  const FitReport& report = fit.report;
  ASSERT_TRUE(report.leftOut);
  EXPECT_GT(report.leaveOneOut.rms, report.after.rms);
  EXPECT_LT(report.leaveOneOut.rms, report.before.rms);
  EXPECT_GE(report.leaveOneOut.max, report.leaveOneOut.p95);
  EXPECT_GE(report.leaveOneOut.maxVertex, 0);
  double sum = 0;
  for (const FitExample& example : report.examples) sum += example.leaveOneOut.rms * example.leaveOneOut.rms;
  EXPECT_NEAR(std::sqrt(sum / 8), report.leaveOneOut.rms, 1e-9 * report.leaveOneOut.rms);
  EXPECT_NE(report.sentence().find("leave-one-out"), std::string::npos);
}

TEST(FitGeneralises, WarnsOfWhatExamplesDoNotTell) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  ExampleSet set = turnedExamples(character, 3, 3, 6);
  // Examples alone, with joints that they cannot tell apart.
  EXPECT_TRUE(warned(fitSkin(character, set, {.prior = "0"}).report, "the leave-one-out error of the skin"));
  const FitReport chosen = fitSkin(character, set).report;
  EXPECT_FALSE(warned(chosen, "the leave-one-out error of the skin"));
  EXPECT_TRUE(warned(chosen, "the examples do not determine better weights in"));
  set.examples.resize(1);
  const FitReport one = fitSkin(character, set, {.helpers = FitHelpers::Half}).report;
  EXPECT_FALSE(one.leftOut);
  EXPECT_TRUE(warned(one, "with one example there is no leave-one-out error"));
  EXPECT_TRUE(std::none_of(one.helpers.begin(), one.helpers.end(), [](const HelperTrial& h) { return h.kept; }));
}

TEST(FitGeneralises, ThePriorHasAScaleThatDoesNotDependOnUnits) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  const ExampleSet set = turnedExamples(character, 3, 8, 6);
  double last = std::numeric_limits<double>::infinity();
  for (const char* prior : {"0.1", "10", "1000", "1e6"}) {
    const FitResult fit = fitSkin(character, set, {.mostWorse = 1e6, .prior = prior});
    const double moved = test::rmsOf(test::weightDifferences(fit.character.skin.weights, character.skin.weights));
    EXPECT_LT(moved, 0.9 * last) << prior;
    last = moved;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(FitGeneralises, SmoothnessHasAScaleOnWhichATenthIsLittleAndTenIsMuch) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  ExampleSet set = turnedExamples(character, 3, 8, 6);
  Lcg random(5);
  for (Example& example : set.examples) {
    for (double& value : example.points.reshaped()) value += 2e-3 * random.symmetric();
  }
  const fit::FitProblem problem = fit::makeFitProblem(character, set);
  const fit::PointNeighbours neighbours(character.mesh, problem);
  const auto roughness = [&](double smoothness) {
    const Character fitted =
        fitSkin(character, set, {.mostWorse = 1e6, .prior = "0.1", .smoothness = smoothness}).character;
    const fit::FitProblem posed = fit::makeFitProblem(fitted, set);
    std::vector<int> placeOf(fitted.skin.bindings.size());
    for (std::size_t b = 0; b < placeOf.size(); ++b) placeOf[b] = static_cast<int>(b);
    Eigen::VectorXd mean(static_cast<Index>(placeOf.size()));
    double sum = 0;
    for (Index p = 0; p < posed.pointCount(); ++p) {
      if (!fit::neighbourMean(posed.prior, neighbours[p], placeOf, mean)) continue;
      for (const Influence& influence : posed.prior[static_cast<std::size_t>(p)])
        mean[influence.binding] -= influence.weight;
      sum += mean.squaredNorm();
    }
    return std::sqrt(sum / static_cast<double>(posed.pointCount()));
  };
  const double none = roughness(0);
  const double little = roughness(0.1);
  const double much = roughness(10);
  EXPECT_LT(little, 0.98 * none);
  EXPECT_LT(much, 0.8 * little);
}

TEST(FitGeneralises, LeaveOneOutErrorIsThatOfTheFitAsAskedFor) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  const ExampleSet set = turnedExamples(character, 3, 6, 6);
  const FitReport plain = fitSkin(character, set, {.prior = "1"}).report;
  const FitReport blurred = fitSkin(character, set, {.prior = "1", .smoothness = 10}).report;
  ASSERT_GT(blurred.after.rms, 1.5 * plain.after.rms);
  EXPECT_GT(blurred.leaveOneOut.rms, 0.95 * blurred.after.rms);
  EXPECT_TRUE(warned(blurred, "use a smaller value"));
  EXPECT_TRUE(warned(blurred, "get worse by more than --most-worse 0 allows"));
  EXPECT_FALSE(warned(plain, "--most-worse"));
  const FitReport rounded = fitSkin(character, set, {.prior = "1", .quantize = WeightFormat::Bits8}).report;
  EXPECT_NE(rounded.leaveOneOut.rms, plain.leaveOneOut.rms);
}

TEST(FitGeneralises, LeaveOneOutErrorCoversTheChoiceOfHelperJoints) {
  const Character character = makeSample("biped", {.vertices = 1000}).character;
  const ExampleSet set = turnedExamples(character, 3, 6, 6);
  const FitReport report = fitSkin(character, set, {.helpers = FitHelpers::Half}).report;
  ASSERT_TRUE(report.leftOut);
  EXPECT_TRUE(report.choiceLeftOut);
  double squares = 0;
  for (std::size_t e = 0; e < set.examples.size(); ++e) {
    ExampleSet others = set;
    others.examples.erase(others.examples.begin() + static_cast<std::ptrdiff_t>(e));
    ExampleSet left;
    left.examples.push_back(set.examples[e]);
    const double error = rmsAt(fitSkin(character, others, {.helpers = FitHelpers::Half}).character, left);
    squares += error * error;
  }
  const double truth = std::sqrt(squares / static_cast<double>(set.examples.size() * character.mesh.vertexCount()));
  EXPECT_GT(report.leaveOneOut.rms, 0.85 * truth);
  EXPECT_LT(report.leaveOneOut.rms, 1.15 * truth);
}

TEST(FitGeneralises, HelperJointsStayOnlyWhereLeftOutExamplesGain) {
  const Character character = makeSample("biped", {.vertices = 1000}).character;
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u}) {
    const FitReport report =
        fitSkin(character, turnedExamples(character, seed, 3, 6), {.helpers = FitHelpers::Half}).report;
    EXPECT_LE(report.leaveOneOut.rms, 1.0005 * report.before.rms) << seed;
    if (!warned(report, "no helper joint is kept")) continue;
    EXPECT_TRUE(std::none_of(report.helpers.begin(), report.helpers.end(),
                             [](const HelperTrial& trial) { return trial.kept; }));
  }
}

TEST(FitGeneralises, RoundedWeightsAreAsGoodAsExactOnesAtLeftOutExamples) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  const ExampleSet set = turnedExamples(character, 3, 6, 2);  // few joints in each: many directions that no one shows
  const FitReport exact = fitSkin(character, set, {.helpers = FitHelpers::Half}).report;
  const FitReport rounded =
      fitSkin(character, set, {.helpers = FitHelpers::Half, .quantize = WeightFormat::Bits8}).report;
  EXPECT_LT(rounded.leaveOneOut.rms, 1.05 * exact.leaveOneOut.rms);
}

TEST(FitGeneralises, ACapBelowTheSkinsOwnIsToldAndTheCutSkinIsTheBar) {
  const Character character = makeSample("biped", {.vertices = 1000}).character;
  const int most = character.skin.weights.maxInfluences() - 1;
  ASSERT_GE(most, 1);
  const ExampleSet set = turnedExamples(character, 3, 6, 6);
  for (const FitHelpers helpers : {FitHelpers::None, FitHelpers::Half}) {
    const FitReport report = fitSkin(character, set, {.maxInfluences = most, .helpers = helpers}).report;
    EXPECT_GT(report.capped.rms, report.before.rms) << nameOf(helpers);
    EXPECT_LE(report.after.rms, 1.001 * report.capped.rms) << nameOf(helpers);
    EXPECT_LE(report.leaveOneOut.rms, 1.001 * report.capped.rms) << nameOf(helpers);
    EXPECT_TRUE(warned(report, "is below the")) << nameOf(helpers);
    EXPECT_FALSE(warned(report, "--helpers would help")) << nameOf(helpers);
  }
  const FitReport whole = fitSkin(character, set, {.maxInfluences = most + 1}).report;
  EXPECT_EQ(whole.capped.rms, whole.before.rms);
  EXPECT_FALSE(warned(whole, "is below the"));
}

TEST(FitGeneralises, NormalsThatCostPositionsAreTold) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  const ExampleSet set = turnedExamples(character, 3, 6, 6);
  const FitReport plain = fitSkin(character, set, {.helpers = FitHelpers::Half}).report;
  const FitReport turned = fitSkin(character, set, {.helpers = FitHelpers::Half, .normals = 1}).report;
  EXPECT_EQ(warned(turned, "--normals costs position accuracy"), turned.leaveOneOut.rms > 1.02 * plain.leaveOneOut.rms);
  EXPECT_FALSE(warned(plain, "--normals"));
}

TEST(FitGeneralises, MirroredExamplesOnWeightsThatAreNotSymmetricAreTold) {
  Character character = makeSample("biped", {.vertices = 1000}).character;
  const MirrorMap mirror = findMirror(character);
  const ExampleSet set = turnedExamples(character, 3, 3, 6);
  const ExampleSet both = mirrorExamples(character, set).set;
  ASSERT_GT(both.examples.size(), set.examples.size());
  EXPECT_FALSE(warned(fitSkin(character, both).report, "not symmetric"));
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < character.mesh.vertexCount(); ++v) {
    const auto own = character.skin.weights[v];
    columns.emplace_back(own.begin(), own.end());
    if (mirror.side[static_cast<std::size_t>(v)] > 0) columns.back() = {{own.front().binding, 1.0}};
  }
  character.skin.weights = SkinWeights::fromColumns(character.skin.bindings.size(), columns);
  EXPECT_TRUE(warned(fitSkin(character, both).report, "examples are mirror images of others, but the weights"));
  EXPECT_FALSE(warned(fitSkin(character, set).report, "mirror image"));
}

TEST(FitGeneralises, SaysWhereSmoothnessDoesNotAct) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  const ExampleSet set = turnedExamples(character, 3, 3, 6);
  EXPECT_TRUE(warned(fitSkin(character, set, {.smoothness = 1}).report, "--smooth has no effect on them"));
  EXPECT_FALSE(warned(fitSkin(character, set).report, "--smooth"));
}

TEST(FitGeneralises, JointsThatNoExampleMovesKeepTheirWeightsWhereTheReportSaysSo) {
  const Character character = makeSample("biped", {.vertices = 1000}).character;
  const MirrorMap mirror = findMirror(character);
  ExampleSet set = turnedExamples(character, 3, 6, 8);
  const auto truth = std::make_shared<DualQuaternionBlend>(character.skin);
  for (Example& example : set.examples) {  // one side alone
    for (int j = 0; j < character.skeleton.size(); ++j) {
      if (mirror.joint[static_cast<std::size_t>(j)] > j)
        example.pose.local[static_cast<std::size_t>(j)] = character.skeleton[j].rest;
    }
    example.points = posePoints(character, example.pose, truth);
  }
  const FitResult fit = fitSkin(character, set, {.helpers = FitHelpers::Half});
  const Skin& now = fit.character.skin;
  for (const HelperJoint& helper : fit.character.helpers) {
    double most = 0;
    for (Index v = 0; v < fit.character.mesh.vertexCount(); ++v) {
      for (const Influence& influence : now.weights[v]) {
        if (now.bindings[influence.binding].joint == helper.joint) most = std::max(most, influence.weight);
      }
    }
    if (most < 0.01) continue;
    for (const std::string& warning : fit.report.warnings) {
      if (warning.find("weights are unchanged") == std::string::npos) continue;
      const std::string name = "'" + character.skeleton[helper.source].name + "'";
      EXPECT_EQ(warning.find("moves " + name), std::string::npos) << warning;
      const std::size_t list = warning.find('(');
      EXPECT_TRUE(list == std::string::npos || warning.find(name, list) == std::string::npos) << warning;
    }
  }
  EXPECT_TRUE(warned(fit.report, "the weights there cannot be verified"));
}

TEST(PointRegions, OfAWholeBodyAreNotNamedByTwoJoints) {
  const Character character = makeSample("biped", {.vertices = 1000}).character;
  const fit::FitProblem problem = fit::makeFitProblem(character, turnedExamples(character, 3, 2, 6));
  const fit::PointRegions one = fit::pointRegions(character, problem, problem.pointCount(), {});
  ASSERT_EQ(one.count(), 1u);
  EXPECT_EQ(one.name(character, 0), "of the whole body");
  const fit::PointRegions apart = fit::pointRegions(character, problem, 1, {});
  for (std::size_t r = 0; r < apart.count(); ++r) EXPECT_LE(apart.movers[r].size(), 3u) << apart.name(character, r);
}

/// Helper joints of the biped: one fit for several checks.
class BipedHelpers : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sample_ = std::make_unique<Sample>(makeSample("biped", {.vertices = 2000}));
    fit_ = std::make_unique<FitResult>(fitSkin(sample_->character, sample_->examples, {.helpers = FitHelpers::All}));
  }
  static void TearDownTestSuite() {
    fit_.reset();
    sample_.reset();
  }
  static std::unique_ptr<Sample> sample_;
  static std::unique_ptr<FitResult> fit_;
};
std::unique_ptr<Sample> BipedHelpers::sample_;
std::unique_ptr<FitResult> BipedHelpers::fit_;

TEST_F(BipedHelpers, AreTheSameOnBothSides) {
  const MirrorMap map = findMirror(sample_->character);
  std::set<std::pair<int, std::string>> kept;
  const auto suffixOf = [&](const HelperTrial& trial) {
    return trial.name.substr(sample_->character.skeleton[trial.helper.source].name.size());
  };
  for (const HelperTrial& trial : fit_->report.helpers) {
    if (trial.kept) kept.insert({trial.helper.source, suffixOf(trial)});
  }
  ASSERT_GT(kept.size(), 10u);
  for (const auto& [source, suffix] : kept) {
    const int partner = map.joint[static_cast<std::size_t>(source)];
    if (partner >= 0) {
      EXPECT_TRUE(kept.contains({partner, suffix})) << sample_->character.skeleton[source].name << suffix;
    }
  }
}

TEST_F(BipedHelpers, BulgeWithoutSpots) {
  const ExampleSet set = withHelperPoses(fit_->character, sample_->examples);
  const fit::FitProblem problem = fit::makeFitProblem(fit_->character, set);
  const fit::PointNeighbours neighbours(fit_->character.mesh, problem);
  const auto weightAt = [&](Index p, std::size_t binding) {
    for (const Influence& influence : problem.prior[static_cast<std::size_t>(p)]) {
      if (influence.binding == binding) return influence.weight;
    }
    return 0.0;
  };
  double worst = 0;
  std::size_t bulges = 0;
  for (std::size_t b = 0; b < fit_->character.skin.bindings.size(); ++b) {
    const int joint = fit_->character.skin.bindings[b].joint;
    if (std::none_of(fit_->character.helpers.begin(), fit_->character.helpers.end(), [&](const HelperJoint& helper) {
          return helper.joint == joint && helper.kind == HelperKind::Bulge;
        }))
      continue;
    ++bulges;
    for (Index p = 0; p < problem.pointCount(); ++p) {
      if (neighbours[p].size() < 3) continue;
      double least = 1;
      double most = 0;
      for (const std::uint32_t n : neighbours[p]) {
        least = std::min(least, weightAt(n, b));
        most = std::max(most, weightAt(n, b));
      }
      worst = std::max({worst, weightAt(p, b) - most, least - weightAt(p, b)});
    }
  }
  EXPECT_GT(bulges, 4u);
  EXPECT_LT(worst, 0.15);
}

TEST_F(BipedHelpers, AreWorthWhatTheirBudgetBuys) {
  double last = rmsAt(sample_->character, sample_->heldOut);
  for (const int most : {2, 8}) {
    const FitResult few =
        fitSkin(sample_->character, sample_->examples, {.helpers = FitHelpers::Half, .maxHelpers = most});
    const auto kept = std::count_if(few.report.helpers.begin(), few.report.helpers.end(),
                                    [](const HelperTrial& trial) { return trial.kept; });
    EXPECT_LE(kept, most);
    EXPECT_GE(kept, most - 1);
    const double now = rmsAt(few.character, sample_->heldOut);
    EXPECT_LT(now, last);
    last = now;
  }
}

TEST_F(BipedHelpers, ABudgetWithoutRoomForAPairSaysSoAndKeepsNothingUseless) {
  const FitReport report =
      fitSkin(sample_->character, sample_->examples, {.helpers = FitHelpers::Half, .maxHelpers = 1}).report;
  EXPECT_TRUE(warned(report, "are kept or removed together and need two"));
  for (const HelperTrial& trial : report.helpers) {
    if (trial.kept) {
      EXPECT_LT(report.after.rms, 0.998 * report.before.rms) << trial.name;
    }
  }
  const FitReport pair =
      fitSkin(sample_->character, sample_->examples, {.helpers = FitHelpers::Half, .maxHelpers = 2}).report;
  EXPECT_FALSE(warned(pair, "need two"));
}

TEST(HelperGain, OfABudgetIsWhatTheJointIsWorthByItself) {
  const Character character = makeSample("limb", {.vertices = 1000}).character;
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    const ExampleSet set = turnedExamples(character, seed, 8, 6);
    const FitReport report = fitSkin(character, set, {.helpers = FitHelpers::Half, .maxHelpers = 1}).report;
    const auto kept =
        std::find_if(report.helpers.begin(), report.helpers.end(), [](const HelperTrial& trial) { return trial.kept; });
    if (kept == report.helpers.end()) continue;
    EXPECT_GE(kept->gain, 0.01) << seed;
    EXPECT_LT(report.leaveOneOut.rms, report.before.rms) << seed;
    double most = 0;  // the largest share of an example's squared error that went
    for (const FitExample& example : report.examples)
      most = std::max(most, 1 - std::pow(example.leaveOneOut.rms / example.before.rms, 2));
    EXPECT_GT(most, 0.5 * kept->gain) << seed;
  }
}

TEST(HelperGain, OfOneExampleAloneIsNone) {
  // Only one example bends the elbow, with a bulge that no other example confirms.
  const Sample sample = makeSample("arm", {.vertices = 1000});
  ExampleSet set;
  set.examples.push_back(sample.examples.examples.back());
  for (int k = 0; k < 3; ++k) {
    Example moved;
    moved.name = "moved " + std::to_string(k);
    moved.pose = movedBy(sample.character.skeleton, restPose(sample.character),
                         Eigen::Isometry3d(Eigen::Translation3d(k + 1, 0, 0)));
    moved.points = posePoints(sample.character, moved.pose);
    set.examples.push_back(std::move(moved));
  }
  const FitResult fit = fitSkin(sample.character, set, {.helpers = FitHelpers::Bulge});
  EXPECT_FALSE(fit.report.helpers.empty());
  EXPECT_TRUE(
      std::none_of(fit.report.helpers.begin(), fit.report.helpers.end(), [](const HelperTrial& h) { return h.kept; }));
}

TEST(NearJoints, HalfwayWeightsPassThroughHalfJoints) {
  const Character limb = makeSample("limb", {.vertices = 1000}).character;
  std::vector<HelperTrial> trials;
  const Character all = withHelpers(limb, turnedExamples(limb, 3, 4, 6), {.bulge = false}, trials);
  const fit::FitProblem problem = fit::makeFitProblem(all, withHelperPoses(all, turnedExamples(limb, 3, 4, 6)));
  const fit::NearJoints near(all, problem.candidates[0]);
  ASSERT_TRUE(near.hasHalves());
  const HelperJoint& half = all.helpers.front();
  ASSERT_EQ(half.kind, HelperKind::Half);
  const auto bindingOf = [&](int joint) {
    for (std::size_t b = 0; b < all.skin.bindings.size(); ++b) {
      if (all.skin.bindings[b].joint == joint) return static_cast<std::uint32_t>(b);
    }
    return 0u;
  };
  const std::uint32_t below = bindingOf(half.source);
  const std::uint32_t above = bindingOf(all.skeleton[half.source].parent);
  const std::vector<Influence> column = near.halfway({{above, 0.7}, {below, 0.3}});
  ASSERT_EQ(column.size(), 2u);
  EXPECT_EQ(column[0].binding, bindingOf(half.joint));
  EXPECT_NEAR(column[0].weight, 0.6, 1e-12);
  EXPECT_EQ(column[1].binding, above);
  EXPECT_NEAR(column[1].weight, 0.4, 1e-12);
  std::vector<char> none(all.skin.bindings.size(), 0);
  EXPECT_EQ(near.halfway({{above, 0.7}, {below, 0.3}}, none), (std::vector<Influence>{{above, 0.7}, {below, 0.3}}));
}

}  // namespace
}  // namespace sinew::fit_generalises_test
