// The points of a drag, ready to be solved: which, by what share, with which corners. Internal to drag_weights.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "sinew/manipulate/drag_weights.h"

namespace sinew::drag_weights {

inline constexpr const char* kWhere = "drag weights";

/// The influence of one dragged vertex on a point: a share of its motion.
struct Pull {
  std::uint32_t handle = 0;
  double share = 0;
};

/// The free influences of a point are [begin, end) of the columns of DragPoints; its locked ones do not move.
struct DragPoint {
  Index vertex = 0;  ///< represents its seam
  Index begin = 0;
  Index end = 0;
  double free = 1;  ///< sum of the weights that may change
  std::uint32_t firstLocked = 0;
  std::uint32_t lastLocked = 0;
  std::uint32_t firstPull = 0;
  std::uint32_t lastPull = 0;
  std::uint32_t firstSeam = 0;
  std::uint32_t lastSeam = 0;
};

/// With u the share of each free influence in `free`, a point is at corners * u in every pose.
struct DragPoints {
  std::vector<DragPoint> points;
  std::vector<DraggedVertex> vertices;  ///< as the caller sees them
  std::vector<std::uint32_t> bindings;  ///< per column
  Eigen::VectorXd start;                ///< per column: u at the start
  std::vector<double> reluctance;       ///< per column: 0, above 0 for near joints (ReachOptions)
  Eigen::MatrixXd corners;              ///< 3 (1 + poses) x columns
  Eigen::MatrixXd stay;                 ///< 3 (1 + poses) x points: positions at the start
  std::vector<Influence> locked;
  std::vector<Pull> pulls;
  std::vector<std::uint32_t> seams;  ///< file vertices
  Index poses = 1;
  double diagonal = 0;                             ///< of the posed character
  std::vector<std::vector<Affine>> worldFromRest;  ///< per pose, per binding
  Eigen::MatrixXd rest;                            ///< 3 (1 + poses) x points: rest positions, with morph targets
  Eigen::MatrixXd offset;  ///< 3 (1 + poses) x points: what was learned adds, and locked weights give

  /// Where a binding alone puts the free part of a point.
  [[nodiscard]] Vec3 corner(std::size_t point, std::uint32_t binding, std::size_t pose) const;
};

/// Collects all that does not change while dragging. Throws as DragSession does.
DragPoints collectPoints(const Character& character, const DragStart& start, const DragOptions& options,
                         const DragSurface& surface);

/// The skin that moves a vertex, and one of its bindings by joint, or -1.
int skinOf(const Character& character, Index vertex);
std::int64_t bindingOf(const Skin& skin, int skinNumber, int joint);

}  // namespace sinew::drag_weights
