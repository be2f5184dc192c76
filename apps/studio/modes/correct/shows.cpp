// What the views show: plain skin, the learned model, an example or the sculpt in progress, as displacements from what
// the page draws by itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/base/choice.h"
#include "sinew/deform/posing.h"
#include "studio/modes/correct/correct_mode.h"

namespace sinew::studio::correct {
namespace {

/// Displacements up to this are not sent, in diagonals.
constexpr double kStill = 1e-7;
/// Poses of 32-bit numbers are the same up to this: radians, diagonals, weights.
constexpr double kSamePose = 1e-4;

/// Adds the vertices that are farther apart than `still`, with x, y, z of their displacements.
void addMoved(const Points& wanted, const Points& drawn, double still, std::vector<std::uint32_t>& vertices,
              std::vector<float>& offsets) {
  for (Index v = 0; v < wanted.cols(); ++v) {
    const Vec3 offset = wanted.col(v) - drawn.col(v);
    if (!(offset.cwiseAbs().maxCoeff() > still)) continue;
    vertices.push_back(static_cast<std::uint32_t>(v));
    for (const double x : offset) offsets.push_back(static_cast<float>(x));
  }
}

}  // namespace

bool samePose(const Character& character, const Pose& a, const Pose& b, double diagonal) {
  const auto same = [&](const LocalTransform& one, const LocalTransform& other) {
    return one.rotation.angularDistance(other.rotation) <= kSamePose &&
           (one.translation - other.translation).norm() <= kSamePose * diagonal &&
           (one.scale - other.scale).cwiseAbs().maxCoeff() <= kSamePose;
  };
  for (std::size_t j = 0; j < std::min(a.local.size(), b.local.size()); ++j) {
    if (!same(a.local[j], b.local[j]) && !isHelper(character.helpers, static_cast<int>(j))) return false;
  }
  return std::equal(a.morphWeights.begin(), a.morphWeights.end(), b.morphWeights.begin(), b.morphWeights.end(),
                    [](double one, double other) { return std::abs(one - other) <= kSamePose; });
}

Pose CorrectMode::poseOf(std::uint32_t view) const {
  const Document& document = context_.document();
  return poseOfExample(document.file, document.views[view]);
}

const ExampleState* CorrectMode::exampleAt(const Pose& pose) {
  const Character& character = context_.document().file.character;
  const double diagonal = context_.space().diagonal;
  for (const ExampleState& example : list().examples) {
    if (samePose(character, example.pose, pose, diagonal)) return &example;
  }
  return nullptr;
}

bool CorrectMode::sculptIsAt(const Pose& pose) {
  const Character& character = context_.document().file.character;
  return list().sculpt && samePose(character, list().sculpt->pose, pose, context_.space().diagonal);
}

const ExampleShape* CorrectMode::shapeIn(std::uint32_t view, Show show) {
  if (show != Show::Target && show != Show::Result) return nullptr;
  const DocumentExamples& examples = context_.document().examples;
  const Pose pose = poseOf(view);
  if (show == Show::Target) {
    if (const ExampleState* example = exampleAt(pose)) return &examples.shapeOf(*example);
  }
  return sculptIsAt(pose) ? &examples.shapeOf(*list().sculpt) : nullptr;
}

Points CorrectMode::pointsOf(std::uint32_t view, Show show) {
  const Document& document = context_.document();
  if (const ExampleShape* shape = shapeIn(view, show)) return shape->points;
  if (show == Show::Plain) return plainPoints(document.views[view]);
  if (show != Show::Document && learned_) return learned_->points(poseOf(view));
  // Before anything is learned, what the document has.
  return posePoints(document.file.character, context_.drawnViews()[view]);
}

Show CorrectMode::shownIn(std::uint32_t view) const {
  return view < shown_.size() ? shown_[view] : Show::Document;
}

void CorrectMode::show(const wire::CorrectShowCommand& asked) {
  context_.requireDocument();
  if (asked.shows.size() > kMostViews)
    throw CommandFault("malformed", fmt::format("{} views; at most {} are possible", asked.shows.size(), kMostViews));
  std::vector<Show> shown;
  for (const std::string& one : asked.shows) shown.push_back(choiceNamed<Show>(one, "what a view shows"));
  shown_ = std::move(shown);
  context_.sendViews();
}

void CorrectMode::compare(const wire::CorrectCompareCommand& asked) {
  context_.requireSkin();
  constexpr std::size_t kCompared = 3;
  if (asked.on && viewsBefore_ == 0) viewsBefore_ = context_.document().views.size();
  if (asked.on) context_.linkViews(true);
  context_.setViewCount(asked.on ? kCompared : std::max<std::size_t>(1, std::exchange(viewsBefore_, 0)));
  if (!asked.on) context_.linkViews(false);  // all that were there before have their poses again
  const auto count = static_cast<std::uint32_t>(context_.document().views.size());
  context_.tell(wire::ViewsEvent{.count = count});
  for (std::uint32_t view = 0; view < (asked.on ? 1 : count); ++view) context_.sendPose(view);  // linked: of all
  context_.sendViews();
}

void CorrectMode::connected() {
  shown_.clear();
  viewsBefore_ = 0;
  context_.linkViews(false);
}

void CorrectMode::addToFrame(std::uint32_t view, wire::Frame& frame) {
  const Document& document = context_.document();
  const Show show = shownIn(view);
  if (show == Show::Document || document.file.reduced || !document.file.character.hasSkin()) return;
  tellActivation(view);
  const Points wanted = pointsOf(view, show);
  const Points drawn = posePoints(document.file.character, context_.drawnViews()[view]);
  addMoved(wanted, drawn, kStill * context_.space().diagonal, frame.moved, frame.offsets);
}

void CorrectMode::tellActivation(std::uint32_t view) {
  const Pose pose = poseOf(view);
  wire::Activations message{.view = view};
  if (learned_) {
    const Activation activation = learned_->activation(pose);
    for (const double weight : activation.weights) message.weights.push_back(static_cast<float>(weight));
    message.nearest = static_cast<std::uint32_t>(activation.nearest);
    message.distance = static_cast<float>(activation.distance);
    message.fade = static_cast<float>(activation.fade);
    message.place = {static_cast<float>(activation.place[0]), static_cast<float>(activation.place[1])};
  }
  message.sculpted = sculptIsAt(pose) ? 1 : 0;
  const ExampleState* example = exampleAt(pose);
  message.example = example == nullptr ? 0 : static_cast<std::uint32_t>(example - list().examples.data()) + 1;
  context_.send(message);
}

}  // namespace sinew::studio::correct
