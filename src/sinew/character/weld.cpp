#include "sinew/character/weld.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

/// Weights that differ by no more are the same: twice what eight bits round away, and some.
constexpr double kSameWeights = 0.02;

std::vector<int> meshOfVertex(const Mesh& mesh) {
  std::vector<int> numbers(toSize(mesh.vertexCount()), 0);
  for (const MeshPart& part : mesh.parts) {
    for (Index v = part.firstVertex; v < part.firstVertex + part.vertexCount; ++v) numbers[toSize(v)] = part.mesh;
  }
  return numbers;
}

bool sameWeights(const SkinWeights& weights, Index a, Index b) {
  const auto close = [&](Index from, Index to) {
    return std::all_of(weights[from].begin(), weights[from].end(), [&](const Influence& influence) {
      return std::abs(influence.weight - weights.weight(to, influence.binding)) <= kSameWeights;
    });
  };
  return close(a, b) && close(b, a);
}

/// Splits the points of a map: a vertex stays with the first of its point's vertices to which it belongs.
template <class Belongs>
WeldMap parted(const WeldMap& together, const Belongs& belongs) {
  WeldMap map;
  map.pointOfVertex.reserve(together.pointOfVertex.size());
  std::vector<std::vector<std::uint32_t>> pointsOf(together.firstVertex.size());
  for (std::size_t v = 0; v < together.pointOfVertex.size(); ++v) {
    std::vector<std::uint32_t>& points = pointsOf[together.pointOfVertex[v]];
    const auto found = std::find_if(points.begin(), points.end(), [&](std::uint32_t point) {
      return belongs(static_cast<Index>(map.firstVertex[point]), static_cast<Index>(v));
    });
    if (found != points.end()) {
      map.pointOfVertex.push_back(*found);
      continue;
    }
    points.push_back(static_cast<std::uint32_t>(map.firstVertex.size()));
    map.pointOfVertex.push_back(points.back());
    map.firstVertex.push_back(static_cast<std::uint32_t>(v));
  }
  return map;
}

}  // namespace

WeldMap weldMeshes(const Mesh& mesh, const ConstPointsRef& points, double tolerance) {
  const std::vector<int> number = meshOfVertex(mesh);
  return parted(weld(points, tolerance), [&](Index a, Index b) { return number[toSize(a)] == number[toSize(b)]; });
}

WeldMap weldCharacter(const Character& character, const ConstPointsRef& rest, double tolerance) {
  if (!character.hasSkin()) return weld(rest, tolerance);
  const std::vector<int> number = meshOfVertex(character.mesh);
  const SkinWeights& weights = character.skin.weights;
  const auto skinOf = [&](Index v) { return character.skin.bindings[weights[v].front().binding].skin; };
  return parted(weld(rest, tolerance), [&](Index a, Index b) {
    if (number[toSize(a)] == number[toSize(b)]) return true;
    return skinOf(a) >= 0 && skinOf(a) == skinOf(b) && sameWeights(weights, a, b);
  });
}

}  // namespace sinew
