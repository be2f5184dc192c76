// Ways through the pose space: between two examples, and to poses that should be sculpted next.
#include <fmt/format.h>

#include <algorithm>

#include "studio/modes/correct/correct_mode.h"

namespace sinew::studio::correct {
namespace {

constexpr std::uint32_t kMostSteps = 1000;

Pose between(const Pose& a, const Pose& b, double t) {
  Pose pose = a;
  for (std::size_t j = 0; j < std::min(a.local.size(), b.local.size()); ++j) {
    pose.local[j].translation += t * (b.local[j].translation - a.local[j].translation);
    pose.local[j].scale += t * (b.local[j].scale - a.local[j].scale);
    pose.local[j].rotation = a.local[j].rotation.slerp(t, b.local[j].rotation).normalized();
  }
  for (std::size_t m = 0; m < std::min(a.morphWeights.size(), b.morphWeights.size()); ++m)
    pose.morphWeights[m] += t * (b.morphWeights[m] - a.morphWeights[m]);
  return pose;
}

}  // namespace

Pose CorrectMode::poseOfStop(std::int32_t example) const {
  const CharacterFile& file = context_.document().file;
  if (example < 0) return restPose(file.character);
  return poseInFile(file, list().examples[checkedExample(toSize(example))].pose);
}

std::string CorrectMode::nameOfStop(std::int32_t example) const {
  return example < 0 ? "rest" : list().examples[checkedExample(toSize(example))].name;
}

void CorrectMode::scrub(const wire::CorrectScrubCommand& asked) {
  const std::uint32_t view = checkedView(asked.view);
  if (!(asked.t >= 0 && asked.t <= 1))
    throw CommandFault("bad-input", fmt::format("{} is not between 0 and 1", asked.t));
  context_.settleOthers(*this);
  if (scrub_ && scrub_->view != view) settle();
  Pose pose = between(poseOfStop(asked.from), poseOfStop(asked.to), asked.t);
  const std::string name = fmt::format("Scrub {} to {}", nameOfStop(asked.from), nameOfStop(asked.to));
  if (!asked.live) {
    dropScrub();
    commitPose(name, view, std::move(pose));
    return;
  }
  if (!scrub_) scrub_ = Scrub{view, context_.document().views[view], {}};
  scrub_->name = name;
  context_.showPose(view, std::move(pose));
  context_.sendView(view);
  context_.sendPose(view);
}

void CorrectMode::dropScrub() {
  if (!scrub_) return;
  if (scrub_->view < context_.document().views.size()) context_.showPose(scrub_->view, std::move(scrub_->before));
  scrub_.reset();
}

void CorrectMode::settle() {
  if (!scrub_) return;
  const std::uint32_t view = scrub_->view;
  dropScrub();
  context_.sendPose(view);
  context_.sendView(view);
}

void CorrectMode::keepGesture() {
  if (!scrub_) return;
  const std::uint32_t view = scrub_->view;
  const std::string name = scrub_->name;
  Pose pose = context_.document().views[view];
  dropScrub();
  commitPose(name, view, std::move(pose));
}

wire::CorrectCurvesAnswer CorrectMode::curves(const wire::CorrectCurvesCommand& asked) {
  context_.requireSkin();
  if (!learned_) throw CommandFault("no-model", "nothing is learned yet", "Add an example first.");
  if (asked.steps < 2 || asked.steps > kMostSteps)
    throw CommandFault("bad-input", fmt::format("{} steps; between 2 and {} are possible", asked.steps, kMostSteps));
  const CharacterFile& file = context_.document().file;
  const Pose from = poseOfStop(asked.from);
  const Pose to = poseOfStop(asked.to);
  wire::CorrectCurvesAnswer answer;
  answer.activations.resize(learned_->model().exampleCount());
  for (std::uint32_t step = 0; step < asked.steps; ++step) {
    const double t = static_cast<double>(step) / (asked.steps - 1);
    const Activation activation = learned_->activation(poseOfExample(file, between(from, to, t)));
    for (std::size_t k = 0; k < activation.weights.size(); ++k) answer.activations[k].push_back(activation.weights[k]);
    answer.fade.push_back(activation.fade);
  }
  return answer;
}

void CorrectMode::goToHint(const wire::CorrectHintCommand& asked) {
  const std::uint32_t view = checkedView(asked.view);
  if (!learned_ || asked.hint >= learned_->report().next.size())
    throw CommandFault("bad-input", fmt::format("there is no hint {}", asked.hint));
  const SculptHint& hint = learned_->report().next[asked.hint];
  commitPose(fmt::format("Go between {}", hint.between), view, poseInFile(context_.document().file, hint.pose));
}

}  // namespace sinew::studio::correct
