// A reduced model by hand: a tube along x whose controls share their neighbours' vertices, with bends and a twist as
// examples. Small, and every number of it is known.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/deform/reduced_model.h"

namespace sinew::test {

/// Weights of controls at x: hats around the controls' places, which stand 1 apart from 0 to controls - 1.
inline std::vector<Influence> barInfluences(double x, int controls) {
  const int left = std::min(controls - 1, std::max(0, static_cast<int>(std::floor(x))));
  const int right = std::min(controls - 1, left + 1);
  const double share = std::min(1.0, std::max(0.0, x - left));
  if (left == right || share == 0) return {{static_cast<std::uint32_t>(left), 1}};
  return {{static_cast<std::uint32_t>(left), 1 - share}, {static_cast<std::uint32_t>(right), share}};
}

/// Each control turned by `turn` against the one before, about the place between them.
inline std::vector<Affine> barPose(int controls, const Vec3& turn) {
  std::vector<Affine> pose{Affine::Identity()};
  for (int i = 1; i < controls; ++i) {
    const Vec3 pivot(i - 0.5, 0, 0);
    Affine step = Affine::Identity();
    if (turn.norm() > 0) step.linear() = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
    step.translation() = pivot - step.linear() * pivot;
    pose.push_back(pose.back() * step);
  }
  return pose;
}

/// Two triangles between each pair of neighbours around the tube.
inline std::vector<Triangle> barTriangles(int ringVertices = 8, int rings = 41) {
  std::vector<Triangle> triangles;
  for (int i = 0; i + 1 < rings; ++i) {
    for (int k = 0; k < ringVertices; ++k) {
      const auto at = [&](int ring, int spoke) {
        return static_cast<std::uint32_t>(ring * ringVertices + spoke % ringVertices);
      };
      triangles.push_back({at(i, k), at(i + 1, k), at(i, k + 1)});
      triangles.push_back({at(i, k + 1), at(i + 1, k), at(i + 1, k + 1)});
    }
  }
  return triangles;
}

inline Points skinned(const ReducedModel& model, const std::vector<Affine>& controls) {
  Points moved(3, model.rest.cols());
  deformReduced(model, controls, moved);
  return moved;
}

inline ReducedModel bendingBar(int controls = 5, int ringVertices = 8, int rings = 41) {
  ReducedModel model;
  model.rest.resize(3, static_cast<Index>(ringVertices) * rings);
  std::vector<std::vector<Influence>> columns;
  for (int i = 0; i < rings; ++i) {
    for (int k = 0; k < ringVertices; ++k) {
      const double x = (controls - 1.0) * i / (rings - 1);
      const double angle = 2 * 3.14159265358979323846 * k / ringVertices;
      model.rest.col(static_cast<Index>(i) * ringVertices + k) = Vec3(x, 0.3 * std::cos(angle), 0.3 * std::sin(angle));
      columns.push_back(barInfluences(x, controls));
    }
  }
  model.weights = SkinWeights::fromColumns(static_cast<std::size_t>(controls), columns);
  const std::vector<std::pair<std::string, Vec3>> turns = {
      {"rest", {0, 0, 0}}, {"up", {0, 0, 0.35}}, {"side", {0, 0.3, 0}}, {"twist", {0.4, 0, 0}}};
  for (const auto& [name, turn] : turns) {
    model.names.push_back(name);
    model.controls.push_back(barPose(controls, turn));
    model.inputFromAligned.push_back(Eigen::Isometry3d::Identity());
  }
  model.controls.back()[1].linear() *= 1.1;  // a stretch too
  model.restExample = 0;
  ReducedProxies& proxies = model.proxies;
  const int count = 2 * controls - 1;  // at each control, and half-way between two
  proxies.positions.resize(3, count);
  proxies.weights.setZero(controls, count);
  proxies.gradients.setZero(3 * static_cast<Index>(controls), count);
  for (int j = 0; j < count; ++j) {
    const double x = 0.5 * j;
    proxies.positions.col(j) = Vec3(x, 0.02 * (j % 3), -0.01 * (j % 2));
    for (const Influence& influence : barInfluences(x, controls))
      proxies.weights(influence.binding, j) = influence.weight;
    if (j % 2 == 1) {
      proxies.gradients(3 * static_cast<Index>(j / 2), j) = -1;
      proxies.gradients(3 * static_cast<Index>(j / 2 + 1), j) = 1;
    }
  }
  return model;
}

}  // namespace sinew::test
