// Learning in the background: the latest examples and options win, and the result is only shown until it is kept.
#include <fmt/format.h>

#include "sinew/base/error.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/learn/pose_space_character.h"
#include "studio/modes/checks.h"
#include "studio/modes/correct/correct_mode.h"
#include "studio/modes/correct/learn_options.h"

namespace sinew::studio::correct {
namespace {

/// What morph targets may leave of the model, in diagonals: the examples must look right where only these play.
constexpr double kKeptError = 5e-5;

wire::LearnedExample learnedExample(const PoseSpaceExample& example) {
  return {example.name,    example.before.rmsPercent, example.after.rmsPercent, example.leaveOneOut.rmsPercent,
          example.nearest, example.nearestName};
}

}  // namespace

CharacterFile learner(CharacterFile file) {
  removePoseSpaceMorphs(file.poseSpaceMorphs, file.character);
  file.poseSpaceMorphs = {};
  file.poseSpace = nullptr;
  return file;
}

ExampleSet learnedSet(const Document& document) {
  ExampleSet set = exampleSet(document);
  for (Example& example : set.examples) example.pose = poseOfExample(document.file, example.pose);
  return set;
}

wire::CorrectFieldsAnswer CorrectMode::fields(const wire::CorrectFieldsCommand& /*asked*/) {
  return {.fields = optionFields()};
}

void CorrectMode::stopLearning() noexcept {
  if (stop_) *stop_ = true;
  stop_.reset();
}

wire::CorrectLearnAnswer CorrectMode::learn(const wire::CorrectLearnCommand& asked) {
  context_.requireSkin();
  PoseSpaceOptions options = optionsOf(asked.names, asked.values);
  stopLearning();
  if (list().examples.empty()) {
    learned_.reset();
    context_.sendViews();
    return {};
  }
  auto stop = std::make_shared<std::atomic<bool>>(false);
  struct Made {
    std::shared_ptr<LearnedModel> model;
    std::string fault;
  };
  auto made = std::make_shared<Made>();
  const auto work = [from = copyForJob(context_.document()), options, stop, made](const sinew::Progress& progress) {
    const sinew::Progress asking = [&](const ProgressState& state) { return !*stop && (!progress || progress(state)); };
    try {
      const Character character = learner(from.file).character;
      const ExampleSet set = learnedSet(from);
      PoseSpaceResult result = learnPoseSpace(character, set, options, asking);
      made->model = std::make_shared<LearnedModel>(character, std::move(result));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Cancelled) throw;
      made->fault = error.message();
    }
  };
  const auto done = [this, stop, made](bool same) -> std::string {
    if (!same || stop != stop_) return {};
    stop_.reset();
    learned_ = made->model;
    tellLearned(made->fault);
    context_.sendViews();
    return learned_ ? learned_->report().sentence() : std::string();
  };
  stop_ = stop;
  return {.job = context_.startJob("relearn", work, done, ModeContext::Earlier::AreReplaced)};
}

void CorrectMode::tellLearned(const std::string& fault) {
  wire::LearnedEvent event{.fault = fault};
  if (learned_) {
    const PoseSpaceReport& report = learned_->report();
    const PoseSpaceModel& model = learned_->model();
    event.sentence = report.sentence();
    event.kernel = report.kernel;
    event.radius = report.radius;
    event.condition = report.condition;
    event.rank = static_cast<std::uint32_t>(report.rank);
    event.touched = static_cast<std::uint32_t>(report.touched);
    event.coverage = report.coverage;
    event.before = report.before.rmsPercent;
    event.after = report.after.rmsPercent;
    event.leaveOneOut = report.leaveOneOut.rmsPercent;
    event.seconds = report.seconds;
    event.names = model.names;
    for (const std::string& warning : report.warnings) event.warnings.push_back(withoutFlags(warning));
    for (const PoseDriver& driver : model.poseSpace.drivers) event.drivers.push_back({driver.name, driver.weight});
    for (const PoseSpaceExample& example : report.examples) event.examples.push_back(learnedExample(example));
    for (Index k = 0; k < model.poses.cols(); ++k) event.places.push_back(learned_->placeOf(model.poses.col(k)));
    for (const SculptHint& hint : report.next) {
      event.hints.push_back({hint.between, 100 * hint.predictedError / std::max(report.diagonal, 1e-12),
                             learned_->placeOf(hint.coordinates)});
    }
  }
  context_.tell(event);
}

wire::CorrectKeepAnswer CorrectMode::keep(const wire::CorrectKeepCommand& asked) {
  context_.requireSkin();
  if (list().examples.empty())
    throw CommandFault("no-examples", "there are no examples to learn from", "Add one first.");
  const PoseSpaceOptions options = optionsOf(asked.names, asked.values);
  auto file = std::make_shared<CharacterFile>();
  const auto work = [file, from = copyForJob(context_.document()), options](const sinew::Progress& progress) {
    *file = learner(from.file);
    const ExampleSet set = learnedSet(from);
    PoseSpaceExportOptions exporting;
    exporting.askedError = kKeptError;
    PoseSpaceCharacter learned = learnPoseSpaceCharacter(file->character, set, options, exporting, progress);
    file->poseSpace = learned.learned.model;
    file->poseSpaceMorphs = std::move(learned.exported.morphs);
    file->character = std::move(learned.exported.character);
  };
  // A change of the document meanwhile would be lost.
  const auto done = [this, file, number = changes_](bool same) -> std::string {
    if (!same || number != changes_)
      throw CommandFault("gone", "The character was changed while the model was learned, so it was not kept.",
                         "Keep it again.");
    const CharacterFile& before = context_.document().file;
    for (SavedPose& saved : file->poses) saved.pose = poseInFile(*file, poseOfExample(before, saved.pose));
    const std::size_t morphs = file->poseSpaceMorphs.morphs.size();
    context_.commitCharacter("Keep the learned corrections", *file);
    return fmt::format("The character has the learned corrections, and {} morph {} for players without them.", morphs,
                       morphs == 1 ? "target" : "targets");
  };
  return {.job = context_.startJob("keep", work, done, ModeContext::Earlier::AreReplaced)};
}

}  // namespace sinew::studio::correct
