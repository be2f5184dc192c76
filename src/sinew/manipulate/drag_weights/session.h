// A drag in progress: its points, their blocks, and one step of the solve.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sinew/base/parallel.h"
#include "sinew/manipulate/drag_weights.h"
#include "sinew/manipulate/drag_weights/follow.h"
#include "sinew/manipulate/drag_weights/level.h"
#include "sinew/manipulate/drag_weights/points.h"
#include "sinew/manipulate/drag_weights/solve.h"

namespace sinew::drag_weights {

/// In diagonals of the posed character: a smaller hull is a point (at rest every joint puts a vertex in one position).
inline constexpr double kPoint = 1e-7;

struct Session {
  const Character& character;
  DragOptions options;
  DragPoints data;
  std::size_t handles;
  int most;  ///< influences of a vertex; 0: as many as it may use
  Followers followers;
  Points targets;  ///< of the handles
  std::vector<Influence> influences;
  std::vector<std::uint32_t> firstInfluence;
  std::vector<std::uint32_t> influenceCount;
  std::vector<char> converged;

  /// Points are cut into blocks, each with memory of its own.
  struct Block {
    ReachSolver solver;
    Eigen::VectorXd target;
    Eigen::VectorXd shares = Eigen::VectorXd(ReachSolver::kMostCorners);
    Followers::Scratch scratch = {};
  };
  std::vector<Block> blocks;
  std::optional<Levels> levels;  ///< of several vertices that are dragged softly

  Session(const Character& whole, const DragStart& start, DragOptions given, const DragSurface& surface);

  [[nodiscard]] ReachOptions reachOptions(const DragPoint& point) const;

  /// Calls `work` with each point of [first, last) and the block that it belongs to.
  template <class Work>
  void inBlocks(std::size_t first, std::size_t last, const Work& work) {
    const auto count = static_cast<Index>(last - first);
    const auto blockCount = static_cast<Index>(blocks.size());
    parallelFor(blockCount, 1, [&](Index b) {
      for (Index i = b * count / blockCount; i < (b + 1) * count / blockCount; ++i)
        work(first + toSize(i), blocks[toSize(b)]);
    });
  }

  void step();

  void stepFollowers();

  /// One after the other, so that neighbours do not adapt to each other at once. Returns whether any changed.
  bool levelHandles();

  void stepFollower(std::size_t i, Block& block);

  /// Where the weights of the last step put a point in a pose.
  [[nodiscard]] Vec3 placeOf(std::size_t i, std::size_t pose) const;

  void stepHandle(std::size_t i, Block& block);

  /// Weights that a step made nearly 0 are 0. Whether there were any.
  bool withoutDust(std::size_t i, const DragPoint& point);

  static bool largest(const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.binding < b.binding;
  }

  void writeInfluences(std::size_t i, const DragPoint& point, const Eigen::VectorXd& shares);

  [[nodiscard]] std::span<const Influence> column(std::size_t k) const {
    return {influences.data() + firstInfluence.at(k), influenceCount[k]};
  }

  [[nodiscard]] Points cornersOf(std::size_t k, std::size_t pose) const;

  /// Per binding 2 if it moves a skin, 1 if it only places unskinned parts: those are not joints of a skin. Visits
  /// every vertex, so it is computed once.
  mutable std::vector<char> places;
  void findPlaces() const;

  /// Bindings of the vertex's skin that it does not use and could.
  [[nodiscard]] std::vector<std::uint32_t> unused(const DragPoint& point) const;
};

}  // namespace sinew::drag_weights
