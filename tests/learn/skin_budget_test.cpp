// Budgets as people write them, and what skins cost.
#include "sinew/learn/skin_budget.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/samples/samples.h"

namespace sinew::skin_budget_test {
namespace {

std::string refusalOf(const std::string& text) {
  try {
    parseSkinBudget(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::BadInput);
    return error.message();
  }
  ADD_FAILURE() << "'" << text << "' was accepted";
  return {};
}

TEST(SkinBudget, TakesNamesBeforeAndAfterNumbers) {
  for (const char* text : {"influences 4, helpers 8, morphs 16, bytes 500k, ns 1.5",
                           "4 influences, 8 helper joints, 16 morph targets, 500 kB, 1.5 nanoseconds",
                           "influences=4; helpers: 8; 16 Morphs; 0.5MB; 1.5ns",
                           "bytes 500 k, 1.5 ns per vertex, "
                           "4 joints per vertex, 8 joints, 16 blend shapes"}) {
    const SkinBudget budget = parseSkinBudget(text);
    EXPECT_EQ(budget.influences, 4) << text;
    EXPECT_EQ(budget.helpers, 8) << text;
    EXPECT_EQ(budget.morphs, 16) << text;
    EXPECT_EQ(budget.bytes, 500000u) << text;
    EXPECT_EQ(budget.nanoseconds, 1.5) << text;
  }
}

TEST(SkinBudget, LimitsOnlyWhatItNames) {
  const SkinBudget budget = parseSkinBudget("0 morphs");
  EXPECT_EQ(budget.morphs, 0);
  EXPECT_FALSE(budget.influences || budget.helpers || budget.bytes || budget.nanoseconds);
  EXPECT_EQ(budget.text(), "0 morph targets");
  for (const char* text : {"bytes 500 kB", "bytes 500kB", "bytes: 0.5 MB", "500 kB bytes"})
    EXPECT_EQ(parseSkinBudget(text).bytes, 500000u) << text;
  EXPECT_EQ(parseSkinBudget("4 bones per vertex").influences, 4);
  EXPECT_EQ(parseSkinBudget("bytes 12345678").text(), "12.3457 MB");
}

TEST(SkinBudget, RefusesWhatItCannotReadInOneSentence) {
  EXPECT_NE(refusalOf("16 morfs").find("did you mean 'morphs'?"), std::string::npos);
  EXPECT_NE(refusalOf("8 helpr joints").find("did you mean 'helper joints'?"), std::string::npos);
  EXPECT_NE(refusalOf("").find("limits nothing"), std::string::npos);
  EXPECT_NE(refusalOf(" , ").find("limits nothing"), std::string::npos);
  EXPECT_NE(refusalOf("morphs").find("has no number"), std::string::npos);
  EXPECT_NE(refusalOf("500k").find("does not say what it limits"), std::string::npos);
  for (const char* text : {"10,000 bytes", "bytes 10,000", "4 influences, bytes 1,000,000", "1,5 ns"})
    EXPECT_NE(refusalOf(text).find("without separators"), std::string::npos) << refusalOf(text);
  EXPECT_NE(refusalOf("10, 4 influences").find("does not say what it limits"), std::string::npos);
  EXPECT_NE(refusalOf("4 bones").find("write influences or helpers"), std::string::npos) << refusalOf("4 bones");
  EXPECT_NE(refusalOf("bytes 5 morphs").find("there is no limit"), std::string::npos);
  EXPECT_NE(refusalOf("4 influences 8 helpers").find("two numbers"), std::string::npos);
  EXPECT_NE(refusalOf("4 influences, influences 3").find("a second time"), std::string::npos);
  EXPECT_NE(refusalOf("1.5 morphs").find("whole number"), std::string::npos);
  EXPECT_NE(refusalOf("-3 morphs").find("0 or more"), std::string::npos);
  EXPECT_NE(refusalOf("0 influences").find("1 or more"), std::string::npos);
  EXPECT_NE(refusalOf("0 ns").find("more than 0"), std::string::npos);
}

TEST(SkinBudget, CountsWhatASkinAddsAndEstimatesItsPlayback) {
  const Sample arm = makeSample("arm", {.exact = true});
  Character learned = arm.character;
  const SkinCost before = skinCost(arm.character, learned);
  EXPECT_EQ(before.helpers, 0);
  EXPECT_EQ(before.morphs, 0);
  EXPECT_EQ(before.influences, arm.character.skin.weights.maxInfluences());
  MorphTarget morph{.name = "all", .deltas = Points::Ones(3, learned.mesh.vertexCount())};
  learned.morphs.push_back(morph);
  const SkinCost one = skinCost(arm.character, learned);
  EXPECT_EQ(one.morphs, 1);
  EXPECT_NEAR(one.nanoseconds - before.nanoseconds, 0.11, 1e-12);
  learned.morphs.back().deltas.leftCols(learned.mesh.vertexCount() / 2).setZero();
  EXPECT_NEAR(skinCost(arm.character, learned).nanoseconds - before.nanoseconds, 0.055, 1e-3);
  learned.skin.weights = learned.skin.weights.limited(1);
  EXPECT_NEAR(playbackNanoseconds(learned, 0), 0.25, 1e-12);
  EXPECT_TRUE(isWithin(one, {.morphs = 1}));
  EXPECT_FALSE(isWithin(one, {.morphs = 0}));
}

}  // namespace
}  // namespace sinew::skin_budget_test
