// The start of a solve. Gauss-Newton finds the nearest local minimum, so a fresh solve tries the rest and every
// example, each rotated to the targets by the best rotation (Kabsch) of its own handles, and starts at the least
// objective.
#include <limits>

#include "sinew/manipulate/reduced_ik/state.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::reduced_ik {

void State::setTargets(const ConstPointsRef& points) {
  targets.resize(points.cols(), 3);
  for (Index i = 0; i < points.cols(); ++i) {
    targets.row(i) = system.scale() * (points.col(i) - system.centre()).transpose();
  }
  shift.setZero();
}

/// Moves the origin of the targets so that a rotated shape with this mean of its handles matches their mean.
void State::takeShift(const Vec3& meanOfHandles, const Mat3& turn) {
  const Vec3 wantedShift = targets.colwise().mean().transpose() + shift - turn * meanOfHandles;
  targets.rowwise() += (shift - wantedShift).transpose();
  shift = wantedShift;
  wanted.noalias() = handles.targetMap() * targets;
}

// Every example reproduces its gradients exactly, so its objective is the miss of the handles alone (and lambda).
void State::startFresh() {
  const Index count = system.exampleCount();
  const Index width = system.width();
  const Eigen::RowVector3d targetMean = targets.colwise().mean();
  const auto meanOf = [&](Index p) {
    Vec3 mean;
    for (Index r = 0; r < 3; ++r) {
      mean[r] = handles.shapeHandles().col(r * width + count).mean();
      if (p < count) mean[r] += handles.shapeHandles().col(r * width + p).mean();
    }
    return mean;
  };
  double least = std::numeric_limits<double>::infinity();
  Index best = count;
  Mat3 bestTurn = Mat3::Identity();
  for (Index c = 0; c <= count; ++c) {
    const Index p = c == 0 ? count : c - 1;  // the rest first: it wins ties
    const auto shape = [&](const RowMatrix& all, Index row, Index r) {
      return all(row, r * width + count) + (p < count ? all(row, r * width + p) : 0.0);
    };
    const Vec3 mean = meanOf(p);
    Mat3 turn = Mat3::Identity();
    if (turns()) {
      Mat3 covariance = Mat3::Zero();
      for (Index i = 0; i < targets.rows(); ++i) {
        const Vec3 from(shape(handles.shapeHandles(), i, 0), shape(handles.shapeHandles(), i, 1),
                        shape(handles.shapeHandles(), i, 2));
        covariance += (targets.row(i) - targetMean).transpose() * (from - mean).transpose();
      }
      turn = nearestRotation(covariance);
    }
    takeShift(mean, turn);
    double objective = p < count ? lambda : 0;
    for (Index d = 0; d < wanted.rows(); ++d) {
      const Eigen::RowVector3d want = wanted.row(d) * turn;
      for (Index r = 0; r < 3; ++r) {
        const double miss = shape(handles.shapeDirections(), d, r) - want[r];
        objective += miss * miss;
      }
    }
    if (objective < least) {
      least = objective;
      best = p;
      bestTurn = turn;
    }
  }
  at.weights.setZero();
  at.evaluated = false;
  if (best < count) at.weights[best] = 1;
  at.turn = bestTurn;
  takeShift(meanOf(best), bestTurn);
  result.start = best < count ? static_cast<int>(system.examples()[toSize(best)]) : -1;
  result.warm = false;
}

void State::startWarm() {
  if (!turns()) at.turn.setIdentity();
  const Index count = system.exampleCount();
  Vec3 mean;
  for (Index r = 0; r < 3; ++r) {
    const Index first = r * system.width();
    mean[r] = handles.shapeHandles().col(first + count).mean();
    for (Index p = 0; p < count; ++p) mean[r] += at.weights[p] * handles.shapeHandles().col(first + p).mean();
  }
  takeShift(mean, at.turn);
  result.start = -1;
  result.warm = true;
}

}  // namespace sinew::reduced_ik
