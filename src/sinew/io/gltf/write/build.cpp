// A new document: nodes 0.. are the joints, then the nodes that place the meshes; one skin if the bindings allow it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "sinew/io/gltf/blocks/block.h"
#include "sinew/io/gltf/write/emit.h"
#include "sinew/io/gltf/write/split.h"

namespace sinew::gltf {
namespace {

/// Primitives that become one glTF mesh.
struct Group {
  int mesh = 0;
  std::string name;
  std::vector<const FreshPrimitive*> primitives;
  std::vector<MeshPart> parts;
  std::vector<int> targets;
  std::set<std::uint32_t> bindings;  ///< that its weights name
  int rigidJoint = -1;               ///< the joint that it follows without a skin, or -1
  int node = -1;
};

std::vector<Group> groupsOf(const Character& character, const SplitMesh& split) {
  std::vector<Group> groups;
  for (const FreshPrimitive& primitive : split.primitives) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& other) { return other.mesh == primitive.part.mesh; });
    if (group == groups.end()) {
      group = groups.emplace(groups.end());
      group->mesh = primitive.part.mesh;
      group->name = primitive.part.name.empty() ? character.name : primitive.part.name;
    }
    group->primitives.push_back(&primitive);
    group->parts.push_back(primitive.part);
    if (!character.hasSkin()) continue;
    const auto used = usedBindings(character.skin.weights, primitive.vertices);
    group->bindings.insert(used.begin(), used.end());
  }
  for (Group& group : groups) {
    group.targets = targetsOf(character, group.mesh, group.parts);
    const bool skinned = std::any_of(group.parts.begin(), group.parts.end(), [](const auto& p) { return p.skinned; });
    if (skinned || group.bindings.size() != 1) continue;
    const Binding& binding = character.skin.bindings[*group.bindings.begin()];
    if (binding.jointFromRest.matrix() == Affine::Identity().matrix()) group.rigidJoint = binding.joint;
  }
  return groups;
}

/// The first binding of each joint: a joint occurs once in a skin, a second binding needs its own node.
std::vector<Binding> distinct(std::vector<Binding> bindings) {
  std::set<int> joints;
  std::erase_if(bindings, [&](const Binding& binding) { return !joints.insert(binding.joint).second; });
  return bindings;
}

class Builder {
 public:
  Builder(const CharacterFile& file, const WriteOptions& options, LostList& lost)
      : file_(file), character_(file.character), options_(options), lost_(lost), store_(document_) {}

  GltfDocument build() {
    document_.json = Json{{"asset", Json{{"version", "2.0"}, {"generator", "sinew"}}}};
    document_.name = character_.name;
    const SplitMesh split = splitMesh(character_.mesh);
    tellLost(split);
    groups_ = groupsOf(character_, split);
    addJoints();
    addMeshes();
    addSkins();
    addScene();
    addClips();
    addLearned();
    return std::move(document_);
  }

 private:
  Json& root() { return document_.json; }

  void tellLost(const SplitMesh& split) {
    if (split.polygons > 0) {
      lost_.push_back(
          fmt::format("{} polygons were split into triangles, because glTF supports only triangles.", split.polygons));
    }
    if (split.dropped > 0) {
      lost_.push_back(fmt::format("{} faces with fewer than 3 corners were dropped.", split.dropped));
    }
  }

  void addJoints() {
    for (const Joint& joint : character_.skeleton.joints()) {
      Json node = Json::object();
      if (!joint.name.empty()) node["name"] = joint.name;
      setTransform(node, joint.rest);
      root()["nodes"].push_back(std::move(node));
    }
    for (int j = 0; j < character_.skeleton.size(); ++j) {
      const int parent = character_.skeleton[j].parent;
      if (parent < 0) {
        roots_.push_back(j);
      } else {
        root()["nodes"][toSize(parent)]["children"].push_back(j);
      }
    }
  }

  /// The node that placed the group before, if it can place a skinned mesh: a root that no skin uses.
  [[nodiscard]] int formerNode(const Group& group) const {
    const int node = group.parts.front().node;
    if (group.rigidJoint >= 0 || node < 0 || node >= character_.skeleton.size()) return -1;
    const auto& bindings = character_.skin.bindings;
    const bool moves = std::any_of(bindings.begin(), bindings.end(), [&](const Binding& b) { return b.joint == node; });
    return moves || !character_.hasSkin() || character_.skeleton[node].parent >= 0 ? -1 : node;
  }

  /// A node for mesh `mesh`: the joint itself if the mesh follows it rigidly and it has no mesh yet.
  int placeMesh(const Group& group, std::size_t mesh) {
    Json& nodes = root()["nodes"];
    if (const int former = formerNode(group); former >= 0) {
      Json& node = nodes[toSize(former)];
      if (find(node, "mesh") == nullptr) {
        node["mesh"] = mesh;
        return former;
      }
    }
    if (group.rigidJoint >= 0) {
      Json& joint = nodes[toSize(group.rigidJoint)];
      if (find(joint, "mesh") == nullptr) {
        joint["mesh"] = mesh;
        return group.rigidJoint;
      }
      joint["children"].push_back(nodes.size());
    }
    Json node{{"mesh", mesh}};
    if (!group.name.empty()) node["name"] = group.name;
    nodes.push_back(std::move(node));
    const auto index = static_cast<int>(nodes.size()) - 1;
    if (group.rigidJoint < 0) meshRoots_.push_back(index);
    return index;
  }

  Json primitiveJson(const FreshPrimitive& primitive, const Group& group) {
    Json attributes{{"POSITION", addPositions(store_, character_.mesh.points, primitive.vertices)}};
    if (!primitive.indices.empty()) attributes["NORMAL"] = addNormals(store_, normals_, primitive.vertices);
    if (!primitive.uvs.empty()) {
      Eigen::MatrixXf uvs(2, static_cast<Index>(primitive.uvs.size()));
      for (std::size_t v = 0; v < primitive.uvs.size(); ++v) {
        uvs.col(static_cast<Index>(v)) = character_.mesh.uvs.col(primitive.uvs[v]).cast<float>();
      }
      attributes["TEXCOORD_0"] = store_.addFloats(uvs, Usage::Vertex, false);
    }
    Json json{{"attributes", std::move(attributes)}};
    if (primitive.indices.empty()) {
      json["mode"] = 0;
    } else {
      json["indices"] = addIndices(store_, primitive.indices, primitive.vertices.size());
    }
    json["material"] = 0;
    for (const int target : group.targets) {
      Json entry = Json::object();
      setTarget(store_, entry, character_.morphs[toSize(target)], primitive.vertices, options_.quantizedMorphs);
      json["targets"].push_back(std::move(entry));
    }
    return json;
  }

  void addMeshes() {
    normals_ = character_.mesh.normals;
    if (normals_.cols() == 0) computeNormals(character_.mesh.points, triangulate(character_.mesh), normals_);
    for (Group& group : groups_) {
      Json mesh = Json::object();
      if (!group.name.empty()) mesh["name"] = group.name;
      Json primitives = Json::array();
      for (const FreshPrimitive* primitive : group.primitives) primitives.push_back(primitiveJson(*primitive, group));
      mesh["primitives"] = std::move(primitives);
      Json weights = Json::array();
      Json names = Json::array();
      for (const int target : group.targets) {
        weights.push_back(character_.morphs[toSize(target)].defaultWeight);
        names.push_back(character_.morphs[toSize(target)].name);
      }
      if (!group.targets.empty()) {
        mesh["weights"] = std::move(weights);
        mesh["extras"] = Json{{"targetNames", std::move(names)}};
      }
      root()["meshes"].push_back(std::move(mesh));
      group.node = placeMesh(group, root()["meshes"].size() - 1);
    }
    if (!groups_.empty()) {
      // A neutral tone, so that viewers show the form.
      const Json colour = Json::array({0.8, 0.72, 0.66, 1.0});
      root()["materials"] =
          Json::array({Json{{"name", "skin"},
                            {"pbrMetallicRoughness",
                             Json{{"baseColorFactor", colour}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.7}}}}});
    }
  }

  /// Bindings for one skin of all groups: those that skinned groups use, and those that no one uses (a rig may have
  /// joints without weights). Empty where two of them share a joint or are of different skins.
  std::vector<Binding> sharedBindings() const {
    std::set<std::uint32_t> rigid;
    std::set<std::uint32_t> skinned;
    for (const Group& group : groups_) {
      (group.rigidJoint >= 0 ? rigid : skinned).insert(group.bindings.begin(), group.bindings.end());
    }
    std::vector<Binding> shared;
    std::set<int> joints;
    for (std::uint32_t b = 0; b < character_.skin.bindings.size(); ++b) {
      const Binding& binding = character_.skin.bindings[b];
      if ((rigid.count(b) > 0 || binding.skin < 0) && skinned.count(b) == 0) continue;
      const bool otherSkin = !shared.empty() && binding.skin != shared.front().skin;
      if (!joints.insert(binding.joint).second || otherSkin) return {};
      shared.push_back(binding);
    }
    return shared;
  }

  /// The skin whose bindings a group uses, or -1 if they are of several (for example of a part that follows a node).
  [[nodiscard]] int skinOf(const Group& group) const {
    std::set<int> skins;
    for (const std::uint32_t b : group.bindings) skins.insert(character_.skin.bindings[b].skin);
    return skins.size() == 1 ? *skins.begin() : -1;
  }

  /// All bindings of a skin, also those that no vertex uses.
  [[nodiscard]] std::vector<Binding> bindingsOf(int skin) const {
    std::vector<Binding> bindings;
    std::copy_if(character_.skin.bindings.begin(), character_.skin.bindings.end(), std::back_inserter(bindings),
                 [skin](const Binding& binding) { return binding.skin == skin; });
    return bindings;
  }

  /// Groups of one skin share a skin of the file; a group that mixes skins gets one of its own.
  void addSkins() {
    if (!character_.hasSkin()) return;
    const std::vector<Binding> shared = sharedBindings();
    std::map<int, std::size_t> written;  // the file's skin for each of the character's
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      if (group.rigidJoint >= 0) continue;
      const int skin = shared.empty() ? skinOf(group) : 0;
      SkinSlots slots(root(), shared.empty() && skin >= 0 ? distinct(bindingsOf(skin)) : shared);
      std::vector<std::uint32_t> slotOfBinding(character_.skin.bindings.size(), 0);
      for (const std::uint32_t b : group.bindings) slotOfBinding[b] = slots.slotFor(character_.skin.bindings[b]);
      for (std::size_t p = 0; p < group.primitives.size(); ++p) {
        Json& attributes = root()["meshes"][g]["primitives"][p]["attributes"];
        setWeights(store_, attributes, character_.skin.weights, group.primitives[p]->vertices,
                   {slotOfBinding, slots.slots().size()}, options_.weights);
      }
      root()["nodes"][toSize(group.node)]["skin"] = skinFor(slots, skin, written);
    }
    addSkeletonRoots();
  }

  /// The skin of the file with these joints: a new one, or that of another group of the same skin.
  std::size_t skinFor(const SkinSlots& slots, int skin, std::map<int, std::size_t>& written) {
    const auto same = [](const Binding& a, const Binding& b) { return a.joint == b.joint; };
    if (const auto found = written.find(skin); skin >= 0 && found != written.end()) {
      const std::vector<Binding>& known = skinSlots_[found->second];
      if (std::equal(known.begin(), known.end(), slots.slots().begin(), slots.slots().end(), same))
        return found->second;
    }
    Json json = Json::object();
    slots.writeTo(json, store_);
    root()["skins"].push_back(std::move(json));
    skinSlots_.emplace_back(slots.slots().begin(), slots.slots().end());
    written[skin] = skinSlots_.size() - 1;
    return skinSlots_.size() - 1;
  }

  /// The joints of a skin must have a common root: if they have none, all root joints become children of a new node.
  void addSkeletonRoots() {
    const auto lacksRoot = [&](const auto& slots) { return commonAncestor(root()["nodes"], slots) < 0; };
    if (std::any_of(skinSlots_.begin(), skinSlots_.end(), lacksRoot)) {
      Json& nodes = root()["nodes"];
      nodes.push_back(Json{{"name", "skeleton"}, {"children", roots_}});
      roots_ = {static_cast<int>(nodes.size()) - 1};
    }
    for (std::size_t s = 0; s < skinSlots_.size(); ++s) {
      root()["skins"][s]["skeleton"] = commonAncestor(root()["nodes"], skinSlots_[s]);
    }
  }

  void addScene() {
    std::vector<int> nodes = roots_;
    nodes.insert(nodes.end(), meshRoots_.begin(), meshRoots_.end());
    if (nodes.empty()) return;
    root()["scene"] = 0;
    root()["scenes"] = Json::array({Json{{"nodes", nodes}}});
  }

  void addClips() {
    std::vector<MorphedMesh> meshes;
    for (const Group& group : groups_) meshes.push_back({group.node, group.targets});
    for (std::size_t c = 0; c < character_.clips.size(); ++c) {
      const Clip& clip = character_.clips[c];
      Json animation = Json::object();
      if (!clip.name.empty()) animation["name"] = clip.name;
      addChannels(store_, animation, character_, clip, meshes);
      if (find(animation, "channels") == nullptr) {
        lost_.push_back(fmt::format("Clip {} ('{}') has no effect and was dropped.", c, clip.name));
      } else {
        root()["animations"].push_back(std::move(animation));
      }
    }
  }

  /// What was learned, in the vertices of the file.
  void addLearned() {
    WrittenPlaces places;
    for (const Group& group : groups_) {
      places.targets.push_back(group.targets);
      for (const FreshPrimitive* primitive : group.primitives) {
        places.vertices.insert(places.vertices.end(), primitive->vertices.begin(), primitive->vertices.end());
      }
    }
    writeBlocks({document_, store_, file_, places});
  }

  const CharacterFile& file_;
  const Character& character_;
  const WriteOptions& options_;
  LostList& lost_;
  GltfDocument document_;
  Store store_;
  Points normals_;
  std::vector<Group> groups_;
  std::vector<int> roots_;
  std::vector<int> meshRoots_;
  std::vector<std::vector<Binding>> skinSlots_;
};

}  // namespace

GltfDocument buildDocument(const CharacterFile& file, const WriteOptions& options, LostList& lost) {
  return Builder(file, options, lost).build();
}

}  // namespace sinew::gltf
