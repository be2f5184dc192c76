// Patches morph targets and clips into a source. Both are matched to the source's by name if their order differs, so
// that data which Sinew does not interpret (tangents of targets, other channels) stays with them.
#include <fmt/format.h>

#include <algorithm>

#include "sinew/io/gltf/container/animation.h"
#include "sinew/io/gltf/write/patch.h"

namespace sinew::gltf {
namespace {

/// For each name of `after` the index of its partner in `before`: the same index, otherwise the first free one of that
/// name.
std::vector<std::optional<std::size_t>> matchNames(const std::vector<std::string>& before,
                                                   const std::vector<std::string>& after) {
  std::vector<std::optional<std::size_t>> partner(after.size());
  std::vector<bool> taken(before.size(), false);
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i] == after[i]) {
      partner[i] = i;
      taken[i] = true;
    }
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    for (std::size_t k = 0; k < before.size() && !partner[i]; ++k) {
      if (taken[k] || before[k] != after[i] || after[i].empty()) continue;
      partner[i] = k;
      taken[k] = true;
    }
  }
  return partner;
}

/// Whether two targets displace the vertices of a part equally.
bool sameDeltas(const Points& a, Index firstA, const Points& b, Index firstB, VertexList vertices) {
  return deltasOf(a, firstA, vertices) == deltasOf(b, firstB, vertices);
}

bool sameTarget(const MorphTarget& a, const MorphTarget& b, VertexList vertices) {
  return sameDeltas(a.deltas, a.firstVertex, b.deltas, b.firstVertex, vertices) &&
         (a.normalDeltas.cols() == 0) == (b.normalDeltas.cols() == 0) &&
         sameDeltas(a.normalDeltas, a.firstVertex, b.normalDeltas, b.firstVertex, vertices);
}

class MotionPatcher {
 public:
  explicit MotionPatcher(Patching& patching)
      : patching_(patching), before_(patching.before.character), after_(patching.after) {}

  void run() {
    for (std::size_t m = 0; m < patching_.before.placements.size(); ++m) patchMesh(m);
    patchClips();
  }

 private:
  Json& root() { return patching_.document.json; }
  [[nodiscard]] static const MorphTarget& morph(const Character& character, int index) {
    return character.morphs[toSize(index)];
  }

  void patchMesh(std::size_t mesh) {
    std::vector<std::size_t> parts;
    std::vector<MeshPart> partsOfMesh;
    for (std::size_t p = 0; p < patching_.before.primitives.size(); ++p) {
      if (patching_.before.primitives[p].mesh != mesh) continue;
      parts.push_back(p);
      partsOfMesh.push_back(before_.mesh.parts[p]);
    }
    std::vector<int> old(toSize(patching_.before.firstMorph[mesh + 1] - patching_.before.firstMorph[mesh]));
    std::iota(old.begin(), old.end(), patching_.before.firstMorph[mesh]);
    const std::vector<int> now = targetsOf(after_, static_cast<int>(mesh), partsOfMesh);
    meshes_.push_back({patching_.before.placements[mesh].node, now});
    const auto namesOf = [](const Character& character, const std::vector<int>& targets) {
      std::vector<std::string> names;
      names.reserve(targets.size());
      for (const int t : targets) names.push_back(morph(character, t).name);
      return names;
    };
    const auto oldNames = namesOf(before_, old);
    const auto names = namesOf(after_, now);
    const auto partner = matchNames(oldNames, names);
    retargeted_ = retargeted_ || oldNames != names || old != now;
    if (old.empty() && now.empty()) return;
    for (const std::size_t p : parts) patchTargets(p, old, now, partner);
    if (oldNames != names) writeNames(mesh, names);
    writeDefaults(mesh, old, now);
  }

  void patchTargets(std::size_t part, const std::vector<int>& old, const std::vector<int>& now,
                    const std::vector<std::optional<std::size_t>>& partner) {
    const std::vector<std::uint32_t> vertices = patching_.vertices(part);
    const Json before = listOf(patching_.primitive(part), "targets", "");
    Json targets = Json::array();
    bool differs = old.size() != now.size();
    for (std::size_t t = 0; t < now.size(); ++t) {
      Json target = partner[t] ? before[*partner[t]] : Json::object();
      differs = differs || partner[t] != t;
      if (!partner[t] || !sameTarget(morph(before_, old[*partner[t]]), morph(after_, now[t]), vertices)) {
        setTarget(patching_.store, target, morph(after_, now[t]), vertices, patching_.options.quantizedMorphs);
        differs = true;
      }
      targets.push_back(std::move(target));
    }
    if (!differs) return;
    Json& primitive = patching_.edited(part);
    if (targets.empty()) {
      primitive.erase("targets");
    } else {
      primitive["targets"] = std::move(targets);
    }
  }

  void writeNames(std::size_t mesh, const std::vector<std::string>& names) {
    patching_.changed = true;
    Json& json = root()["meshes"][mesh];
    if (json.contains("extras") && !json["extras"].is_object()) {
      patching_.lost.push_back(
          fmt::format("The extras of meshes[{}] were replaced by the names of its morph targets.", mesh));
      json.erase("extras");
    }
    if (names.empty()) {
      if (json.contains("extras")) json["extras"].erase("targetNames");
    } else {
      json["extras"]["targetNames"] = names;
    }
  }

  /// mesh.weights, and node.weights where a node overrides them: their length follows the number of targets.
  void writeDefaults(std::size_t mesh, const std::vector<int>& old, const std::vector<int>& now) {
    const auto defaultsOf = [](const Character& character, const std::vector<int>& targets) {
      std::vector<double> defaults(targets.size());
      for (std::size_t t = 0; t < targets.size(); ++t) defaults[t] = morph(character, targets[t]).defaultWeight;
      return defaults;
    };
    const std::vector<double> before = defaultsOf(before_, old);
    const std::vector<double> weights = defaultsOf(after_, now);
    if (before == weights) return;
    patching_.changed = true;
    const int placing = patching_.before.placements[mesh].node;
    const auto set = [&](Json& object) {
      if (weights.empty()) {
        object.erase("weights");
      } else {
        object["weights"] = weights;
      }
    };
    set(root()["meshes"][mesh]);
    const std::size_t nodes = listOf(root(), "nodes", "").size();
    for (std::size_t n = 0; n < nodes; ++n) {
      Json& node = root()["nodes"][n];
      if (!node.contains("weights") || optionalCount(node, "mesh", "nodes", mesh + 1) != mesh) continue;
      if (static_cast<int>(n) == placing || node["weights"].size() != weights.size()) set(node);
    }
  }

  [[nodiscard]] bool sameClip(const Clip& a, const Clip& b) const {
    const auto sameChannel = [&](const ClipChannel& x, const ClipChannel& y) {
      return x.path == y.path && x.interpolation == y.interpolation && x.joint == y.joint &&
             x.firstMorph == y.firstMorph && x.times == y.times && x.values.rows() == y.values.rows() &&
             x.values.cols() == y.values.cols() && x.values == y.values &&
             !(retargeted_ && x.path == ClipPath::Weights);
    };
    return std::equal(a.channels.begin(), a.channels.end(), b.channels.begin(), b.channels.end(), sameChannel);
  }

  void patchClips() {
    const auto namesOf = [](const Character& character) {
      std::vector<std::string> names;
      names.reserve(character.clips.size());
      for (const Clip& clip : character.clips) names.push_back(clip.name);
      return names;
    };
    const auto partner = matchNames(namesOf(before_), namesOf(after_));
    const Json source = listOf(root(), "animations", "");
    Json animations = Json::array();
    bool differs = before_.clips.size() != after_.clips.size();
    for (std::size_t c = 0; c < after_.clips.size(); ++c) {
      const Clip& clip = after_.clips[c];
      differs = differs || partner[c] != c;
      Json animation = partner[c] ? source[*partner[c]] : Json::object();
      if (!partner[c] && !clip.name.empty()) animation["name"] = clip.name;
      if (!partner[c] || !sameClip(before_.clips[*partner[c]], clip)) {
        differs = true;
        rewrite(animation, clip);
      }
      if (listOf(animation, "channels", "").empty()) {
        patching_.lost.push_back(fmt::format("Clip {} ('{}') has no effect and was dropped.", c, clip.name));
        differs = true;
        continue;
      }
      animations.push_back(std::move(animation));
    }
    if (!differs) return;
    patching_.changed = true;
    if (animations.empty()) {
      root().erase("animations");
    } else {
      root()["animations"] = std::move(animations);
    }
  }

  /// Channels that were interpreted on reading are replaced by the clip's; the others stay, with their samplers.
  void rewrite(Json& animation, const Clip& clip) {
    const Json channels = listOf(animation, "channels", "");
    const Json samplers = listOf(animation, "samplers", "");
    Json keptChannels = Json::array();
    Json keptSamplers = Json::array();
    for (const Json& channel : channels) {
      if (understoodTarget(patching_.before, channel, "")) continue;
      if (retargeted_ && drivesWeights(channel)) {
        patching_.lost.push_back(
            "Animated weights of a further instance of a mesh were dropped: its morph targets changed.");
        continue;
      }
      const std::size_t sampler = requiredCount(channel, "sampler", "animations.channels");
      Json kept = channel;
      kept["sampler"] = keptSamplers.size();
      if (sampler < samplers.size()) keptSamplers.push_back(samplers[sampler]);
      keptChannels.push_back(std::move(kept));
    }
    animation["channels"] = std::move(keptChannels);
    animation["samplers"] = std::move(keptSamplers);
    addChannels(patching_.store, animation, after_, clip, meshes_);
    for (const ClipChannel& channel : clip.channels) {
      // An animated node must not have a matrix.
      if (channel.path == ClipPath::Weights) continue;
      Json& node = root()["nodes"][toSize(channel.joint)];
      if (node.contains("matrix")) setTransform(node, after_.skeleton[channel.joint].rest);
    }
  }

  static bool drivesWeights(const Json& channel) {
    const Json* target = find(channel, "target");
    return target != nullptr && optionalText(*target, "path", "animations") == "weights";
  }

  Patching& patching_;
  const Character& before_;
  const Character& after_;
  std::vector<MorphedMesh> meshes_;
  bool retargeted_ = false;  ///< some mesh has other morph targets than before
};

}  // namespace

void patchMotion(Patching& patching) {
  MotionPatcher(patching).run();
}

}  // namespace sinew::gltf
