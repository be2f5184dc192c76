#include "sinew/play/correctives.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "support/allocations.h"
#include "support/message_of.h"

namespace sinew::correctives_test {
namespace {

using namespace play;

constexpr std::size_t kVertices = 100;
using Numbers = std::vector<float>;

/// Vertices along x, half of them on each of two joints; two shapes that move every tenth and every fourth.
struct Bar {
  Bar()
      : positions(3 * kVertices),
        first(3 * kVertices),
        second(3 * kVertices),
        joints(kVertices),
        weights(kVertices, 1) {
    for (std::size_t v = 0; v < kVertices; ++v) {
      positions[3 * v] = 0.01f * static_cast<float>(v);
      joints[v] = v < kVertices / 2 ? 0 : 1;
      if (v % 10 == 0) first[3 * v + 1] = 0.2f;
      if (v % 4 == 0) second[3 * v + 2] = 0.1f;
    }
    skin = {.positions = positions, .jointCount = 2, .joints = joints, .weights = weights};
    shapes = {first, second};
  }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  Numbers positions;
  Numbers first;
  Numbers second;
  std::vector<std::uint32_t> joints;
  Numbers weights;
  SkinArrays<float> skin;
  std::vector<std::span<const float>> shapes;
};

/// Joint 0 stays, joint 1 turns by 90 degrees about x: y becomes z, z becomes -y.
const Numbers kMatrices = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0,  1, 0, 0, 0, 0, 1,
                           1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1};
const Numbers kRotations = {0, 0, 0, 1, 0.70710678f, 0, 0, 0.70710678f};

Numbers played(const PackedCorrectives& packed, const CorrectiveFrame& frame) {
  Numbers moved(3 * kVertices);
  packed.play(kMatrices, frame, {.positions = moved, .order = VertexOrder::Original});
  return moved;
}

void expectNear(const Numbers& a, const Numbers& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-5) << i;
}

/// Both shapes at their weights, turned by the joint where `turned`.
Numbers expected(const Bar& bar, float first, float second, bool turned) {
  Numbers result = bar.positions;
  for (std::size_t v = 0; v < kVertices; ++v) {
    const float y = first * bar.first[3 * v + 1];
    const float z = second * bar.second[3 * v + 2];
    const bool turns = turned && bar.joints[v] == 1;
    result[3 * v + 1] += turns ? -z : y;
    result[3 * v + 2] += turns ? y : z;
  }
  return result;
}

TEST(Correctives, AreAddedBeforeSkinningOrAfterItWithOrWithoutATurn) {
  const Bar bar;
  const Numbers weights = {0.5f, -1};
  const PackedCorrectives before(bar.skin, {.before = bar.shapes});
  expectNear(played(before, {.weights = weights}), expected(bar, 0.5f, -1, true));
  const PackedCorrectives framed(bar.skin, {.after = bar.shapes, .turnsWithVertex = true});
  EXPECT_TRUE(framed.needsRotations());
  expectNear(played(framed, {.weights = weights, .rotations = kRotations}), expected(bar, 0.5f, -1, true));
  const PackedCorrectives after(bar.skin, {.after = bar.shapes});
  const Numbers identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  EXPECT_EQ(after.turnCount(), 1u);
  expectNear(played(after, {.weights = weights, .turns = identity}), expected(bar, 0.5f, -1, false));
}

TEST(Correctives, ShapesForEveryVertexAreThoseOfTheVerticesThatMove) {
  const Bar bar;
  std::vector<std::uint32_t> vertices;
  Numbers first;
  Numbers second;
  for (std::uint32_t v = 0; v < kVertices; ++v) {
    if (v % 10 != 0 && v % 4 != 0) continue;
    vertices.push_back(v);
    for (std::size_t c = 0; c < 3; ++c) {
      first.push_back(bar.first[std::size_t{3} * v + c]);
      second.push_back(bar.second[std::size_t{3} * v + c]);
    }
  }
  const std::vector<std::span<const float>> shapes = {first, second};
  const PackedCorrectives sparse(bar.skin, {.vertices = vertices, .before = shapes});
  const PackedCorrectives dense(bar.skin, {.before = bar.shapes});
  EXPECT_EQ(dense.report().corrected, vertices.size());
  const Numbers weights = {0.3f, 0.9f};
  EXPECT_EQ(played(sparse, {.weights = weights}), played(dense, {.weights = weights}));
}

TEST(Correctives, GroupsHaveWeightsOfTheirOwn) {
  const Bar bar;
  std::vector<std::uint32_t> vertices;
  for (std::uint32_t v = 0; v < kVertices; ++v) vertices.push_back(v);
  const PackedCorrectives packed(bar.skin,
                                 {.vertices = vertices, .before = bar.shapes, .groupOf = bar.joints, .groupCount = 2});
  const Numbers weights = {0, 0, 1, 0.5f};
  const Numbers moved = played(packed, {.weights = weights});
  const Numbers whole = expected(bar, 1, 0.5f, true);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    ASSERT_NEAR(moved[i], i < moved.size() / 2 ? bar.positions[i] : whole[i], 2e-5) << i;
  }
}

TEST(Correctives, RangesGiveTheSameBitsAndNothingIsAllocated) {
  const Bar bar;
  const PackedCorrectives packed(bar.skin, {.before = bar.shapes});
  const Numbers weights = {0.5f, -1};
  const Numbers whole = played(packed, {.weights = weights});
  Numbers parts(whole.size());
  const std::size_t before = test::allocationCount();
  const CorrectiveCall call =
      packed.call(kMatrices, {.weights = weights}, {.positions = parts, .order = VertexOrder::Original});
  for (std::uint32_t b = call.blockCount(); b-- > 0;) call.run(b, b + 1);
  EXPECT_EQ(test::allocationCount(), before);
  EXPECT_EQ(parts, whole);
}

TEST(Correctives, WithoutShapesItIsPlainSkinning) {
  const Bar bar;
  const PackedCorrectives packed(bar.skin, {});
  expectNear(played(packed, {}), expected(bar, 0, 0, true));
}

TEST(Correctives, RefuseWhatDoesNotFit) {
  const Bar bar;
  const auto says = [](const std::function<void()>& call, const char* words) {
    const std::string message = test::invalidArgumentOf(call);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  const auto pack = [&](const CorrectiveArrays<float>& shapes, const CorrectiveOptions& options = {}) {
    return [&bar, shapes, options] { PackedCorrectives(bar.skin, shapes, options); };
  };
  const std::vector<std::uint32_t> twice = {3, 3};
  const std::vector<std::uint32_t> outside = {kVertices};
  const std::vector<std::span<const float>> one = {std::span(bar.first).first(6)};
  const std::vector<std::span<const float>> many(257, bar.first);
  says(pack({.vertices = twice, .before = one}), "vertex 3 comes after vertex 3");
  says(pack({.vertices = outside, .before = one}), "moves vertex 100; there are 100");
  says(pack({.before = one}), "shape 0 has 2 deltas for 0 vertices");
  says(pack({.before = many}), "257 shapes, 256 can be played");
  says(pack({.before = bar.shapes, .after = one}), "give equally many");
  says(pack({.before = bar.shapes, .after = bar.shapes, .turnsWithVertex = true}), "cannot be combined");
  says(pack({.before = bar.shapes}, {.tolerance = 0}), "tolerance is 0");
  const PackedCorrectives packed(bar.skin, {.before = bar.shapes});
  const Numbers broken = {1, std::numeric_limits<float>::quiet_NaN()};
  says([&] { played(packed, {.weights = std::span(broken).first(1)}); }, "1 floats of weights, 2 are needed");
  says([&] { played(packed, {.weights = broken}); }, "weight 1 of the frame is not finite");
}

}  // namespace
}  // namespace sinew::correctives_test
