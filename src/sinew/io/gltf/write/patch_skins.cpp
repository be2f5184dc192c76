// Bindings and weights into a source: changed bind matrices go to their skin, further joints are appended to the skin
// that they name and to that of the mesh that uses them, and a mesh that followed its node gets a skin where it needs
// one.
#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/error.h"
#include "sinew/io/gltf/write/patch.h"

namespace sinew::gltf {
namespace {

bool sameBinding(const Binding& a, const Binding& b) {
  return a.joint == b.joint && a.jointFromRest.matrix() == b.jointFromRest.matrix();
}

/// Parts of one glTF mesh.
struct PartRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class SkinPatcher {
 public:
  explicit SkinPatcher(Patching& patching)
      : patching_(patching), before_(patching.before.character.skin), after_(patching.after.skin) {}

  void run() {
    if (patching_.after.skin.weights.empty()) return;
    sameJoints_ = keepsJoints();
    const std::size_t skins = patching_.before.firstBinding.size() - 1;
    for (std::size_t s = 0; s < skins; ++s) patchBindings(s);
    if (sameJoints_) appendBindings();
    const auto& primitives = patching_.before.primitives;
    for (std::size_t begin = 0; begin < primitives.size();) {
      std::size_t end = begin;
      while (end < primitives.size() && primitives[end].mesh == primitives[begin].mesh) ++end;
      patchMesh({begin, end});
      begin = end;
    }
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (touched_[s]) writeSkin(s);
    }
  }

 private:
  Json& root() { return patching_.document.json; }

  /// Whether the character's bindings begin with the source's: then matrices may differ, but not what is what.
  [[nodiscard]] bool keepsJoints() const {
    return after_.bindings.size() >= before_.bindings.size() &&
           std::equal(before_.bindings.begin(), before_.bindings.end(), after_.bindings.begin(),
                      [](const Binding& a, const Binding& b) { return a.joint == b.joint; });
  }

  [[nodiscard]] bool movesSomePart(std::size_t skin) const {
    const auto& parts = patching_.before.character.mesh.parts;
    return std::any_of(parts.begin(), parts.end(), [&](const MeshPart& part) {
      return part.skinned && patching_.before.placements[toSize(part.mesh)].skin == skin;
    });
  }

  /// The skin's joints with the character's matrices. If the character was bound again, weights of all its parts are
  /// written and bring their own joints.
  void patchBindings(std::size_t skin) {
    const std::size_t first = patching_.before.firstBinding[skin];
    const std::size_t end = patching_.before.firstBinding[skin + 1];
    std::vector<Binding> own;
    bool differs = false;
    if (sameJoints_ || !movesSomePart(skin)) {
      const auto& from = sameJoints_ ? after_.bindings : before_.bindings;
      own.assign(from.begin() + static_cast<std::ptrdiff_t>(first), from.begin() + static_cast<std::ptrdiff_t>(end));
      for (std::size_t b = first; b < end; ++b) differs = differs || !sameBinding(before_.bindings[b], own[b - first]);
    }
    slots_.emplace_back(root(), std::move(own));
    touched_.push_back(differs);
  }

  /// New bindings of a skin of the source, also those that no vertex uses yet.
  void appendBindings() {
    for (std::size_t b = before_.bindings.size(); b < after_.bindings.size(); ++b) {
      const int skin = after_.bindings[b].skin;
      if (skin < 0 || toSize(skin) >= slots_.size()) continue;
      const auto s = toSize(skin);
      const std::size_t count = slots_[s].slots().size();
      slots_[s].slotFor(after_.bindings[b]);
      touched_[s] = touched_[s] || slots_[s].slots().size() != count;
    }
  }

  /// One influence of the node that places the part, without a bind matrix: this needs no skin.
  [[nodiscard]] bool followsNode(std::size_t part) const {
    const MeshPart& own = patching_.before.character.mesh.parts[part];
    for (Index v = own.firstVertex; v < own.firstVertex + own.vertexCount; ++v) {
      const auto column = after_.weights[v];
      if (column.size() != 1) return false;
      if (!sameBinding(after_.bindings[column[0].binding], {std::max(own.node, 0), Affine::Identity()})) return false;
    }
    return true;
  }

  [[nodiscard]] bool sameWeights(std::size_t part) const {
    const MeshPart& own = patching_.before.character.mesh.parts[part];
    if (!sameJoints_ || before_.weights.empty()) return false;
    for (Index v = own.firstVertex; v < own.firstVertex + own.vertexCount; ++v) {
      const auto a = before_.weights[v];
      const auto b = after_.weights[v];
      if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) return false;
    }
    return true;
  }

  void patchMesh(PartRange range) {
    const auto& parts = patching_.before.character.mesh.parts;
    const Placement& placement = patching_.before.placements[patching_.before.primitives[range.begin].mesh];
    std::vector<bool> write(range.end - range.begin, false);
    bool needsSkin = false;
    for (std::size_t p = range.begin; p < range.end; ++p) {
      const bool same = parts[p].skinned ? sameWeights(p) : followsNode(p);
      write[p - range.begin] = !same;
      needsSkin = needsSkin || !same;
    }
    if (!needsSkin || placement.node < 0) return;
    const std::size_t skin = placement.skin ? *placement.skin : addSkin(range);
    std::size_t joints = 0;
    for (std::size_t p = range.begin; p < range.end; ++p) {
      // A new skin overrides the transform of the mesh's node, so every primitive must have weights.
      if (write[p - range.begin] || !placement.skin) joints = std::max(joints, writeWeights(p, skin));
    }
    checkOtherPlacements(patching_.before.primitives[range.begin].mesh, skin, joints);
  }

  std::size_t addSkin(PartRange range) {
    const std::size_t skin = slots_.size();
    slots_.emplace_back(root(), std::vector<Binding>{});
    touched_.push_back(true);
    root()["skins"].push_back(Json::object());
    const std::size_t mesh = patching_.before.primitives[range.begin].mesh;
    for (Json& node : root()["nodes"]) {
      if (optionalCount(node, "mesh", "nodes", mesh + 1) == mesh && !node.contains("skin")) node["skin"] = skin;
    }
    return skin;
  }

  /// One set of vertex weights serves all skins of the mesh, joint by joint, so each must have the first `joints`
  /// joints that the weights use; joints added to one skin are missing in the others.
  void checkOtherPlacements(std::size_t mesh, std::size_t skin, std::size_t joints) {
    for (std::size_t n = 0; n < root()["nodes"].size(); ++n) {
      const Json& node = root()["nodes"][n];
      if (optionalCount(node, "mesh", "nodes", mesh + 1) != mesh) continue;
      const std::size_t other = optionalCount(node, "skin", "nodes", skin);
      if (other == skin || listOf(root()["skins"][other], "joints", "skins").size() >= joints) continue;
      throw Error(ErrorCode::BadInput,
                  fmt::format("the new weights of meshes[{}] refer to joint {} of skins[{}]; nodes[{}] places it with "
                              "skins[{}], which has no such joint. Add no joints, or give each skin its own mesh",
                              mesh, joints - 1, skin, n, other));
    }
  }

  /// Returns how many joints of the skin its weights need.
  std::size_t writeWeights(std::size_t part, std::size_t skin) {
    const std::vector<std::uint32_t> vertices = patching_.vertices(part);
    std::vector<std::uint32_t> slotOfBinding(after_.bindings.size(), 0);
    const std::size_t slotsBefore = slots_[skin].slots().size();
    std::size_t joints = 0;
    for (const std::uint32_t b : usedBindings(after_.weights, vertices)) {
      slotOfBinding[b] = slots_[skin].slotFor(after_.bindings[b]);
      joints = std::max<std::size_t>(joints, slotOfBinding[b] + 1);
    }
    if (slots_[skin].slots().size() != slotsBefore) touched_[skin] = true;
    // A copy: members of the root may move when data is added.
    Json attributes = patching_.edited(part)["attributes"];
    setWeights(patching_.store, attributes, after_.weights, vertices, {slotOfBinding, slots_[skin].slots().size()},
               patching_.options.weights);
    patching_.edited(part)["attributes"] = std::move(attributes);
    return joints;
  }

  void writeSkin(std::size_t skin) {
    patching_.changed = true;
    // The list of skins is stable, but members of the root move when accessors are added for the first time.
    Json json = root()["skins"][skin];
    slots_[skin].writeTo(json, patching_.store);
    const int ancestor = commonAncestor(root()["nodes"], slots_[skin].slots());
    const auto skeleton = json.find("skeleton");
    if (skeleton != json.end() && !isAbove(static_cast<int>(countOf(*skeleton, "skins")), ancestor)) {
      json.erase("skeleton");
      if (ancestor >= 0) json["skeleton"] = ancestor;
    }
    root()["skins"][skin] = std::move(json);
  }

  bool isAbove(int node, int below) {
    if (below < 0) return false;
    const std::vector<Binding> both{{node, Affine::Identity()}, {below, Affine::Identity()}};
    return commonAncestor(root()["nodes"], both) == node;
  }

  Patching& patching_;
  const Skin& before_;
  const Skin& after_;
  bool sameJoints_ = true;        ///< the character's bindings begin with the source's
  std::vector<SkinSlots> slots_;  ///< per skin
  std::vector<bool> touched_;     ///< per skin
};

}  // namespace

void patchSkins(Patching& patching) {
  SkinPatcher(patching).run();
}

}  // namespace sinew::gltf
