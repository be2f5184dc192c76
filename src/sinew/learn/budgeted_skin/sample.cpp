#include "sinew/learn/budgeted_skin/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sinew/base/check.h"
#include "sinew/base/error.h"
#include "sinew/character/mirror.h"

namespace sinew::budgeted_skin {
namespace {

std::optional<MirrorMap> mirrorOf(const Character& character) {
  try {
    return findMirror(character);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::BadInput) throw;
    return std::nullopt;
  }
}

/// Evenly spread skinned vertices and their mirror images, ascending. Empty: all.
std::vector<Index> chosenVertices(const Character& character, Index most) {
  const Index count = character.mesh.vertexCount();
  if (count <= most) return {};
  std::vector<Index> skinned;
  if (character.mesh.parts.empty()) skinned.resize(toSize(count));
  for (Index v = 0; v < static_cast<Index>(skinned.size()); ++v) skinned[toSize(v)] = v;
  for (const MeshPart& part : character.mesh.parts) {
    for (Index v = part.firstVertex; part.skinned && v < part.firstVertex + part.vertexCount; ++v) skinned.push_back(v);
  }
  if (static_cast<Index>(skinned.size()) <= most) return skinned;
  const std::optional<MirrorMap> mirror = mirrorOf(character);
  const std::size_t wanted = toSize(mirror ? most / 2 : most);
  std::vector<Index> chosen;
  for (std::size_t i = 0; i < wanted; ++i) {
    const Index v = skinned[i * skinned.size() / wanted];
    chosen.push_back(v);
    if (!mirror) continue;
    const MirrorPlace& partner = mirror->vertex[toSize(v)];
    if (partner.kind == MirrorPlace::Kind::Vertex) chosen.push_back(static_cast<Index>(partner.vertex[0]));
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

ExampleSet setOf(const Character& character, ExampleSource& source, const std::vector<Index>& vertices,
                 const Progress& progress) {
  ExampleSet set;
  set.drivers = source.outline().drivers;
  Example example;
  for (std::size_t k = 0; k < source.size(); ++k) {
    report(progress, {static_cast<double>(k) / static_cast<double>(source.size()), "examples"});
    source.read(k, example);
    SINEW_CHECK(example.points.cols() == character.mesh.vertexCount(), "learning a skin",
                fmt::format("the example '{}' has {} vertices, the character {}", example.name, example.points.cols(),
                            character.mesh.vertexCount()));
    set.examples.push_back(vertices.empty() ? example : exampleOfVertices(example, vertices));
  }
  return set;
}

}  // namespace

SkinSample sampleSkin(const Character& character, ExampleSource& examples, ExampleSource* heldOut, Index mostPoints,
                      const Progress& progress) {
  SkinSample sample;
  sample.vertices = chosenVertices(character, mostPoints);
  const std::vector<Index>& vertices = sample.vertices;
  if (vertices.empty()) {
    sample.character = character;
    sample.character.clips.clear();
  } else {
    sample.character = characterOfVertices(character, vertices);
  }
  sample.learned = setOf(character, examples, vertices, partProgress(progress, 0, 0.8));
  if (heldOut != nullptr) sample.heldOut = setOf(character, *heldOut, vertices, partProgress(progress, 0.8, 1));
  return sample;
}

}  // namespace sinew::budgeted_skin
