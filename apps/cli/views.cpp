#include "views.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "command.h"
#include "report/pictures.h"
#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/character/compare.h"
#include "sinew/deform/posing.h"

namespace sinew::cli {
namespace {

constexpr std::string_view kWeightPrefix = "weight:";

/// What is shown by joints.
void checkSkin(const std::string& color, const Character& character) {
  if (character.hasSkin()) return;
  throw Error(ErrorCode::BadInput,
              fmt::format("--color {}: the character has no skin; bind it first with `sinew bind`", color));
}

Colouring byError(const std::string& color, const Character& character, std::vector<Frame>& frames, double top) {
  Colouring colouring;
  std::vector<double> all;
  const double diagonal = boundingBox(posePoints(character, restPose(character))).diagonal();
  for (Frame& frame : frames) {
    if (!frame.truth) {
      throw UsageError(fmt::format(
          "--color {}: no ground truth for '{}'; give --against MESH for each pose, or --examples FILE.json "
          "without --pose",
          color, frame.label));
    }
    const Eigen::VectorXd distances = vertexDistances(*frame.truth, frame.points);
    colouring.scalars.emplace_back(distances.data(), distances.data() + distances.size());
    all.insert(all.end(), distances.data(), distances.data() + distances.size());
    frame.note = fmt::format("rms {:.3g} %", compareShapes(*frame.truth, frame.points, diagonal).rmsPercent);
  }
  colouring.scale = picture::errorScale(all, diagonal);
  if (top > 0) colouring.scale.high = top;
  const double most = all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  picture::Legend legend{"error (scene units)", true, colouring.scale, {}};
  legend.exceeded = most > colouring.scale.high;
  legend.notes.push_back(fmt::format("max {:.3g}", most));
  if (diagonal > 0)
    legend.notes.push_back(fmt::format("top: {:.2g} % of diagonal", 100 * colouring.scale.high / diagonal));
  colouring.legend = legend;
  return colouring;
}

Colouring byWeight(const std::string& color, const Character& character, std::size_t frameCount) {
  checkSkin(color, character);
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
  checkSkin(color, character);
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

double errorRange(const std::string& text, double diagonal) {
  if (text.empty()) return 0;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, fault] = std::from_chars(text.data(), end, value);
  const bool percent = fault == std::errc() && last + 1 == end && *last == '%';
  if (fault != std::errc() || (last != end && !percent) || !(value > 0) || !std::isfinite(value)) {
    throw Error(ErrorCode::BadInput,
                "is not a length above 0; write scene units (0.02) or percent of the diagonal (1%)", "--range " + text);
  }
  return percent ? 0.01 * value * diagonal : value;
}

void checkColor(const std::string& color) {
  if (color.empty() || color == "error" || color == "control" || color.starts_with(kWeightPrefix)) return;
  const std::vector<std::string> heads = {"error", "control", "weight"};
  const std::size_t colon = color.find(':');
  const std::string nearest = nearestName(color.substr(0, colon), heads);
  const std::string meant = nearest != "weight"          ? nearest
                            : colon == std::string::npos ? "weight:JOINT"
                                                         : "weight" + color.substr(colon);
  throw UnknownWordError(fmt::format("--color {} is unknown; write error, control or weight:JOINT{}", color,
                                     meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
}

Colouring colourFrames(const std::string& color, const Character& character, std::vector<Frame>& frames, double top) {
  if (color.empty()) return {};
  if (color == "error") return byError(color, character, frames, top);
  if (color == "control") return byControl(color, character);
  checkColor(color);
  return byWeight(color, character, frames.size());
}

}  // namespace sinew::cli
