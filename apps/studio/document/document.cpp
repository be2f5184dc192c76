#include "studio/document/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/error.h"
#include "sinew/base/types.h"

namespace sinew::studio {
namespace {

/// The effect of an edit, computed separately: changed parts are built first and moved into place at the end, which
/// cannot fail. So an edit that does not fit, or runs out of memory, changes nothing.
class Applier {
 public:
  Applier(bool forwards, const Snapshots& snapshots, Document& document)
      : forwards_(forwards), snapshots_(snapshots), document_(document) {}

  void operator()(const WeightsChange& change) {
    const SkinWeights& there = weights_ ? *weights_ : file().character.skin.weights;
    weights_ = replacedColumns(there, change.vertices, forwards_ ? change.after : change.before);
  }
  void operator()(const PoseChange& change) {
    const Character& character = file().character;
    const Pose& pose = forwards_ ? change.after : change.before;
    if (change.view >= kMostViews || pose.local.size() != toSize(character.skeleton.size()))
      throw Error(ErrorCode::BadInput,
                  fmt::format("a step of the history poses view {} of another character", change.view));
    // The number of views is not part of the history.
    std::vector<Pose>& views = made(views_, document_.views);
    while (views.size() <= change.view) views.push_back(restPose(character));
    views[change.view] = pose;
    made(angles_, document_.angles)[change.view] = forwards_ ? change.anglesAfter : change.anglesBefore;
  }
  void operator()(const SavedPosesChange& change) { poses_ = forwards_ ? change.after : change.before; }
  void operator()(const LocksChange& change) { locks_ = forwards_ ? change.after : change.before; }
  void operator()(const HandlesChange& change) { posed_ = forwards_ ? change.after : change.before; }
  void operator()(const KeysChange& change) { keys_ = forwards_ ? change.after : change.before; }
  void operator()(const ExamplesChange& change) {
    const ExampleList& list = forwards_ ? change.after : change.before;
    const Index count = file().character.mesh.vertexCount();
    DocumentExamples examples = examplesOf(list, examples_ ? *examples_ : document_.examples, snapshots_);
    for (const auto& [name, shape] : examples.shapes) {
      if (shape->points.cols() != count)
        throw Error(ErrorCode::BadInput, fmt::format("a step of the history has an example of {} vertices, the "
                                                     "character has {}",
                                                     shape->points.cols(), count));
    }
    examples_ = std::move(examples);
  }
  void operator()(const ClipChange& change) {
    const std::optional<Clip>& there = forwards_ ? change.before : change.after;
    const std::optional<Clip>& wanted = forwards_ ? change.after : change.before;
    std::vector<Clip>& clips = made(clips_, file().character.clips);
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
  void operator()(const CharacterChange& change) {
    file_ = snapshots_.load(forwards_ ? change.after : change.before);
    weights_.reset();
    poses_.reset();
    clips_.reset();
    // Poses of another skeleton are invalid: the views start at rest.
    views_.emplace(std::max<std::size_t>((views_ ? *views_ : document_.views).size(), 1), restPose(file_->character));
    angles_.emplace();
    posed_.emplace();
    keys_.emplace();
  }

  void finish() noexcept {
    if (file_) document_.file = std::move(*file_);
    if (weights_) document_.file.character.skin.weights = std::move(*weights_);
    if (poses_) document_.file.poses = std::move(*poses_);
    if (clips_) document_.file.character.clips = std::move(*clips_);
    if (views_) document_.views = std::move(*views_);
    if (angles_) document_.angles = std::move(*angles_);
    if (locks_) document_.locks = std::move(*locks_);
    if (posed_) document_.posed = std::move(*posed_);
    if (keys_) document_.keys = std::move(*keys_);
    if (examples_) document_.examples = std::move(*examples_);
  }

 private:
  [[nodiscard]] const CharacterFile& file() const { return file_ ? *file_ : document_.file; }
  template <class Value>
  static Value& made(std::optional<Value>& part, const Value& there) {
    if (!part) part = there;
    return *part;
  }

  bool forwards_;
  const Snapshots& snapshots_;
  Document& document_;
  std::optional<CharacterFile> file_;
  std::optional<SkinWeights> weights_;
  std::optional<std::vector<SavedPose>> poses_;
  std::optional<std::vector<Clip>> clips_;
  std::optional<std::vector<Pose>> views_;
  std::optional<std::array<JointAngles, kMostViews>> angles_;
  std::optional<std::vector<std::string>> locks_;
  std::optional<HandlesState> posed_;
  std::optional<std::vector<KeyState>> keys_;
  std::optional<DocumentExamples> examples_;
};

struct Sizer {
  static std::size_t columns(const std::vector<std::vector<Influence>>& list) {
    std::size_t bytes = 0;
    for (const auto& column : list) bytes += sizeof(std::vector<Influence>) + column.size() * sizeof(Influence);
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
        bytes += (channel.times.size() + toSize(channel.values.size())) * sizeof(double);
    }
    return bytes;
  }
  std::size_t operator()(const CharacterChange& /*c*/) const { return 128; }
  std::size_t operator()(const ExamplesChange& c) const {
    std::size_t bytes = 0;
    for (const ExampleList* list : {&c.before, &c.after}) {
      for (const ExampleState& example : list->examples)
        bytes += sizeof(ExampleState) + example.pose.local.size() * sizeof(LocalTransform);
      if (list->sculpt) bytes += list->sculpt->pose.local.size() * sizeof(LocalTransform);
    }
    return bytes;
  }
};

struct FiniteCheck {
  static bool columns(const std::vector<std::vector<Influence>>& list) {
    return std::all_of(list.begin(), list.end(), [](const auto& column) {
      return std::all_of(column.begin(), column.end(), [](const Influence& one) { return std::isfinite(one.weight); });
    });
  }
  static bool pose(const Pose& pose) {
    return std::all_of(pose.local.begin(), pose.local.end(),
                       [](const LocalTransform& local) {
                         return local.translation.allFinite() && local.rotation.coeffs().allFinite() &&
                                local.scale.allFinite();
                       }) &&
           std::all_of(pose.morphWeights.begin(), pose.morphWeights.end(), [](double w) { return std::isfinite(w); });
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
  /// Shapes are finite: see Journal::store.
  bool operator()(const ExamplesChange& c) const {
    const auto isFinite = [](const ExampleState& e) { return pose(e.pose) && std::isfinite(e.confidence); };
    return std::all_of(c.after.examples.begin(), c.after.examples.end(), isFinite) &&
           (!c.after.sculpt || isFinite(*c.after.sculpt)) &&
           std::all_of(c.after.drivers.begin(), c.after.drivers.end(),
                       [](const Driver& driver) { return std::isfinite(driver.weight); });
  }
};

}  // namespace

bool isFinite(const Edit& edit) {
  return std::all_of(edit.changes.begin(), edit.changes.end(),
                     [](const Change& change) { return std::visit(FiniteCheck(), change); });
}

struct EditToApply::Impl {
  Applier applier;
};

EditToApply::EditToApply(const Edit& edit, bool forwards, const Snapshots& snapshots, Document& document)
    : impl_(std::make_unique<Impl>(Impl{Applier(forwards, snapshots, document)})) {
  const auto visit = [this](const Change& change) { std::visit(impl_->applier, change); };
  if (forwards) {
    std::for_each(edit.changes.begin(), edit.changes.end(), visit);
  } else {
    std::for_each(edit.changes.rbegin(), edit.changes.rend(), visit);
  }
}

EditToApply::~EditToApply() = default;

void EditToApply::apply() noexcept {
  impl_->applier.finish();
}

void applyEdit(const Edit& edit, bool forwards, const Snapshots& snapshots, Document& document) {
  EditToApply(edit, forwards, snapshots, document).apply();
}

SkinWeights replacedColumns(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices,
                            const std::vector<std::vector<Influence>>& columns) {
  if (vertices.size() != columns.size() || !std::is_sorted(vertices.begin(), vertices.end()) ||
      (!vertices.empty() && static_cast<Index>(vertices.back()) >= weights.vertexCount()))
    throw Error(ErrorCode::BadInput, "a change of weights does not fit the skin");
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  offsets.reserve(toSize(weights.vertexCount()) + 1);
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

void History::makeRoom() {
  if (edits_.size() == edits_.capacity()) edits_.reserve(2 * edits_.size() + 1);
}

const Edit& History::push(Edit edit) {
  makeRoom();
  while (edits_.size() > done_) {
    bytes_ -= bytesOf(edits_.back());
    edits_.pop_back();
  }
  bytes_ += bytesOf(edit);
  edits_.push_back(std::move(edit));
  ++done_;
  std::size_t oldest = 0;
  while (bytes_ > mostBytes_ && edits_.size() - oldest > 1) bytes_ -= bytesOf(edits_[oldest++]);
  edits_.erase(edits_.begin(), edits_.begin() + static_cast<std::ptrdiff_t>(oldest));
  done_ -= oldest;
  return edits_.back();
}

const Edit* History::next(bool forwards, std::size_t before) const {
  if (forwards) return before >= edits_.size() - done_ ? nullptr : &edits_[done_ + before];
  return before >= done_ ? nullptr : &edits_[done_ - 1 - before];
}

const Edit* History::undo() {
  const Edit* edit = next(false);
  if (edit != nullptr) --done_;
  return edit;
}

const Edit* History::redo() {
  const Edit* edit = next(true);
  if (edit != nullptr) ++done_;
  return edit;
}

std::vector<std::string> History::names() const {
  std::vector<std::string> names;
  for (const Edit& edit : edits_) names.push_back(edit.name);
  return names;
}

Document jumped(const Document& document, const History& history, std::ptrdiff_t steps, const Snapshots& snapshots) {
  Document there = document;
  for (std::size_t i = 0; i < toSize(std::abs(steps)); ++i) {
    const Edit* const edit = history.next(steps > 0, i);
    if (edit == nullptr) throw Error(ErrorCode::BadInput, "the history does not have that many steps");
    applyEdit(*edit, steps > 0, snapshots, there);
  }
  return there;
}

void History::clear() {
  edits_.clear();
  done_ = 0;
  bytes_ = 0;
}

}  // namespace sinew::studio
