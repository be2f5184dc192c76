// Meshes in several poses for tests of reduced models and decompositions, and invariants of every model.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manipulate/posed_meshes.h"
#include "sinew/learn/reduced_model.h"
#include "sinew/learn/reduced_proxies.h"
#include "sinew/samples/samples.h"
#include "support/surfaces.h"

namespace sinew::test {

struct MovingMeshes {
  Mesh mesh;
  std::vector<Points> examples;
  std::vector<std::string> names;
  std::optional<Points> rest;
};

/// Made once per size and program.
inline const MovingMeshes& movingQuadruped(Index vertices = 1500) {
  static std::map<Index, MovingMeshes> made;
  MovingMeshes& moving = made[vertices];
  if (!moving.examples.empty()) return moving;
  const Sample sample = makeSample("quadruped", {.vertices = vertices});
  moving.mesh = sample.character.mesh;
  moving.rest = sample.character.mesh.points;
  for (const Example& example : sample.examples.examples) {
    moving.examples.push_back(example.points);
    moving.names.push_back(example.name);
  }
  return moving;
}

/// Of the example data; the rest apart.
inline MovingMeshes movingData(const std::string& name) {
  const TemporaryFolder folder;
  if (!unpackData(name, folder.path())) throw std::runtime_error("no " + name + " in the example data");
  const std::filesystem::path root = folder.path() / name;
  MovingMeshes moving;
  moving.rest = objPoints(root / "rest.obj");
  moving.mesh = meshOf(*moving.rest, objTriangles(root / "rest.obj"));
  std::filesystem::remove(root / "rest.obj");
  moving.examples = objSequence(root);
  return moving;
}

/// A tube along x of length 4 whose far half turns about z by the given degrees at x = 2, with a bend of the given
/// width: no width gives two rigid halves.
inline Points bentTube(const Points& rest, double degrees, double width = 0) {
  Points bent = rest;
  const Vec3 hinge(2, 0, 0);
  for (Index v = 0; v < rest.cols(); ++v) {
    const double along = rest(0, v) - hinge.x();
    const double share = width > 0 ? std::clamp(along / width + 0.5, 0.0, 1.0) : (along > 0 ? 1.0 : 0.0);
    const Mat3 turn = Eigen::AngleAxisd(share * degrees * std::numbers::pi / 180, Vec3::UnitZ()).toRotationMatrix();
    bent.col(v) = turn * (rest.col(v) - hinge) + hinge;
  }
  return bent;
}

inline MovingMeshes movingTube(double width = 0, int rings = 40, int sides = 16) {
  const Surface tube = capsuleSurface(Vec3::Zero(), Vec3(4, 0, 0), 0.4, rings, sides);
  MovingMeshes moving{meshOf(tube.points, tube.triangles), {}, {}, tube.points};
  for (const double degrees : {-60.0, -25.0, 35.0, 80.0})
    moving.examples.push_back(bentTube(tube.points, degrees, width));
  return moving;
}

/// Two tubes along x that share no vertex, the second from x = 2 to 4.4. In each example it turns as the far half of
/// bentTube() does, and rises along y by `lift` of the degrees.
template <class Lift>
MovingMeshes movingTubes(int rings, int sides, const Lift& lift) {
  const Surface left = capsuleSurface(Vec3::Zero(), Vec3(1.6, 0, 0), 0.4, rings, sides);
  const Surface right = capsuleSurface(Vec3(2.4, 0, 0), Vec3(4, 0, 0), 0.4, rings, sides);
  const Surface both = joined(left, right);
  MovingMeshes moving{meshOf(both.points, both.triangles), {}, {}, both.points};
  for (const double degrees : {20.0, 50.0, -40.0}) {
    Points& posed = moving.examples.emplace_back(both.points);
    posed.rightCols(right.points.cols()) = bentTube(right.points, degrees).colwise() + Vec3(0, lift(degrees), 0);
  }
  return moving;
}

/// Invariants of the weights and transforms of every model.
inline void expectSoundModel(const ReducedModel& model, int maxInfluences) {
  checkReducedModel(model, "test");
  EXPECT_LE(model.weights.maxInfluences(), maxInfluences);
  for (Index v = 0; v < model.rest.cols(); ++v) {
    double sum = 0;
    for (const Influence& influence : model.weights[v]) {
      EXPECT_GE(influence.weight, 0);
      sum += influence.weight;
    }
    ASSERT_NEAR(sum, 1, 1e-9) << v;
  }
  for (std::size_t e = 0; e < model.exampleCount(); ++e) {
    for (const Affine& control : model.controls[e]) {
      if (static_cast<int>(e) == model.restExample) {
        EXPECT_EQ(control.matrix(), Affine::Identity().matrix());
      }
      EXPECT_GT(control.linear().determinant(), 0) << model.names[e];
    }
  }
}

/// Exactly one direction of the gradient map is free, and derivatives of weights sum to zero.
inline void expectSoundProxies(const ReducedModel& model, const ReducedReport& report) {
  const Index controls = model.controlCount();
  EXPECT_EQ(report.zeroSingularValues, 1);
  EXPECT_GE(report.singularValues[report.singularValues.size() - 2], 0.05);
  EXPECT_EQ(report.proxies, model.proxies.count());
  for (Index j = 0; j < model.proxies.count(); ++j) {
    Vec3 sum = Vec3::Zero();
    for (Index b = 0; b < controls; ++b) sum += model.proxies.gradients.col(j).segment<3>(3 * b);
    EXPECT_LT(sum.norm(), 1e-9);
    EXPECT_NEAR(model.proxies.weights.col(j).sum(), 1, 1e-12);
  }
}

/// Gradients at the vertices against the skinned mesh along its edges: relative root mean square over all examples.
inline double gradientError(const Mesh& mesh, const ReducedModel& model) {
  const std::vector<Triangle> triangles = triangulate(mesh);
  const WeightGradients gradients = weightGradients(model.rest, triangles, model.weights);
  double wrong = 0;
  double all = 0;
  Points moved(3, model.rest.cols());
  for (const std::vector<Affine>& controls : model.controls) {
    deformReduced(model, controls, moved);
    std::vector<Mat3> D(static_cast<std::size_t>(model.rest.cols()), Mat3::Zero());
    for (Index v = 0; v < model.rest.cols(); ++v) {
      Mat3& at = D[static_cast<std::size_t>(v)];
      for (const Influence& influence : model.weights[v]) at += influence.weight * controls[influence.binding].linear();
      for (const WeightGradients::Entry& entry : gradients[v])
        at += (controls[entry.control] * model.rest.col(v)) * entry.gradient.transpose();
    }
    for (const Triangle& t : triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t i = t[k];
        const std::uint32_t j = t[(k + 1) % 3];
        const Vec3 edge = moved.col(j) - moved.col(i);
        wrong += (0.5 * (D[i] + D[j]) * (model.rest.col(j) - model.rest.col(i)) - edge).squaredNorm();
        all += edge.squaredNorm();
      }
    }
  }
  return std::sqrt(wrong / all);
}

}  // namespace sinew::test
