#include "sinew/samples/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/posing.h"
#include "sinew/math/laplacian.h"

namespace sinew::samples_test {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

struct Topology {
  Index vertices = 0;
  Index edges = 0;
  Index faces = 0;
  Index badEdges = 0;  ///< not exactly two faces, or both in the same direction
  Index components = 0;
  Index needles = 0;  ///< faces with hardly an area for their size
  double volume = 0;

  [[nodiscard]] Index euler() const { return vertices - edges + faces; }
};

Topology topologyOf(const Mesh& mesh) {
  Topology t;
  t.vertices = mesh.vertexCount();
  t.faces = static_cast<Index>(mesh.faces.size());
  std::vector<std::tuple<std::uint32_t, std::uint32_t, int>> sides;
  std::vector<WeightedEdge> edges;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto face = mesh.faces[f];
    for (std::size_t k = 0; k < face.size(); ++k) {
      const std::uint32_t u = face[k];
      const std::uint32_t v = face[(k + 1) % face.size()];
      sides.emplace_back(std::min(u, v), std::max(u, v), u < v ? 1 : -1);
      edges.push_back({u, v, 1});
    }
    const Vec3 a = mesh.points.col(face[0]);
    const Vec3 b = mesh.points.col(face[1]);
    const Vec3 c = mesh.points.col(face[2]);
    const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    if ((b - a).cross(c - a).norm() < 0.03 * longest) ++t.needles;
    t.volume += a.dot(b.cross(c)) / 6;
  }
  std::sort(sides.begin(), sides.end());
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i;
    int turns = 0;
    while (end < sides.size() && std::get<0>(sides[end]) == std::get<0>(sides[i]) &&
           std::get<1>(sides[end]) == std::get<1>(sides[i])) {
      turns += std::get<2>(sides[end++]);
    }
    if (end - i != 2 || turns != 0) ++t.badEdges;
    ++t.edges;
    i = end;
  }
  const std::vector<std::uint32_t> pieces = connectedPieces(t.vertices, edges);
  t.components = 1 + static_cast<Index>(*std::max_element(pieces.begin(), pieces.end()));
  return t;
}

void expectClosed(const Sample& sample, Index asked, const std::string& name) {
  SCOPED_TRACE(name + " with " + std::to_string(asked));
  const Mesh& mesh = sample.character.mesh;
  const Topology t = topologyOf(mesh);
  EXPECT_NEAR(static_cast<double>(t.vertices), static_cast<double>(asked), 0.1 * static_cast<double>(asked));
  EXPECT_EQ(t.badEdges, 0);
  EXPECT_EQ(t.components, 1);
  EXPECT_EQ(t.euler(), 2);
  EXPECT_EQ(t.needles, 0);
  EXPECT_GT(t.volume, 0);
  EXPECT_TRUE(mesh.points.allFinite());
  EXPECT_NO_THROW(checkCharacter(sample.character, name.c_str()));
}

// Small samples for what does not depend on size, made once per program.
const Sample& sampleOf(std::string_view name) {
  static std::map<std::string, Sample, std::less<>> made;
  auto found = made.find(name);
  if (found == made.end()) found = made.emplace(name, makeSample(name, {.vertices = 3000})).first;
  return found->second;
}

TEST(Samples, AreClosedTwoManifoldsOfGenusZeroAtLowResolution) {
  for (const SampleRow& row : samples()) {
    expectClosed(makeSample(row.name, {.vertices = 1000}), 1000, std::string(row.name));
  }
}

TEST(Samples, AreClosedTwoManifoldsOfGenusZeroAtMediumResolution) {
  for (const SampleRow& row : samples()) {
    expectClosed(makeSample(row.name, {.vertices = 10000}), 10000, std::string(row.name));
  }
}

TEST(Samples, AreClosedTwoManifoldsOfGenusZeroAtHighResolution) {
  expectClosed(makeSample("arm", {.vertices = 200000}), 200000, "arm");
}

TEST(Samples, HaveWhatTheirRowsSay) {
  for (const SampleRow& row : samples()) {
    SCOPED_TRACE(row.name);
    const Sample& sample = sampleOf(row.name);
    EXPECT_EQ(sample.character.skeleton.size(), row.joints);
    EXPECT_EQ(static_cast<int>(sample.examples.examples.size()), row.examples);
    EXPECT_GE(sample.heldOut.examples.size(), 4u);
    EXPECT_EQ(sample.character.clips.empty(), row.joints == 0);
  }
}

TEST(Samples, TextureCoordinatesCoverEveryCornerInsideTheUnitSquare) {
  for (const SampleRow& row : samples()) {
    SCOPED_TRACE(row.name);
    const Mesh& mesh = sampleOf(row.name).character.mesh;
    ASSERT_EQ(mesh.cornerUv.size(), mesh.faces.corner.size());
    EXPECT_GE(mesh.uvs.minCoeff(), 0.0);
    EXPECT_LE(mesh.uvs.maxCoeff(), 1.0);
    EXPECT_GT(mesh.uvs.cols(), mesh.vertexCount()) << "seams split vertices";
    EXPECT_LT(mesh.uvs.cols(), mesh.vertexCount() * 3 / 2) << "but only few";
    std::size_t flat = 0;
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      const auto uv = [&](std::size_t k) { return Eigen::Vector2d(mesh.uvs.col(mesh.cornerUv[3 * f + k])); };
      const Eigen::Vector2d u = uv(1) - uv(0);
      const Eigen::Vector2d v = uv(2) - uv(0);
      if (std::abs(u.x() * v.y() - u.y() * v.x()) < 1e-12) ++flat;
    }
    EXPECT_LT(flat, mesh.faces.size() / 500);
  }
}

TEST(Samples, WeightsAreSmoothAlongEdges) {
  for (const SampleRow& row : samples()) {
    if (row.joints == 0) continue;
    SCOPED_TRACE(row.name);
    const Character& character = sampleOf(row.name).character;
    EXPECT_LE(character.skin.weights.maxInfluences(), 4);
    double steepest = 0;
    for (std::size_t f = 0; f < character.mesh.faces.size(); ++f) {
      const auto face = character.mesh.faces[f];
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t u = face[k];
        const std::uint32_t v = face[(k + 1) % 3];
        const double length = (character.mesh.points.col(u) - character.mesh.points.col(v)).norm();
        for (const Influence& influence : character.skin.weights[u]) {
          const double change = std::abs(influence.weight - character.skin.weights.weight(v, influence.binding));
          // Short edges are measured with the slack of one millimetre.
          steepest = std::max(steepest, change / (length + 1e-3));
        }
      }
    }
    EXPECT_LT(steepest, 90.0) << "per metre";
  }
}

TEST(Samples, SculptsDifferFromLinearBlendAndAreFinite) {
  for (const SampleRow& row : samples()) {
    if (row.joints == 0) continue;
    SCOPED_TRACE(row.name);
    const Sample& sample = sampleOf(row.name);
    const double diagonal = boundingBox(sample.character.mesh.points).diagonal();
    double largest = 0;
    for (const ExampleSet* set : {&sample.examples, &sample.heldOut}) {
      EXPECT_EQ(set->rest, sample.character.mesh.points);
      for (const Example& example : set->examples) {
        SCOPED_TRACE(example.name);
        ASSERT_EQ(example.points.cols(), sample.character.mesh.vertexCount());
        EXPECT_TRUE(example.points.allFinite());
        const Points linear = posePoints(sample.character, example.pose);
        const double most = (linear - example.points).colwise().norm().maxCoeff() / diagonal;
        EXPECT_GT(most, 5e-4) << "indistinguishable from linear blend";
        EXPECT_LT(most, 0.2) << "a sculpt does not tear";
        largest = std::max(largest, most);
      }
    }
    EXPECT_GT(largest, 0.01);
  }
}

TEST(Samples, SculptsKeepEdgesFromStretchingFar) {
  for (const SampleRow& row : samples()) {
    SCOPED_TRACE(row.name);
    const Sample& sample = sampleOf(row.name);
    const Mesh& mesh = sample.character.mesh;
    for (const Example& example : sample.examples.examples) {
      Index stretched = 0;
      for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
        const auto face = mesh.faces[f];
        const double before = (mesh.points.col(face[0]) - mesh.points.col(face[1])).norm();
        const double after = (example.points.col(face[0]) - example.points.col(face[1])).norm();
        if (after > 4 * before) ++stretched;
      }
      EXPECT_LT(stretched, static_cast<Index>(mesh.faces.size() / 100)) << example.name;
    }
  }
}

TEST(Samples, ComeOutTheSameOnOneAndManyThreads) {
  const auto make = [](int threads) {
    const ThreadLimit limit(threads);
    return makeSample("arm", {.vertices = 2000});
  };
  const Sample one = make(1);
  const Sample many = make(4);
  EXPECT_EQ(one.character.mesh.points, many.character.mesh.points);
  EXPECT_EQ(one.character.mesh.faces.corner, many.character.mesh.faces.corner);
  EXPECT_TRUE(one.character.skin.weights == many.character.skin.weights);
  EXPECT_EQ(one.examples.examples.back().points, many.examples.examples.back().points);
}

TEST(Samples, TheQuadrupedIsGivenAsMeshesOnly) {
  const Sample& sample = sampleOf("quadruped");
  EXPECT_TRUE(sample.character.skeleton.empty());
  EXPECT_FALSE(sample.character.hasSkin());
  EXPECT_GE(sample.examples.examples.size(), 12u);
  for (const Example& example : sample.examples.examples) {
    EXPECT_TRUE(example.pose.local.empty());
    EXPECT_TRUE(example.points.allFinite());
    EXPECT_GT((example.points - sample.character.mesh.points).colwise().norm().maxCoeff(), 0.05) << example.name;
  }
}

// No weight crosses to the other side of the body, and the hand beside the hip follows the arm alone.
TEST(Samples, WeightsOfTheBipedDoNotBleed) {
  const Character& biped = sampleOf("biped").character;
  for (Index v = 0; v < biped.mesh.vertexCount(); ++v) {
    const Vec3 x = biped.mesh.points.col(v);
    for (const Influence& influence : biped.skin.weights[v]) {
      const std::string& name = biped.skeleton[biped.skin.bindings[influence.binding].joint].name;
      if (name.ends_with("_l")) {
        EXPECT_TRUE(x.x() > -0.03) << name << " moves vertex " << v;
      }
      if (name.ends_with("_r")) {
        EXPECT_TRUE(x.x() < 0.03) << name << " moves vertex " << v;
      }
      if (name.starts_with("thigh")) {
        EXPECT_LT(std::abs(x.x()), 0.3) << name << " moves the hand's vertex " << v;
      }
      if (name.starts_with("fingers")) {
        EXPECT_GT(std::abs(x.x()), 0.55) << name << " moves vertex " << v;
      }
    }
  }
}

TEST(Samples, ClipsMoveTheSkinAndReturn) {
  for (const SampleRow& row : samples()) {
    const Character& character = sampleOf(row.name).character;
    for (const Clip& clip : character.clips) {
      SCOPED_TRACE(clip.name);
      ASSERT_GT(clip.seconds(), 0.5);
      const Points start = posePoints(character, clipPose(character, clip.name, 0));
      const Points middle = posePoints(character, clipPose(character, clip.name, 0.3 * clip.seconds()));
      const Points end = posePoints(character, clipPose(character, clip.name, clip.seconds()));
      EXPECT_GT((middle - start).colwise().norm().maxCoeff(), 0.05);
      EXPECT_LT((end - start).colwise().norm().maxCoeff(), 1e-9) << "it loops";
    }
  }
}

TEST(Samples, VertexCountsOutOfRangeAreRefused) {
  for (const Index count : {Index{1}, Index{999}, Index{2000001}, Index{-5}}) {
    try {
      makeSample("arm", {.vertices = count});
      FAIL() << count << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::BadInput);
      EXPECT_NE(error.message().find(std::to_string(count)), std::string::npos);
      EXPECT_NE(error.message().find("1000 to 2000000"), std::string::npos);
    }
  }
}

TEST(Samples, UnknownNamesSuggestTheNearest) {
  try {
    makeSample("arn");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotFound);
    EXPECT_NE(error.message().find("did you mean 'arm'"), std::string::npos);
  }
}

TEST(Samples, StopWhenAskedTo) {
  EXPECT_THROW(makeSample("arm", {}, [](const ProgressState& state) { return state.fraction < 0.3; }), Error);
}

}  // namespace
}  // namespace sinew::samples_test
