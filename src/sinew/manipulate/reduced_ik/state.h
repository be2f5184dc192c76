// What a ReducedIk keeps between solves, for the files of the solver alone.
#pragma once

#include <Eigen/Cholesky>
#include <chrono>
#include <memory>

#include "sinew/manipulate/reduced_ik.h"
#include "sinew/manipulate/reduced_ik/handles.h"
#include "sinew/manipulate/reduced_ik/system.h"

namespace sinew::reduced_ik {

/// The insides of a solver: start.cpp chooses where a solve begins, reduced_ik.cpp takes its steps.
struct State {
  /// The state of a solve. It depends only on the weights, so a drag continues from it.
  struct Pose {
    Eigen::VectorXd weights;
    Mat3 turn = Mat3::Identity();
    ReducedIkSystem::Evaluation known;
    bool evaluated = false;
  };

  State(std::shared_ptr<const ReducedModel> given, const IkOptions& asked);

  std::shared_ptr<const ReducedModel> model;
  IkOptions options;
  ReducedIkSystem system;
  IkHandles handles;
  IkHandles none;  ///< for blends
  double lambda = 0;
  double square = 0;  ///< of the target, about
  bool posed = false;
  Pose at;
  Pose trial;
  IkResult result;
  // Memory of a solve.
  Eigen::MatrixXd targets;    ///< k x 3, scaled, the translation taken out
  Eigen::MatrixXd wanted;     ///< H targets, d x 3, not rotated
  Eigen::MatrixXd turned;     ///< wanted Q
  RowMatrix held;             ///< D^T of the evaluation, with the miss in its last columns
  Eigen::MatrixXd missed;     ///< d x 3: D^T v - H targets Q
  Eigen::MatrixXd unknowns;   ///< n x 3
  Eigen::MatrixXd linear;     ///< n x 3: T_lin
  Eigen::MatrixXd change;     ///< n x 3
  RowMatrix misfit;           ///< 3 J x 3: m - G T_lin
  Eigen::MatrixXd distances;  ///< k x 3: handles from their targets
  Eigen::MatrixXd polished;
  Eigen::MatrixXd hessian;
  Eigen::MatrixXd damped;
  Eigen::VectorXd gradient;
  Eigen::VectorXd step;
  Eigen::LDLT<Eigen::MatrixXd> ldlt;
  Vec3 shift = Vec3::Zero();
  Points nowhere{3, 0};

  [[nodiscard]] bool turns() const {
    if (options.rotation == IkRotation::Auto) return handles.solid();
    return options.rotation == IkRotation::On && handles.count() > 0;
  }

  void reset(const IkHandles& holding);
  void setTargets(const ConstPointsRef& points);
  void takeShift(const Vec3& meanOfHandles, const Mat3& turn);
  void startFresh();
  void startWarm();
  void prepareStep();
  bool takeStep(double damping);
  double objectiveAt(Pose& pose, const IkHandles& holding);
  void iterate(std::chrono::steady_clock::time_point start);
  void finish(const IkHandles& holding);
};

}  // namespace sinew::reduced_ik
