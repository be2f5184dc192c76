// The mode Handles: learn a reduced model from example meshes, then pose it by dragging a few vertices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "sinew/base/error.h"
#include "sinew/io/mesh_sequence.h"
#include "sinew/learn/decompose.h"
#include "sinew/learn/reduced_skeleton.h"
#include "sinew/samples/samples.h"
#include "studio/session/describe.h"
#include "studio/session/session.h"

namespace sinew::studio {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostStrength = 1000;

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

/// Gives the solver the handles, and the pose that it goes on from: that of the state, whatever was solved before.
IkStart prepare(ReducedIk& ik, const HandlesState& state) {
  ik.setHandles(solverHandles(state.handles));
  if (state.weights.size() != ik.model().exampleCount()) return IkStart::Fresh;
  ik.startFrom(Eigen::Map<const Eigen::VectorXd>(state.weights.data(), static_cast<Index>(state.weights.size())),
               state.turn);
  return IkStart::Warm;
}

void take(const IkResult& result, HandlesState& state) {
  state.controls = result.controls;
  state.weights.assign(result.weights.begin(), result.weights.end());
  state.turn = result.rotation;
}

class HandleDrag final : public DragTarget {
 public:
  HandleDrag(Session& session, const wire::DragBegin& begin)
      : session_(session), before_(session.document().posed), centre_(session.space().centre), handle_(begin.lead) {
    if (handle_ >= before_.handles.size())
      throw CommandFault("bad-input", fmt::format("there is no handle {}", handle_));
    start_ = prepare(session.ik(), before_);
  }

  void move(const wire::DragMove& move) override {
    const Vec3 target = Vec3(move.target[0], move.target[1], move.target[2]) + centre_;
    if (!target.allFinite()) throw CommandFault("malformed", "a target is not a finite place");
    HandlesState& posed = session_.document().posed;
    posed.handles[handle_].target = target;
    const auto begin = Clock::now();
    const IkResult& result = session_.ik().solve(targetsOf(posed.handles), start_);
    start_ = IkStart::Warm;
    take(result, posed);
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
    wire::Frame frame = frameOf(session_.document(), centre_);
    frame.solveMs = static_cast<float>(milliseconds);
    frame.coalesced = session_.takeCoalesced();
    frame.draft = result.draft ? 1 : 0;
    frame.iterations = static_cast<std::uint32_t>(result.iterations);
    frame.queueMs = static_cast<float>(session_.millisecondsSinceArrival() - milliseconds);
    session_.sendNewest(frame);
  }

  Session& session_;
  HandlesState before_;
  Vec3 centre_;
  std::size_t handle_;
  IkStart start_ = IkStart::Fresh;
};

struct TemporaryFile {
  std::filesystem::path path;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

/// What is learned from: all that the job needs of the document, which may change or go meanwhile.
struct LearnSource {
  Json about;
  CharacterFile file;
  std::filesystem::path scratch;  ///< a file that is gone afterwards
  Index sampleVertices = 0;
  FileRules rules = {};
};

MeshSequence sampleExamples(const LearnSource& source, const sinew::Progress& progress) {
  // Saved under another name it is the same sample.
  const std::string name = source.about.value("sample", source.about.value("title", ""));
  const Sample sample = makeSample(name, {.vertices = source.sampleVertices}, progress);
  MeshSequence sequence;
  sequence.topology = sample.character.mesh;
  for (const Example& example : sample.examples.examples) {
    sequence.shapes.push_back(example.points);
    sequence.names.push_back(example.name);
  }
  sequence.rest = sample.character.mesh.points;
  return sequence;
}

/// The meshes that were opened, wherever the document is saved to by now, and without those that were skipped.
MeshSequence folderExamples(const LearnSource& source, const sinew::Progress& progress) {
  const Json& about = source.about;
  std::vector<std::filesystem::path> paths;
  for (const Json& mesh : about.at("meshes")) paths.emplace_back(mesh.get<std::string>());
  MeshSequence sequence = readMeshes(paths, {.progress = partProgress(progress, 0, 0), .rules = source.rules});
  if (about.contains("rest")) {
    const std::filesystem::path rest = about["rest"].get<std::string>();
    sequence.topology.points = readMeshes(std::vector{rest}, {.rules = source.rules}).shapes.front();
    sequence.rest = sequence.topology.points;
  }
  return sequence;
}

/// A character gives the frames of its clip, with all that was done to it here.
MeshSequence characterExamples(const LearnSource& source) {
  writeCharacter(source.scratch, source.file);
  const TemporaryFile gone{source.scratch};
  return readMeshes(std::vector{source.scratch});
}

MeshSequence examplesOf(const LearnSource& source, const sinew::Progress& progress) {
  if (source.about.value("kind", "") == "sample") return sampleExamples(source, progress);
  if (source.about.contains("meshes")) return folderExamples(source, progress);
  return characterExamples(source);
}

struct Learning {
  CharacterFile file;
  std::string sentence;
};

Learning learnModel(const LearnSource& source, int controls, const sinew::Progress& progress) {
  const MeshSequence sequence = examplesOf(source, progress);
  // As `sinew reduce` does without flags.
  ReducedResult result = decomposeSkin(sequence.topology, sequence.shapes, sequence.names, sequence.rest,
                                       {.bones = controls, .rigid = false}, progress);
  Learning learning;
  learning.sentence = result.report.sentence();
  learning.file.character = reducedCharacter(sequence.topology, result.model).character;
  learning.file.reduced = std::make_shared<const ReducedModel>(std::move(result.model));
  return learning;
}

/// A bare mesh becomes the model, as a step; a character stays what it is, and the model is a document beside it.
void adoptModel(Session& session, const Learning& learning) {
  const Character& character = session.document().file.character;
  const bool bare = !hasWeights(character) && character.clips.empty() && character.morphs.empty();
  if (!bare) return session.openModel(learning.file);
  const std::string before = session.journal().snapshot(session.document().file);
  const std::string after = session.journal().snapshot(learning.file);
  session.commit({"Learn a reduced model", {CharacterChange{before, after}}});
}

/// A model that nobody can see any more is not dropped without a word.
std::string adoptedOrWhyNot(Session& session, std::uint32_t number, const Learning& learning) {
  if (session.number() != number) return "Another document was opened while the model was learned, so it was not kept.";
  try {
    adoptModel(session, learning);
  } catch (const std::exception& fault) {
    return fault.what();
  }
  return {};
}

Json learnCommand(Session& session, const Json& args) {
  session.requireDocument();
  const std::uint32_t number = session.number();
  const int controls = args.value("controls", 0);
  const LearnSource source{.about = session.journal().about(),
                           .file = session.document().file,
                           .scratch = session.newFolder(session.journal().folder()).string() + ".glb",
                           .sampleVertices = static_cast<Index>(session.options().samplesVertices),
                           .rules = rulesFor(session.options(), session.journal().about().value("path", ""))};
  auto learning = std::make_shared<Learning>();
  const auto work = [source, controls, learning](const sinew::Progress& progress) {
    *learning = learnModel(source, controls, progress);
  };
  const auto done = [&session, number, learning](std::uint32_t id, const std::string& fault, bool cancelled) {
    session.post([&session, number, learning, id, fault, cancelled] {
      const std::string why = fault.empty() ? adoptedOrWhyNot(session, number, *learning) : fault;
      session.sendEvent(
          "job",
          {{"job", id}, {"what", "learn"}, {"fault", why}, {"cancelled", cancelled}, {"sentence", learning->sentence}});
    });
  };
  return {{"job", session.jobs().start(work, done)}};
}

/// A step to the shape that handles ask for.
void commitHandles(Session& session, const std::string& name, std::vector<HandleState> handles) {
  HandlesState after = session.document().posed;
  after.handles = std::move(handles);
  ReducedIk& ik = session.ik();
  const IkStart start = prepare(ik, after);
  take(ik.solve(targetsOf(after.handles), start), after);
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

Json unpinCommand(Session& session, const Json& /*args*/) {
  session.requireDocument();
  HandlesState state = session.document().posed;
  if (std::none_of(state.handles.begin(), state.handles.end(), [](const HandleState& h) { return h.pinned; }))
    return Json::object();
  for (HandleState& handle : state.handles) handle.pinned = false;
  session.commit({"Unpin all handles", {HandlesChange{session.document().posed, std::move(state)}}});
  return Json::object();
}

/// A handle to a typed place.
Json moveCommand(Session& session, const Json& args) {
  const std::size_t handle = handleOf(session, args);
  const auto target = args.at("target").get<std::array<double, 3>>();
  std::vector<HandleState> handles = session.document().posed.handles;
  handles[handle].target = Vec3(target[0], target[1], target[2]);
  if (!handles[handle].target.allFinite()) throw CommandFault("bad-input", "a target is not a finite place");
  commitHandles(session, fmt::format("Move handle {}", handle + 1), std::move(handles));
  return Json::object();
}

Json strengthCommand(Session& session, const Json& args) {
  const std::size_t handle = handleOf(session, args);
  const auto strength = args.at("strength").get<double>();
  if (!(strength >= 0 && strength <= kMostStrength))
    throw CommandFault("bad-input", fmt::format("a strength of {}; it is 0 (exact) to {}", strength, kMostStrength));
  std::vector<HandleState> handles = session.document().posed.handles;
  handles[handle].strength = strength;
  commitHandles(session, fmt::format("Strength of handle {}", handle + 1), std::move(handles));
  return Json::object();
}

Json resetHandlesCommand(Session& session, const Json& /*args*/) {
  session.requireDocument();
  session.commit({"Back to the rest", {HandlesChange{session.document().posed, {}}}});
  return Json::object();
}

constexpr SessionCommand kHandleCommands[] = {
    {"handles.learn", learnCommand},        {"handles.place", placeCommand},
    {"handles.remove", removeCommand},      {"handles.pin", pinCommand},
    {"handles.unpin", unpinCommand},        {"handles.move", moveCommand},
    {"handles.reset", resetHandlesCommand}, {"handles.strength", strengthCommand},
};

}  // namespace

std::span<const SessionCommand> handleCommands() {
  return kHandleCommands;
}

std::unique_ptr<DragTarget> beginHandleDrag(Session& session, const wire::DragBegin& begin) {
  return std::make_unique<HandleDrag>(session, begin);
}

}  // namespace sinew::studio
