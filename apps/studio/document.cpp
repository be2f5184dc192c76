#include "document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/error.h"

namespace sinew::studio {
namespace {

class Applier {
 public:
  Applier(bool forwards, const Snapshots& snapshots, Document& document)
      : forwards_(forwards), snapshots_(snapshots), document_(document) {}

  void operator()(const WeightsChange& change) const {
    Skin& skin = document_.file.character.skin;
    skin.weights = replacedColumns(skin.weights, change.vertices, forwards_ ? change.after : change.before);
  }
  void operator()(const PoseChange& change) const {
    const Character& character = document_.file.character;
    const Pose& pose = forwards_ ? change.after : change.before;
    if (change.view >= kMostViews || pose.local.size() != static_cast<std::size_t>(character.skeleton.size()))
      throw Error(ErrorCode::BadInput,
                  fmt::format("a step of the history poses view {} of another character", change.view));
    // How many views are open is no step of the history.
    while (document_.views.size() <= change.view) document_.views.push_back(restPose(character));
    document_.views[change.view] = pose;
    document_.angles[change.view] = forwards_ ? change.anglesAfter : change.anglesBefore;
  }
  void operator()(const SavedPosesChange& change) const { take(document_.file.poses, change); }
  void operator()(const LocksChange& change) const { take(document_.locks, change); }
  void operator()(const HandlesChange& change) const { take(document_.posed, change); }
  void operator()(const KeysChange& change) const { take(document_.keys, change); }
  void operator()(const ClipChange& change) const {
    std::vector<Clip>& clips = document_.file.character.clips;
    const std::optional<Clip>& there = forwards_ ? change.before : change.after;
    const std::optional<Clip>& wanted = forwards_ ? change.after : change.before;
    if (change.index > clips.size() || (there && change.index == clips.size()))
      throw Error(ErrorCode::BadInput,
                  fmt::format("a step of the history changes clip {} of another character", change.index));
    const auto at = clips.begin() + static_cast<std::ptrdiff_t>(change.index);
    if (there && wanted) {
      *at = *wanted;
    } else if (wanted) {
      clips.insert(at, *wanted);
    } else if (there) {
      clips.erase(at);
    }
  }
  void operator()(const CharacterChange& change) const {
    document_.file = snapshots_.load(forwards_ ? change.after : change.before);
    // Poses of another skeleton have no meaning: the views start at rest.
    document_.views.assign(std::max<std::size_t>(document_.views.size(), 1), restPose(document_.file.character));
    document_.angles = {};
    document_.posed = {};
    document_.keys.clear();
  }

 private:
  template <class Value, class Any>
  void take(Value& value, const Any& change) const {
    value = forwards_ ? change.after : change.before;
  }

  bool forwards_;
  const Snapshots& snapshots_;
  Document& document_;
};

struct Sizer {
  static std::size_t columns(const std::vector<std::vector<Influence>>& list) {
    std::size_t bytes = 0;
    for (const auto& column : list) bytes += sizeof(column) + column.size() * sizeof(Influence);
    return bytes;
  }
  std::size_t operator()(const WeightsChange& c) const {
    return c.vertices.size() * sizeof(std::uint32_t) + columns(c.before) + columns(c.after);
  }
  std::size_t operator()(const PoseChange& c) const {
    return (c.before.local.size() + c.after.local.size()) * sizeof(LocalTransform) +
           (c.anglesBefore.size() + c.anglesAfter.size()) * sizeof(JointAngles::value_type);
  }
  std::size_t operator()(const SavedPosesChange& c) const {
    std::size_t bytes = 0;
    for (const auto* list : {&c.before, &c.after}) {
      for (const SavedPose& saved : *list) bytes += saved.pose.local.size() * sizeof(LocalTransform);
    }
    return bytes;
  }
  std::size_t operator()(const LocksChange& c) const { return (c.before.size() + c.after.size()) * 32; }
  std::size_t operator()(const HandlesChange& c) const {
    return (c.before.handles.size() + c.after.handles.size()) * sizeof(HandleState) +
           (c.before.controls.size() + c.after.controls.size()) * sizeof(Affine);
  }
  std::size_t operator()(const KeysChange& c) const {
    std::size_t bytes = 0;
    for (const auto* list : {&c.before, &c.after}) {
      for (const KeyState& key : *list)
        bytes += key.state.handles.size() * sizeof(HandleState) + key.state.controls.size() * sizeof(Affine);
    }
    return bytes;
  }
  std::size_t operator()(const ClipChange& c) const {
    std::size_t bytes = 0;
    for (const auto* clip : {&c.before, &c.after}) {
      if (!*clip) continue;
      for (const ClipChannel& channel : (*clip)->channels)
        bytes += (channel.times.size() + static_cast<std::size_t>(channel.values.size())) * sizeof(double);
    }
    return bytes;
  }
  std::size_t operator()(const CharacterChange& /*c*/) const { return 128; }
};

struct FiniteCheck {
  static bool columns(const std::vector<std::vector<Influence>>& list) {
    return std::all_of(list.begin(), list.end(), [](const auto& column) {
      return std::all_of(column.begin(), column.end(), [](const Influence& one) { return std::isfinite(one.weight); });
    });
  }
  static bool pose(const Pose& pose) {
    return std::all_of(pose.local.begin(), pose.local.end(), [](const LocalTransform& local) {
      return local.translation.allFinite() && local.rotation.coeffs().allFinite() && local.scale.allFinite();
    });
  }
  static bool handles(const HandlesState& state) {
    return std::all_of(state.handles.begin(), state.handles.end(),
                       [](const HandleState& h) { return h.target.allFinite() && std::isfinite(h.strength); }) &&
           std::all_of(state.controls.begin(), state.controls.end(),
                       [](const Affine& control) { return control.matrix().allFinite(); }) &&
           std::all_of(state.weights.begin(), state.weights.end(), [](double w) { return std::isfinite(w); }) &&
           state.turn.coeffs().allFinite();
  }
  bool operator()(const WeightsChange& c) const { return columns(c.after); }
  bool operator()(const PoseChange& c) const {
    return pose(c.after) && std::all_of(c.anglesAfter.begin(), c.anglesAfter.end(), [](const auto& one) {
             return std::all_of(one.second.begin(), one.second.end(),
                                [](double angle) { return std::isfinite(angle); });
           });
  }
  bool operator()(const SavedPosesChange& c) const {
    return std::all_of(c.after.begin(), c.after.end(), [](const SavedPose& saved) { return pose(saved.pose); });
  }
  bool operator()(const LocksChange& /*c*/) const { return true; }
  bool operator()(const HandlesChange& c) const { return handles(c.after); }
  bool operator()(const KeysChange& c) const {
    return std::all_of(c.after.begin(), c.after.end(),
                       [](const KeyState& key) { return std::isfinite(key.time) && handles(key.state); });
  }
  bool operator()(const ClipChange& c) const {
    return !c.after || std::all_of(c.after->channels.begin(), c.after->channels.end(), [](const ClipChannel& channel) {
      return channel.values.allFinite() &&
             std::all_of(channel.times.begin(), channel.times.end(), [](double time) { return std::isfinite(time); });
    });
  }
  bool operator()(const CharacterChange& /*c*/) const { return true; }
};

}  // namespace

bool isFinite(const Edit& edit) {
  return std::all_of(edit.changes.begin(), edit.changes.end(),
                     [](const Change& change) { return std::visit(FiniteCheck(), change); });
}

void applyEdit(const Edit& edit, bool forwards, const Snapshots& snapshots, Document& document) {
  const Applier applier(forwards, snapshots, document);
  if (forwards) {
    for (const Change& change : edit.changes) std::visit(applier, change);
  } else {
    for (auto change = edit.changes.rbegin(); change != edit.changes.rend(); ++change) std::visit(applier, *change);
  }
}

SkinWeights replacedColumns(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices,
                            const std::vector<std::vector<Influence>>& columns) {
  if (vertices.size() != columns.size() || !std::is_sorted(vertices.begin(), vertices.end()) ||
      (!vertices.empty() && static_cast<Index>(vertices.back()) >= weights.vertexCount()))
    throw Error(ErrorCode::BadInput, "a change of weights does not fit the skin");
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  offsets.reserve(static_cast<std::size_t>(weights.vertexCount()) + 1);
  std::size_t next = 0;
  for (Index v = 0; v < weights.vertexCount(); ++v) {
    if (next < vertices.size() && static_cast<Index>(vertices[next]) == v) {
      influences.insert(influences.end(), columns[next].begin(), columns[next].end());
      ++next;
    } else {
      const auto column = weights[v];
      influences.insert(influences.end(), column.begin(), column.end());
    }
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  return {weights.bindingCount(), std::move(offsets), std::move(influences)};
}

std::size_t bytesOf(const Edit& edit) {
  std::size_t bytes = sizeof(Edit) + edit.name.size();
  for (const Change& change : edit.changes) bytes += sizeof(Change) + std::visit(Sizer(), change);
  return bytes;
}

const Edit& History::push(Edit edit) {
  while (edits_.size() > done_) {
    bytes_ -= bytesOf(edits_.back());
    edits_.pop_back();
  }
  bytes_ += bytesOf(edit);
  edits_.push_back(std::move(edit));
  ++done_;
  while (bytes_ > mostBytes_ && edits_.size() > 1) {
    bytes_ -= bytesOf(edits_.front());
    edits_.pop_front();
    --done_;
  }
  return edits_.back();
}

const Edit* History::undo() {
  if (done_ == 0) return nullptr;
  return &edits_[--done_];
}

const Edit* History::redo() {
  if (done_ == edits_.size()) return nullptr;
  return &edits_[done_++];
}

std::vector<std::string> History::names() const {
  std::vector<std::string> names;
  for (const Edit& edit : edits_) names.push_back(edit.name);
  return names;
}

void History::clear() {
  edits_.clear();
  done_ = 0;
  bytes_ = 0;
}

}  // namespace sinew::studio
