// Which joints a point's fit looks at first, and the working set that it grows from there.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::fit {

/// Joints of one row of FitProblem::candidates, by index. Helper joints move much like their sources, so they are never
/// ranked against them: a kept joint brings its helpers.
class InfluenceSets {
 public:
  InfluenceSets(const Character& character, const std::vector<std::uint32_t>& candidates);

  /// The `most` most rigid base joints (`rigidity` per joint, smaller is more rigid) with their helpers, ascending;
  /// joints where `barred` is not 0 are left out.
  void mostRigid(const Eigen::Ref<const Eigen::VectorXd>& rigidity, const std::vector<char>& barred, int most,
                 std::vector<int>& places) const;

  [[nodiscard]] bool isHelper(int place) const { return helper_[toSize(place)] != 0; }

 private:
  std::vector<char> helper_;
  std::vector<std::vector<int>> helpersOf_;
};

/// The rms spread of T^-1 t over the examples, per candidate of the point: 0 for a joint that moves it rigidly. If T
/// cannot be inverted, infinity. For rigid motions the spread about the rest point is the joint's own error as the only
/// influence, which the fit gets from its moments; this function is the definition, for reference.
Eigen::VectorXd rigidityScores(const FitProblem& problem, Index point);

}  // namespace sinew::fit
