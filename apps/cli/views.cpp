#include "views.h"

#include <fmt/format.h>

#include <algorithm>

#include "report_pictures.h"
#include "sinew/base/error.h"
#include "sinew/character/compare.h"
#include "sinew/deform/posing.h"

namespace sinew::cli {
namespace {

constexpr std::string_view kWeightPrefix = "weight:";

[[noreturn]] void refuse(const std::string& color, const std::string& sentence) {
  throw Error(ErrorCode::BadInput, sentence, "--color " + color);
}

Colouring byError(const std::string& color, const Character& character, std::vector<Frame>& frames, double top) {
  Colouring colouring;
  std::vector<double> all;
  const double diagonal = boundingBox(posePoints(character, restPose(character))).diagonal();
  for (Frame& frame : frames) {
    if (!frame.truth)
      refuse(color,
             fmt::format("the truth at '{}' is not known; give --examples FILE.json, or --against MESH for each pose",
                         frame.label));
    const Eigen::VectorXd distances = vertexDistances(*frame.truth, frame.points);
    colouring.scalars.emplace_back(distances.data(), distances.data() + distances.size());
    all.insert(all.end(), distances.data(), distances.data() + distances.size());
    frame.note = fmt::format("rms {:.3g} %", compareShapes(*frame.truth, frame.points, diagonal).rmsPercent);
  }
  colouring.scale = picture::scaleOf(all, "heat", true);
  if (top > 0) colouring.scale.high = top;
  colouring.legend = picture::Legend{"error (scene units)", true, colouring.scale, {}};
  return colouring;
}

Colouring byWeight(const std::string& color, const Character& character, std::size_t frameCount) {
  if (!character.hasSkin()) refuse(color, "the character has no skin; bind it first with `sinew bind`");
  const std::string name = color.substr(kWeightPrefix.size());
  const Eigen::VectorXd weights = jointWeights(character, character.skeleton.index(name));
  Colouring colouring;
  colouring.scalars.assign(frameCount, {weights.begin(), weights.end()});
  colouring.scale = {0, 1, "weight"};
  colouring.legend = picture::Legend{"weight of " + name, true, colouring.scale, {}};
  return colouring;
}

/// The joint of the largest weight as a colour.
Colouring byControl(const std::string& color, const Character& character) {
  if (!character.hasSkin()) refuse(color, "the character has no skin; bind it first with `sinew bind`");
  Colouring colouring;
  picture::Legend legend{"largest weight", false, {}, {}};
  const std::vector<int> joints = skinJoints(character);
  const auto categoryOf = [&](int joint) {
    const auto found = std::lower_bound(joints.begin(), joints.end(), joint);
    return found != joints.end() && *found == joint ? static_cast<int>(found - joints.begin()) : -1;
  };
  for (Index v = 0; v < character.mesh.vertexCount(); ++v) {
    const auto column = character.skin.weights[v];
    colouring.vertexColours.push_back(
        picture::categoryColour(column.empty() ? -1 : categoryOf(character.skin.bindings[column[0].binding].joint)));
  }
  for (const int joint : joints)
    legend.entries.push_back({picture::categoryColour(categoryOf(joint)), character.skeleton[joint].name});
  colouring.legend = legend;
  return colouring;
}

}  // namespace

Colouring colourFrames(const std::string& color, const Character& character, std::vector<Frame>& frames, double top) {
  if (color.empty()) return {};
  if (color == "error") return byError(color, character, frames, top);
  if (color == "control") return byControl(color, character);
  if (color.starts_with(kWeightPrefix)) return byWeight(color, character, frames.size());
  refuse(color, "is not known; write error, control or weight:JOINT");
}

}  // namespace sinew::cli
