// Further instances of meshes. Vertices refer to joints of a skin by number, so joint k of the first instance's skin is
// replaced by joint k of another instance's; without a skin the node moves every vertex.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sinew/base/error.h"
#include "sinew/io/gltf.h"
#include "sinew/io/gltf/container/document.h"

namespace sinew::gltf {
namespace {

/// A node that places a mesh, and its skin.
struct Place {
  int node = -1;
  std::optional<std::size_t> skin;
};

class InstanceFinder {
 public:
  InstanceFinder(const GltfDocument& document, const Character& character)
      : character_(character),
        nodes_(listOf(document.json, "nodes", "")),
        meshes_(listOf(document.json, "meshes", "")),
        places_(meshes_.size()) {
    const Json& skins = listOf(document.json, "skins", "");
    for (const Json& skin : skins) {
      firstBinding_.push_back(bindings_);
      bindings_ += listOf(skin, "joints", "skins").size();
    }
    firstBinding_.push_back(bindings_);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const std::string where = fmt::format("nodes[{}]", n);
      if (const auto mesh = optionalIndex(nodes_[n], "mesh", meshes_.size(), where))
        places_[*mesh].push_back({static_cast<int>(n), optionalIndex(nodes_[n], "skin", skins.size(), where)});
    }
  }

  std::vector<MeshInstance> find() {
    std::vector<MeshInstance> instances;
    if (!character_.hasSkin() || character_.skin.bindings.size() < bindings_) return instances;
    for (std::size_t m = 0; m < places_.size(); ++m) {
      const MeshPart* const part = partOf(m);
      if (part == nullptr || places_[m].size() < 2) continue;
      const std::vector<std::uint32_t> used = bindingsOf(m);
      const auto first = std::find_if(places_[m].begin(), places_[m].end(),
                                      [&](const Place& place) { return place.node == part->node; });
      if (first == places_[m].end()) continue;
      for (const Place& place : places_[m]) {
        if (place.node != part->node) instances.push_back(instanceAt(m, *first, place, used));
      }
    }
    return instances;
  }

 private:
  /// The first part of a mesh that is still where the source has it; otherwise null.
  [[nodiscard]] const MeshPart* partOf(std::size_t mesh) const {
    const auto& parts = character_.mesh.parts;
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const MeshPart& other) { return other.mesh == static_cast<int>(mesh); });
    if (part == parts.end() || part->instances != static_cast<int>(places_[mesh].size())) return nullptr;
    return &*part;
  }

  /// Bindings that the mesh's weights name, ascending.
  [[nodiscard]] std::vector<std::uint32_t> bindingsOf(std::size_t mesh) const {
    std::vector<bool> seen(character_.skin.bindings.size(), false);
    for (const MeshPart& part : character_.mesh.parts) {
      if (part.mesh != static_cast<int>(mesh)) continue;
      for (Index v = part.firstVertex; v < part.firstVertex + part.vertexCount; ++v) {
        for (const Influence& influence : character_.skin.weights[v]) seen[influence.binding] = true;
      }
    }
    std::vector<std::uint32_t> used;
    for (std::uint32_t b = 0; b < seen.size(); ++b) {
      if (seen[b]) used.push_back(b);
    }
    return used;
  }

  /// The replacement of a binding. Vertices without a skin in the first instance follow the node here too; a joint that
  /// was added to the first skin has no partner in another.
  [[nodiscard]] std::optional<Binding> standIn(std::uint32_t binding, std::size_t mesh, const Place& first,
                                               const Place& place) const {
    const auto& bindings = character_.skin.bindings;
    if (!place.skin || !first.skin || bindings[binding].skin < 0) return Binding{place.node, Affine::Identity(), -1};
    const std::size_t begin = firstBinding_[*first.skin];
    if (binding < begin || binding >= firstBinding_[*first.skin + 1]) return std::nullopt;
    const std::size_t joint = binding - begin;
    const std::size_t other = firstBinding_[*place.skin];
    const std::size_t joints = firstBinding_[*place.skin + 1] - other;
    if (joint >= joints) {
      throw Error(ErrorCode::BadInput,
                  fmt::format("nodes[{}] places meshes[{}], whose vertices refer to joint {}, with skins[{}], which "
                              "has {} joints; bind the mesh again in your modelling tool",
                              place.node, mesh, joint, *place.skin, joints));
    }
    return bindings[other + joint];
  }

  /// The skin's other bindings: weights that are edited may come to name them.
  void addUnused(const Place& first, const Place& place, std::vector<BindingSwap>& swaps) const {
    if (!first.skin) return;
    const std::size_t begin = firstBinding_[*first.skin];
    std::size_t joints = firstBinding_[*first.skin + 1] - begin;
    if (place.skin) joints = std::min(joints, firstBinding_[*place.skin + 1] - firstBinding_[*place.skin]);
    const auto byBinding = [](const BindingSwap& a, const BindingSwap& b) { return a.from < b.from; };
    for (std::size_t joint = 0; joint < joints; ++joint) {
      const Binding to = place.skin ? character_.skin.bindings[firstBinding_[*place.skin] + joint]
                                    : Binding{place.node, Affine::Identity(), -1};
      const BindingSwap swap{static_cast<std::uint32_t>(begin + joint), to};
      const auto at = std::lower_bound(swaps.begin(), swaps.end(), swap, byBinding);
      if (at == swaps.end() || at->from != swap.from) swaps.insert(at, swap);
    }
  }

  [[nodiscard]] MeshInstance instanceAt(std::size_t mesh, const Place& first, const Place& place,
                                        const std::vector<std::uint32_t>& used) const {
    MeshInstance instance;
    instance.mesh = static_cast<int>(mesh);
    instance.node = place.node;
    for (const std::uint32_t binding : used) {
      if (const auto other = standIn(binding, mesh, first, place)) instance.swaps.push_back({binding, *other});
    }
    addUnused(first, place, instance.swaps);
    const auto& morphs = character_.morphs;
    const auto begin = std::find_if(morphs.begin(), morphs.end(),
                                    [&](const MorphTarget& morph) { return morph.mesh == static_cast<int>(mesh); });
    const Json& primitives = listOf(meshes_[mesh], "primitives", "meshes");
    const std::size_t count = primitives.empty() ? 0 : listOf(primitives[0], "targets", "meshes").size();
    if (begin == morphs.end() || toSize(morphs.end() - begin) < count) return instance;
    instance.firstMorph = static_cast<int>(begin - morphs.begin());
    instance.morphWeights = restWeights(mesh, place.node, count);
    return instance;
  }

  /// The node's own weights of the morph targets, or those of the mesh.
  [[nodiscard]] std::vector<double> restWeights(std::size_t mesh, int node, std::size_t count) const {
    const Json& placing = nodes_[toSize(node)];
    if (auto weights = optionalNumbers(placing, "weights", count, fmt::format("nodes[{}]", node))) return *weights;
    auto weights = optionalNumbers(meshes_[mesh], "weights", count, fmt::format("meshes[{}]", mesh));
    return weights ? *weights : std::vector<double>(count, 0.0);
  }

  const Character& character_;
  const Json& nodes_;
  const Json& meshes_;
  std::vector<std::vector<Place>> places_;  ///< per mesh, by node
  std::vector<std::size_t> firstBinding_;   ///< per skin; one more at the end
  std::size_t bindings_ = 0;
};

}  // namespace
}  // namespace sinew::gltf

namespace sinew {

std::vector<MeshInstance> instancesOf(const CharacterFile& file) {
  const auto* const document = dynamic_cast<const gltf::GltfDocument*>(file.source.get());
  if (document == nullptr) return {};
  return gltf::InstanceFinder(*document, file.character).find();
}

}  // namespace sinew
