// One dragged vertex: the nearest point that its influences can reach, and the weights that bring it there.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/manipulate/drag_weights.h"
#include "sinew/math/linear_program.h"
#include "sinew/math/simplex_least_squares.h"

namespace sinew::drag_weights {

struct ReachOptions {
  SecondStage secondStage = SecondStage::LeastSquares;
  bool negative = false;  ///< weights need only sum to 1: the affine span of the corners
  int most = 0;           ///< non-zero weights at most; 0: any number
  double alpha = 0;       ///< how much the other poses count against the target, squared distance for squared distance
  double change = 1e-6;   ///< squared change of weights against squared distance in diameters
  int polish = 4;         ///< repetitions that take back what `change` leaves of the distance
  double pointSize = 0;   ///< smaller hulls are a point: the weights stay
  /// Per influence, or empty: weight on it costs this much besides its change. From 1 on it stays 0 as long as moderate
  /// changes of influences without reluctance do the same.
  std::span<const double> reluctance = {};
};

struct Reach {
  Vec3 nearest = Vec3::Zero();  ///< of the reachable set to the target
  Vec3 placed = Vec3::Zero();   ///< where the weights bring the vertex: nearest, but for rounding and other poses
  double distance = 0;          ///< from the target to `nearest`
  bool converged = true;
};

/// Keeps the memory of repeated calls: no allocation once it has grown.
class ReachSolver {
 public:
  static constexpr Index kMostCorners = 64;

  /// `corners` is 3 (1 + K) x n: where each influence alone puts the vertex, in this pose and in K others; `target` has
  /// as many rows, of which the first three are where the vertex should go and the others where it should stay.
  /// `start` holds the weights at the start of the drag (sum 1), `weights` receives the new ones. The result depends
  /// only on the arguments. Throws BadInput on sizes that do not fit and values that are not finite.
  Reach solve(const Eigen::Ref<const Eigen::MatrixXd>& corners, const Eigen::Ref<const Eigen::VectorXd>& start,
              const Eigen::Ref<const Eigen::VectorXd>& target, const ReachOptions& options,
              Eigen::Ref<Eigen::VectorXd> weights);

  /// Memory for calls with up to so many influences, with a limit of their number, too.
  void reserve(Index rows, Index count);

  /// Of the first pose, without a look at weights.
  Vec3 nearest(const ConstPointsRef& corners, const Vec3& target, bool negative);

 private:
  using Matrix = Eigen::Ref<const Eigen::MatrixXd>;
  using Vector = Eigen::Ref<const Eigen::VectorXd>;

  void prepare(const Matrix& corners, const Vector& target, Index rows, double alpha);
  Reach solveAll(const Matrix& corners, const Vector& start, const Vector& target, const ReachOptions& options,
                 Eigen::Ref<Eigen::VectorXd> weights);
  void solveNearest(const Vector& start, bool negative, Eigen::Ref<Eigen::VectorXd> w);
  void leastSquares(const Vector& start, const ReachOptions& options, Eigen::Ref<Eigen::VectorXd> w);
  void leastSum(const Vector& start, std::span<const double> reluctance, Eigen::Ref<Eigen::VectorXd> w);
  void affine(const Vector& start, Eigen::Ref<Eigen::VectorXd> w);
  void limit(const Matrix& corners, const Vector& start, const Vector& target, const ReachOptions& options,
             Eigen::Ref<Eigen::VectorXd> weights, Reach& reach);
  Index leastNeeded(const Matrix& corners, const Vector& target, const ReachOptions& options, const Vector& weights);
  void gather(const Matrix& corners, const Vector& start, Index without);
  Index independentRows(double cutOff);
  void place(const Vector& w, Eigen::Ref<Eigen::VectorXd> position) const;
  void note(const SimplexReport& report) { converged_ = converged_ && report.converged; }

  Index rows_ = 0;
  Index count_ = 0;
  double size_ = 0;  ///< diameter of the corners in this pose
  bool converged_ = true;
  Eigen::MatrixXd centred_;  ///< corners less their mean, in diameters, other poses by sqrt(alpha)
  Eigen::VectorXd centre_;   ///< their mean
  Eigen::VectorXd aim_;      ///< the target, in the same form
  Eigen::VectorXd reached_;  ///< stage 1, in the same form
  Eigen::VectorXd moved_;    ///< target of the repetitions of stage 2
  Eigen::VectorXd position_;
  Eigen::MatrixXd gram_;
  Eigen::MatrixXd ridged_;
  Eigen::VectorXd pull_;
  Eigen::VectorXd first_;  ///< weights of stage 1
  SimplexScratch scratch_;

  Eigen::MatrixXd basis_;  ///< orthonormal rows that span those of centred_
  Eigen::MatrixXd parts_;  ///< centred_ = parts_ basis_
  Eigen::MatrixXd normal_;
  std::unique_ptr<LinearProgram> program_;

  std::vector<Index> kept_;  ///< of a limited number of influences
  Eigen::MatrixXd keptCorners_;
  Eigen::VectorXd keptStart_;
  Eigen::VectorXd keptWeights_;
  std::vector<double> keptReluctance_;
  Eigen::VectorXd trial_;
};

}  // namespace sinew::drag_weights
