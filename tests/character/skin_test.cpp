#include "sinew/character/skin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/error.h"

namespace sinew::skin_test {
namespace {

using Column = std::vector<Influence>;

/// What the door says to one column over three bindings, after a good one.
std::string refusalOfColumn(const Column& column) {
  const std::vector<Column> columns = {{{0, 1.0}}, column};
  try {
    (void)SkinWeights::fromColumns(3, columns);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(SkinWeights, ColumnsAreSortedScaledAndFreedOfZeros) {
  const std::vector<Column> columns = {{{0, 0.25}, {1, 0.0}, {2, 0.75}}, {{1, 0.5004}, {0, 0.5}}};
  const SkinWeights weights = SkinWeights::fromColumns(3, columns);
  ASSERT_EQ(weights.vertexCount(), 2);
  ASSERT_EQ(weights[0].size(), 2u);
  EXPECT_EQ(weights[0][0], (Influence{2, 0.75}));
  EXPECT_EQ(weights[0][1], (Influence{0, 0.25}));
  EXPECT_NEAR(weights[1][0].weight + weights[1][1].weight, 1, 1e-15);
  EXPECT_NEAR(weights[1][0].weight, 0.5004 / 1.0004, 1e-15);
  EXPECT_EQ(weights.maxInfluences(), 2);
  EXPECT_EQ(weights.weight(0, 1), 0);
  EXPECT_EQ(weights.weight(0, 2), 0.75);
}

TEST(SkinWeights, EqualWeightsAreSortedByJoint) {
  const std::vector<Column> columns = {{{2, 0.5}, {0, 0.5}}};
  EXPECT_EQ(SkinWeights::fromColumns(3, columns)[0][0].binding, 0u);
}

TEST(SkinWeights, EachRuleHasItsRefusal) {
  EXPECT_EQ(refusalOfColumn({{0, 0.5}, {1, 0.5}}), "");
  EXPECT_NE(refusalOfColumn({{0, 1.5}, {1, -0.5}}).find("negative weight -0.5"), std::string::npos);
  EXPECT_NE(refusalOfColumn({{0, std::nan("")}}).find("not a finite"), std::string::npos);
  EXPECT_NE(refusalOfColumn({{0, INFINITY}}).find("not a finite"), std::string::npos);
  EXPECT_NE(refusalOfColumn({{3, 1.0}}).find("joint 3 of a skin with 3"), std::string::npos);
  EXPECT_NE(refusalOfColumn({{0, 0.5}, {0, 0.5}}).find("joint 0 twice"), std::string::npos);
  EXPECT_NE(refusalOfColumn({{0, 0.9}}).find("sum to 0.9"), std::string::npos);
  EXPECT_NE(refusalOfColumn({}).find("sum to 0"), std::string::npos);
  EXPECT_NE(refusalOfColumn({{0, 0.0}}).find("vertex 1"), std::string::npos);
}

TEST(SkinWeights, OffsetsMustCoverTheInfluences) {
  const std::vector<Influence> one = {{0, 1.0}};
  EXPECT_THROW(SkinWeights(1, {}, one), Error);
  EXPECT_THROW(SkinWeights(1, {0, 2}, one), Error);
  EXPECT_THROW(SkinWeights(1, {1, 1}, one), Error);
  EXPECT_THROW(SkinWeights(1, {0, 2, 1}, one), Error);
  EXPECT_NO_THROW(SkinWeights(1, {0, 1}, one));
}

TEST(SkinWeights, LimitedKeepsTheLargestAndSumsToOne) {
  const std::vector<Column> columns = {{{0, 0.5}, {1, 0.3}, {2, 0.2}}, {{1, 1.0}}};
  const SkinWeights limited = SkinWeights::fromColumns(3, columns).limited(2);
  ASSERT_EQ(limited[0].size(), 2u);
  EXPECT_DOUBLE_EQ(limited[0][0].weight, 0.625);
  EXPECT_DOUBLE_EQ(limited[0][1].weight, 0.375);
  EXPECT_EQ(limited[1].size(), 1u);
  EXPECT_THROW((void)limited.limited(0), Error);
}

TEST(SkinWeights, RigidPutsEveryVertexOnOneJoint) {
  const SkinWeights weights = SkinWeights::rigid(4, 3, 2);
  for (Index v = 0; v < 3; ++v) EXPECT_EQ(weights.weight(v, 2), 1);
  EXPECT_THROW(SkinWeights::rigid(4, 3, 4), Error);
  EXPECT_TRUE(SkinWeights().empty());
}

}  // namespace
}  // namespace sinew::skin_test
