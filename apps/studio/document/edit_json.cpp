#include "studio/document/edit_json.h"

#include <array>
#include <cstring>

#include "sinew/base/error.h"
#include "sinew/base/types.h"
#include "studio/untrusted_json.h"

namespace sinew::studio {
namespace {

// Lists of numbers are stored flat: shorter, and quick to read.
constexpr std::size_t kPerJoint = 10;

// Weights of many vertices are bytes: as JSON values each number would take 16 bytes, and a list per vertex more.
template <class T>
void putBytes(std::vector<std::uint8_t>& bytes, T value) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof(T));
}

template <class T>
T takeBytes(const std::vector<std::uint8_t>& bytes, std::size_t& at) {
  T value{};
  if (bytes.size() - at < sizeof(T)) throw Error(ErrorCode::BadInput, "the journal has a step that is cut off");
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  at += sizeof(T);
  return value;
}

Json toBytes(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(4 * numbers.size());
  for (const std::uint32_t number : numbers) putBytes(bytes, number);
  return Json::binary(std::move(bytes));
}

std::vector<std::uint32_t> numbersFromJson(const Json& json) {
  if (!json.is_binary()) return wholeList(json);
  const std::vector<std::uint8_t>& bytes = json.get_binary();
  std::vector<std::uint32_t> numbers;
  for (std::size_t at = 0; at < bytes.size();) numbers.push_back(takeBytes<std::uint32_t>(bytes, at));
  return numbers;
}

/// For each column its length, then binding and weight of each influence.
Json toJson(const std::vector<std::vector<Influence>>& columns) {
  std::vector<std::uint8_t> bytes;
  std::size_t count = 0;
  for (const auto& column : columns) count += 4 + 12 * column.size();
  bytes.reserve(count);
  for (const auto& column : columns) {
    putBytes(bytes, static_cast<std::uint32_t>(column.size()));
    for (const Influence& influence : column) {
      putBytes(bytes, influence.binding);
      putBytes(bytes, influence.weight);
    }
  }
  return Json::binary(std::move(bytes));
}

std::vector<std::vector<Influence>> columnsFromJson(const Json& json) {
  std::vector<std::vector<Influence>> columns;
  if (json.is_binary()) {
    const std::vector<std::uint8_t>& bytes = json.get_binary();
    for (std::size_t at = 0; at < bytes.size();) {
      auto& column = columns.emplace_back();
      for (auto left = takeBytes<std::uint32_t>(bytes, at); left > 0; --left) {
        const auto binding = takeBytes<std::uint32_t>(bytes, at);
        column.push_back({binding, takeBytes<double>(bytes, at)});
      }
    }
    return columns;
  }
  // Older journals have lists.
  for (const Json& one : json) {
    auto& column = columns.emplace_back();
    for (std::size_t i = 0; i + 1 < one.size(); i += 2)
      column.push_back({whole<std::uint32_t>(one[i]), one[i + 1].get<double>()});
  }
  return columns;
}

Json toJson(const HandlesState& state) {
  Json controls = Json::array();
  for (const Affine& control : state.controls) {
    for (int i = 0; i < 12; ++i) controls.push_back(control.matrix()(i % 3, i / 3));
  }
  Json handles = Json::array();
  for (const HandleState& handle : state.handles) handles.push_back(studio::toJson(handle));
  const Quat& q = state.turn;
  return {{"handles", std::move(handles)},
          {"controls", std::move(controls)},
          {"weights", state.weights},
          {"turn", {q.x(), q.y(), q.z(), q.w()}}};
}

HandlesState handlesFromJson(const Json& json) {
  HandlesState state;
  for (const Json& handle : json.at("handles")) state.handles.push_back(handleFromJson(handle));
  const Json& controls = json.at("controls");
  for (std::size_t at = 0; at + 12 <= controls.size(); at += 12) {
    Affine control;
    for (int i = 0; i < 12; ++i) control.matrix()(i % 3, i / 3) = controls[at + toSize(i)].get<double>();
    state.controls.push_back(control);
  }
  // Older journals have neither.
  state.weights = json.value("weights", std::vector<double>());
  if (json.contains("turn")) {
    const auto turn = json.at("turn").get<std::array<double, 4>>();
    state.turn = Quat(turn[3], turn[0], turn[1], turn[2]);
  }
  return state;
}

Json toJson(const KeyState& key) {
  Json json = toJson(key.state);
  json["time"] = key.time;
  json["smooth"] = key.smooth;
  return json;
}

KeyState keyFromJson(const Json& json) {
  return {json.at("time").get<double>(), handlesFromJson(json), json.value("smooth", false)};
}

Json toJson(const SavedPose& saved) {
  return {{"name", saved.name}, {"pose", studio::toJson(saved.pose)}};
}

Json toJson(const std::optional<Clip>& clip) {
  if (!clip) return nullptr;
  Json channels = Json::array();
  for (const ClipChannel& channel : clip->channels) {
    channels.push_back(
        {{"path", static_cast<int>(channel.path)},
         {"interpolation", static_cast<int>(channel.interpolation)},
         {"joint", channel.joint},
         {"firstMorph", channel.firstMorph},
         {"times", channel.times},
         {"rows", channel.values.rows()},
         {"values", std::vector<double>(channel.values.data(), channel.values.data() + channel.values.size())}});
  }
  return {{"name", clip->name}, {"channels", std::move(channels)}};
}

std::optional<Clip> clipFromJson(const Json& json) {
  if (json.is_null()) return std::nullopt;
  Clip clip{json.at("name").get<std::string>(), {}};
  for (const Json& one : json.at("channels")) {
    ClipChannel channel{static_cast<ClipPath>(whole<int>(one.at("path"))),
                        static_cast<Interpolation>(whole<int>(one.at("interpolation"))),
                        whole<int>(one.at("joint")),
                        whole<int>(one.at("firstMorph")),
                        one.at("times").get<std::vector<double>>(),
                        {}};
    const auto values = one.at("values").get<std::vector<double>>();
    const auto rows = whole<Index>(one.at("rows"));
    if (rows <= 0 || static_cast<Index>(values.size()) % rows != 0)
      throw Error(ErrorCode::BadInput, "the journal has a clip whose values do not fit its rows");
    channel.values = Eigen::Map<const Eigen::MatrixXd>(values.data(), rows, static_cast<Index>(values.size()) / rows);
    clip.channels.push_back(std::move(channel));
  }
  return clip;
}

Json toJson(const ExampleState& example) {
  return {{"name", example.name},
          {"pose", studio::toJson(example.pose)},
          {"confidence", example.confidence},
          {"shape", example.shape}};
}

ExampleState exampleFromJson(const Json& json) {
  return {json.at("name").get<std::string>(), poseFromJson(json.at("pose")), json.at("confidence").get<double>(),
          json.at("shape").get<std::string>()};
}

Json toJson(const ExampleList& list) {
  Json examples = Json::array();
  for (const ExampleState& example : list.examples) examples.push_back(toJson(example));
  Json drivers = Json::array();
  for (const Driver& driver : list.drivers) drivers.push_back({{"joint", driver.joint}, {"weight", driver.weight}});
  Json json{{"rest", list.rest}, {"examples", std::move(examples)}, {"drivers", std::move(drivers)}};
  if (list.sculpt) json["sculpt"] = toJson(*list.sculpt);
  return json;
}

ExampleList examplesFromJson(const Json& json) {
  ExampleList list;
  list.rest = json.at("rest").get<std::string>();
  for (const Json& one : json.at("examples")) list.examples.push_back(exampleFromJson(one));
  for (const Json& one : json.at("drivers"))
    list.drivers.push_back({one.at("joint").get<std::string>(), one.at("weight").get<double>()});
  if (json.contains("sculpt")) list.sculpt = exampleFromJson(json.at("sculpt"));
  return list;
}

template <class State>
Json listOf(const std::vector<State>& states) {
  Json list = Json::array();
  for (const State& state : states) list.push_back(toJson(state));
  return list;
}

struct ChangeWriter {
  Json operator()(const WeightsChange& c) const {
    return {{"kind", "weights"},
            {"vertices", toBytes(c.vertices)},
            {"before", toJson(c.before)},
            {"after", toJson(c.after)}};
  }
  Json operator()(const PoseChange& c) const {
    return {{"kind", "pose"},
            {"view", c.view},
            {"before", studio::toJson(c.before)},
            {"after", studio::toJson(c.after)},
            {"anglesBefore", studio::toJson(c.anglesBefore)},
            {"anglesAfter", studio::toJson(c.anglesAfter)}};
  }
  Json operator()(const SavedPosesChange& c) const {
    return {{"kind", "savedPoses"}, {"before", listOf(c.before)}, {"after", listOf(c.after)}};
  }
  Json operator()(const LocksChange& c) const { return {{"kind", "locks"}, {"before", c.before}, {"after", c.after}}; }
  Json operator()(const HandlesChange& c) const {
    return {{"kind", "handles"}, {"before", toJson(c.before)}, {"after", toJson(c.after)}};
  }
  Json operator()(const KeysChange& c) const {
    return {{"kind", "keys"}, {"before", listOf(c.before)}, {"after", listOf(c.after)}};
  }
  Json operator()(const ClipChange& c) const {
    return {{"kind", "clip"}, {"index", c.index}, {"before", toJson(c.before)}, {"after", toJson(c.after)}};
  }
  Json operator()(const CharacterChange& c) const {
    return {{"kind", "character"}, {"before", c.before}, {"after", c.after}};
  }
  Json operator()(const ExamplesChange& c) const {
    return {{"kind", "examples"}, {"before", toJson(c.before)}, {"after", toJson(c.after)}};
  }
};

template <class State, class Read>
std::vector<State> readList(const Json& json, const Read& read) {
  std::vector<State> list;
  for (const Json& one : json) list.push_back(read(one));
  return list;
}

/// Older journals have none.
JointAngles anglesFromJson(const Json& json, const char* name) {
  JointAngles angles;
  if (!json.contains(name)) return angles;
  for (const Json& one : json.at(name))
    angles[whole<std::uint32_t>(one.at(0))] = {one.at(1).get<double>(), one.at(2).get<double>(),
                                               one.at(3).get<double>()};
  return angles;
}

Change changeFromJson(const Json& json) {
  const auto kind = json.at("kind").get<std::string>();
  const Json& before = json.at("before");
  const Json& after = json.at("after");
  if (kind == "weights") {
    return WeightsChange{numbersFromJson(json.at("vertices")), columnsFromJson(before), columnsFromJson(after)};
  }
  if (kind == "pose")
    return PoseChange{whole<std::uint32_t>(json.at("view")), poseFromJson(before), poseFromJson(after),
                      anglesFromJson(json, "anglesBefore"), anglesFromJson(json, "anglesAfter")};
  if (kind == "savedPoses") {
    const auto read = [](const Json& one) {
      return SavedPose{one.at("name").get<std::string>(), poseFromJson(one.at("pose"))};
    };
    return SavedPosesChange{readList<SavedPose>(before, read), readList<SavedPose>(after, read)};
  }
  if (kind == "locks")
    return LocksChange{before.get<std::vector<std::string>>(), after.get<std::vector<std::string>>()};
  if (kind == "handles") return HandlesChange{handlesFromJson(before), handlesFromJson(after)};
  if (kind == "keys")
    return KeysChange{readList<KeyState>(before, keyFromJson), readList<KeyState>(after, keyFromJson)};
  if (kind == "clip")
    return ClipChange{whole<std::size_t>(json.at("index")), clipFromJson(before), clipFromJson(after)};
  if (kind == "character") return CharacterChange{before.get<std::string>(), after.get<std::string>()};
  if (kind == "examples") return ExamplesChange{examplesFromJson(before), examplesFromJson(after)};
  throw Error(ErrorCode::BadInput, "the journal has a change of the unknown kind '" + kind + "'");
}

}  // namespace

std::vector<double> flatPose(const Pose& pose) {
  std::vector<double> list;
  list.reserve(kPerJoint * pose.local.size());
  for (const LocalTransform& local : pose.local) {
    list.insert(list.end(), local.translation.begin(), local.translation.end());
    for (const double x : local.rotation.coeffs()) list.push_back(x);
    list.insert(list.end(), local.scale.begin(), local.scale.end());
  }
  return list;
}

std::vector<std::array<double, 4>> angleRows(const JointAngles& angles) {
  std::vector<std::array<double, 4>> rows;
  for (const auto& [joint, xyz] : angles) rows.push_back({static_cast<double>(joint), xyz[0], xyz[1], xyz[2]});
  return rows;
}

Json toJson(const Pose& pose) {
  return {{"joints", flatPose(pose)}, {"morphs", pose.morphWeights}};
}

Json toJson(const JointAngles& angles) {
  return angleRows(angles);
}

Pose poseFromJson(const Json& json) {
  Pose pose;
  const Json& list = json.at("joints");
  pose.local.resize(list.size() / kPerJoint);
  std::size_t at = 0;
  for (LocalTransform& local : pose.local) {
    for (double& x : local.translation) x = list[at++].get<double>();
    for (double& x : local.rotation.coeffs()) x = list[at++].get<double>();
    for (double& x : local.scale) x = list[at++].get<double>();
  }
  pose.morphWeights = json.at("morphs").get<std::vector<double>>();
  return pose;
}

Json toJson(const HandleState& handle) {
  return {{"vertex", handle.vertex},
          {"target", {handle.target.x(), handle.target.y(), handle.target.z()}},
          {"pinned", handle.pinned},
          {"strength", handle.strength}};
}

HandleState handleFromJson(const Json& json) {
  HandleState handle;
  handle.vertex = whole<std::uint32_t>(json.at("vertex"));
  for (int i = 0; i < 3; ++i) handle.target[i] = json.at("target").at(toSize(i)).get<double>();
  handle.pinned = json.at("pinned").get<bool>();
  handle.strength = json.at("strength").get<double>();
  return handle;
}

Json toJson(const Edit& edit) {
  Json changes = Json::array();
  for (const Change& change : edit.changes) changes.push_back(std::visit(ChangeWriter(), change));
  return {{"name", edit.name}, {"changes", std::move(changes)}};
}

Edit editFromJson(const Json& json) {
  try {
    Edit edit;
    edit.name = json.at("name").get<std::string>();
    for (const Json& change : json.at("changes")) edit.changes.push_back(changeFromJson(change));
    return edit;
  } catch (const Json::exception& fault) {
    throw Error(ErrorCode::BadInput, std::string("the journal has a step that cannot be read: ") + fault.what());
  }
}

}  // namespace sinew::studio
