#include "sinew/math/rbf/point_pairs.h"

#include <algorithm>
#include <limits>

namespace sinew::rbf {

BlockPair squaredPair(const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::MatrixXd& points, Index k, Index first,
                      Index end) {
  BlockPair pair;
  for (Index i = first; i < end; ++i) {
    const double a = x[i] - points(i, 0);
    const double b = points(i, k) - points(i, 0);
    pair.dot += a * b;
    pair.xx += a * a;
    pair.yy += b * b;
    pair.distance += (a - b) * (a - b);
  }
  return pair;
}

std::vector<int> groupPoints(const Eigen::Ref<const Eigen::MatrixXd>& points, double tolerance,
                             std::vector<Index>& firsts) {
  std::vector<int> groups;
  for (Index i = 0; i < points.cols(); ++i) {
    std::size_t g = 0;
    while (g < firsts.size() && (points.col(i) - points.col(firsts[g])).norm() > tolerance) ++g;
    if (g == firsts.size()) firsts.push_back(i);
    groups.push_back(static_cast<int>(g));
  }
  return groups;
}

Eigen::MatrixXd distancesBetween(const Eigen::MatrixXd& places) {
  Eigen::MatrixXd distances = Eigen::MatrixXd::Zero(places.cols(), places.cols());
  for (Index i = 0; i < places.cols(); ++i) {
    for (Index j = 0; j < i; ++j) distances(i, j) = distances(j, i) = (places.col(i) - places.col(j)).norm();
  }
  return distances;
}

Eigen::VectorXd nearestOthers(const Eigen::MatrixXd& distances) {
  const Index count = distances.cols();
  if (count == 1) return Eigen::VectorXd::Ones(1);
  Eigen::VectorXd nearest = Eigen::VectorXd::Constant(count, std::numeric_limits<double>::infinity());
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < count; ++j) {
      if (j != i) nearest[i] = std::min(nearest[i], distances(j, i));
    }
  }
  return nearest;
}

Gaps gapsOf(const Eigen::VectorXd& nearest) {
  Gaps gaps;
  if (nearest.size() < 2) return gaps;
  double sum = 0;
  for (Index i = 0; i < nearest.size(); ++i) {
    sum += nearest[i];
    gaps.largest = std::max(gaps.largest, nearest[i]);
    if (i > 0) gaps.largestOfOthers = std::max(gaps.largestOfOthers, nearest[i]);
  }
  gaps.mean = sum / static_cast<double>(nearest.size());
  return gaps;
}

}  // namespace sinew::rbf
