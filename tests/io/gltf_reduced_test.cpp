// Reduced models in glTF: a bit-exact round trip; faults are refused or left out with a sentence.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "formats_support.h"
#include "gltf_sketch.h"
#include "odd_numbers.h"
#include "schema_misfit.h"
#include "sinew/base/random.h"
#include "support/test_arm.h"

namespace sinew::gltf_reduced_test {
namespace {

using test::expectRefused;
using test::expectSameBits;
using test::GltfSketch;
using test::Json;
using test::oddNumbers;
using test::opened;
using test::rewritten;

constexpr const char* kBlock = "SINEW_reduced_model";
constexpr int kControls = 5;

SkinWeights oddWeights(Index vertices) {
  Lcg random(11);
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < vertices; ++v) {
    std::vector<Influence>& column = columns.emplace_back();
    double sum = 0;
    const std::uint32_t count = 1 + static_cast<std::uint32_t>(v) % 4;
    for (std::uint32_t k = 0; k < count; ++k) {
      column.push_back({(static_cast<std::uint32_t>(v) + k) % kControls, 0.05 + random.uniform()});
      sum += column.back().weight;
    }
    for (Influence& influence : column) influence.weight /= sum;
  }
  return SkinWeights::fromColumns(kControls, columns);
}

ReducedModel oddModel(const Character& character, bool posing = true) {
  ReducedModel model;
  const Index vertices = character.mesh.vertexCount();
  model.rest = oddNumbers(3, vertices, 1);
  model.weights = oddWeights(vertices);
  model.names = {"walk 1", "ä \"b\"", "rest"};
  for (std::uint32_t e = 0; e < 3; ++e) {
    std::vector<Affine>& controls = model.controls.emplace_back();
    for (std::uint32_t c = 0; c < kControls; ++c) {
      controls.emplace_back();
      controls.back().matrix() = oddNumbers(3, 4, 100 + 10 * e + c);
    }
    Eigen::Isometry3d alignment(Eigen::AngleAxisd(0.1 + e, Vec3(1, 2, e).normalized()));
    alignment.translation() = oddNumbers(3, 1, 50 + e);
    model.inputFromAligned.push_back(alignment);
  }
  model.restExample = 2;
  model.labels = {0, 4, 2, 2, 1};
  if (!posing) {
    model.rigid = true;
    model.parents = {-1, 0, 0, 4, 1};
    model.restExample = -1;
    return model;
  }
  model.fits = {{1.0 / 3, 2.0 / 7}, {0, 1e-300}, {3, 4}};
  model.proxies.positions = oddNumbers(3, 7, 60);
  model.proxies.weights = oddNumbers(kControls, 7, 61);
  model.proxies.gradients = oddNumbers(3 * kControls, 7, 62);
  return model;
}

CharacterFile armWithModel(bool posing = true) {
  CharacterFile file;
  file.character = test::testArm();
  file.reduced = std::make_shared<ReducedModel>(oddModel(file.character, posing));
  return file;
}

void expectSame(const ReducedModel& a, const ReducedModel& b) {
  expectSameBits(a.rest, b.rest, "rest");
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.restExample, b.restExample);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.rigid, b.rigid);
  EXPECT_EQ(a.parents, b.parents);
  ASSERT_EQ(a.fits.size(), b.fits.size());
  for (std::size_t e = 0; e < a.fits.size(); ++e) {
    EXPECT_EQ(a.fits[e].error, b.fits[e].error);
    EXPECT_EQ(a.fits[e].spread, b.fits[e].spread);
  }
  ASSERT_EQ(a.controls.size(), b.controls.size());
  for (std::size_t e = 0; e < a.controls.size(); ++e) {
    ASSERT_EQ(a.controls[e].size(), b.controls[e].size());
    for (std::size_t c = 0; c < a.controls[e].size(); ++c)
      expectSameBits(a.controls[e][c].matrix(), b.controls[e][c].matrix(), "control");
    expectSameBits(a.inputFromAligned[e].matrix(), b.inputFromAligned[e].matrix(), "alignment");
  }
  expectSameBits(a.proxies.positions, b.proxies.positions, "proxies");
  expectSameBits(a.proxies.weights, b.proxies.weights, "proxy weights");
  expectSameBits(a.proxies.gradients, b.proxies.gradients, "proxy gradients");
}

TEST(GltfReduced, ModelComesBackBitForBit) {
  for (const bool posing : {true, false}) {
    const CharacterFile file = armWithModel(posing);
    const std::string bytes = rewritten(file);
    const CharacterFile back = readGltfFromMemory(bytes, {}, "arm");
    ASSERT_TRUE(back.reduced);
    expectSame(*back.reduced, *file.reduced);
    EXPECT_EQ(back.blocks, std::vector<std::string>{kBlock});
    // Written again, nothing changes; read through text, neither.
    EXPECT_EQ(rewritten(back), bytes);
  }
}

TEST(GltfReduced, ModelIsReplacedAndTakenOut) {
  CharacterFile file = readGltfFromMemory(rewritten(armWithModel()), {}, "arm");
  auto other = std::make_shared<ReducedModel>(*file.reduced);
  other->names[0] = "other";
  file.reduced = other;
  const std::string bytes = rewritten(file);
  expectSame(*readGltfFromMemory(bytes, {}, "arm").reduced, *other);
  // The data of the old block was removed.
  EXPECT_LT(bytes.size(), rewritten(armWithModel()).size() + 64);
  file.reduced = nullptr;
  const GltfSketch without = opened(rewritten(file));
  EXPECT_FALSE(without.json.contains("extensions"));
  EXPECT_FALSE(without.json.contains("extensionsUsed"));
}

TEST(GltfReduced, FitsItsPublishedSchema) {
  const Json schema = test::publishedSchema(kBlock);
  for (const bool posing : {true, false}) {
    GltfSketch sketch = opened(rewritten(armWithModel(posing)));
    Json& block = sketch.json["extensions"][kBlock];
    EXPECT_EQ(test::misfit(schema, block), "");
    block["controls"] = 100000;
    EXPECT_EQ(test::misfit(schema, block), "block.controls is too large");
  }
}

TEST(GltfReduced, SeamsDoubleTheirVertices) {
  CharacterFile file = armWithModel();
  Mesh& mesh = file.character.mesh;
  mesh.uvs = Eigen::Matrix2Xd::Zero(2, 2);
  mesh.uvs(0, 1) = 1;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    for (std::size_t c = 0; c < mesh.faces[f].size(); ++c) mesh.cornerUv.push_back(f % 2);
  }
  const CharacterFile back = readGltfFromMemory(rewritten(file), {}, "arm");
  ASSERT_TRUE(back.reduced);
  ASSERT_GT(back.character.mesh.vertexCount(), mesh.vertexCount());
  ASSERT_EQ(back.reduced->rest.cols(), back.character.mesh.vertexCount());
  // Vertices at one place stay at one place.
  for (Index v = mesh.vertexCount(); v < back.character.mesh.vertexCount(); ++v) {
    Index twin = 0;
    while (back.character.mesh.points.col(twin) != back.character.mesh.points.col(v)) ++twin;
    EXPECT_EQ(back.reduced->rest.col(v), file.reduced->rest.col(twin));
  }
}

TEST(GltfReduced, AModelForAnotherMeshIsLeftOutWithASentence) {
  GltfSketch s = opened(rewritten(armWithModel()));
  s.json["extensions"][kBlock]["vertexCount"] = 17;
  const CharacterFile file = s.read();
  EXPECT_FALSE(file.reduced);
  EXPECT_TRUE(file.blocks.empty());
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("17 vertices"), std::string::npos) << file.problems[0];
}

template <class T>
void poke(GltfSketch& s, const Json& array, std::size_t place, T number) {
  const Json& view = s.json["bufferViews"][array["bufferView"].get<std::size_t>()];
  std::memcpy(s.bin.data() + view["byteOffset"].get<std::size_t>() + place * sizeof(T), &number, sizeof(T));
}

struct Fault {
  const char* name;
  std::function<void(Json&, GltfSketch&)> plant;
  std::vector<std::string> words;
};

const Fault kFaults[] = {
    {"no object", [](Json& b, GltfSketch&) { b = "x"; }, {kBlock, "object"}},
    {"no version", [](Json& b, GltfSketch&) { b.erase("version"); }, {"version"}},
    {"no flag", [](Json& b, GltfSketch&) { b["rigid"] = 1; }, {"rigid"}},
    {"too many controls", [](Json& b, GltfSketch&) { b["controls"] = 1ull << 40; }, {"controls"}},
    {"a control too few", [](Json& b, GltfSketch&) { b["controls"] = 4; }, {kBlock}},
    {"an example too many", [](Json& b, GltfSketch&) { b["examples"].push_back("x"); }, {"transforms", "12 x"}},
    {"an example without name", [](Json& b, GltfSketch&) { b["examples"][0] = 1; }, {"examples"}},
    {"a rest that is none", [](Json& b, GltfSketch&) { b["restExample"] = 3; }, {"restExample", "3"}},
    {"half a rest", [](Json& b, GltfSketch&) { b["restExample"] = 0.5; }, {"restExample", "0.5"}},
    {"an endless rest", [](Json& b, GltfSketch&) { b["restExample"] = 1e300; }, {"restExample"}},
    {"huge rest shape", [](Json& b, GltfSketch&) { b["rest"]["columns"] = 1ull << 60; }, {"rest"}},
    {"no rest shape", [](Json& b, GltfSketch&) { b.erase("rest"); }, {"rest", "missing"}},
    {"NaN in the rest",
     [](Json& b, GltfSketch& s) { poke(s, b["rest"], 4, std::numeric_limits<double>::quiet_NaN()); },
     {"rest", "finite"}},
    {"weights of more influences than there are",
     [](Json& b, GltfSketch& s) { poke<std::uint32_t>(s, b["weights"]["counts"], 3, 4000000000u); },
     {"counts"}},
    {"influences left over",
     [](Json& b, GltfSketch& s) { poke<std::uint32_t>(s, b["weights"]["counts"], 3, 1); },
     {kBlock}},
    {"weights of a control that is none",
     [](Json& b, GltfSketch& s) { poke<std::uint32_t>(s, b["weights"]["controls"], 3, 5); },
     {"vertex", "5"}},
    {"a negative weight", [](Json& b, GltfSketch& s) { poke(s, b["weights"]["values"], 2, -0.5); }, {"negative"}},
    {"weights that sum to 9", [](Json& b, GltfSketch& s) { poke(s, b["weights"]["values"], 0, 9.0); }, {"sum"}},
    {"an alignment that is no motion",
     [](Json& b, GltfSketch& s) { poke(s, b["alignments"], 0, 9.0); },
     {"alignments", "walk 1"}},
    {"infinite transform",
     [](Json& b, GltfSketch& s) { poke(s, b["transforms"], 7, std::numeric_limits<double>::infinity()); },
     {"transforms", "finite"}},
    {"a label too many", [](Json& b, GltfSketch& s) { poke<std::uint32_t>(s, b["labels"], 1, 5); }, {"control 5"}},
    {"parents in a circle",
     [](Json& b, GltfSketch&) {
       b["parents"] = {1, 2, 0, 0, 0};
     },
     {"cycle"}},
    {"a parent too many",
     [](Json& b, GltfSketch&) {
       b["parents"] = {-1, 5, 0, 0, 0};
     },
     {"parents", "5"}},
    {"too few parents", [](Json& b, GltfSketch&) { b["parents"] = {-1}; }, {"parents"}},
    {"fits of other size", [](Json& b, GltfSketch&) { b["fits"]["columns"] = 2; }, {"fits"}},
    {"proxies of other size", [](Json& b, GltfSketch&) { b["proxies"]["weights"]["columns"] = 6; }, {"proxies"}},
    {"proxies that are none", [](Json& b, GltfSketch&) { b["proxies"] = 1; }, {"proxies", "object"}},
    {"no view", [](Json& b, GltfSketch&) { b["transforms"].erase("bufferView"); }, {"transforms", "missing"}},
    {"a view that is not there", [](Json& b, GltfSketch&) { b["labels"]["bufferView"] = 999; }, {"labels", "999"}},
};

TEST(GltfReduced, RefusesEveryFaultInASentence) {
  const GltfSketch sound = opened(rewritten(armWithModel()));
  ASSERT_TRUE(sound.read().reduced);
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(fault.name);
    GltfSketch sketch = sound;
    fault.plant(sketch.json["extensions"][kBlock], sketch);
    expectRefused([&] { static_cast<void>(sketch.read()); }, fault.words);
  }
}

}  // namespace
}  // namespace sinew::gltf_reduced_test
