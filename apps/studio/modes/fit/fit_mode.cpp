#include "studio/modes/fit/fit_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "studio/modes/checks.h"
#include "studio/modes/fit/fit_info.h"
#include "studio/modes/fit/fit_options.h"

namespace sinew::studio::fit {
namespace {

/// Marks that a job has ended, however it ends.
struct Mark {
  std::atomic<bool>& ended;
  ~Mark() { ended = true; }
};

bool sameExamples(const ExampleList& a, const ExampleList& b) {
  return a.rest == b.rest && std::equal(a.examples.begin(), a.examples.end(), b.examples.begin(), b.examples.end(),
                                        [](const ExampleState& one, const ExampleState& other) {
                                          return one.name == other.name && one.shape == other.shape &&
                                                 one.confidence == other.confidence &&
                                                 flatPose(one.pose) == flatPose(other.pose) &&
                                                 one.pose.morphWeights == other.pose.morphWeights;
                                        });
}

/// Whether what was learned before is no longer of this document.
bool outdates(const Change& change) {
  if (const auto* examples = std::get_if<ExamplesChange>(&change))
    return !sameExamples(examples->before, examples->after);
  return std::holds_alternative<WeightsChange>(change) || std::holds_alternative<CharacterChange>(change) ||
         std::holds_alternative<ClipChange>(change) || std::holds_alternative<LocksChange>(change);
}

}  // namespace

std::span<const CommandRow> FitMode::commands() const {
  static constexpr CommandRow kCommands[] = {
      command<&FitMode::fields>(), command<&FitMode::state>(),   command<&FitMode::start>(),
      command<&FitMode::learn>(),  command<&FitMode::explain>(), command<&FitMode::errors>(),
      command<&FitMode::show>(),   command<&FitMode::keep>(),    command<&FitMode::discard>(),
  };
  return kCommands;
}

void FitMode::opened(const std::shared_ptr<const void>& /*prepared*/) {
  if (running_) running_->unwanted = true;
  running_.reset();
  drop();
}

void FitMode::drop() noexcept {
  preview_.reset();
  triage_.reset();
  choices_.clear();
  ++skin_;
}

void FitMode::edited(const Edit& edit) noexcept {
  if (std::none_of(edit.changes.begin(), edit.changes.end(), outdates)) return;
  const bool shown = preview_ || triage_ || !choices_.empty();
  drop();
  try {
    if (shown) tell();
  } catch (const std::exception&) {
    // The page asks for the state again with the next document.
  }
}

const FitMode::Preview& FitMode::preview() const {
  context_.requireDocument();
  if (!preview_) throw CommandFault("no-result", "there is no result to show", "Run a fit first.");
  return *preview_;
}

std::function<LearnSource()> FitMode::source() const {
  context_.requireSkin();
  if (context_.document().examples.list.examples.empty())
    throw CommandFault("no-examples", "there are no examples to fit to",
                       "Open an examples file, or sculpt examples in Correct.");
  return [from = copyForJob(context_.document()), space = context_.space()] { return sourceOf(from, space); };
}

wire::FitFieldsAnswer FitMode::fields(const wire::FitFieldsCommand& /*asked*/) {
  return {.fields = shownFields()};
}

wire::FitInfo FitMode::info() {
  wire::FitInfo info;
  if (preview_) {
    wire::FitResult& result = preview_->result;
    const auto isKept = [&](const std::string& name) { return name.empty() || context_.keepBlob(name); };
    const auto& [mesh, weights, morphs] = result.blobs;
    if (!isKept(mesh) || !isKept(weights) || !isKept(morphs))
      result.blobs = context_.putMesh(preview_->shown, preview_->skin->drawn);
    info.result = result;
  }
  info.triage = triage_;
  info.choices = choices_;
  return info;
}

void FitMode::tell() {
  context_.sendEvent(wire::FitEvent::kName, recordJson(info()));
}

nlohmann::json FitMode::state(const wire::FitStateCommand& /*asked*/) {
  context_.requireDocument();
  return recordJson(info());
}

template <class Made>
std::uint32_t FitMode::run(const std::string& what, std::function<Made(const sinew::Progress&)> work,
                           std::function<std::string(const Made&)> adopt) {
  if (running_ && !running_->ended) throw CommandFault("busy", "a fit is running", "Wait for it, or cancel it.");
  running_ = std::make_shared<Running>();
  auto made = std::make_shared<Made>();
  const auto job = [work = std::move(work), made, running = running_](const sinew::Progress& progress) {
    const Mark mark{running->ended};
    *made = work([&](const ProgressState& state) { return !running->unwanted && progress(state); });
  };
  const auto done = [this, adopt = std::move(adopt), made, skin = skin_](bool same) {
    if (!same || skin != skin_)
      throw CommandFault("changed",
                         "The skin, its locks or the examples were changed meanwhile, so the result was not kept.");
    return adopt(*made);
  };
  try {
    return context_.startJob(what, job, done);
  } catch (...) {
    running_.reset();
    throw;
  }
}

std::string FitMode::adopt(const LearnedSkinPtr& made) {
  Preview next{.skin = made, .shown = {}, .result = resultOf(*made, ++results_)};
  next.shown.file = made->file;
  next.result.blobs = context_.putMesh(next.shown, made->drawn);
  preview_ = std::move(next);
  if (made->budget) choices_ = choicesOf(*made->budget);
  tell();
  return sentenceOf(*made);
}

wire::FitStartAnswer FitMode::start(const wire::FitStartCommand& asked) {
  auto from = source();
  FitOptions options = optionsOf(asked, context_.document());
  return {.job = run<LearnedSkinPtr>(
              "fit",
              [from = std::move(from), options = std::move(options)](const sinew::Progress& progress) {
                return fitted(from(), options, progress);
              },
              [this](const LearnedSkinPtr& made) { return adopt(made); })};
}

wire::FitLearnAnswer FitMode::learn(const wire::FitLearnCommand& asked) {
  auto from = source();
  BudgetedSkinOptions options{.budget = budgetOf(asked), .rest = asked.rest};
  if (!context_.document().locks.empty())
    throw CommandFault("locked",
                       fmt::format("'{}' is locked, and a skin within a budget gets new weights everywhere",
                                   context_.document().locks.front()),
                       "Unlock all joints, or use Run, which keeps locked weights.");
  return {.job = run<LearnedSkinPtr>(
              "fit.learn",
              [from = std::move(from), options](const sinew::Progress& progress) {
                return learnedWithin(from(), options, progress);
              },
              [this](const LearnedSkinPtr& made) { return adopt(made); })};
}

wire::FitExplainAnswer FitMode::explain(const wire::FitExplainCommand& asked) {
  auto from = source();
  FitOptions options = optionsOf(asked, context_.document());
  const auto work = [from = std::move(from), options = std::move(options)](const sinew::Progress& progress) {
    const LearnSource source = from();
    return triageOf(explainFit(source.file.character, source.examples, options, progress));
  };
  return {.job = run<wire::FitTriage>("fit.explain", work, [this](const wire::FitTriage& made) {
            triage_ = made;
            tell();
            return made.advice;
          })};
}

wire::FitErrorsAnswer FitMode::errors(const wire::FitErrorsCommand& asked) {
  const LearnedSkin& skin = *preview().skin;
  if (asked.example >= skin.source.examples.examples.size())
    throw CommandFault("bad-input", fmt::format("there is no example {}", asked.example));
  return {.blob = context_.putBlob(errorsBlob(skin, asked.example))};
}

void FitMode::show(const wire::FitShowCommand& asked) {
  static_cast<void>(preview());
  const std::uint32_t view = checkedView(context_, asked.view);
  wire::FitFrame message = learnedFrame(*preview_->skin, preview_->shown, context_.document().views[view]);
  message.view = view;
  message.views = static_cast<std::uint32_t>(context_.document().views.size());
  context_.send(message);
}

void FitMode::keep(const wire::FitKeepCommand& /*asked*/) {
  const LearnedSkinPtr skin = preview().skin;
  const Document& document = context_.document();
  std::vector<Pose> poses;
  for (const Pose& pose : document.views) poses.push_back(poseFor(skin->source, skin->file.character, pose));
  const bool fit = skin->fit.has_value();
  context_.commitCharacter(fit ? "Fit the skin" : "Learn a skin", keptFile(*skin, document.file), poses);
}

void FitMode::discard(const wire::FitDiscardCommand& /*asked*/) {
  static_cast<void>(preview());
  preview_.reset();
  tell();
}

}  // namespace sinew::studio::fit
