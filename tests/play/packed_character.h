// Skins of known shape for the packed runtime: many limbs with smooth weights, and weights scattered at random.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/character/pose.h"
#include "sinew/character/skin.h"

namespace sinew::test {

struct PackedCharacter {
  Points rest;
  Points normals;
  SkinWeights weights;
  PosedJoints joints;
};

/// Rigid motions by angles up to `turn` radians about axes near the origin.
inline PosedJoints rigidPose(std::size_t bindings, double turn, std::uint32_t seed) {
  Lcg random(seed);
  PosedJoints joints;
  for (std::size_t b = 0; b < bindings; ++b) {
    Affine motion = Affine::Identity();
    motion.linear() = Eigen::AngleAxisd(turn * random.symmetric(), random.vector().normalized()).toRotationMatrix();
    motion.translation() = 0.3 * random.vector();
    joints.worldFromRest.push_back(motion);
  }
  return joints;
}

/// Unit normals and points in a box of edge 2.
inline void scatterPoints(Index vertices, std::uint32_t seed, PackedCharacter& character) {
  Lcg random(seed);
  character.rest.resize(3, vertices);
  character.normals.resize(3, vertices);
  for (Index v = 0; v < vertices; ++v) {
    character.rest.col(v) = random.vector();
    character.normals.col(v) = random.vector().normalized();
  }
}

/// A chain of joints along a line: a vertex follows the joints whose smooth bumps reach it, at most `influences`.
inline PackedCharacter chainCharacter(Index vertices, std::size_t bindings, int influences, double turn = 1.0) {
  PackedCharacter character;
  scatterPoints(vertices, 7, character);
  std::vector<std::vector<Influence>> columns;
  Lcg random(11);
  for (Index v = 0; v < vertices; ++v) {
    const double place = random.uniform() * static_cast<double>(bindings - 1);
    const double reach = 0.4 + 0.5 * influences * random.uniform();
    std::vector<Influence> column;
    double sum = 0;
    for (std::size_t b = 0; b < bindings; ++b) {
      const double away = std::abs(place - static_cast<double>(b)) / (reach + 0.2);
      if (away >= 1) continue;
      column.push_back({static_cast<std::uint32_t>(b), std::pow(1 - away * away, 3)});
      sum += column.back().weight;
    }
    for (Influence& influence : column) influence.weight /= sum;
    columns.push_back(std::move(column));
  }
  character.weights = SkinWeights::fromColumns(bindings, columns).limited(influences);
  character.joints = rigidPose(bindings, turn, 3);
  return character;
}

/// Every vertex has `influences` random joints: few vertices have the same.
inline PackedCharacter scatteredCharacter(Index vertices, std::size_t bindings, int influences, double turn = 1.0) {
  PackedCharacter character;
  scatterPoints(vertices, 5, character);
  std::vector<std::vector<Influence>> columns;
  Lcg random(13);
  for (Index v = 0; v < vertices; ++v) {
    std::vector<Influence> column;
    double sum = 0;
    while (column.size() < static_cast<std::size_t>(influences)) {
      const auto binding = static_cast<std::uint32_t>(random.uniform() * static_cast<double>(bindings));
      if (std::any_of(column.begin(), column.end(), [&](const Influence& i) { return i.binding == binding; })) continue;
      column.push_back({binding, 0.05 + random.uniform()});
      sum += column.back().weight;
    }
    for (Influence& influence : column) influence.weight /= sum;
    columns.push_back(std::move(column));
  }
  character.weights = SkinWeights::fromColumns(bindings, columns);
  character.joints = rigidPose(bindings, turn, 3);
  return character;
}

}  // namespace sinew::test
