#include "sinew/play/packed_skin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include "play/packed_character.h"
#include "sinew/pack/plain_skin.h"
#include "sinew/pack/skin.h"
#include "sinew/play/packing/layout.h"
#include "support/message_of.h"

namespace sinew::packed_skin_test {
namespace {

using play::kBlockLanes;
using play::PackedLayout;
using play::PackedRun;
using play::PackedSkin;
using play::PackOptions;
using play::PackReport;
using play::RunKind;
using play::SkinArrays;
using play::VertexClass;
using test::messageOf;

using test::chainCharacter;
using test::PackedCharacter;
using test::scatteredCharacter;

PackedSkin pack(const PackedCharacter& c, const PackOptions& options = {}) {
  return packSkin(c.rest, c.normals, c.weights, options);
}

TEST(PackedSkin, ItsOrderHoldsEveryVertexAndFillsBlocksByRepeating) {
  for (const PackedCharacter& c : {chainCharacter(1000, 12, 4), scatteredCharacter(1000, 40, 4)}) {
    const PackedSkin skin = pack(c);
    const auto order = skin.order();
    ASSERT_EQ(order.size() % kBlockLanes, 0u);
    ASSERT_EQ(order.size(), skin.placeCount());
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
  const PackedSkin skin = packSkin(rest, Points(3, 0), SkinWeights::fromColumns(2, columns));
  EXPECT_EQ(skin.report().runs, 1u);
  EXPECT_EQ(skin.report().verticesInRuns, 43u);
  EXPECT_EQ(skin.report().verticesMerged, 3u);
  const PackedSkin apart =
      packSkin(rest, Points(3, 0), SkinWeights::fromColumns(2, columns), {.wantedRun = 3, .leastRun = 3});
  EXPECT_EQ(apart.report().runs, 2u);
  EXPECT_EQ(apart.report().verticesMerged, 0u);
}

TEST(PackedSkin, SmallGroupsThatFitNoRunAreUnited) {
  // Three groups of four vertices on {0,1}, {0,2}, {1,2}: together one run of three joints.
  std::vector<std::vector<Influence>> columns;
  for (int i = 0; i < 4; ++i) {
    columns.push_back({{0, 0.5}, {1, 0.5}});
    columns.push_back({{0, 0.5}, {2, 0.5}});
    columns.push_back({{1, 0.5}, {2, 0.5}});
  }
  const PackedSkin skin = packSkin(Points::Random(3, 12), Points(3, 0), SkinWeights::fromColumns(3, columns));
  EXPECT_EQ(skin.report().runs, 1u);
  EXPECT_EQ(skin.report().verticesMerged, 12u);
  EXPECT_EQ(skin.layout().runs.front().bones, 3);
}

TEST(PackedSkin, TakesAMeshWithoutVertices) {
  const PackedSkin skin = packSkin(Points(3, 0), Points(3, 0), SkinWeights());
  EXPECT_EQ(skin.vertexCount(), 0u);
  EXPECT_EQ(skin.report().shareInRuns(), 1.0);
}

TEST(PackedSkin, ReportsItselfInOneLine) {
  const std::string text = pack(chainCharacter(1000, 6, 4)).report().text();
  EXPECT_NE(text.find("1000 vertices"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(PackedSkin, RefusesWhatDoesNotFit) {
  const PackedCharacter c = chainCharacter(100, 6, 4);
  EXPECT_NE(messageOf([&] { packSkin(c.rest.leftCols(99), Points(3, 0), c.weights); }).find("99 vertices"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { packSkin(c.rest, c.normals.leftCols(5), c.weights); }).find("5 normals"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { pack(c, {.leastRun = 0}); }).find("leastRun"), std::string::npos);
  EXPECT_NE(messageOf([&] { pack(c, {.wantedRun = 4, .leastRun = 5}); }).find("wantedRun"), std::string::npos);
  EXPECT_NE(messageOf([&] { pack(c, {.mostMerged = 17}); }).find("mostMerged"), std::string::npos);
  Points broken = c.rest;
  broken(1, 42) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(messageOf([&] { packSkin(broken, Points(3, 0), c.weights); }).find("42"), std::string::npos);
  const SkinWeights wide = SkinWeights::rigid(70000, 100, 3);
  EXPECT_NE(messageOf([&] { packSkin(c.rest, Points(3, 0), wide); }).find("70000"), std::string::npos);
}

/// The arrays of a packed character, with room for `each` influences of every vertex, as glTF has them.
struct PlainArrays {
  PlainArrays(const PackedCharacter& c, std::size_t each)
      : positions(c.rest.data(), c.rest.data() + c.rest.size()),
        normals(c.normals.data(), c.normals.data() + c.normals.size()) {
    for (Index v = 0; v < c.weights.vertexCount(); ++v) {
      for (const Influence& influence : c.weights[v]) {
        joints.push_back(influence.binding);
        weights.push_back(static_cast<float>(influence.weight));
      }
      joints.resize(each * (static_cast<std::size_t>(v) + 1), 0);
      weights.resize(each * (static_cast<std::size_t>(v) + 1), 0);
    }
    arrays = {positions, normals, c.weights.bindingCount(), joints, weights, {}};
  }
  PlainArrays(const PlainArrays&) = delete;
  PlainArrays& operator=(const PlainArrays&) = delete;

  std::vector<float> positions;
  std::vector<float> normals;
  std::vector<std::uint32_t> joints;
  std::vector<float> weights;
  SkinArrays<float> arrays;
};

TEST(PackedSkin, TakesFloatsWithAFixedNumberOfInfluences) {
  for (const PackedCharacter& c : {chainCharacter(1000, 12, 4), scatteredCharacter(500, 40, 4)}) {
    const PackedSkin own = pack(c);
    const PlainArrays plain(c, 6);
    const PackedSkin skin(plain.arrays);
    EXPECT_TRUE(std::ranges::equal(skin.order(), own.order()));
    EXPECT_EQ(skin.report().meanInfluences, own.report().meanInfluences);
    const std::span<const float> rest = skin.layout().rest;
    ASSERT_EQ(rest.size(), own.layout().rest.size());
    // Rows of joints hold pairs of 16-bit numbers, which are no floats.
    const std::size_t shared = own.layout().runs.back().kind == RunKind::Shared ? rest.size() : 0;
    for (std::size_t i = 0; i < shared; ++i) ASSERT_NEAR(rest[i], own.layout().rest[i], 1e-6);
  }
}

TEST(PackedSkin, AddsUpWeightsOfOneJointAndScalesSumsToOne) {
  const std::vector<float> positions(3 * 20, 0.5f);
  std::vector<std::uint32_t> joints;
  std::vector<float> weights;
  for (int v = 0; v < 20; ++v) {
    joints.insert(joints.end(), {1, 0, 1});
    weights.insert(weights.end(), {0.25f, 0.5f, 0.2505f});
  }
  const PackedSkin skin(SkinArrays<float>{positions, {}, 2, joints, weights, {}});
  EXPECT_EQ(skin.report().meanInfluences, 2);
  // Joint 0 has what is missing to 1.
  EXPECT_NEAR(skin.layout().rest[3 * kBlockLanes], 0.5005 / 1.0005, 1e-6);
}

TEST(PackedSkin, RefusesPlainArraysThatDoNotFit) {
  const PackedCharacter c = chainCharacter(50, 6, 4);
  const auto says = [&](const std::function<void(PlainArrays&)>& spoil, const char* words,
                        const PackOptions& options = {}) {
    PlainArrays plain(c, 4);
    spoil(plain);
    try {
      const PackedSkin skin(plain.arrays, options);
      ADD_FAILURE() << words;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_NE(std::string(refusal.what()).find(words), std::string::npos) << refusal.what();
    }
  };
  says([](PlainArrays& p) { p.arrays.positions = p.arrays.positions.first(149); }, "149 numbers of positions");
  says([](PlainArrays& p) { p.arrays.weights = p.arrays.weights.first(199); }, "200 joints for 199 weights");
  says([](PlainArrays& p) { p.arrays.normals = p.arrays.normals.first(3); }, "1 normals for 50 vertices");
  says([](PlainArrays& p) { p.joints[4 * 7] = 6; }, "vertex 7 follows joint 6; there are 6");
  says([](PlainArrays& p) { p.weights[4 * 7] += 0.1f; }, "weights of vertex 7 sum to 1.1");
  says([](PlainArrays& p) { p.weights[4 * 8] = -0.5f; }, "a weight of vertex 8 is -0.5");
  says([](PlainArrays& p) { p.positions[3 * 9] = std::numeric_limits<float>::infinity(); }, "position of vertex 9");
  const std::vector<std::uint32_t> starts = {0, 100, 50};
  says([&](PlainArrays& p) { p.arrays.starts = starts; }, "50 vertices and the weights cover 2");
  says([](PlainArrays& /*p*/) {}, "no instruction set 'abacus'", {.instructionSet = "abacus"});
}

TEST(PackedSkin, VerticesOfDifferentClassesNeverShareARunAndPlacesAreInOrder) {
  for (const PackedCharacter& c : {chainCharacter(2000, 12, 4), scatteredCharacter(500, 40, 4)}) {
    std::vector<VertexClass> classes;
    for (Index v = 0; v < c.rest.cols(); ++v) {
      classes.push_back({static_cast<std::uint32_t>(v / 7 % 3 * 5), static_cast<std::uint32_t>(v % 4)});
    }
    const PlainSkin source(c.rest, c.normals, c.weights);
    const PackedSkin skin(source.arrays(), classes, {});
    std::uint32_t last = 0;
    for (const PackedRun& run : skin.layout().runs) {
      EXPECT_GE(run.vertexClass, last);
      last = run.vertexClass;
      const auto places = skin.order().subspan(run.firstBlock * std::size_t{kBlockLanes}, run.vertexCount);
      for (std::size_t i = 0; i < places.size(); ++i) {
        ASSERT_EQ(classes[places[i]].run, run.vertexClass);
        ASSERT_TRUE(i == 0 || classes[places[i - 1]].place <= classes[places[i]].place);
      }
    }
    EXPECT_EQ(last, 10u);
    EXPECT_EQ(static_cast<Index>(skin.report().vertices), c.rest.cols());
  }
}

}  // namespace
}  // namespace sinew::packed_skin_test
