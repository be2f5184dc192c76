#include "studio/modes/export/export_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sinew/base/choice.h"
#include "sinew/base/text.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "studio/modes/checks.h"
#include "studio/modes/export/kept_morphs.h"
#include "studio/modes/export/unkept.h"
#include "studio/modes/export/written_file.h"

namespace sinew::studio::exporting {
namespace {

namespace fs = std::filesystem;

/// Larger numbers are mistakes.
constexpr std::uint32_t kMostInfluences = 64;
constexpr std::uint32_t kMostMorphs = 1024;

std::uint32_t u32(std::size_t value) {
  return static_cast<std::uint32_t>(value);
}

int checkedLimit(std::uint32_t value, const char* what, std::uint32_t most) {
  if (value > most) throw CommandFault("bad-input", fmt::format("{} is {}; it must be at most {}", what, value, most));
  return static_cast<int>(value);
}

ExportOptions optionsOf(const wire::ExportPlanCommand& asked) {
  ExportOptions options;
  options.extension = asked.extension;
  options.influences = checkedLimit(asked.influences, "max influences", kMostInfluences);
  options.weights = choiceNamed<WeightFormat>(asked.weights, "weights");
  options.framesPerSecond = asked.fps;
  options.skin = asked.skin;
  options.helpers = asked.helpers;
  options.correctives = asked.correctives;
  options.method = choiceNamed<MorphMethod>(asked.method, "method");
  options.morphs = checkedLimit(asked.morphs, "the number of morph targets", kMostMorphs);
  options.quantize = asked.quantize;
  options.normals = asked.normals;
  options.withoutClips = asked.withoutClips;
  options.poses = asked.poses;
  options.examples = asked.examples;
  return options;
}

bool isWritable(const std::string& extension) {
  return std::any_of(formats().begin(), formats().end(), [&](const FormatRow& row) {
    return row.write != nullptr &&
           std::find(row.extensions.begin(), row.extensions.end(), extension) != row.extensions.end();
  });
}

/// `morphBytes`: of the learned morph targets in the file.
wire::ExportPlanEvent planEvent(const Prepared& prepared, const std::vector<LimitCost>& limits, double morphBytes) {
  wire::ExportPlanEvent event;
  for (const LimitCost& cost : limits) {
    const auto max = std::max_element(cost.distances.begin(), cost.distances.end());
    event.influences.push_back({.most = u32(toSize(cost.most)),
                                .vertices = u32(cost.vertices.size()),
                                .max = max == cost.distances.end() ? 0 : static_cast<double>(*max),
                                .rms = cost.rms});
  }
  event.morphs = u32(toSize(prepared.refit.morphs));
  if (prepared.refit.morphs > 0) event.method = nameOf(prepared.refit.method);
  event.kept = prepared.keptMorphs;
  event.morphBytes = morphBytes;
  const double each = morphBytes / std::max(1, prepared.refit.morphs);
  for (const PoseSpaceTrade& row : prepared.refit.trade) {
    event.trade.push_back({.morphs = u32(toSize(row.morphs)),
                           .method = std::string(nameOf(row.method)),
                           .bytes = each * row.morphs,
                           .rms = row.rms,
                           .heldOut = row.heldOut});
  }
  event.baked = u32(prepared.file.character.helpers.size());
  event.lost = prepared.left;
  for (const std::string& warning : prepared.refit.warnings) event.lost.push_back(asSentence(withoutFlags(warning)));
  return event;
}

/// Everything of a plan, with the file in memory.
Plan planned(const Document& from, const Pose& shown, const ExportOptions& options, const fs::path& scratch,
             const sinew::Progress& progress) {
  const CharacterFile& document = from.file;
  Plan plan;
  plan.prepared = prepare(document, options, partProgress(progress, 0, 0.7));
  report(progress, {0.7, "writing"});
  FileInMemory made = writtenInMemory(scratch, plan.prepared);
  const WrittenFile& file = made.file;
  const ReRead read(document, std::move(made.read), plan.prepared);
  const std::vector<Moment> moments = momentsOf(document, plan.prepared, shown, read);
  if (plan.prepared.animated) plan.limits = limitCosts(document, moments, partProgress(progress, 0.75, 0.85));
  const double morphBytes = plan.prepared.animated ? learnedMorphBytes(read.file(), options.quantize) : 0;
  plan.told = planEvent(plan.prepared, plan.limits, morphBytes);
  plan.told.lost.insert(plan.told.lost.end(), file.lost.begin(), file.lost.end());
  const std::vector<std::string> unkept = unkeptSentences(document, unkeptWork(from));
  plan.told.lost.insert(plan.told.lost.begin(), unkept.begin(), unkept.end());
  plan.told.bytes = file.bytes;
  plan.told.deviation = deviationOf(document, read, moments, partProgress(progress, 0.85, 1));
  return plan;
}

}  // namespace

std::span<const CommandRow> ExportMode::commands() const {
  static constexpr CommandRow kCommands[] = {
      command<&ExportMode::content>(), command<&ExportMode::plan>(),    command<&ExportMode::influences>(),
      command<&ExportMode::write>(),   command<&ExportMode::compare>(), command<&ExportMode::play>(),
      command<&ExportMode::stop>(),    command<&ExportMode::vertex>(),
  };
  return kCommands;
}

void ExportMode::opened(const std::shared_ptr<const void>& /*prepared*/) {
  asked_ = false;
  if (dropped_) *dropped_ = true;
  plan_.reset();
  forgetFile();
  view_ = 0;
}

/// What a file would hold is no longer known; the file on disk stays as it was compared.
void ExportMode::edited(const Edit& edit) noexcept {
  const auto changes = [](const Change& change) {
    return !std::holds_alternative<PoseChange>(change) && !std::holds_alternative<LocksChange>(change);
  };
  if (std::none_of(edit.changes.begin(), edit.changes.end(), changes)) return;
  ++changes_;
  if (!asked_) return;
  asked_ = false;
  if (dropped_) *dropped_ = true;
  plan_.reset();
  forgetFile();
  try {
    context_.tell(wire::ExportStaleEvent{});
  } catch (const std::exception&) {
    // The page asks again when it reconnects.
  }
}

void ExportMode::forgetFile() {
  read_.reset();
  playing_.reset();
  comparing_ = false;
  apart_.resize(3, 0);
}

void ExportMode::requireCharacter() const {
  context_.requireDocument();
  if (context_.document().file.reduced)
    throw CommandFault("model", "a reduced model is exported in Handles", "Use Export animation there.");
}

wire::ExportContentAnswer ExportMode::content(const wire::ExportContentCommand& /*asked*/) {
  context_.requireDocument();
  const CharacterFile& file = context_.document().file;
  wire::ExportContentAnswer answer;
  for (const FormatRow& row : formats()) {
    if (row.write == nullptr) continue;
    const std::string extension(row.extensions.front());
    answer.formats.push_back({std::string(row.name), extension, holdsSkin(extension)});
  }
  answer.learned = file.poseSpace != nullptr;
  answer.refits = refitsMorphs(file);
  if (const auto learned = learnedMorphsOf(file)) answer.morphs = u32(toSize(learned->morphs));
  if (file.poseSpace) answer.examples = u32(file.poseSpace->exampleCount() - 1);
  answer.examplesClip = examplesClipOf(file);
  answer.helpers = u32(file.character.helpers.size());
  answer.ownMorphs = u32(file.character.morphs.size() - file.poseSpaceMorphs.morphs.size());
  return answer;
}

wire::ExportPlanAnswer ExportMode::plan(const wire::ExportPlanCommand& asked) {
  requireCharacter();
  if (!isWritable(asked.extension))
    throw CommandFault("bad-input", fmt::format("files with the extension '{}' cannot be written", asked.extension));
  options_ = optionsOf(asked);
  for (const std::uint32_t clip : options_.withoutClips) {
    if (clip >= context_.document().file.character.clips.size())
      throw CommandFault("bad-input", fmt::format("there is no clip {}", clip));
  }
  asked_ = true;
  if (dropped_) *dropped_ = true;
  dropped_ = std::make_shared<std::atomic<bool>>(false);
  plan_.reset();
  auto plan = std::make_shared<Plan>();
  const auto work = [from = copyForJob(context_.document()), shown = shownPose(), options = options_,
                     scratch = context_.scratchFile(options_.extension), dropped = dropped_,
                     plan](const sinew::Progress& progress) {
    const sinew::Progress unlessDropped = [&](const ProgressState& state) { return !*dropped && progress(state); };
    *plan = planned(from, shown, options, scratch, unlessDropped);
  };
  const auto job = std::make_shared<std::uint32_t>(0);
  const auto done = [this, plan, dropped = dropped_, job](bool same) {
    if (!same || *dropped) return std::string();
    plan->told.job = *job;
    plan_ = plan;
    context_.tell(plan->told);
    return std::string();
  };
  *job = context_.startJob("exportPlan", work, done, ModeContext::Earlier::AreReplaced);
  return {.job = *job};
}

wire::ExportInfluencesAnswer ExportMode::influences(const wire::ExportInfluencesCommand& asked) {
  if (!plan_) throw CommandFault("no-plan", "the costs are not computed yet", "Wait until they are.");
  for (const LimitCost& cost : plan_->limits) {
    if (cost.most != static_cast<int>(asked.most)) continue;
    BlobWriter blob;
    blob.add(ArrayKind::Vertices, 1, cost.vertices);
    blob.add(ArrayKind::Distances, 1, cost.distances);
    return {.blob = context_.putBlob(blob.finish())};
  }
  throw CommandFault("bad-input", fmt::format("{} influences were not compared; 4 and 8 are", asked.most));
}

wire::ExportWriteAnswer ExportMode::write(const wire::ExportWriteCommand& asked) {
  requireCharacter();
  if (!asked_) throw CommandFault("no-plan", "the options of the export are not known", "Open Export again.");
  if (asked.path.starts_with("upload:")) throw CommandFault("bad-input", "a dropped file cannot be written to");
  const fs::path path = context_.confined(asked.path);
  if (path.extension() != options_.extension)
    throw CommandFault("bad-input", fmt::format("{} does not end in {}", path.filename().string(), options_.extension),
                       "Choose the format of its ending, or another name.");
  if (!asked.replace) requireFree(context_, path, "what is exported");
  checkFolderWritable(path);
  struct Result {
    wire::ExportWrittenEvent told;
    Comparison compared;
    std::vector<Pose> examples;
  };
  auto result = std::make_shared<Result>();
  const auto work = [file = context_.document().file, shown = shownPose(), options = options_, path, plan = plan_,
                     rules = context_.rulesFor(path), replace = asked.replace,
                     result](const sinew::Progress& progress) {
    const auto begin = std::chrono::steady_clock::now();
    const Prepared prepared = plan ? plan->prepared : prepare(file, options, partProgress(progress, 0, 0.7));
    const WrittenFile written = writeNow(path, prepared, replace, partProgress(progress, 0.7, 0.85));
    result->told.path = path.string();
    result->told.lost = prepared.left;
    result->told.lost.insert(result->told.lost.end(), written.lost.begin(), written.lost.end());
    result->told.bytes = written.bytes;
    // The file is complete: it is too late to cancel.
    const sinew::Progress anyway = [&](const ProgressState& state) {
      progress({0.85 + 0.15 * state.fraction, state.stage, state.value});
      return true;
    };
    result->compared = comparedWith(path, rules, file, prepared, shown, anyway);
    result->told.deviation = result->compared.deviation;
    result->told.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result->examples = prepared.examples;
  };
  const auto job = std::make_shared<std::uint32_t>(0);
  const auto done = [this, result, job, changes = changes_](bool same) {
    result->told.job = *job;
    return adopt(result->told, result->compared, result->examples, same && changes == changes_);
  };
  *job = context_.startJob("export", work, done);
  return {.job = *job, .path = path.string()};
}

std::string ExportMode::adopt(wire::ExportWrittenEvent& told, const Comparison& compared,
                              const std::vector<Pose>& examples, bool same) {
  std::string sentence = fmt::format("Wrote {}.", told.path);
  if (!compared.read) {
    sentence = fmt::format("Wrote {}, but it was not compared with the document: {}.", told.path, compared.fault);
    context_.tell(wire::WarningEvent{.text = sentence});
  }
  // It cannot be compared with another document.
  if (!same) return sentence;
  settle();
  forgetFile();
  if (!compared.read) return sentence;
  read_ = compared.read;
  examples_ = examples;
  const Character& character = read_->character();
  told.vertices = u32(toSize(character.mesh.vertexCount()));
  for (std::size_t c = 0; c < character.clips.size(); ++c)
    told.clips.push_back({.index = u32(c), .name = character.clips[c].name, .seconds = character.clips[c].seconds()});
  beside_ = Document();
  beside_.title = fs::path(told.path).filename().string();
  beside_.file.character = character;
  beside_.file.source = read_->file().source;
  beside_.views = {restPose(character)};
  drawn_ = DrawnCharacter();
  told.blobs = context_.putCharacter(beside_, drawn_);
  context_.tell(told);
  return sentence;
}

void ExportMode::requireFile() const {
  if (!read_) throw CommandFault("no-file", "there is no written file to compare", "Write one first.");
}

Pose ExportMode::shownPose() const {
  return context_.document().views[shownView()];
}

std::uint32_t ExportMode::shownView() const {
  return std::min(view_, u32(context_.document().views.size() - 1));
}

void ExportMode::compare(const wire::ExportCompareCommand& asked) {
  comparing_ = false;
  if (!asked.shown) return;
  requireFile();
  const std::uint32_t view = checkedView(context_, asked.view);
  if (playing_ && playing_->view != view) settle();
  comparing_ = true;
  view_ = view;
  shown(view_);
}

Pose ExportMode::pose() const {
  if (playing_) return read_->poseAt(playing_->clip, playing_->time);
  return read_->transferred(context_.document().file.character, shownPose());
}

void ExportMode::shown(std::uint32_t view) {
  if (view != shownView()) return;
  apart_.resize(3, 0);
  if (!comparing_ || !read_) return;
  beside_.views.front() = pose();
  wire::Frame frame = frameOf(beside_, drawn_, 0);
  context_.send(wire::ExportFrame{.palette = std::move(frame.palette),
                                  .targets = std::move(frame.targets),
                                  .targetWeights = std::move(frame.targetWeights)});
}

void ExportMode::play(const wire::ExportPlayCommand& asked) {
  requireFile();
  if (asked.clip >= read_->character().clips.size())
    throw CommandFault("bad-input", fmt::format("the file has no clip {}", asked.clip));
  context_.settleOthers(*this);
  if (!playing_) playing_ = Playing{.view = shownView(), .before = shownPose()};
  playing_->clip = asked.clip;
  playing_->time = asked.time;
  const CharacterFile& file = context_.document().file;
  context_.showPose(playing_->view, documentPose(file, read_->clips()[asked.clip], examples_, asked.time));
  context_.sendView(playing_->view);
}

void ExportMode::stop(const wire::ExportStopCommand& /*asked*/) {}  // as every edit, it has settled

void ExportMode::settle() {
  if (!playing_) return;
  Playing played = std::move(*playing_);
  playing_.reset();
  context_.showPose(played.view, std::move(played.before));
  context_.sendView(played.view);
}

wire::ExportVertexAnswer ExportMode::vertex(const wire::ExportVertexCommand& asked) {
  const CharacterFile& file = context_.document().file;
  requireFile();
  if (static_cast<Index>(asked.vertex) >= file.character.mesh.vertexCount())
    throw CommandFault("bad-input", fmt::format("there is no vertex {}", asked.vertex));
  if (apart_.cols() == 0) {
    const Points wanted = posePoints(file.character, shownPose(), file.playback());
    apart_ = read_->inOrder(posePoints(read_->character(), pose()), wanted) - wanted;
  }
  return {.deviation = apart_.col(static_cast<Index>(asked.vertex)).norm()};
}

}  // namespace sinew::studio::exporting
