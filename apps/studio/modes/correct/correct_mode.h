// The mode Correct: examples of how the skin should look at poses, a model that is learned from them in the background,
// and sculpting.
#pragma once

#include <atomic>

#include "sinew/base/choice.h"
#include "sinew/io/poses.h"
#include "studio/modes/correct/learned_model.h"
#include "studio/modes/correct/sculpt_surface.h"
#include "studio/modes/mode.h"

namespace sinew::studio::correct {

/// What a view shows.
enum class Show {
  Document,  ///< what the document has
  Plain,     ///< the skin without learned corrections
  Model,     ///< the model learned last
  Result,    ///< the sculpt in progress at its pose, elsewhere the model
  Target     ///< the example at this pose, elsewhere the result
};
constexpr auto choiceRows(Show) {
  return choiceTable<Show>({{Show::Document, "document"},
                            {Show::Plain, "plain"},
                            {Show::Model, "model"},
                            {Show::Result, "result"},
                            {Show::Target, "target"}});
}

/// The character without what was learned earlier.
CharacterFile learner(CharacterFile file);

/// Examples that a job has read, packed to be stored.
struct ReadShapes;

/// The examples with poses of learner().
ExampleSet learnedSet(const Document& document);

/// Whether they are the same but for the rounding of 32-bit numbers. Helper joints do not count: their rules pose them,
/// and examples that were made before they were added do not have them.
bool samePose(const Character& character, const Pose& a, const Pose& b, double diagonal);

class CorrectMode final : public Mode {
 public:
  explicit CorrectMode(ModeContext& context) : context_(context) {}
  ~CorrectMode() override;
  [[nodiscard]] std::span<const CommandRow> commands() const override;
  [[nodiscard]] std::span<const DragRow> drags() const override;
  void opened(const std::shared_ptr<const void>& prepared) override;
  void edited(const Edit& edit) noexcept override;
  void settle() override;
  void keepGesture() override;
  void addToFrame(std::uint32_t view, wire::Frame& frame) override;
  void connected() override;

 private:
  /// A pose that is shown while it is scrubbed.
  struct Scrub {
    std::uint32_t view = 0;
    Pose before;
    std::string name;
  };

  // example_list.cpp
  void add(const wire::ExamplesAddCommand& asked);
  void rename(const wire::ExamplesRenameCommand& asked);
  void remove(const wire::ExamplesRemoveCommand& asked);
  void reorder(const wire::ExamplesReorderCommand& asked);
  void setDrivers(const wire::ExamplesDriversCommand& asked);
  void goTo(const wire::ExamplesGotoCommand& asked);

  // example_files.cpp
  wire::ExamplesOpenAnswer open(const wire::ExamplesOpenCommand& asked);
  wire::ExamplesSaveAnswer save(const wire::ExamplesSaveCommand& asked);
  /// `readFor`: the character that they were matched to.
  void adopt(const std::string& title, const Character& readFor, ReadShapes& read);
  wire::ExamplesImportAnswer import(const wire::ExamplesImportCommand& asked);

  // shows.cpp
  void show(const wire::CorrectShowCommand& asked);
  void compare(const wire::CorrectCompareCommand& asked);
  [[nodiscard]] Show shownIn(std::uint32_t view) const;
  /// The example or the sculpt that a view would show; null if its points are computed.
  const ExampleShape* shapeIn(std::uint32_t view, Show show);
  /// The shape that a view would show, in world space.
  Points pointsOf(std::uint32_t view, Show show);
  /// As an example has it.
  [[nodiscard]] Pose poseOf(std::uint32_t view) const;
  const ExampleState* exampleAt(const Pose& pose);  ///< null if none has this pose
  bool sculptIsAt(const Pose& pose);
  void tellActivation(std::uint32_t view);

  // learning.cpp
  wire::CorrectFieldsAnswer fields(const wire::CorrectFieldsCommand& asked);
  wire::CorrectLearnAnswer learn(const wire::CorrectLearnCommand& asked);
  wire::CorrectKeepAnswer keep(const wire::CorrectKeepCommand& asked);
  void stopLearning() noexcept;
  void tellLearned(const std::string& fault);

  // scrub.cpp
  void scrub(const wire::CorrectScrubCommand& asked);
  wire::CorrectCurvesAnswer curves(const wire::CorrectCurvesCommand& asked);
  void goToHint(const wire::CorrectHintCommand& asked);
  [[nodiscard]] Pose poseOfStop(std::int32_t example) const;  ///< -1: rest
  [[nodiscard]] std::string nameOfStop(std::int32_t example) const;
  void dropScrub();

  // sculpting.cpp
  std::unique_ptr<DragTarget> beginSculpt(const wire::SculptBegin& begin);
  void dropSculpt(const wire::CorrectDropSculptCommand& asked);
  void goToSculpt(const wire::CorrectGotoSculptCommand& asked);

  [[nodiscard]] const ExampleList& list() const { return context_.document().examples.list; }
  [[nodiscard]] std::size_t checkedExample(std::size_t example) const;
  [[nodiscard]] std::uint32_t checkedView(std::uint32_t view) const;
  /// The name without spaces around it. Throws a CommandFault for an empty one and one that an example other than
  /// `except` has.
  [[nodiscard]] std::string freeName(const std::string& name, std::size_t except) const;
  void commitList(const std::string& name, ExampleList after);
  void commitPose(const std::string& name, std::uint32_t view, Pose pose);
  /// Adds an example, or replaces the one of its name. The sculpt in progress ends if this is its shape.
  void commitExample(const std::string& name, std::uint32_t view, Points points, std::vector<double> mask);
  /// Where the skin is without learned corrections.
  [[nodiscard]] Points plainPoints(const Pose& pose) const;

  ModeContext& context_;
  std::vector<Show> shown_;      ///< per view; missing: the document
  std::size_t viewsBefore_ = 0;  ///< number of views before they were compared; 0: they are not
  std::shared_ptr<LearnedModel> learned_;
  std::shared_ptr<std::atomic<bool>> stop_;  ///< of the learning in progress
  std::uint32_t reading_ = 0;                ///< number of the latest examples.open
  std::uint64_t changes_ = 0;                ///< counts what a kept model would not have
  std::optional<Scrub> scrub_;
  std::shared_ptr<const SculptSurface> surface_;
  ExampleShapePtr stroke_;  ///< of the step that is being committed
};

}  // namespace sinew::studio::correct
