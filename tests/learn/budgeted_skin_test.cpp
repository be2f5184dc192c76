// The best skin within a budget.
#include "sinew/learn/budgeted_skin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/morph_driven_skin.h"
#include "sinew/learn/budgeted_skin/trials.h"
#include "sinew/learn/choose_examples.h"
#include "sinew/learn/fit.h"
#include "sinew/learn/pose_space_character.h"
#include "sinew/samples/samples.h"

namespace sinew::budgeted_skin_test {
namespace {

constexpr int kMorphs = 4;
constexpr int kHelpers = 2;

/// A small arm, some of whose sculpts are set aside.
struct Setting {
  Sample arm = makeSample("arm", {.exact = true});
  ExamplesInMemory all{arm.examples};
  SomeExamples learned{all, others()};
  SomeExamples heldOut{all, held()};

  [[nodiscard]] std::vector<std::size_t> held() const { return holdOutExamples(arm.character, arm.examples, 0.3); }
  [[nodiscard]] std::vector<std::size_t> others() const {
    const std::vector<std::size_t> out = held();
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < arm.examples.examples.size(); ++k) {
      if (!std::binary_search(out.begin(), out.end(), k)) list.push_back(k);
    }
    return list;
  }
  [[nodiscard]] double errorOf(const CorrectedCharacter& skin) {
    return errorOfExamples(skin.character, playedByMorphs(skin), heldOut).total.rms;
  }
};

BudgetedSkinOptions limited() {
  return {.budget = {.influences = 2, .helpers = kHelpers, .morphs = kMorphs}};
}

TEST(BudgetedSkin, IsAtLeastAsGoodAsEachTechniqueAlone) {
  Setting setting;
  const Character& arm = setting.arm.character;
  const BudgetedSkinResult best = learnBudgetedSkin(arm, setting.learned, &setting.heldOut, {}, limited());
  const double error = setting.errorOf(best.skin.corrected);
  EXPECT_DOUBLE_EQ(best.report.after.rms, error);
  const PoseSpaceExportOptions few{.maxMorphs = kMorphs};
  EXPECT_LE(error, setting.errorOf({arm, nullptr, {}}));
  EXPECT_LE(error, setting.errorOf(learnPoseSpaceCharacter(arm, setting.learned, {}, few).corrected()));
  const ExampleSet set = readAll(setting.learned);
  const Character fitted =
      fitSkin(arm, set, {.maxInfluences = 2, .helpers = FitHelpers::All, .maxHelpers = kHelpers}).character;
  EXPECT_LE(error, setting.errorOf({fitted, nullptr, {}}));
  const PoseSpaceCharacter both = learnPoseSpaceCharacter(fitted, withHelperPoses(fitted, set), {}, few);
  EXPECT_LE(error, setting.errorOf(both.corrected()));
  EXPECT_FALSE(best.report.learnedAll);
  EXPECT_EQ(best.report.heldOut.size(), setting.heldOut.size());
}

TEST(BudgetedSkin, KeepsCountsAndLearnsFromAllExamplesByDefault) {
  Setting setting;
  const Character& arm = setting.arm.character;
  const BudgetedSkinResult result = learnBudgetedSkin(arm, setting.all, nullptr, {}, limited());
  const SkinCost cost = skinCost(arm, result.skin.corrected.character);
  EXPECT_LE(cost.influences, 2);
  EXPECT_LE(cost.helpers, kHelpers);
  EXPECT_LE(cost.morphs, kMorphs);
  EXPECT_TRUE(result.report.learnedAll);
  EXPECT_EQ(result.report.heldOutBy, "leave-one-out") << "there are fewer than 10 examples";
  EXPECT_LT(result.report.after.rms, 0.5 * result.report.before.rms);
  const auto chosen = std::count_if(result.report.choices.begin(), result.report.choices.end(),
                                    [](const SkinChoice& choice) { return choice.chosen; });
  EXPECT_EQ(chosen, 1);
  EXPECT_TRUE(std::is_sorted(result.report.choices.begin(), result.report.choices.end(),
                             [](const auto& a, const auto& b) { return a.error < b.error; }));
  // Nothing that was measured everywhere and fits is better than the choice.
  for (const SkinChoice& choice : result.report.choices) {
    if (!choice.fits || choice.examples < result.report.heldOut.size()) continue;
    EXPECT_GE(choice.error, result.report.after.rms * (1 - 1e-12)) << choice.name;
  }
}

TEST(BudgetedSkin, WithoutMorphTargetsAndHelperJointsOnlyWeightsAreLeft) {
  Setting setting;
  const BudgetedSkinResult result = learnBudgetedSkin(setting.arm.character, setting.learned, &setting.heldOut, {},
                                                      {.budget = {.influences = 1, .helpers = 0, .morphs = 0}});
  EXPECT_EQ(result.report.used.influences, 1);
  EXPECT_EQ(result.report.used.helpers, 0);
  EXPECT_EQ(result.report.used.morphs, 0);
  EXPECT_EQ(result.skin.corrected.poseSpace, nullptr);
}

TEST(BudgetedSkin, FewerMorphTargetsAndLessDataKeepTheBytes) {
  Setting setting;
  const Character& arm = setting.arm.character;
  // A size that is easy to compute: displacements, normals, and the deltas of the model.
  const auto size = [](const BudgetedSkin& skin) {
    std::size_t bytes = 0;
    for (const MorphTarget& morph : skin.corrected.character.morphs)
      bytes += toSize(morph.deltas.cols() + morph.normalDeltas.cols()) * 6;
    if (skin.corrected.poseSpace && skin.driving == MorphDriving::Model) bytes += 1000000;
    return bytes;
  };
  BudgetedSkinOptions options{.budget = {.helpers = 0, .bytes = 25000}};
  const BudgetedSkinResult result = learnBudgetedSkin(arm, setting.learned, &setting.heldOut, size, options);
  EXPECT_LE(result.report.used.bytes, 25000u);
  EXPECT_EQ(result.report.used.bytes, size(result.skin));
  EXPECT_GE(result.report.used.morphs, 2) << "984 vertices take 5.9 kB";
  EXPECT_EQ(result.skin.driving, MorphDriving::Drivers);
  EXPECT_TRUE(result.skin.corrected.poseSpace->inMorphs);
  EXPECT_TRUE(result.skin.quantizedMorphs);
  // The drivers alone play what the model's morph targets play.
  EXPECT_DOUBLE_EQ(setting.errorOf(result.skin.corrected), result.report.after.rms);
  options.budget.bytes = 0;
  const BudgetedSkinResult none = learnBudgetedSkin(arm, setting.learned, &setting.heldOut, size, options);
  EXPECT_EQ(none.report.used.bytes, 0u);
}

/// Displacements, normals, and something for the drivers.
std::size_t storedBytes(const BudgetedSkin& skin) {
  std::size_t bytes = skin.corrected.poseSpace ? 2000 : 0;
  if (skin.corrected.poseSpace && skin.driving == MorphDriving::Model) bytes += 1000000;
  for (const MorphTarget& morph : skin.corrected.character.morphs)
    bytes += toSize(morph.deltas.cols() + morph.normalDeltas.cols()) * 6;
  return bytes;
}

TEST(BudgetedSkin, MorphTargetsNeverLackTheirDrivers) {
  Setting setting;
  const auto size = [](const BudgetedSkin& skin) {
    return storedBytes(skin) + (skin.corrected.poseSpace ? 1000000 : 0);
  };
  const BudgetedSkinOptions options{.budget = {.helpers = 0, .morphs = 2, .bytes = 25000}, .rest = false};
  const BudgetedSkinResult result =
      learnBudgetedSkin(setting.arm.character, setting.learned, &setting.heldOut, size, options);
  EXPECT_EQ(result.report.used.morphs, 0) << "in poses outside of the clips nothing would move them";
}

TEST(BudgetedSkin, MoreBytesAreNeverWorseAndWhatIsChosenWasMeasured) {
  Setting setting;
  double before = std::numeric_limits<double>::infinity();
  for (const std::size_t bytes : {3000, 9000, 15000, 21000, 33000, 60000}) {
    const BudgetedSkinOptions options{.budget = {.helpers = 0, .bytes = bytes}, .rest = false};
    const BudgetedSkinResult result =
        learnBudgetedSkin(setting.arm.character, setting.learned, nullptr, storedBytes, options);
    const BudgetedSkinReport& report = result.report;
    EXPECT_LE(report.used.bytes, bytes);
    EXPECT_LE(report.after.rms, 1.02 * before) << bytes << " bytes";
    for (const SkinChoice& choice : report.choices) {
      EXPECT_TRUE(!choice.chosen || choice.examples == report.heldOut.size());
    }
    before = report.after.rms;
  }
}

TEST(BudgetedSkin, ExamplesThatContradictEachOtherAreNamed) {
  Setting setting;
  ExampleSet set = setting.arm.examples;
  set.examples.push_back(set.examples.front());
  set.examples.back().name = "again";
  set.examples.back().points.col(3).y() += 0.1;
  ExamplesInMemory source(set);
  const BudgetedSkinResult result = learnBudgetedSkin(setting.arm.character, source, nullptr, {}, limited());
  ASSERT_FALSE(result.report.warnings.empty());
  EXPECT_NE(result.report.warnings.front().find("again"), std::string::npos) << result.report.warnings.front();
}

TEST(BudgetedSkin, NanosecondsBoundInfluencesAndMorphTargets) {
  Setting setting;
  BudgetedSkinOptions options = limited();
  options.budget.nanoseconds = 0.6;
  const BudgetedSkinResult result =
      learnBudgetedSkin(setting.arm.character, setting.learned, &setting.heldOut, {}, options);
  EXPECT_LE(playbackNanoseconds(result.skin.corrected.character, toSize(result.report.used.morphs)), 0.6);
  const BudgetedSkinResult one =
      learnBudgetedSkin(setting.arm.character, setting.learned, &setting.heldOut, {},
                        {.budget = {.influences = 1000000, .helpers = 0, .morphs = 0, .nanoseconds = 0.2501}});
  EXPECT_EQ(one.report.used.influences, 1) << "a limit far above the skin's own is lowered at once";
  options.budget.nanoseconds = 0.1;
  EXPECT_THROW(learnBudgetedSkin(setting.arm.character, setting.learned, &setting.heldOut, {}, options), Error);
}

TEST(BudgetedSkin, HasTheSameBitsOnOneAndTwoThreads) {
  Setting setting;
  const auto learn = [&] {
    return learnBudgetedSkin(setting.arm.character, setting.learned, &setting.heldOut, {},
                             {.budget = {.helpers = 1, .morphs = 2}, .rest = false});
  };
  const BudgetedSkinResult many = learn();
  const ThreadLimit one(1);
  const BudgetedSkinResult single = learn();
  EXPECT_EQ(many.report.after.rms, single.report.after.rms);
  EXPECT_EQ(many.skin.corrected.character.skin.weights, single.skin.corrected.character.skin.weights);
}

TEST(BudgetedSkin, RefusesOneExampleAndCanBeCancelled) {
  Setting setting;
  SomeExamples one(setting.all, {0});
  try {
    learnBudgetedSkin(setting.arm.character, one, nullptr, {}, limited());
    ADD_FAILURE() << "one example was accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("there is 1 example; give at least 2"), std::string::npos) << error.message();
  }
  SomeExamples none(setting.all, {});
  EXPECT_THROW(learnBudgetedSkin(setting.arm.character, setting.learned, &none, {}, limited()), Error);
  double last = 0;
  const auto stops = [&](const ProgressState& state) {
    EXPECT_GE(state.fraction, last - 1e-9);
    last = state.fraction;
    return state.fraction < 0.3;
  };
  EXPECT_THROW(learnBudgetedSkin(setting.arm.character, setting.learned, &setting.heldOut, {}, limited(), stops),
               Error);
}

TEST(BudgetedSkin, LargeMeshesAreSampledAndFewExamplesLeftOutOneByOne) {
  Setting setting;
  SomeExamples few(setting.all, {0, 1, 2});
  BudgetedSkinOptions options = limited();
  options.mostPoints = 200;
  options.rest = false;
  const BudgetedSkinResult result = learnBudgetedSkin(setting.arm.character, few, nullptr, {}, options);
  EXPECT_EQ(result.report.heldOutBy, "leave-one-out");
  EXPECT_EQ(result.skin.corrected.character.mesh.vertexCount(), setting.arm.character.mesh.vertexCount());
}

TEST(BudgetedSkin, OfEqualErrorsItTakesMorphTargetsAndLeavesTheRestShapeAlone) {
  using budgeted_skin::bestCandidate;
  const auto recipe = [](bool rest, int morphs) {
    return budgeted_skin::SkinRecipe{{.fitted = true, .rest = rest}, morphs};
  };
  const double unseen = 1e-5;
  EXPECT_EQ(bestCandidate({{recipe(true, 0), 1.0}, {recipe(true, 16), 1.01}, {recipe(false, 16), 1.015}}, unseen), 2U);
  EXPECT_EQ(bestCandidate({{recipe(true, 0), 1.0}, {recipe(false, 16), 1.03}}, unseen), 0U) << "clearly worse";
  EXPECT_EQ(bestCandidate({{recipe(false, 16), 1e-7}, {recipe(false, 4), 2e-7}}, unseen), 1U) << "nobody sees either";
  EXPECT_EQ(bestCandidate({{recipe(false, 16), 1.0}, {recipe(false, 8), 1.0}}, unseen), 1U) << "as good";
}

TEST(FoldsOfExamples, HoldEachExampleOutOnceAndLeaveEveryJointAMover) {
  const Sample arm = makeSample("arm", {.exact = true});
  const auto folds = foldsOfExamples(arm.character, arm.examples, 3);
  ASSERT_EQ(folds.size(), 3u);
  std::vector<std::size_t> seen;
  for (const auto& fold : folds) seen.insert(seen.end(), fold.begin(), fold.end());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  EXPECT_GE(seen.size(), arm.examples.examples.size() - 1);
}

}  // namespace
}  // namespace sinew::budgeted_skin_test
