// The mode Handles: learn a reduced model from example meshes, then pose it by dragging a few vertices.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "session.h"
#include "session_view.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/mesh_sequence.h"
#include "sinew/learn/reduced_clip.h"
#include "sinew/learn/reduced_model.h"
#include "sinew/learn/reduced_skeleton.h"
#include "sinew/samples/samples.h"

namespace sinew::studio {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<IkHandle> solverHandles(const std::vector<HandleState>& handles) {
  std::vector<IkHandle> list;
  for (const HandleState& handle : handles) list.push_back({static_cast<Index>(handle.vertex), handle.strength});
  return list;
}

Points targetsOf(const std::vector<HandleState>& handles) {
  Points targets(3, static_cast<Index>(handles.size()));
  for (std::size_t h = 0; h < handles.size(); ++h) targets.col(static_cast<Index>(h)) = handles[h].target;
  return targets;
}

Vec3 placeOf(const ReducedModel& model, const std::vector<Affine>& controls, std::uint32_t vertex) {
  if (controls.empty()) return model.rest.col(vertex);
  Vec3 place = Vec3::Zero();
  for (const Influence& influence : model.weights[static_cast<Index>(vertex)])
    place += influence.weight * (controls[influence.binding] * Vec3(model.rest.col(vertex)));
  return place;
}

/// The shape that handles ask for.
HandlesState solved(Session& session, std::vector<HandleState> handles, IkStart start) {
  ReducedIk& ik = session.ik();
  ik.setHandles(solverHandles(handles));
  HandlesState state;
  state.controls = ik.solve(targetsOf(handles), start).controls;
  state.handles = std::move(handles);
  return state;
}

class HandleDrag final : public DragTarget {
 public:
  HandleDrag(Session& session, const wire::DragBegin& begin)
      : session_(session), before_(session.document().posed), centre_(session.space().centre), handle_(begin.lead) {
    if (handle_ >= before_.handles.size())
      throw CommandFault("bad-input", fmt::format("there is no handle {}", handle_));
    session.ik().setHandles(solverHandles(before_.handles));
  }

  void move(const wire::DragMove& move) override {
    const Vec3 target = Vec3(move.target[0], move.target[1], move.target[2]) + centre_;
    if (!target.allFinite()) throw CommandFault("malformed", "a target is not a finite place");
    HandlesState& posed = session_.document().posed;
    posed.handles[handle_].target = target;
    const auto begin = Clock::now();
    const IkResult& result = session_.ik().solve(targetsOf(posed.handles), IkStart::Warm);
    posed.controls = result.controls;
    send(result, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }

  std::optional<Edit> finish(const wire::DragEnd& end) override {
    move({.drag = end.drag, .target = end.target, .ray = {}, .pressure = 0});
    // A press without a way, up to what 32 bits hold, is no step.
    const double way = (session_.document().posed.handles[handle_].target - before_.handles[handle_].target).norm();
    if (way < 1e-6 * session_.space().diagonal) {
      cancel();
      return std::nullopt;
    }
    Edit edit{fmt::format("Drag handle {}", handle_ + 1), {HandlesChange{before_, session_.document().posed}}};
    session_.document().posed = before_;
    return edit;
  }

  void cancel() override {
    session_.document().posed = before_;
    session_.sendFrame();
  }

 private:
  void send(const IkResult& result, double milliseconds) {
    const Document& document = session_.document();
    wire::Frame frame = frameOf(document, centre_);
    frame.solveMs = static_cast<float>(milliseconds);
    frame.coalesced = session_.takeCoalesced();
    frame.draft = result.draft ? 1 : 0;
    frame.iterations = static_cast<std::uint32_t>(result.iterations);
    for (const double weight : result.weights) frame.activations.push_back(static_cast<float>(weight));
    for (const HandleState& handle : document.posed.handles) {
      const Vec3 place = placeOf(*document.file.reduced, document.posed.controls, handle.vertex);
      frame.residuals.push_back(static_cast<float>((place - handle.target).norm()));
      const Vec3 shown = place - centre_;
      for (const double x : shown) frame.reached.push_back(static_cast<float>(x));
    }
    session_.sendNewest(frame);
  }

  Session& session_;
  HandlesState before_;
  Vec3 centre_;
  std::size_t handle_;
};

MeshSequence examplesOf(const Json& about, const sinew::Progress& progress) {
  if (about.value("kind", "") == "sample") {
    const Sample sample = makeSample(about.at("title").get<std::string>(), {}, progress);
    MeshSequence sequence;
    sequence.topology = sample.character.mesh;
    for (const Example& example : sample.examples.examples) {
      sequence.shapes.push_back(example.points);
      sequence.names.push_back(example.name);
    }
    sequence.rest = sample.character.mesh.points;
    return sequence;
  }
  return readMeshes(std::vector<std::filesystem::path>{about.at("path").get<std::string>()});
}

struct Learning {
  CharacterFile file;
  std::string sentence;
};

Learning learnModel(const Json& about, int controls, const sinew::Progress& progress) {
  const MeshSequence sequence = examplesOf(about, progress);
  ReducedOptions options;
  options.controls = controls;
  ReducedResult result =
      learnReducedModel(sequence.topology, sequence.shapes, sequence.names, sequence.rest, options, progress);
  Learning learning;
  learning.sentence = result.report.sentence();
  learning.file.character = reducedCharacter(sequence.topology, result.model).character;
  learning.file.reduced = std::make_shared<const ReducedModel>(std::move(result.model));
  return learning;
}

Json learnCommand(Session& session, const Json& args) {
  session.requireDocument();
  const Json about = session.journal().about();
  const int controls = args.value("controls", 0);
  auto learning = std::make_shared<Learning>();
  const std::uint32_t job =
      session.jobs().start([about, controls, learning](
                               const sinew::Progress& progress) { *learning = learnModel(about, controls, progress); },
                           [&session, learning](std::uint32_t id, const std::string& fault, bool cancelled) {
                             session.post([&session, learning, id, fault, cancelled] {
                               if (fault.empty()) {
                                 const std::string before = session.journal().snapshot(session.document().file);
                                 const std::string after = session.journal().snapshot(learning->file);
                                 session.commit({"Learn a reduced model", {CharacterChange{before, after}}});
                               }
                               session.sendEvent("job", {{"job", id},
                                                         {"what", "learn"},
                                                         {"fault", fault},
                                                         {"cancelled", cancelled},
                                                         {"sentence", learning->sentence}});
                             });
                           });
  return {{"job", job}};
}

void commitHandles(Session& session, const std::string& name, std::vector<HandleState> handles) {
  HandlesState after = solved(session, std::move(handles), IkStart::Warm);
  session.commit({name, {HandlesChange{session.document().posed, std::move(after)}}});
}

Json placeCommand(Session& session, const Json& args) {
  const ReducedModel& model = session.ik().model();
  const auto vertex = args.at("vertex").get<std::uint32_t>();
  if (static_cast<Index>(vertex) >= model.rest.cols())
    throw CommandFault("bad-input", fmt::format("there is no vertex {}", vertex));
  HandlesState state = session.document().posed;
  if (std::any_of(state.handles.begin(), state.handles.end(), [&](const auto& h) { return h.vertex == vertex; }))
    throw CommandFault("bad-input", fmt::format("vertex {} has a handle already", vertex));
  // Where the vertex is now: placing a handle moves nothing.
  state.handles.push_back({vertex, placeOf(model, state.controls, vertex), args.value("pinned", false), 0});
  session.commit({fmt::format("Place a handle at vertex {}", vertex),
                  {HandlesChange{session.document().posed, std::move(state)}}});
  return {{"handle", session.document().posed.handles.size() - 1}};
}

std::size_t handleOf(Session& session, const Json& args) {
  session.requireDocument();
  const auto handle = args.at("handle").get<std::size_t>();
  if (handle >= session.document().posed.handles.size())
    throw CommandFault("bad-input", fmt::format("there is no handle {}", handle));
  return handle;
}

Json removeCommand(Session& session, const Json& args) {
  const std::size_t handle = handleOf(session, args);
  std::vector<HandleState> handles = session.document().posed.handles;
  handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(handle));
  commitHandles(session, fmt::format("Remove handle {}", handle + 1), std::move(handles));
  return Json::object();
}

Json pinCommand(Session& session, const Json& args) {
  const std::size_t handle = handleOf(session, args);
  HandlesState state = session.document().posed;
  state.handles[handle].pinned = args.at("pinned").get<bool>();
  session.commit({state.handles[handle].pinned ? "Pin a handle" : "Unpin a handle",
                  {HandlesChange{session.document().posed, std::move(state)}}});
  return Json::object();
}

Json resetCommand(Session& session, const Json& /*args*/) {
  session.requireDocument();
  session.commit({"Back to the rest", {HandlesChange{session.document().posed, {}}}});
  return Json::object();
}

Json keyCommand(Session& session, const Json& args) {
  const ReducedModel& model = session.ik().model();
  const auto time = args.at("time").get<double>();
  if (!(time >= 0)) throw CommandFault("bad-input", fmt::format("a key at {} s; keys are at 0 or later", time));
  KeyState key{time, session.document().posed};
  if (key.state.controls.empty())
    key.state.controls.assign(static_cast<std::size_t>(model.controlCount()), Affine::Identity());
  std::vector<KeyState> keys = session.document().keys;
  std::erase_if(keys, [&](const KeyState& old) { return std::abs(old.time - time) < 1e-6; });
  keys.push_back(std::move(key));
  std::sort(keys.begin(), keys.end(), [](const KeyState& a, const KeyState& b) { return a.time < b.time; });
  session.commit({fmt::format("Key at {:.2f} s", time), {KeysChange{session.document().keys, std::move(keys)}}});
  return Json::object();
}

Json goToKeyCommand(Session& session, const Json& args) {
  session.requireDocument();
  const auto index = args.at("key").get<std::size_t>();
  if (index >= session.document().keys.size())
    throw CommandFault("bad-input", fmt::format("there is no key {}", index));
  session.commit({"Go to a key", {HandlesChange{session.document().posed, session.document().keys[index].state}}});
  return Json::object();
}

Json unkeyCommand(Session& session, const Json& args) {
  session.requireDocument();
  const auto index = args.at("key").get<std::size_t>();
  std::vector<KeyState> keys = session.document().keys;
  if (index >= keys.size()) throw CommandFault("bad-input", fmt::format("there is no key {}", index));
  keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(index));
  session.commit({"Remove a key", {KeysChange{session.document().keys, std::move(keys)}}});
  return Json::object();
}

/// Controls of the keys' clip at a time: what the exported file plays.
std::vector<Affine> controlsAt(const Character& keyed, double seconds) {
  Pose pose = restPose(keyed);
  sampleClip(keyed.clips.front(), seconds, pose);
  PosedJoints posed;
  poseJoints(keyed, pose, posed);
  return posed.worldFromRest;
}

/// Shows a time between the keys. No step: the handles stay where they are.
Json showCommand(Session& session, const Json& args) {
  const auto seconds = args.at("time").get<double>();
  std::vector<Affine> controls = controlsAt(session.keyed(), seconds);
  std::swap(controls, session.document().posed.controls);
  session.sendFrame();
  std::swap(controls, session.document().posed.controls);
  return Json::object();
}

/// How far the skin of a file that was read again is from the model, at the keys.
double deviationOf(const Character& read, const ReducedModel& model, const std::vector<KeyState>& keys) {
  double most = 0;
  Points wanted(3, model.rest.cols());
  for (const KeyState& key : keys) {
    deformReduced(model, key.state.controls, wanted);
    Pose pose = restPose(read);
    sampleClip(read.clips.front(), key.time, pose);
    most = std::max(most, (posePoints(read, pose) - wanted).colwise().norm().maxCoeff());
  }
  return most;
}

Json exportCommand(Session& session, const Json& args) {
  CharacterFile file;
  file.character = session.keyed();
  file.reduced = session.document().file.reduced;
  const std::filesystem::path path = session.confined(args.at("path").get<std::string>());
  const LostList lost = writeCharacter(path, file);
  const double deviation =
      deviationOf(readCharacter(path).character, *file.reduced, session.document().keys) / session.space().diagonal;
  return {{"path", path.string()}, {"lost", lost}, {"deviation", deviation}};
}

constexpr SessionCommand kCommands[] = {
    {"handles.learn", learnCommand},   {"handles.place", placeCommand}, {"handles.remove", removeCommand},
    {"handles.pin", pinCommand},       {"handles.reset", resetCommand}, {"handles.key", keyCommand},
    {"handles.goto", goToKeyCommand},  {"handles.unkey", unkeyCommand}, {"handles.show", showCommand},
    {"handles.export", exportCommand},
};

}  // namespace

const Character& Session::keyed() {
  const ReducedModel& model = ik().model();
  if (document_.keys.empty()) throw CommandFault("no-keys", "there are no keys yet", "Key a pose first.");
  if (!keyed_) {
    std::vector<KeyPose> keys;
    for (const KeyState& key : document_.keys) keys.push_back({key.time, key.state.controls});
    keyed_ =
        std::make_unique<const Character>(keyedCharacter(document_.file.character.mesh, model, keys, "keys").character);
  }
  return *keyed_;
}

std::span<const SessionCommand> handleCommands() {
  return kCommands;
}

std::unique_ptr<DragTarget> beginHandleDrag(Session& session, const wire::DragBegin& begin) {
  return std::make_unique<HandleDrag>(session, begin);
}

}  // namespace sinew::studio
