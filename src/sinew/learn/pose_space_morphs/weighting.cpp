#include "sinew/learn/pose_space_morphs/weighting.h"

#include <algorithm>

#include "sinew/learn/pose_space_morphs/knots.h"
#include "sinew/learn/pose_space_morphs/shapes.h"

namespace sinew::pose_space_morphs {

PoseSpaceTrade tradeOf(const MorphFit& fit, const Eigen::MatrixXd& basis, MorphMethod method,
                       const MorphLimits& limits) {
  const Eigen::VectorXd squares = fit.estimate(basis);
  const auto count = toSize(basis.rows());
  return {static_cast<int>(count), count * limits.bytesPerMorph, fit.rms(squares),
          fit.rms(squares, SampleRole::HeldOut), method};
}

MorphWeighting chooseWeighting(const MorphFit& fit, const PoseSpaceModel& model, MorphMethod method,
                               const MorphLimits& limits, const Progress& progress) {
  const Progress first = partProgress(progress, 0, 0.6);
  const Progress second = partProgress(progress, 0.6, 1);
  if (method == MorphMethod::Knots) return chooseMorphKnots(fit, model, limits, progress);
  if (method == MorphMethod::Svd) return chooseMorphShapes(fit, model, limits, progress);
  MorphWeighting knots = chooseMorphKnots(fit, model, limits, first);
  const PoseSpaceTrade left = tradeOf(fit, knots.basis, MorphMethod::Knots, limits);
  if (left.rms <= limits.asked) return knots;
  MorphWeighting shapes = chooseMorphShapes(fit, model, limits, second);
  PoseSpaceTrade other = tradeOf(fit, shapes.basis, MorphMethod::Svd, limits);
  const bool enough = other.rms <= limits.asked;
  if (!enough && shapes.count() > knots.count())
    other = tradeOf(fit, shapes.basis.topRows(knots.count()), MorphMethod::Svd, limits);
  const bool better = shapes.count() > 0 && (enough || other.heldOut < left.heldOut);
  MorphWeighting& chosen = better ? shapes : knots;
  const MorphWeighting& rejected = better ? knots : shapes;
  chosen.trade.insert(chosen.trade.end(), rejected.trade.begin(), rejected.trade.end());
  return std::move(chosen);
}

}  // namespace sinew::pose_space_morphs
