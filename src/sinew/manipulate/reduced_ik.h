// Inverse kinematics on reduced models: drag a few vertices of the mesh, and the whole shape follows as its examples
// do. The cost depends on controls, proxies and examples, not on the vertices of the mesh.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"
#include "sinew/base/types.h"
#include "sinew/deform/reduced_model.h"

namespace sinew {

namespace reduced_ik {
class IkHandles;
class ReducedIkSystem;
struct State;
}  // namespace reduced_ik

/// Whether the whole shape may rotate to reach its handles.
enum class IkRotation {
  Auto,  ///< with four or more handles that do not lie in a plane; with fewer the rotation is underdetermined
  On,
  Off
};
constexpr auto choiceRows(IkRotation) {
  return choiceTable<IkRotation>({{IkRotation::Auto, "auto"}, {IkRotation::On, "on"}, {IkRotation::Off, "off"}});
}

struct IkOptions {
  IkRotation rotation = IkRotation::Auto;
  int mostIterations = 20;      ///< Gauss-Newton steps, 1 to 1000
  double stop = 0.01;           ///< done where a step lowers the objective by no more than this part of it
  double budgetSeconds = 0;     ///< 0: none; else the best found when it is over, marked as a draft
  double restPull = 1e-3;       ///< mu: towards the rest, relative to the size of the examples
  double prior = 1e-3;          ///< eps: towards the linear blend of the controls, if nothing else decides
  double rankTolerance = 1e-2;  ///< of the handles, relative to their largest singular value
};

template <class Visitor>
void visitFields(IkOptions& o, Visitor&& visit) {
  visit(o.mostIterations,
        FieldInfo{.name = "iterations", .help = "maximum Gauss-Newton steps", .least = 1, .most = 1000});
  visit(o.stop, FieldInfo{.name = "stop",
                          .help = "stop if a step gains less than this fraction of the objective",
                          .least = 0,
                          .most = 1});
  visit(o.budgetSeconds,
        FieldInfo{.name = "budget", .help = "time limit, gives a draft; 0: none", .unit = "seconds", .least = 0});
  visit(o.restPull, FieldInfo{.name = "rest-pull",
                              .help = "pull of the example weights towards the rest",
                              .symbol = "mu",
                              .least = 0,
                              .most = 1});
  visit(o.prior, FieldInfo{.name = "prior",
                           .help = "pull of the controls towards their linear blend",
                           .symbol = "epsilon",
                           .least = 1e-6,
                           .most = 1});
  visit(o.rankTolerance,
        FieldInfo{.name = "rank-tolerance",
                  .help = "singular values of the handles below this fraction of the largest are cut off",
                  .least = 1e-8,
                  .most = 0.5});
}

enum class IkStart {
  Fresh,  ///< the best of the rest and the examples
  Warm    ///< where the last solve ended, for dragging; fresh where there was none
};

/// A vertex of the mesh that is held somewhere.
struct IkHandle {
  Index vertex = 0;
  double strength =
      0;  ///< 0: exact if the controls allow it; otherwise a spring, 100 is nearly exact (at a diagonal of 2)
};

struct IkResult {
  std::vector<Affine> controls;      ///< in the space of the model's rest
  Eigen::VectorXd weights;           ///< per example of the model; the rest's own, if it is one, makes the sum 1
  Quat rotation = Quat::Identity();  ///< of the whole shape, about the centre of its box
  int iterations = 0;
  int evaluations = 0;        ///< of the objective, the starts not counted
  double objective = 0;       ///< last, in the scaled space
  double firstObjective = 0;  ///< at the start
  double residualMax = 0;     ///< largest distance of a handle from its target, scene units
  double condition = 1;       ///< of the exact handles: large for near duplicates, infinite for duplicates
  Index rank = 0;             ///< of the exact handles: below their number, not all can be reached
  int start = -1;             ///< example that it started from, -1: the rest, or warm
  bool warm = false;
  bool turned = false;    ///< the whole shape was free to rotate
  bool converged = true;  ///< the stop criterion was reached
  bool draft = false;     ///< the time was over before
  double seconds = 0;     ///< of the whole solve
  double secondsPerIteration = 0;
};

/// Keeps what can be kept: per model the factor, per set of handles their directions, between solves the memory and the
/// last pose. One object per thread.
class ReducedIk {
 public:
  /// Throws if the model has no proxies or an option is out of range.
  explicit ReducedIk(std::shared_ptr<const ReducedModel> model, const IkOptions& options = {});
  ~ReducedIk();
  ReducedIk(ReducedIk&&) noexcept;
  ReducedIk& operator=(ReducedIk&&) noexcept;

  [[nodiscard]] const ReducedModel& model() const;
  [[nodiscard]] const reduced_ik::ReducedIkSystem& system() const;
  [[nodiscard]] const reduced_ik::IkHandles& handles() const;
  [[nodiscard]] const IkOptions& options() const;

  /// Replaces the set of handles; the last pose stays as the warm start. Takes milliseconds for any mesh.
  void setHandles(std::span<const IkHandle> handles);
  /// The same, all of one strength.
  void setHandles(std::span<const Index> vertices, double strength = 0);

  /// `targets` has a column per handle, scene units. The result lives until the next call; no allocation once memory
  /// has grown. No handles: the rest. Throws if sizes differ or a target is not finite.
  const IkResult& solve(const ConstPointsRef& targets, IkStart start = IkStart::Fresh);

  /// The shape of given example weights (as in IkResult::weights; the rest's own is not read), with no handles.
  const IkResult& blend(const Eigen::VectorXd& weights);

  /// Sets where a warm start begins: undo, or a pose from a file.
  void startFrom(const Eigen::VectorXd& weights, const Quat& rotation = Quat::Identity());

 private:
  std::unique_ptr<reduced_ik::State> state_;
};

/// One solve.
IkResult solveReducedIk(const ReducedModel& model, std::span<const IkHandle> handles, const ConstPointsRef& targets,
                        const IkOptions& options = {});

}  // namespace sinew
