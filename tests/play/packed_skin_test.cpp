#include "sinew/play/packed_skin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "play/packed_character.h"
#include "sinew/base/error.h"
#include "support/message_of.h"

namespace sinew::packed_skin_test {
namespace {

using test::messageOf;

using test::chainCharacter;
using test::PackedCharacter;
using test::scatteredCharacter;

PackedSkin pack(const PackedCharacter& c, const PackOptions& options = {}) {
  return {c.rest, c.normals, c.weights, options};
}

TEST(PackedSkin, ItsOrderHoldsEveryVertexAndFillsBlocksByRepeating) {
  for (const PackedCharacter& c : {chainCharacter(1000, 12, 4), scatteredCharacter(1000, 40, 4)}) {
    const PackedSkin skin = pack(c);
    const auto order = skin.order();
    ASSERT_EQ(order.size() % kBlockLanes, 0u);
    ASSERT_EQ(static_cast<Index>(order.size()), skin.placeCount());
    std::vector<int> seen(1000, 0);
    for (const PackedRun& run : skin.layout().runs) {
      const auto places = order.subspan(run.firstBlock * std::size_t{kBlockLanes}, run.blockCount() * kBlockLanes);
      for (std::size_t i = 0; i < run.vertexCount; ++i) ++seen[places[i]];
      for (const std::uint32_t vertex : places.subspan(run.vertexCount)) ASSERT_EQ(vertex, places[run.vertexCount - 1]);
    }
    EXPECT_EQ(seen, std::vector<int>(1000, 1));
    const std::vector<std::uint32_t> place = skin.placeOfVertex();
    for (std::uint32_t v = 0; v < 1000; ++v) ASSERT_EQ(order[place[v]], v);
  }
}

TEST(PackedSkin, SharedRunsHoldEveryWeightOfTheirVertices) {
  const PackedCharacter c = chainCharacter(2000, 12, 4);
  const PackedSkin skin = pack(c);
  const PackedLayout& layout = skin.layout();
  for (const PackedRun& run : layout.runs) {
    if (run.kind != RunKind::Shared) continue;
    for (std::uint32_t i = 0; i < run.vertexCount; ++i) {
      const float* block = layout.rest.data() + run.firstFloat + i / kBlockLanes * run.floatsPerBlock();
      const auto vertex = static_cast<Index>(skin.order()[run.firstBlock * kBlockLanes + i]);
      double held = 0;
      for (std::uint32_t j = 1; j < run.bones; ++j) {
        const float weight = block[(2 + j) * kBlockLanes + i % kBlockLanes];
        ASSERT_NEAR(weight, c.weights.weight(vertex, layout.bones[run.firstBone + j]), 1e-7);
        held += weight;
      }
      ASSERT_NEAR(1 - held, c.weights.weight(vertex, layout.bones[run.firstBone]), 1e-6);
    }
  }
}

TEST(PackedSkin, SmoothWeightsLieInRunsAndScatteredOnesDoNot) {
  const PackReport smooth = pack(chainCharacter(20000, 24, 4)).report();
  EXPECT_GT(smooth.shareInRuns(), 0.95);
  EXPECT_LT(smooth.bytesPerVertex, 28.0);  // 12 for the position, at most 12 for weights, padding
  const PackReport scattered = pack(scatteredCharacter(2000, 60, 4)).report();
  EXPECT_LT(scattered.shareInRuns(), 0.5);
}

TEST(PackedSkin, SmallGroupsJoinARunThatHasTheirJoints) {
  // 40 vertices follow joints 0 and 1, and 3 only joint 1.
  std::vector<std::vector<Influence>> columns(43, {{0, 0.25}, {1, 0.75}});
  for (std::size_t v : {4u, 9u, 22u}) columns[v] = {{1, 1.0}};
  const Points rest = Points::Random(3, 43);
  const PackedSkin skin(rest, Points(3, 0), SkinWeights::fromColumns(2, columns));
  EXPECT_EQ(skin.report().runs, 1);
  EXPECT_EQ(skin.report().verticesInRuns, 43);
  EXPECT_EQ(skin.report().verticesMerged, 3);
  const PackedSkin apart(rest, Points(3, 0), SkinWeights::fromColumns(2, columns), {.wantedRun = 3, .leastRun = 3});
  EXPECT_EQ(apart.report().runs, 2);
  EXPECT_EQ(apart.report().verticesMerged, 0);
}

TEST(PackedSkin, SmallGroupsThatFitNoRunAreUnited) {
  // Three groups of four vertices on {0,1}, {0,2}, {1,2}: together one run of three joints.
  std::vector<std::vector<Influence>> columns;
  for (int i = 0; i < 4; ++i) {
    columns.push_back({{0, 0.5}, {1, 0.5}});
    columns.push_back({{0, 0.5}, {2, 0.5}});
    columns.push_back({{1, 0.5}, {2, 0.5}});
  }
  const PackedSkin skin(Points::Random(3, 12), Points(3, 0), SkinWeights::fromColumns(3, columns));
  EXPECT_EQ(skin.report().runs, 1);
  EXPECT_EQ(skin.report().verticesMerged, 12);
  EXPECT_EQ(skin.layout().runs.front().bones, 3);
}

TEST(PackedSkin, TakesAMeshWithoutVertices) {
  const PackedSkin skin(Points(3, 0), Points(3, 0), SkinWeights());
  EXPECT_EQ(skin.vertexCount(), 0);
  EXPECT_EQ(skin.report().shareInRuns(), 1.0);
}

TEST(PackedSkin, ReportsItselfInOneLine) {
  const std::string text = pack(chainCharacter(1000, 6, 4)).report().text();
  EXPECT_NE(text.find("1000 vertices"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(PackedSkin, RefusesWhatDoesNotFit) {
  const PackedCharacter c = chainCharacter(100, 6, 4);
  EXPECT_NE(messageOf([&] { PackedSkin(c.rest.leftCols(99), Points(3, 0), c.weights); }).find("99 vertices"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { PackedSkin(c.rest, c.normals.leftCols(5), c.weights); }).find("5 normals"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { pack(c, {.leastRun = 0}); }).find("leastRun"), std::string::npos);
  EXPECT_NE(messageOf([&] { pack(c, {.wantedRun = 4, .leastRun = 5}); }).find("wantedRun"), std::string::npos);
  EXPECT_NE(messageOf([&] { pack(c, {.mostMerged = 17}); }).find("mostMerged"), std::string::npos);
  Points broken = c.rest;
  broken(1, 42) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(messageOf([&] { PackedSkin(broken, Points(3, 0), c.weights); }).find("42"), std::string::npos);
  const SkinWeights wide = SkinWeights::rigid(70000, 100, 3);
  EXPECT_NE(messageOf([&] { PackedSkin(c.rest, Points(3, 0), wide); }).find("70000"), std::string::npos);
}

TEST(PackedSkin, VerticesOfDifferentClassesNeverShareARunAndPlacesAreInOrder) {
  for (const PackedCharacter& c : {chainCharacter(2000, 12, 4), scatteredCharacter(500, 40, 4)}) {
    PackOptions options;
    for (Index v = 0; v < c.rest.cols(); ++v) {
      options.classes.push_back({static_cast<std::uint32_t>(v / 7 % 3 * 5), static_cast<std::uint32_t>(v % 4)});
    }
    const PackedSkin skin = pack(c, options);
    std::uint32_t last = 0;
    for (const PackedRun& run : skin.layout().runs) {
      EXPECT_GE(run.vertexClass, last);
      last = run.vertexClass;
      const auto places = skin.order().subspan(run.firstBlock * std::size_t{kBlockLanes}, run.vertexCount);
      for (std::size_t i = 0; i < places.size(); ++i) {
        ASSERT_EQ(options.classes[places[i]].run, run.vertexClass);
        ASSERT_TRUE(i == 0 || options.classes[places[i - 1]].place <= options.classes[places[i]].place);
      }
    }
    EXPECT_EQ(last, 10u);
    EXPECT_EQ(skin.report().vertices, c.rest.cols());
  }
}

}  // namespace
}  // namespace sinew::packed_skin_test
