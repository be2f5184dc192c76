// The sculpt in progress: strokes change it, each is one step.
#include <fmt/format.h>
#include <Eigen/SVD>

#include <array>

#include "sinew/deform/posing.h"
#include "studio/modes/correct/correct_mode.h"
#include "studio/modes/correct/sculpt_stroke.h"

namespace sinew::studio::correct {
namespace {

/// Of steps, in the order of SculptTool.
constexpr std::array kToolNames = {"Grab", "Smooth", "Inflate", "Flatten", "Pinch", "Erase"};

/// The nearest rotation to the blended matrix of a vertex.
Mat3 rotationAt(const Skin& skin, const PosedJoints& joints, std::uint32_t vertex) {
  Mat3 blended = Mat3::Zero();
  for (const Influence& influence : skin.weights[static_cast<Index>(vertex)])
    blended += influence.weight * joints.worldFromRest[influence.binding].linear();
  const Eigen::JacobiSVD<Mat3> svd(blended, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 sign = Mat3::Identity();
  sign(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
  return svd.matrixU() * sign * svd.matrixV().transpose();
}

}  // namespace

std::unique_ptr<DragTarget> CorrectMode::beginSculpt(const wire::SculptBegin& begin) {
  const std::uint32_t view = checkedView(begin.view);
  const Document& document = context_.document();
  const Character& character = document.file.character;
  const Pose pose = poseOf(view);
  if (list().sculpt && !sculptIsAt(pose))
    throw CommandFault("other-sculpt", "an unsaved sculpt belongs to another pose",
                       "Save it as an example or discard it first.");
  if (samePose(character, pose, poseOfExample(document.file, restPose(character)), context_.space().diagonal))
    throw CommandFault("rest-pose", "the rest pose has no corrections", "Pose the character first, then sculpt.");
  if (!surface_) surface_ = std::make_shared<const SculptSurface>(character);
  // An example at this pose is changed; elsewhere the stroke starts from what the view shows.
  const ExampleState* example = exampleAt(pose);
  const bool changes = example != nullptr && !sculptIsAt(pose);
  const Show from = changes ? Show::Target : sculptIsAt(pose) ? Show::Result : shownIn(view);
  PosedJoints joints;
  poseJoints(character, document.views[view], joints);
  SculptStart start{.view = view,
                    .surface = surface_,
                    .shape = pointsOf(view, from),
                    .plain = plainPoints(document.views[view]),
                    .drawn = posePoints(character, context_.drawnViews()[view])};
  start.rotation = [&skin = character.skin, joints = std::move(joints)](std::uint32_t vertex) {
    return rotationAt(skin, joints, vertex);
  };
  // Vertices that an imported shape did not have are not learned from.
  const ExampleShape* const first = shapeIn(view, from);
  std::vector<double> mask = first == nullptr ? std::vector<double>() : first->mask;
  start.edit = [this, pose, mask = std::move(mask), name = example == nullptr ? std::string() : example->name,
                tool = static_cast<SculptTool>(begin.tool)](Points shape, std::size_t count) {
    stroke_ = context_.storeShape(packedShape(std::move(shape), mask));
    ExampleList after = list();
    after.sculpt = ExampleState{name, pose, 1, stroke_->file};
    return Edit{
        fmt::format("{} {} {}", kToolNames[static_cast<std::size_t>(tool)], count, count == 1 ? "point" : "points"),
        {ExamplesChange{list(), std::move(after)}}};
  };
  return makeSculptStroke(context_, std::move(start), begin);
}

void CorrectMode::dropSculpt(const wire::CorrectDropSculptCommand& /*asked*/) {
  context_.requireDocument();
  if (!list().sculpt) return;
  ExampleList after = list();
  after.sculpt.reset();
  commitList("Discard sculpt", std::move(after));
}

void CorrectMode::goToSculpt(const wire::CorrectGotoSculptCommand& asked) {
  const std::uint32_t view = checkedView(asked.view);
  if (!list().sculpt) throw CommandFault("not-found", "there is no sculpt in progress");
  commitPose("Go to the sculpt", view, poseInFile(context_.document().file, list().sculpt->pose));
}

}  // namespace sinew::studio::correct
