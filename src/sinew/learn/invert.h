// Inverse skinning: pushes a sculpt, which was made on the posed mesh, back to the rest pose.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/character/compare.h"
#include "sinew/deform/point_map.h"
#include "sinew/math/powell.h"

namespace sinew {

/// How the operator is inverted.
enum class InvertSolver { Closed, Newton, Powell, FixedPoint };
constexpr auto choiceRows(InvertSolver) {
  return choiceTable<InvertSolver>({{InvertSolver::Closed, "closed"},
                                    {InvertSolver::Newton, "newton"},
                                    {InvertSolver::Powell, "powell"},
                                    {InvertSolver::FixedPoint, "fixed-point"}});
}

/// What can be requested. A fixed-point iteration takes over where an operator is not local.
enum class InvertMethod { Auto, Closed, Newton, Powell };
constexpr auto choiceRows(InvertMethod) {
  return choiceTable<InvertMethod>({{InvertMethod::Auto, "auto"},
                                    {InvertMethod::Closed, nameOf(InvertSolver::Closed)},
                                    {InvertMethod::Newton, nameOf(InvertSolver::Newton)},
                                    {InvertMethod::Powell, nameOf(InvertSolver::Powell)}});
}

struct InvertOptions {
  InvertMethod method = InvertMethod::Auto;
  LineSearchKind lineSearch = LineSearchKind::Parabola;  ///< powell
  double regularisation = 0;                             ///< mu for every vertex; singular ones have at least 1e-4
  double tolerance = 0;   ///< how near is reached, in diagonals; 0: 1e-11, powell 1e-7, non-local boxes 1e-6
  double difference = 0;  ///< newton: h, in diagonals; 0: 1e-5, for boxes that round 4 sqrt(rounding) (float: 1e-3)
  double step = 0.025;    ///< powell: the first step, in diagonals
  bool broyden = false;   ///< newton: update derivatives by secants, which saves calls
  int maxCalls = 500;     ///< whole-mesh calls
};

template <class Visitor>
void visitFields(InvertOptions& o, Visitor&& visit) {
  visit(o.method, {.name = "method", .help = "auto: closed form for a linear blend, Gauss-Newton otherwise"});
  visit(o.lineSearch, {.name = "line-search", .help = "powell: line search method"});
  visit(o.regularisation, {.name = "regularisation",
                           .help = "penalty on the length of d at every vertex; singular ones use at least 1e-4",
                           .symbol = "mu",
                           .least = 0,
                           .most = 1e4});
  visit(o.tolerance, {.name = "tolerance",
                      .help = "distance that counts as reached; 0: 1e-11, powell 1e-7, non-local operators 1e-6",
                      .unit = "diagonals",
                      .least = 0,
                      .most = 0.1});
  visit(o.difference, {.name = "difference",
                       .help = "newton: step of finite differences; 0: 1e-5, for operators in single precision 1e-3",
                       .unit = "diagonals",
                       .symbol = "h",
                       .least = 0,
                       .most = 0.1});
  visit(o.step, {.name = "step", .help = "powell: the first step", .unit = "diagonals", .least = 1e-9, .most = 10});
  visit(o.broyden, {.name = "broyden", .help = "newton: update derivatives by secants, which saves calls"});
  visit(o.maxCalls, {.name = "max-calls", .help = "maximum whole-mesh calls", .least = 10, .most = 1e6});
}

struct InvertReport {
  InvertSolver method = InvertSolver::Closed;
  bool converged = false;          ///< every vertex is reached, or is known to be out of reach
  std::string stopped;             ///< why, in words
  int evaluations = 0;             ///< whole-mesh calls, probes and the last check too
  int iterations = 0;              ///< of newton and fixed-point
  double meanEvaluations = 0;      ///< powell: evaluations per vertex
  Index nonLocal = 1;              ///< vertices that one displaced vertex moves
  int bits = 53;                   ///< significant bits of the box's answers: 24 for single precision
  Index singular = 0;              ///< vertices whose Jacobian is singular at the start
  Index unreachable = 0;           ///< vertices that the operator cannot bring to the sculpt
  ShapeError before;               ///< operator(rest) against the sculpt
  ShapeError residual;             ///< operator(rest + d) + w against the sculpt
  ShapeError withoutLayer;         ///< operator(rest + d) against the sculpt
  double layerRms = 0;             ///< of w, scene units
  double largestDelta = 0;         ///< max |d|, scene units
  double tolerance = 0;            ///< distance that counts as reached, scene units
  Eigen::VectorXd vertexResidual;  ///< |v - operator(rest + d) - w| per vertex
  Eigen::VectorXd conditioning;    ///< smallest singular value of the Jacobian over the typical largest; 0: singular
  std::vector<bool> reachable;
  double seconds = 0;

  /// Nothing was left undone.
  [[nodiscard]] bool usable() const { return converged; }
  /// One line for display.
  [[nodiscard]] std::string sentence() const;
};

/// sculpt = operator(rest + deltas) + layer, up to the residual.
struct InvertResult {
  Points deltas;  ///< d, before the operator
  Points layer;   ///< w, after it: exactly zero but for vertices that are singular, out of reach or regularised
  InvertReport report;
};

/// Any operator, by its answers alone. It is probed first: how precise the answers are, and whether a vertex moves
/// others. Point-wise operators are solved per vertex by `newton` (auto) or `powell`; others by a fixed-point iteration
/// on the whole mesh, which powell rejects. Vertices that coincide at rest, in the pose and in the sculpt get equal d.
/// Throws BadInput for sizes that do not fit, values that are not finite (also of the operator at rest), an unknown
/// method and `closed`; Cancelled by progress. Not converging is in the report. Cost: 4 calls per iteration, some 20 in
/// all by newton, some 100 by powell.
InvertResult invertMap(const PointMap& map, const ConstPointsRef& rest, const ConstPointsRef& sculpt,
                       const InvertOptions& options = {}, const Progress& progress = {});

/// An operator of ours at a pose: `auto` takes the closed form d = M^-1 r where it is a linear blend, `closed` throws
/// if it is not, the others are as above. `rest` are the points before skinning, morph targets applied.
InvertResult invertDeformer(const DeformerPtr& deformer, const PosedJoints& joints, const ConstPointsRef& rest,
                            const ConstPointsRef& sculpt, const InvertOptions& options = {},
                            const Progress& progress = {});

}  // namespace sinew
