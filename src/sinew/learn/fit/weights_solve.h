// The weights of one point from its Gram matrix, whose rows are computed on demand.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/learn/fit/influence_sets.h"
#include "sinew/math/simplex_least_squares.h"

namespace sinew::fit {

/// The constraints of one point, by index in its candidates.
struct PointRules {
  Eigen::VectorXd start;     ///< weights to start from: what nothing pulls at stays as it is here
  Eigen::VectorXd pull;      ///< stiffness times the weights to keep to
  double stiffness = 0;      ///< of that pull, in the unit of the Gram matrix
  std::vector<char> locked;  ///< their weights stay as in `start`
  double total = 1;          ///< what the locked leave for the others
  int most = 0;              ///< how many of the others may have a weight
};

/// The Gram matrix of a point's displacements.
class PointGram {
 public:
  PointGram() = default;
  PointGram(const PointGram&) = delete;
  PointGram& operator=(const PointGram&) = delete;
  virtual ~PointGram() = default;
  virtual void diagonal(Eigen::Ref<Eigen::VectorXd> out) const = 0;
  virtual void row(Index place, Eigen::Ref<Eigen::VectorXd> out) const = 0;
  /// What rounding may do to entries.
  [[nodiscard]] virtual double noise(double largestDiagonal) const = 0;
};

/// Memory of repeated solving for one row of candidates.
class PointSolver {
 public:
  PointSolver(const InfluenceSets& sets, Index joints);

  /// min w^T Q w + stiffness |w|^2 - 2 pull.w on the simplex, without the cap, locked weights fixed. A working set
  /// starts at the joints that have weight and the most rigid ones, and takes in others while that lowers the value, so
  /// its result is that of all joints; `all` takes them in at once. False where a limit of steps was met.
  bool solve(const PointGram& gram, const PointRules& rules, bool all, Eigen::Ref<Eigen::VectorXd> w);

  /// After `solve`: leaves at most rules.most of the free weights. Removes the smallest and refits the others until few
  /// enough are left.
  void cap(const PointRules& rules, Eigen::Ref<Eigen::VectorXd> w);

 private:
  void enter(const PointGram& gram, const PointRules& rules, int place);
  bool solveWorkingSet(const PointRules& rules);
  double fitKept(const PointRules& rules);
  bool takeViolators(const PointGram& gram, const PointRules& rules);

  const InfluenceSets& sets_;
  Index joints_;
  SimplexScratch scratch_;
  std::vector<int> work_;  // indices in the order in which they were added
  std::vector<char> in_;
  std::vector<int> first_;
  Eigen::VectorXd diagonal_;
  Eigen::VectorXd linear_;
  Eigen::VectorXd gradient_;
  Eigen::MatrixXd rows_;  // column k: row work_[k] of Q + stiffness I
  Eigen::MatrixXd q_;
  Eigen::VectorXd c_;
  Eigen::VectorXd w_;
  std::vector<int> kept_;  // of the working set, while capping
  Eigen::MatrixXd keptQ_;
  Eigen::VectorXd keptC_;
  Eigen::VectorXd keptW_;
};

}  // namespace sinew::fit
