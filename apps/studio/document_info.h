// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// clang-format off
namespace sinew::studio::wire {

// visitFields calls with the name of every field and the field. record_json.h makes JSON of it.

/// A local transform.
struct Transform {
  std::array<double, 3> translation{};
  std::array<double, 4> rotation{};  ///< x y z w
  std::array<double, 3> scale{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("translation", m.translation);
    visit("rotation", m.rotation);
    visit("scale", m.scale);
  }
};

struct Joint {
  std::string name{};
  std::int32_t parent{};  ///< -1: none
  Transform rest{};
  std::optional<std::string> rule{};  ///< of a helper joint: its rule as a sentence

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("parent", m.parent);
    visit("rest", m.rest);
    visit("rule", m.rule);
  }
};

/// Left and right of the skeleton.
struct MirrorInfo {
  std::optional<std::string> axis{};
  std::optional<std::vector<std::int32_t>> partners{};  ///< per joint, or -1
  std::optional<std::string> fault{};  ///< why the character has no mirror plane

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("axis", m.axis);
    visit("partners", m.partners);
    visit("fault", m.fault);
  }
};

struct ClipInfo {
  std::uint32_t index{};
  std::string name{};
  double seconds{};
  std::vector<double> times{};  ///< of its keys, ascending; empty if there are too many

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("index", m.index);
    visit("name", m.name);
    visit("seconds", m.seconds);
    visit("times", m.times);
  }
};

struct HandleInfo {
  std::uint32_t vertex{};
  std::array<double, 3> target{};
  bool pinned{};
  double strength{};  ///< 0: exact

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("vertex", m.vertex);
    visit("target", m.target);
    visit("pinned", m.pinned);
    visit("strength", m.strength);
  }
};

/// A key of a reduced model.
struct KeyInfo {
  double time{};  ///< seconds
  std::uint32_t handles{};  ///< their number
  bool smooth{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("time", m.time);
    visit("handles", m.handles);
    visit("smooth", m.smooth);
  }
};

struct HistoryInfo {
  std::uint32_t depth{};  ///< steps that can be undone
  std::uint32_t redo{};
  std::vector<std::string> names{};  ///< of all steps, from the oldest, undone ones too

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("depth", m.depth);
    visit("redo", m.redo);
    visit("names", m.names);
  }
};

/// A character, or a model learned from it.
struct RelatedInfo {
  std::string what{};  ///< its name in the command `open`
  std::string title{};
  bool current{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("what", m.what);
    visit("title", m.title);
    visit("current", m.current);
  }
};

struct BlobNames {
  std::string mesh{};
  std::string weights{};
  std::string morphs{};  ///< empty: no morph target is drawn

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("mesh", m.mesh);
    visit("weights", m.weights);
    visit("morphs", m.morphs);
  }
};

struct ReducedInfo {
  std::uint32_t controls{};
  std::uint32_t proxies{};
  std::vector<std::string> examples{};
  bool rigid{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("controls", m.controls);
    visit("proxies", m.proxies);
    visit("examples", m.examples);
    visit("rigid", m.rigid);
  }
};

/// The open document; without one, the server sends only `open`.
struct DocumentInfo {
  bool open{};
  std::uint32_t number{};  ///< increases with every document that is opened; unchanged by edits and saving
  std::string title{};
  std::string path{};
  bool saved{};
  std::uint32_t vertices{};
  std::uint32_t triangles{};
  std::uint32_t instances{};  ///< further instances of meshes that are drawn in addition to the first ones
  bool skinned{};
  std::uint32_t maxInfluences{};
  std::vector<Joint> joints{};
  MirrorInfo mirror{};
  std::vector<std::int32_t> bindings{};  ///< the joint of each binding
  std::vector<ClipInfo> clips{};
  std::vector<std::vector<Transform>> views{};  ///< local transforms of all joints, per view
  std::vector<std::vector<double>> morphWeights{};  ///< of the morph targets, per view
  std::vector<std::vector<std::array<double, 4>>> angles{};  ///< per view: joint, and x, y, z in degrees as typed
  std::vector<std::string> savedPoses{};
  std::vector<std::string> locks{};  ///< names of locked joints
  std::vector<HandleInfo> handles{};
  std::vector<KeyInfo> keys{};
  std::array<double, 3> centre{};  ///< of the rest shape: the origin of the page's space
  double diagonal{};  ///< of the bounding box of the rest shape
  std::vector<std::string> problems{};
  HistoryInfo history{};
  std::vector<RelatedInfo> beside{};  ///< this document and related ones; empty if there are none
  BlobNames blobs{};
  std::optional<ReducedInfo> reduced{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("open", m.open);
    visit("number", m.number);
    visit("title", m.title);
    visit("path", m.path);
    visit("saved", m.saved);
    visit("vertices", m.vertices);
    visit("triangles", m.triangles);
    visit("instances", m.instances);
    visit("skinned", m.skinned);
    visit("maxInfluences", m.maxInfluences);
    visit("joints", m.joints);
    visit("mirror", m.mirror);
    visit("bindings", m.bindings);
    visit("clips", m.clips);
    visit("views", m.views);
    visit("morphWeights", m.morphWeights);
    visit("angles", m.angles);
    visit("savedPoses", m.savedPoses);
    visit("locks", m.locks);
    visit("handles", m.handles);
    visit("keys", m.keys);
    visit("centre", m.centre);
    visit("diagonal", m.diagonal);
    visit("problems", m.problems);
    visit("history", m.history);
    visit("beside", m.beside);
    visit("blobs", m.blobs);
    visit("reduced", m.reduced);
  }
};

}  // namespace sinew::studio::wire
// clang-format on
