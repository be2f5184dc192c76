// Animations of an imported scene. Times are in ticks; keys out of order or not finite are dropped and reported.
#include <fmt/format.h>

#include <cmath>

#include "sinew/io/assimp/scene.h"

namespace sinew::assimp {
namespace {

/// The importers' default if a file has no rate.
constexpr double kDefaultTicksPerSecond = 25;

struct ClipReader {
  const aiScene& scene;
  const AssimpNodes& nodes;
  std::span<const int> firstMorph;
  double ticksPerSecond = kDefaultTicksPerSecond;
  std::size_t badKeys = 0;
  std::size_t lostChannels = 0;
  std::string firstLost;

  /// Keys whose time grows and whose values are finite. `valueOf(key)` gives a column.
  template <class Key, class ValueOf>
  void addChannel(ClipPath path, int joint, std::span<const Key> keys, Index rows, const ValueOf& valueOf, Clip& clip) {
    if (keys.empty()) return;
    ClipChannel channel;
    channel.path = path;
    channel.joint = joint;
    channel.values.resize(rows, static_cast<Index>(keys.size()));
    for (const Key& key : keys) {
      const double time = key.mTime / ticksPerSecond;
      const Eigen::VectorXd value = valueOf(key);
      if (!std::isfinite(time) || !value.allFinite() || (!channel.times.empty() && time <= channel.times.back())) {
        ++badKeys;
        continue;
      }
      channel.values.col(static_cast<Index>(channel.times.size())) = value;
      channel.times.push_back(time);
    }
    channel.values.conservativeResize(rows, static_cast<Index>(channel.times.size()));
    if (!channel.times.empty()) clip.channels.push_back(std::move(channel));
  }

  void addNode(const aiNodeAnim& track, Clip& clip);
  void addMorph(const aiMeshMorphAnim& track, Clip& clip);
  [[nodiscard]] std::vector<unsigned> meshesOf(const std::string& name) const;
};

void ClipReader::addNode(const aiNodeAnim& track, Clip& clip) {
  const auto found = nodes.byName.find(track.mNodeName.C_Str());
  if (found == nodes.byName.end()) {
    if (lostChannels++ == 0) firstLost = track.mNodeName.C_Str();
    return;
  }
  const auto vectorOf = [](const aiVectorKey& key) -> Eigen::VectorXd { return toVec3(key.mValue); };
  const auto rotationOf = [](const aiQuatKey& key) -> Eigen::VectorXd {
    return Eigen::Vector4f(key.mValue.x, key.mValue.y, key.mValue.z, key.mValue.w).cast<double>();
  };
  const int joint = found->second;
  addChannel(ClipPath::Translation, joint, std::span<const aiVectorKey>(track.mPositionKeys, track.mNumPositionKeys), 3,
             vectorOf, clip);
  addChannel(ClipPath::Rotation, joint, std::span<const aiQuatKey>(track.mRotationKeys, track.mNumRotationKeys), 4,
             rotationOf, clip);
  addChannel(ClipPath::Scale, joint, std::span<const aiVectorKey>(track.mScalingKeys, track.mNumScalingKeys), 3,
             vectorOf, clip);
}

/// A morph track refers to a mesh, or to the node that places it; the FBX importer adds `*` and a number.
std::vector<unsigned> ClipReader::meshesOf(const std::string& name) const {
  const std::string plain = name.substr(0, name.rfind('*'));
  std::vector<unsigned> meshes;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const int node = nodes.meshNode[m];
    const std::string_view mesh = scene.mMeshes[m]->mName.C_Str();
    const bool byNode = node >= 0 && nodes.joints[toSize(node)].name == plain;
    if (mesh == name || mesh == plain || byNode) meshes.push_back(m);
  }
  return meshes;
}

void ClipReader::addMorph(const aiMeshMorphAnim& track, Clip& clip) {
  const std::vector<unsigned> meshes = meshesOf(track.mName.C_Str());
  if (meshes.empty() && lostChannels++ == 0) firstLost = track.mName.C_Str();
  for (const unsigned m : meshes) {
    const unsigned count = scene.mMeshes[m]->mNumAnimMeshes;
    if (count == 0) continue;
    const auto weightsOf = [count](const aiMeshMorphKey& key) -> Eigen::VectorXd {
      Eigen::VectorXd weights = Eigen::VectorXd::Zero(count);
      for (unsigned i = 0; i < key.mNumValuesAndWeights; ++i) {
        if (key.mValues[i] < count) weights[key.mValues[i]] = key.mWeights[i];
      }
      return weights;
    };
    const std::size_t before = clip.channels.size();
    addChannel(ClipPath::Weights, std::max(nodes.meshNode[m], 0),
               std::span<const aiMeshMorphKey>(track.mKeys, track.mNumKeys), count, weightsOf, clip);
    if (clip.channels.size() > before) clip.channels.back().firstMorph = firstMorph[m];
  }
}

}  // namespace

std::vector<Clip> readClips(const aiScene& scene, const AssimpNodes& nodes, std::span<const int> firstMorph,
                            std::vector<std::string>& problems) {
  std::vector<Clip> clips;
  for (unsigned a = 0; a < scene.mNumAnimations; ++a) {
    const aiAnimation& animation = *scene.mAnimations[a];
    ClipReader reader{.scene = scene, .nodes = nodes, .firstMorph = firstMorph, .firstLost = {}};
    if (std::isfinite(animation.mTicksPerSecond) && animation.mTicksPerSecond > 0)
      reader.ticksPerSecond = animation.mTicksPerSecond;
    Clip clip;
    clip.name = animation.mName.C_Str();
    for (unsigned c = 0; c < animation.mNumChannels; ++c) reader.addNode(*animation.mChannels[c], clip);
    for (unsigned c = 0; c < animation.mNumMorphMeshChannels; ++c)
      reader.addMorph(*animation.mMorphMeshChannels[c], clip);
    if (reader.badKeys > 0) {
      problems.push_back(fmt::format("{} keys of the clip '{}' were out of order or not finite; they were dropped",
                                     reader.badKeys, clip.name));
    }
    if (reader.lostChannels > 0) {
      problems.push_back(fmt::format("{} tracks of the clip '{}' move nodes that do not exist (first: '{}')",
                                     reader.lostChannels, clip.name, reader.firstLost));
    }
    clips.push_back(std::move(clip));
  }
  return clips;
}

}  // namespace sinew::assimp
