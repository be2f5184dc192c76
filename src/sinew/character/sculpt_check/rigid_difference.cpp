#include "sinew/character/sculpt_check/rigid_difference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/math/rigid_fit.h"

namespace sinew::sculpt_check {

double rmsDistance(const Points& a, const Points& b) {
  return std::sqrt((a - b).squaredNorm() / static_cast<double>(std::max<Index>(1, a.cols())));
}

RigidDifference motionBetween(const Points& from, const Points& to) {
  RigidDifference difference;
  const RigidFit fit = fitRigid(from, to);
  difference.distance = rmsDistance(from, to);
  difference.rest = std::sqrt(fit.squaredError / static_cast<double>(from.cols()));
  difference.degrees = 180 / std::numbers::pi * Eigen::AngleAxisd(fit.toFromFrom.linear()).angle();
  difference.shift = to.rowwise().mean() - from.rowwise().mean();
  difference.motion = fit.toFromFrom;
  return difference;
}

double shareLeft(const Character& character, std::span<const std::uint32_t> vertices, const SculptView& view, int joint,
                 const Affine& motion) {
  double before = 0;
  double after = 0;
  for (const std::uint32_t v : vertices) {
    if (!view.known.empty() && !view.known[v]) continue;
    double weight = 0;
    for (const Influence& influence : character.skin.weights[v]) {
      if (character.skin.bindings[influence.binding].joint == joint) weight += influence.weight;
    }
    if (weight <= 0) continue;
    const Vec3 posed = view.posed.col(v);
    const Vec3 sculpted = view.points.col(v);
    before += (posed - sculpted).squaredNorm();
    after += (posed + weight * (motion * posed - posed) - sculpted).squaredNorm();
  }
  return before > 0 ? after / before : 1;
}

}  // namespace sinew::sculpt_check
