#include "sinew/learn/pose_space/pooling.h"

#include <algorithm>

#include "sinew/base/parallel.h"
#include "sinew/base/types.h"

namespace sinew::pose_space {
namespace {

/// Groups that are less alike do not count at all.
constexpr double kUnlike = 1e-3;
/// Groups whose sums are one product.
constexpr Index kGroupsAtOnce = 32;

}  // namespace

Eigen::MatrixXd pooledErrors(const std::vector<Eigen::MatrixXd>& errors, const Eigen::MatrixXd& directions) {
  const Index groups = directions.cols();
  std::vector<Index> measured;
  for (Index g = 0; g < groups; ++g) {
    if (!errors[toSize(g)].isZero(0)) measured.push_back(g);
  }
  Eigen::MatrixXd known(errors.front().size(), static_cast<Index>(measured.size()));
  for (Index m = 0; m < known.cols(); ++m) known.col(m) = errors[toSize(measured[toSize(m)])].reshaped();
  const Eigen::MatrixXd own = directions(Eigen::all, measured);
  Eigen::MatrixXd pooled(known.rows(), groups);
  parallelFor((groups + kGroupsAtOnce - 1) / kGroupsAtOnce, 1, [&](Index block) {
    const Index first = block * kGroupsAtOnce;
    const Index count = std::min(kGroupsAtOnce, groups - first);
    const Eigen::ArrayXXd cosines = (own.transpose() * directions.middleCols(first, count)).array().max(0);
    const Eigen::ArrayXXd likeness = cosines.square().square().square();
    pooled.middleCols(first, count).noalias() = known * (likeness > kUnlike).select(likeness, 0).matrix();
  });
  return pooled;
}

}  // namespace sinew::pose_space
