#include "sinew/deform/rest_in_world.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "sinew/base/check.h"
#include "sinew/deform/placed_mesh.h"

namespace sinew {
namespace {

/// The blended matrices of an instance of a mesh.
std::vector<Affine> placeMatrices(const Character& character, const MeshInstance* instance) {
  if (instance == nullptr) return worldFromRestPoints(character);
  Character there = character;
  for (const BindingSwap& swap : instance->swaps) there.skin.bindings[swap.from] = swap.to;
  return worldFromRestPoints(there);
}

/// Displacements rotate with the vertex' matrix, and so do normals if it has no shear.
MorphTarget movedMorph(const MorphTarget& morph, const std::vector<Affine>& matrices) {
  MorphTarget moved = morph;
  for (Index i = 0; i < morph.deltas.cols(); ++i) {
    const Mat3 linear = matrices[toSize(morph.firstVertex + i)].linear();
    moved.deltas.col(i) = linear * morph.deltas.col(i);
    if (morph.normalDeltas.cols() > 0) moved.normalDeltas.col(i) = linear * morph.normalDeltas.col(i);
  }
  return moved;
}

}  // namespace

Character restInWorld(const Character& character, std::span<const MeshInstance> instances) {
  Character moved = character;
  moved.skin = {};
  for (MeshPart& part : moved.mesh.parts) {
    part.skinned = false;
    part.instances = 1;
  }
  if (!character.hasSkin()) return moved;

  Pose pose = restPose(character);
  std::fill(pose.morphWeights.begin(), pose.morphWeights.end(), 0.0);
  std::vector<MeshInstance> bare(instances.begin(), instances.end());
  for (MeshInstance& instance : bare) std::fill(instance.morphWeights.begin(), instance.morphWeights.end(), 0.0);
  PlacedPoser poser(character, bare);
  const Points& points = poser.pose(pose);
  if (points.cols() == character.mesh.points.cols() && (points - character.mesh.points).isZero(0)) return moved;

  moved.mesh = poser.mesh(pose);
  for (MeshPart& part : moved.mesh.parts) part.skinned = false;
  // Morph targets of the first instances keep their numbers, which clips refer to; those of further instances follow.
  const std::vector<Affine> matrices = placeMatrices(character, nullptr);
  const auto placed = poser.parts();
  const auto findPlace = [&](int mesh, int instance) {
    return toSize(std::find_if(placed.begin(), placed.end(),
                               [&](const PlacedPart& part) {
                                 return part.instance == instance && character.mesh.parts[part.part].mesh == mesh;
                               }) -
                  placed.begin());
  };
  const auto add = [&](const MorphTarget& morph, const std::vector<Affine>& at, int instance) {
    MorphTarget copy = movedMorph(morph, at);
    if (!character.mesh.parts.empty()) {
      const std::size_t place = findPlace(morph.mesh, instance);
      if (place < placed.size()) {
        copy.firstVertex += placed[place].firstVertex - character.mesh.parts[placed[place].part].firstVertex;
        copy.mesh = moved.mesh.parts[place].mesh;
      }
    }
    moved.morphs.push_back(std::move(copy));
  };
  moved.morphs.clear();
  for (const MorphTarget& morph : character.morphs) add(morph, matrices, -1);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const MeshInstance& instance = instances[i];
    if (instance.morphWeights.empty()) continue;
    const std::vector<Affine> there = placeMatrices(character, &instance);
    for (std::size_t m = 0; m < instance.morphWeights.size(); ++m) {
      add(character.morphs[toSize(instance.firstMorph) + m], there, static_cast<int>(i));
      moved.morphs.back().defaultWeight = instance.morphWeights[m];
    }
  }
  return moved;
}

Points sameRestInWorld(const Character& before, const Character& after, const Points& points) {
  const std::vector<Affine> was = worldFromRestPoints(before);
  const std::vector<Affine> is = worldFromRestPoints(after);
  SINEW_CHECK(was.size() == is.size() && static_cast<Index>(is.size()) == points.cols(), "rest shape",
              fmt::format("{} points for characters of {} and {} vertices", points.cols(), was.size(), is.size()));
  Points moved = points;
  for (std::size_t v = 0; v < is.size(); ++v) {
    const double change = (is[v].matrix() - was[v].matrix()).norm();
    if (change <= 1e-9 * was[v].matrix().norm()) continue;
    const Mat3 inverse = is[v].linear().inverse();
    if (!inverse.allFinite()) continue;
    const auto column = static_cast<Index>(v);
    moved.col(column) = inverse * (was[v] * Vec3(points.col(column)) - is[v].translation());
  }
  return moved;
}

}  // namespace sinew
