// Direct manipulation of a skin: drag posed vertices, and their weights follow.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"
#include "sinew/character/character.h"
#include "sinew/deform/posing.h"
#include "sinew/manipulate/drag_surface.h"
#include "sinew/math/convex_hull.h"

namespace sinew {

namespace drag_weights {
struct Session;
}

enum class SecondStage {
  LeastSquares,  ///< least squared change of the weights: continuous under dragging
  LeastSum       ///< least sum of changes, by a linear program: fewer weights change, but they may jump
};
constexpr auto choiceRows(SecondStage) {
  return choiceTable<SecondStage>({{SecondStage::LeastSquares, "l2"}, {SecondStage::LeastSum, "l1"}});
}

struct DragOptions {
  double soft = 0;                    ///< vertices nearer than this over the posed surface follow, 0: none
  Falloff falloff = Falloff::Smooth;  ///< how their share fades out
  bool volume = false;                ///< distances of `soft` are straight through space, not over the surface
  SecondStage secondStage = SecondStage::LeastSquares;
  bool negative = false;  ///< weights need only sum to 1
  /// Of a dragged vertex, locked ones too; 0: as many as it may use, but near joints only up to the most that any
  /// vertex has, at least 4.
  int maxInfluences = 0;
  double alpha = 0;  ///< how much the other poses count, 0 to 1
  /// Only the joints that move a vertex now. Otherwise near ones may, too, unless weights may be negative or `joints`
  /// are given: those of vertices within three rings or `soft`, and parents and children.
  bool presentOnly = false;
  std::vector<int> joints = {};  ///< only these may move the vertices; empty: those that do, and near ones
  std::vector<int> added = {};   ///< joints that may move them besides
  std::vector<int> locked = {};  ///< joints whose weights must not change
};

template <class Visitor>
void visitFields(DragOptions& o, Visitor&& visit) {
  visit(o.soft,
        {.name = "soft", .help = "soft selection radius over the posed surface", .unit = "scene units", .least = 0});
  visit(o.falloff, {.name = "falloff", .help = "falloff curve of the soft selection"});
  visit(o.volume, {.name = "volume", .help = "measure --soft through space, not over the surface"});
  visit(o.secondStage, {.name = "second-stage",
                        .help = "which of the weights that reach the target: smooth (l2, least squared change) or "
                                "sparse (l1, least sum of changes, may jump)"});
  visit(o.negative, {.name = "negative", .help = "allow weights below 0"});
  visit(o.presentOnly,
        {.name = "present-only", .help = "use only the joints that move a vertex now, not those near it"});
  visit(o.maxInfluences, {.name = "max-influences",
                          .help = "max influences of a dragged vertex, including locked ones; 0: as many as the skin "
                                  "has anywhere, at least 4",
                          .least = 0,
                          .most = 64});
  visit(o.alpha, {.name = "alpha",
                  .help = "how much keeping the vertex in place in the other poses counts",
                  .symbol = "alpha",
                  .least = 0,
                  .most = 1});
}

/// What is dragged: vertices (as numbered in the file) in a pose. Vertices of one seam move together.
struct DragStart {
  std::vector<Index> vertices;
  Pose pose;
  std::vector<Pose> also = {};  ///< poses in which the vertices should stay in place
  Playback playback = {};       ///< as the character plays; what it adds to the linear blend is held while dragging
};

/// One point of the skin in a drag.
struct DraggedVertex {
  Index vertex = 0;  ///< as requested; for an affected vertex, the first of its seam
  double share = 1;  ///< share of the motion: 1 for dragged vertices
  Vec3 start = Vec3::Zero();
  Vec3 target = Vec3::Zero();
  /// The nearest reachable point; with other poses (alpha above 0) the compromise. Of a follower, where its share of
  /// the change of the weights puts it.
  Vec3 reached = Vec3::Zero();
  double distance = 0;    ///< from the target to `reached`
  bool reachable = true;  ///< the target is in the reachable set; for an affected vertex: it got there
};

/// The reachable set of a vertex in one pose: the hull of the positions that each joint alone would give, with locked
/// weights kept.
struct ReachableSet {
  std::vector<int> joints;  ///< of each corner
  std::vector<char> near;   ///< of each corner: 1 if its joint did not move the vertex at the start
  Points corners;
  ConvexHull hull;  ///< with negative weights allowed, the span of its dimension
};

/// The joint whose addition brings a vertex nearest to its target, and the remaining distance.
struct JointSuggestion {
  int joint = 0;
  double distance = 0;
};

/// Columns of a skin, as plain data: vertices[k] has influences [offsets[k], offsets[k + 1]).
struct WeightColumns {
  WeightColumns() : offsets(1, 0) {}

  std::vector<Index> vertices;
  std::vector<std::uint32_t> offsets;
  std::vector<Influence> influences;

  void add(Index vertex, std::span<const Influence> column);
  [[nodiscard]] std::span<const Influence> operator[](std::size_t k) const {
    return {influences.data() + offsets[k], influences.data() + offsets[k + 1]};
  }
};

/// The skin with some columns replaced. Throws on negative weights, which skins do not support.
SkinWeights withColumns(const SkinWeights& weights, const WeightColumns& columns);

/// One drag, from press to release. Weights change relative to those at the start, so returning the pointer restores
/// them. Keeps a reference to the character, which must not change meanwhile. drag() and similar functions do not
/// allocate.
class DragSession {
 public:
  /// `surface` may be shared by all drags of a character; null: built here, if it is needed. Throws BadInput for a
  /// character without a skin, vertices that do not exist or that no skin moves, two vertices of one seam, joints that
  /// the skin does not bind, and options out of range.
  DragSession(const Character& character, const DragStart& start, DragOptions options = {},
              std::shared_ptr<const DragSurface> surface = nullptr);
  ~DragSession();
  DragSession(DragSession&&) noexcept;
  DragSession& operator=(DragSession&&) noexcept;

  /// A target per dragged vertex, in world space, in their order.
  void drag(const ConstPointsRef& targets);
  /// Moves all dragged vertices by the same offset.
  void move(const Vec3& way);
  /// All of them away from (factor above 1) or towards their centroid.
  void scale(double factor);
  /// From the next step on.
  void setAlpha(double alpha);

  /// The dragged vertices in their order, then the affected ones by number.
  [[nodiscard]] std::span<const DraggedVertex> vertices() const;
  /// Weights after the last step, the largest first; where the step changed any, none is below kLeastWeight.
  [[nodiscard]] std::span<const Influence> weights(std::size_t k) const;
  /// All file vertices of a dragged point.
  [[nodiscard]] std::span<const std::uint32_t> seam(std::size_t k) const;
  /// Of pose 0 (the dragged one) or of DragStart::also[pose - 1].
  [[nodiscard]] ReachableSet reachable(std::size_t k, std::size_t pose = 0) const;
  /// How far the last step has moved it in DragStart::also[k].
  [[nodiscard]] double movedIn(std::size_t k, std::size_t also) const;
  /// For the target of the last step; none if no joint of the skin would bring it noticeably nearer.
  [[nodiscard]] std::optional<JointSuggestion> suggestion(std::size_t k) const;
  /// Whether all small systems of the last step were solved to the end.
  [[nodiscard]] bool converged() const;

  /// Columns of all vertices that the drag may change: the old ones, and those of the last step. Swapping them is undo.
  [[nodiscard]] WeightColumns before() const;
  [[nodiscard]] WeightColumns after() const;
  /// The whole skin with the new columns. Throws if weights are negative.
  [[nodiscard]] SkinWeights finish() const;

 private:
  std::unique_ptr<drag_weights::Session> session_;
};

}  // namespace sinew
