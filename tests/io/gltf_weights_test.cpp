// Weights as integers: exact sums, an exact round trip, any number of influences.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gltf_sketch.h"
#include "sinew/base/random.h"
#include "sinew/deform/posing.h"
#include "support/test_arm.h"

namespace sinew::gltf_weights_test {
namespace {

using test::GltfSketch;
using test::Json;
using test::opened;

struct Kind {
  WeightFormat format;
  std::uint32_t whole;
  int component;
};
constexpr Kind kKinds[] = {{WeightFormat::Bits8, 255, 5121}, {WeightFormat::Bits16, 65535, 5123}};

/// The arm on `joints` joints with up to `most` influences per vertex.
Character armWith(int joints, int most, std::uint32_t seed) {
  Character arm = test::testArm();
  std::vector<Joint> list(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  while (static_cast<int>(list.size()) < joints) list.push_back({"extra" + std::to_string(list.size()), 0, {}});
  arm.skeleton = Skeleton(std::move(list));
  arm.skin.bindings.clear();
  for (int j = 0; j < joints; ++j) arm.skin.bindings.push_back({j, Affine::Identity()});
  Lcg random(seed);
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
    std::vector<double> weights(1 + static_cast<std::size_t>(v) % static_cast<std::size_t>(most));
    for (double& weight : weights) weight = 0.001 + random.uniform() * random.uniform();
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<Influence>& column = columns.emplace_back();
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const auto joint =
          static_cast<std::uint32_t>((static_cast<std::size_t>(v) * 7 + k) % static_cast<std::size_t>(joints));
      column.push_back({joint, weights[k] / sum});
    }
  }
  arm.skin.weights = SkinWeights::fromColumns(static_cast<std::size_t>(joints), columns);
  return arm;
}

std::string writtenAs(const CharacterFile& file, WeightFormat format) {
  return gltfToMemory("out.glb", file, {.weights = format}).files.front().second;
}

/// All sets of the first primitive: a row of numbers per vertex.
std::vector<std::vector<std::uint32_t>> wholeWeights(const GltfSketch& s, int component) {
  std::vector<std::vector<std::uint32_t>> rows;
  const Json& attributes = s.json["meshes"][0]["primitives"][0]["attributes"];
  for (int n = 0; attributes.contains("WEIGHTS_" + std::to_string(n)); ++n) {
    const Json& accessor = s.json["accessors"][attributes["WEIGHTS_" + std::to_string(n)].get<std::size_t>()];
    EXPECT_EQ(accessor["componentType"], component);
    EXPECT_EQ(accessor["normalized"], true);
    const Json& view = s.json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    EXPECT_EQ(view["byteOffset"].get<std::size_t>() % 4, 0u);
    const std::size_t bytes = component == 5121 ? 1 : 2;
    rows.resize(accessor["count"].get<std::size_t>());
    for (std::size_t v = 0; v < rows.size(); ++v) {
      for (std::size_t k = 0; k < 4; ++k) {
        std::uint32_t number = 0;
        std::memcpy(&number, s.bin.data() + view["byteOffset"].get<std::size_t>() + (4 * v + k) * bytes, bytes);
        rows[v].push_back(number);
      }
    }
  }
  return rows;
}

TEST(GltfWeights, WholeNumbersSumExactly) {
  for (const Kind& kind : kKinds) {
    for (const int most : {1, 4, 5, 11}) {
      CharacterFile file;
      file.character = armWith(12, most, 7);
      const GltfSketch s = opened(writtenAs(file, kind.format));
      const auto rows = wholeWeights(s, kind.component);
      ASSERT_EQ(rows.size(), static_cast<std::size_t>(file.character.mesh.vertexCount()));
      for (std::size_t v = 0; v < rows.size(); ++v) {
        EXPECT_EQ(rows[v].size(), static_cast<std::size_t>((most + 3) / 4 * 4));
        ASSERT_EQ(std::accumulate(rows[v].begin(), rows[v].end(), 0u), kind.whole) << v;
        const auto column = file.character.skin.weights[static_cast<Index>(v)];
        for (std::size_t k = 0; k < column.size(); ++k)
          EXPECT_LT(std::abs(rows[v][k] - column[k].weight * kind.whole), 1.0 + 1e-9) << v;
      }
    }
  }
}

TEST(GltfWeights, MultiplesComeBackExactly) {
  for (const Kind& kind : kKinds) {
    CharacterFile file;
    file.character = armWith(9, 8, 3);
    // Once rounded they are multiples, so a second round trip gives the same bits.
    const CharacterFile first = readGltfFromMemory(writtenAs(file, kind.format), {}, "arm");
    CharacterFile again;
    again.character = first.character;
    const CharacterFile second = readGltfFromMemory(writtenAs(again, kind.format), {}, "arm");
    EXPECT_EQ(first.character.skin.weights, second.character.skin.weights);
    for (Index v = 0; v < first.character.mesh.vertexCount(); ++v) {
      for (const Influence& influence : first.character.skin.weights[v]) {
        const double number = std::round(influence.weight * kind.whole);
        ASSERT_EQ(influence.weight, number / kind.whole) << v;
      }
    }
  }
}

TEST(GltfWeights, ManyJointsTake16Bits) {
  CharacterFile file;
  file.character = armWith(300, 6, 5);
  const GltfSketch s = opened(writtenAs(file, WeightFormat::Bits8));
  const Json& attributes = s.json["meshes"][0]["primitives"][0]["attributes"];
  EXPECT_EQ(s.json["accessors"][attributes["JOINTS_1"].get<std::size_t>()]["componentType"], 5123);
  const Character back = readGltfFromMemory(writtenAs(file, WeightFormat::Bits8), {}, "arm").character;
  for (Index v = 0; v < back.mesh.vertexCount(); ++v) {
    for (const Influence& influence : back.skin.weights[v]) {
      EXPECT_NEAR(influence.weight, file.character.skin.weights.weight(v, influence.binding), 1.0 / 255);
    }
  }
}

TEST(GltfWeights, OnlyChangedWeightsTakeTheFormat) {
  GltfSketch s = test::skinnedSquare();
  CharacterFile file = s.read();
  EXPECT_EQ(writtenAs(file, WeightFormat::Bits8), test::rewritten(file));
  file.character.skin.weights =
      SkinWeights::fromColumns(2, std::vector<std::vector<Influence>>(4, {{0, 0.3}, {1, 0.7}}));
  const GltfSketch written = opened(writtenAs(file, WeightFormat::Bits8));
  const auto rows = wholeWeights(written, 5121);
  EXPECT_EQ(rows[0], (std::vector<std::uint32_t>{179, 76, 0, 0}));
  EXPECT_EQ(written.read().character.skin.weights.weight(0, 0), 76.0 / 255);
}

}  // namespace
}  // namespace sinew::gltf_weights_test
