#include "studio/modes/correct/correct_mode.h"

#include <fmt/format.h>

#include "sinew/deform/pose_space_morphs.h"
#include "sinew/deform/posing.h"
#include "studio/modes/checks.h"

namespace sinew::studio::correct {

CorrectMode::~CorrectMode() {
  stopLearning();
}

std::span<const CommandRow> CorrectMode::commands() const {
  static constexpr CommandRow kCommands[] = {
      command<&CorrectMode::open>(),       command<&CorrectMode::save>(),       command<&CorrectMode::import>(),
      command<&CorrectMode::add>(),        command<&CorrectMode::rename>(),     command<&CorrectMode::remove>(),
      command<&CorrectMode::reorder>(),    command<&CorrectMode::setDrivers>(), command<&CorrectMode::goTo>(),
      command<&CorrectMode::fields>(),     command<&CorrectMode::learn>(),      command<&CorrectMode::keep>(),
      command<&CorrectMode::show>(),       command<&CorrectMode::compare>(),    command<&CorrectMode::scrub>(),
      command<&CorrectMode::curves>(),     command<&CorrectMode::goToHint>(),   command<&CorrectMode::dropSculpt>(),
      command<&CorrectMode::goToSculpt>(),
  };
  return kCommands;
}

std::span<const DragRow> CorrectMode::drags() const {
  static constexpr DragRow kDrags[] = {drag<&CorrectMode::beginSculpt>()};
  return kDrags;
}

void CorrectMode::opened(const std::shared_ptr<const void>& /*prepared*/) {
  stopLearning();
  learned_.reset();
  scrub_.reset();
  surface_.reset();
  stroke_.reset();
  shown_.clear();
  viewsBefore_ = 0;
}

void CorrectMode::edited(const Edit& edit) noexcept {
  for (const Change& change : edit.changes) {
    const bool isCharacter = std::holds_alternative<CharacterChange>(change);
    const bool isWeights = std::holds_alternative<WeightsChange>(change);
    if (isCharacter) surface_.reset();
    if (isCharacter || isWeights) {
      // Neither fits what is learned now, nor what is being learned.
      stopLearning();
      learned_.reset();
    }
    if (!std::holds_alternative<PoseChange>(change)) ++changes_;
  }
}

std::size_t CorrectMode::checkedExample(std::size_t example) const {
  context_.requireDocument();
  if (example >= list().examples.size())
    throw CommandFault("bad-input", fmt::format("there is no example {}", example));
  return example;
}

std::uint32_t CorrectMode::checkedView(std::uint32_t view) const {
  context_.requireSkin();
  return studio::checkedView(context_, view);
}

void CorrectMode::commitPose(const std::string& name, std::uint32_t view, Pose pose) {
  const Document& document = context_.document();
  context_.commit({name, {PoseChange{view, document.views[view], std::move(pose), document.angles[view], {}}}});
}

Points CorrectMode::plainPoints(const Pose& pose) const {
  const CharacterFile& file = context_.document().file;
  Pose plain = pose;
  silencePoseSpaceMorphs(file.poseSpaceMorphs, plain);
  return posePoints(file.character, plain);
}

}  // namespace sinew::studio::correct
