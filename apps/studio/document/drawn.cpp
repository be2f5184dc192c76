#include "studio/document/drawn.h"

#include <algorithm>
#include <limits>

#include "sinew/base/error.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/gltf.h"

namespace sinew::studio {
namespace {

/// In diagonals: what moves less is not sent.
constexpr double kStill = 1e-8;
/// Of an entry of a morph target in the page: a vertex and three numbers.
constexpr std::size_t kMorphEntryBytes = 16;

bool moves(const MorphTarget& morph, Index entry, double diagonal) {
  return morph.deltas.col(entry).cwiseAbs().maxCoeff() > kStill * diagonal;
}

/// The stretch of vertices of a mesh, and of the bindings that the instance replaces.
DrawnInstance rangesOf(const Character& character, MeshInstance instance) {
  DrawnInstance drawn;
  auto first = std::numeric_limits<Index>::max();
  Index end = 0;
  for (const MeshPart& part : character.mesh.parts) {
    if (part.mesh != instance.mesh) continue;
    first = std::min(first, part.firstVertex);
    end = std::max(end, part.firstVertex + part.vertexCount);
  }
  drawn.firstVertex = end > 0 ? static_cast<std::uint32_t>(first) : 0;
  drawn.vertexCount = end > 0 ? static_cast<std::uint32_t>(end - first) : 0;
  if (!instance.swaps.empty()) {
    const auto byBinding = [](const BindingSwap& a, const BindingSwap& b) { return a.from < b.from; };
    const auto [least, most] = std::minmax_element(instance.swaps.begin(), instance.swaps.end(), byBinding);
    drawn.firstBinding = least->from;
    drawn.bindingCount = most->from - least->from + 1;
  }
  drawn.instance = std::move(instance);
  return drawn;
}

/// Those of the file, as many as the page can hold.
void addInstances(const CharacterFile& file, const DrawnLimits& limits, DrawnCharacter& drawn) {
  std::vector<MeshInstance> all;
  try {
    all = instancesOf(file);
  } catch (const Error& error) {
    drawn.fault = error.message();
    return;
  }
  drawn.instancesOfFile = all.size();
  std::size_t vertices = toSize(file.character.mesh.vertexCount());
  std::size_t matrices = file.character.skin.bindings.size();
  for (MeshInstance& instance : all) {
    DrawnInstance next = rangesOf(file.character, std::move(instance));
    next.firstMatrix = static_cast<std::uint32_t>(matrices);
    vertices += next.vertexCount;
    matrices += next.bindingCount;
    if (vertices > limits.vertices || matrices > limits.matrices) return;
    drawn.instances.push_back(std::move(next));
  }
}

PageSpace spaceOf(const Document& document, const std::vector<DrawnInstance>& drawn) {
  const Character& character = document.file.character;
  const auto box = [&] {
    if (document.file.reduced) return boundingBox(document.file.reduced->rest);
    if (drawn.empty()) return boundingBox(posePoints(character, restPose(character)));
    std::vector<MeshInstance> instances;
    for (const DrawnInstance& one : drawn) instances.push_back(one.instance);
    return boundingBox(PlacedPoser(character, std::move(instances)).pose(restPose(character)));
  }();
  return {box.centre(), std::max(box.diagonal(), 1e-12)};
}

std::size_t countMorphs(const Character& character, const PageSpace& space, std::size_t mostBytes) {
  std::size_t bytes = 0;
  for (std::size_t m = 0; m < character.morphs.size(); ++m) {
    const MorphTarget& morph = character.morphs[m];
    for (Index i = 0; i < morph.deltas.cols(); ++i) bytes += moves(morph, i, space.diagonal) ? kMorphEntryBytes : 0;
    if (bytes > mostBytes) return m;
  }
  return character.morphs.size();
}

}  // namespace

DrawnCharacter drawnCharacter(const Document& document, const DrawnLimits& limits) {
  DrawnCharacter drawn;
  const CharacterFile& file = document.file;
  if (!file.reduced) addInstances(file, limits, drawn);
  drawn.space = spaceOf(document, drawn.instances);
  if (file.reduced) return drawn;
  drawn.morphs = countMorphs(file.character, drawn.space, limits.morphBytes);
  if (file.poseSpace && !file.poseSpaceMorphs.empty())
    drawn.correctives = std::make_shared<PoseSpaceMorphWeights>(*file.poseSpace, file.poseSpaceMorphs);
  return drawn;
}

Pose drawnPose(const Character& character, const DrawnCharacter& drawn, const Pose& pose) {
  Pose shown = pose;
  if (!drawn.correctives) return shown;
  // Helper joints that drive follow their rules.
  PosedJoints posed;
  poseJoints(character, pose, posed);
  drawn.correctives->apply(character.skeleton, posed.pose);
  shown.morphWeights = std::move(posed.pose.morphWeights);
  return shown;
}

MorphEntries entriesOf(const MorphTarget& morph, const PageSpace& space) {
  MorphEntries entries;
  for (Index i = 0; i < morph.deltas.cols(); ++i) {
    if (!moves(morph, i, space.diagonal)) continue;
    entries.vertices.push_back(static_cast<std::uint32_t>(morph.firstVertex + i));
    for (int axis = 0; axis < 3; ++axis) entries.deltas.push_back(static_cast<float>(morph.deltas(axis, i)));
  }
  return entries;
}

}  // namespace sinew::studio
