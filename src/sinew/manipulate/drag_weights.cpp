// Direct manipulation (Mohr, Tokheim and Gleicher 2003). drag_weights_solve.cpp has the method for one vertex,
// drag_weights_points.cpp what is known before the first step, drag_weights_follow.cpp how a soft selection follows,
// drag_weights_level.cpp how several vertices that are dragged softly agree with their neighbours. A step is one small
// problem per vertex asked for, then a blend per follower: each is independent, so it runs in parallel,
// bit-identical on any number of threads.
#include "sinew/manipulate/drag_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/manipulate/drag_weights_follow.h"
#include "sinew/manipulate/drag_weights_level.h"
#include "sinew/manipulate/drag_weights_points.h"

namespace sinew {
namespace {

constexpr const char* kWhere = "drag weights";
/// In diagonals of the posed character: a smaller hull is a point (at rest all joints give a vertex the same position).
constexpr double kPoint = 1e-7;
/// In diagonals: a target this near to the reachable set is reached.
constexpr double kReached = 1e-6;
/// A joint is suggested where it takes away at least this part of the distance,
constexpr double kWorthwhile = 0.05;
/// and is at most this many bones away from an influence of the vertex: a hand does not help the other elbow.
constexpr int kNearBones = 2;

/// Whether two joints are at most kNearBones bones from each other.
bool areNear(const Skeleton& skeleton, int a, int b) {
  for (int up = 0; up <= kNearBones && a >= 0; ++up, a = skeleton[a].parent) {
    int other = b;
    for (int down = 0; up + down <= kNearBones && other >= 0; ++down, other = skeleton[other].parent) {
      if (a == other) return true;
    }
  }
  return false;
}

void checkOptions(const DragOptions& options) {
  SINEW_CHECK(std::isfinite(options.soft) && options.soft >= 0, kWhere,
              fmt::format("the soft radius is {}; it must be 0 or more", options.soft));
  SINEW_CHECK(options.secondStage == "l2" || options.secondStage == "l1", kWhere,
              fmt::format("unknown second stage '{}'; use l2 or l1", options.secondStage));
  SINEW_CHECK(options.maxInfluences >= 0, kWhere,
              fmt::format("max-influences is {}; it must be 0 (unlimited) or more", options.maxInfluences));
  SINEW_CHECK(std::isfinite(options.alpha) && options.alpha >= 0, kWhere,
              fmt::format("alpha is {}; it must be from 0 (only the target counts) to 1 (other poses count as much)",
                          options.alpha));
  falloff(options.falloff);
}

}  // namespace

void WeightColumns::add(Index vertex, std::span<const Influence> column) {
  vertices.push_back(vertex);
  influences.insert(influences.end(), column.begin(), column.end());
  offsets.push_back(static_cast<std::uint32_t>(influences.size()));
}

SkinWeights withColumns(const SkinWeights& weights, const WeightColumns& columns) {
  constexpr std::size_t kOld = ~std::size_t{0};
  std::vector<std::size_t> replaced(static_cast<std::size_t>(weights.vertexCount()), kOld);
  for (std::size_t k = 0; k < columns.vertices.size(); ++k) {
    const Index vertex = columns.vertices[k];
    SINEW_CHECK(vertex >= 0 && vertex < weights.vertexCount(), kWhere,
                fmt::format("there is no vertex {}; the skin has {}", vertex, weights.vertexCount()));
    replaced[static_cast<std::size_t>(vertex)] = k;
  }
  std::vector<std::uint32_t> offsets{0};
  offsets.reserve(replaced.size() + 1);
  std::vector<Influence> influences;
  influences.reserve(4 * replaced.size());
  for (std::size_t v = 0; v < replaced.size(); ++v) {
    const auto column = replaced[v] == kOld ? weights[static_cast<Index>(v)] : columns[replaced[v]];
    influences.insert(influences.end(), column.begin(), column.end());
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  return {weights.bindingCount(), std::move(offsets), std::move(influences)};
}

struct DragSession::Impl {
  const Character& character;
  DragOptions options;
  drag::DragPoints data;
  std::size_t handles;
  drag::Followers followers;
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
    drag::Followers::Scratch scratch = {};
  };
  std::vector<Block> blocks;
  std::optional<drag::Levels> levels;  ///< of several vertices that are dragged softly

  Impl(const Character& whole, const DragStart& start, DragOptions given, const DragSurface& surface)
      : character(whole),
        options(std::move(given)),
        data(drag::collectPoints(whole, start, options, surface)),
        handles(start.vertices.size()),
        followers(whole, data, options, handles),
        targets(3, static_cast<Index>(handles)) {
    constexpr std::size_t kMostBlocks = 16;
    constexpr std::size_t kLeastPoints = 16;
    const std::size_t count = data.points.size();
    blocks.resize(std::clamp<std::size_t>(count / kLeastPoints, 1, kMostBlocks));
    for (Block& block : blocks) {
      block.target.resize(3 * data.poses);
      block.scratch = followers.scratch();
    }
    converged.assign(count, 1);
    influenceCount.assign(count, 0);
    std::size_t room = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const drag::DragPoint& point = data.points[i];
      firstInfluence.push_back(static_cast<std::uint32_t>(room));
      const auto own = static_cast<std::size_t>(point.end - point.begin) + (point.lastLocked - point.firstLocked);
      room += std::max(own, followers.roomOf(i));
    }
    influences.resize(room);
    if (handles > 1 && options.soft > 0 && !options.negative) levels.emplace(whole, data, handles, surface);
    for (std::size_t h = 0; h < handles; ++h) targets.col(static_cast<Index>(h)) = data.vertices[h].start;
    step();
  }

  [[nodiscard]] ReachOptions reachOptions(const drag::DragPoint& point) const {
    ReachOptions reach;
    reach.secondStage = options.secondStage == "l1" ? SecondStage::LeastSum : SecondStage::LeastSquares;
    reach.negative = options.negative;
    reach.alpha = options.alpha;
    reach.pointSize = kPoint * data.diagonal;
    if (options.maxInfluences > 0)
      reach.most = std::max(1, options.maxInfluences - static_cast<int>(point.lastLocked - point.firstLocked));
    return reach;
  }

  /// Calls `work` with each point of [first, last) and the block that it belongs to.
  template <class Work>
  void inBlocks(std::size_t first, std::size_t last, const Work& work) {
    const auto count = static_cast<Index>(last - first);
    const auto blockCount = static_cast<Index>(blocks.size());
    parallelFor(blockCount, 1, [&](Index b) {
      for (Index i = b * count / blockCount; i < (b + 1) * count / blockCount; ++i)
        work(first + static_cast<std::size_t>(i), blocks[static_cast<std::size_t>(b)]);
    });
  }

  void step() {
    inBlocks(0, handles, [&](std::size_t i, Block& block) { stepHandle(i, block); });
    stepFollowers();
    // Limiting one vertex may make the next an outlier.
    constexpr int kPasses = 8;
    for (int pass = 0; pass < kPasses && levels && levelHandles(); ++pass) stepFollowers();
  }

  void stepFollowers() {
    if (handles == data.points.size()) return;
    for (std::size_t h = 0; h < handles; ++h) followers.setHandle(h, column(h));
    inBlocks(handles, data.points.size(), [&](std::size_t i, Block& block) { stepFollower(i, block); });
  }

  /// One after the other, so that neighbours do not adapt to each other at once. Returns whether any changed.
  bool levelHandles() {
    bool changed = false;
    Eigen::VectorXd& shares = blocks.front().shares;
    const auto columnOf = [this](std::size_t k) { return column(k); };
    for (std::size_t i = 0; i < handles; ++i) {
      const drag::DragPoint& point = data.points[i];
      if (!levels->level(i, columnOf, options.maxInfluences > 0, shares.head(point.end - point.begin))) continue;
      changed = true;
      writeInfluences(i, point, shares);
      withoutDust(i, point);
      DraggedVertex& shown = data.vertices[i];
      shown.reached = placeOf(i, 0);
      shown.distance = (shown.reached - shown.target).norm();
    }
    return changed;
  }

  void stepFollower(std::size_t i, Block& block) {
    const drag::DragPoint& point = data.points[i];
    DraggedVertex& shown = data.vertices[i];
    shown.target = shown.start;
    for (std::uint32_t p = point.firstPull; p < point.lastPull; ++p) {
      const drag::Pull& pull = data.pulls[p];
      shown.target += pull.share * (targets.col(pull.handle) - data.vertices[pull.handle].start);
    }
    influenceCount[i] = static_cast<std::uint32_t>(
        followers.follow(i, block.scratch, std::span(influences).subspan(firstInfluence[i], followers.roomOf(i))));
    shown.reached = placeOf(i, 0);
    shown.distance = (shown.reached - shown.target).norm();
    shown.reachable = shown.distance <= kReached * data.diagonal;
  }

  /// Where the weights of the last step put a point in a pose.
  [[nodiscard]] Vec3 placeOf(std::size_t i, std::size_t pose) const {
    const drag::DragPoint& point = data.points[i];
    const auto rows = static_cast<Index>(3 * pose);
    if (point.begin == point.end) return data.stay.col(static_cast<Index>(i)).segment<3>(rows);
    const auto locked = std::span(data.locked).subspan(point.firstLocked, point.lastLocked - point.firstLocked);
    Vec3 place = data.offset.col(static_cast<Index>(i)).segment<3>(rows);
    const Vec3 rest = data.rest.col(static_cast<Index>(i)).segment<3>(rows);
    for (const Influence& one : column(i)) {
      const bool held =
          std::any_of(locked.begin(), locked.end(), [&](const auto& l) { return l.binding == one.binding; });
      if (!held) place += one.weight * (data.worldFromRest[pose][one.binding] * rest);
    }
    return place;
  }

  void stepHandle(std::size_t i, Block& block) {
    const drag::DragPoint& point = data.points[i];
    DraggedVertex& shown = data.vertices[i];
    shown.target = targets.col(static_cast<Index>(i));
    const Index n = point.end - point.begin;
    if (n == 0) {
      shown.reached = shown.start;
      shown.distance = (shown.target - shown.start).norm();
      shown.reachable = shown.distance <= kReached * data.diagonal;
    } else {
      block.target = data.stay.col(static_cast<Index>(i));
      block.target.head<3>() = shown.target;
      const Reach reach =
          block.solver.solve(data.corners.middleCols(point.begin, n), data.start.segment(point.begin, n), block.target,
                             reachOptions(point), block.shares.head(n));
      const bool compromise = options.alpha > 0 && data.poses > 1;
      shown.reached = compromise ? reach.placed : reach.nearest;
      shown.distance = (shown.reached - shown.target).norm();
      shown.reachable = reach.distance <= kReached * data.diagonal;
      converged[i] = reach.converged ? 1 : 0;
    }
    writeInfluences(i, point, block.shares);
    if (n == 0 || !withoutDust(i, point)) return;
    shown.reached = placeOf(i, 0);
    shown.distance = (shown.reached - shown.target).norm();
  }

  /// Weights that a step made nearly 0 are 0. Whether there were any.
  bool withoutDust(std::size_t i, const drag::DragPoint& point) {
    const auto now = column(i);
    const auto before = character.skin.weights[point.vertex];
    const auto same = [](const Influence& a, const Influence& b) {
      return a.binding == b.binding && std::abs(a.weight - b.weight) < 1e-12;
    };
    // A drag that moved nothing changes nothing.
    if (std::equal(now.begin(), now.end(), before.begin(), before.end(), same)) return false;
    const std::span<Influence> all(influences.data() + firstInfluence[i], influenceCount[i]);
    const auto locked = std::span(data.locked).subspan(point.firstLocked, point.lastLocked - point.firstLocked);
    const auto free = std::partition(all.begin(), all.end(), [&](const Influence& one) {
      return std::any_of(locked.begin(), locked.end(), [&](const auto& l) { return l.binding == one.binding; });
    });
    const auto held = static_cast<std::size_t>(free - all.begin());
    const std::size_t left = drag::dropDust(all, held);
    const bool dropped = left < all.size();
    influenceCount[i] = static_cast<std::uint32_t>(left);
    std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(left), largest);
    return dropped;
  }

  static bool largest(const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.binding < b.binding;
  }

  void writeInfluences(std::size_t i, const drag::DragPoint& point, const Eigen::VectorXd& shares) {
    const auto begin = influences.begin() + firstInfluence[i];
    auto end = begin;
    for (std::uint32_t l = point.firstLocked; l < point.lastLocked; ++l) *end++ = data.locked[l];
    for (Index c = point.begin; c < point.end; ++c) {
      const double weight = point.free * shares[c - point.begin];
      if (weight != 0) *end++ = {data.bindings[static_cast<std::size_t>(c)], weight};
    }
    std::sort(begin, end, largest);
    influenceCount[i] = static_cast<std::uint32_t>(end - begin);
  }

  [[nodiscard]] std::span<const Influence> column(std::size_t k) const {
    return {influences.data() + firstInfluence.at(k), influenceCount[k]};
  }

  [[nodiscard]] Points cornersOf(std::size_t k, std::size_t pose) const {
    const drag::DragPoint& point = data.points.at(k);
    if (point.end == point.begin) return data.stay.col(static_cast<Index>(k)).segment<3>(static_cast<Index>(3 * pose));
    return data.corners.block(static_cast<Index>(3 * pose), point.begin, 3, point.end - point.begin);
  }

  /// Per binding 2 if it moves a skin, 1 if it only places unskinned parts: those are not joints of a skin. Visits
  /// every vertex, so it is computed once.
  mutable std::vector<char> places;
  void findPlaces() const {
    if (!places.empty()) return;
    const Skin& skin = character.skin;
    places.assign(skin.bindings.size(), 0);
    for (const MeshPart& part : character.mesh.parts) {
      for (Index v = part.firstVertex; v < part.firstVertex + part.vertexCount; ++v) {
        for (const Influence& influence : skin.weights[v]) {
          char& place = places[influence.binding];
          if (part.skinned) place = 2;
          if (place == 0) place = 1;
        }
      }
    }
  }

  /// Bindings of the vertex's skin that it does not use and could.
  [[nodiscard]] std::vector<std::uint32_t> unused(const drag::DragPoint& point) const {
    findPlaces();
    const Skin& skin = character.skin;
    const int number = drag::skinOf(character, point.vertex);
    std::vector<std::uint32_t> found;
    for (std::uint32_t b = 0; b < skin.bindings.size(); ++b) {
      const auto own =
          std::span(data.bindings)
              .subspan(static_cast<std::size_t>(point.begin), static_cast<std::size_t>(point.end - point.begin));
      const bool used = std::find(own.begin(), own.end(), b) != own.end();
      const bool locked =
          std::find(options.locked.begin(), options.locked.end(), skin.bindings[b].joint) != options.locked.end();
      if (skin.bindings[b].skin == number && places[b] != 1 && !used && !locked) found.push_back(b);
    }
    return found;
  }
};

DragSession::DragSession(const Character& character, const DragStart& start, DragOptions options,
                         std::shared_ptr<const DragSurface> surface) {
  checkOptions(options);
  SINEW_CHECK(character.hasSkin(), kWhere, "the character has no skin to drag; bind it to a skeleton first");
  if (!surface) surface = std::make_shared<const DragSurface>(character);
  SINEW_CHECK(surface->weld().pointOfVertex.size() == static_cast<std::size_t>(character.mesh.vertexCount()), kWhere,
              "the surface was made for another character");
  impl_ = std::make_unique<Impl>(character, start, std::move(options), *surface);
}
DragSession::~DragSession() = default;
DragSession::DragSession(DragSession&&) noexcept = default;
DragSession& DragSession::operator=(DragSession&&) noexcept = default;

void DragSession::drag(const ConstPointsRef& targets) {
  SINEW_CHECK(targets.cols() == static_cast<Index>(impl_->handles), kWhere,
              fmt::format("{} targets for {} vertices; give one for each", targets.cols(), impl_->handles));
  checkFinite(targets, kWhere, "target");
  impl_->targets = targets;
  impl_->step();
}

void DragSession::move(const Vec3& way) {
  checkFinite(way, kWhere, "way");
  for (std::size_t h = 0; h < impl_->handles; ++h)
    impl_->targets.col(static_cast<Index>(h)) = impl_->data.vertices[h].start + way;
  impl_->step();
}

void DragSession::scale(double factor) {
  SINEW_CHECK(std::isfinite(factor), kWhere, "the factor is not a finite number");
  Vec3 centroid = Vec3::Zero();
  for (std::size_t h = 0; h < impl_->handles; ++h)
    centroid += impl_->data.vertices[h].start / static_cast<double>(impl_->handles);
  for (std::size_t h = 0; h < impl_->handles; ++h) {
    impl_->targets.col(static_cast<Index>(h)) = centroid + factor * (impl_->data.vertices[h].start - centroid);
  }
  impl_->step();
}

void DragSession::setAlpha(double alpha) {
  DragOptions options = impl_->options;
  options.alpha = alpha;
  checkOptions(options);
  impl_->options.alpha = alpha;
}

std::span<const DraggedVertex> DragSession::vertices() const {
  return impl_->data.vertices;
}

std::span<const Influence> DragSession::weights(std::size_t k) const {
  return impl_->column(k);
}

std::span<const std::uint32_t> DragSession::seam(std::size_t k) const {
  const drag::DragPoint& point = impl_->data.points.at(k);
  return std::span(impl_->data.seams).subspan(point.firstSeam, point.lastSeam - point.firstSeam);
}

ReachableSet DragSession::reachable(std::size_t k, std::size_t pose) const {
  const drag::DragPoint& point = impl_->data.points.at(k);
  SINEW_CHECK(pose < static_cast<std::size_t>(impl_->data.poses), kWhere,
              fmt::format("there is no pose {}; the drag has {}", pose, impl_->data.poses));
  ReachableSet set;
  set.corners = impl_->cornersOf(k, pose);
  for (Index c = point.begin; c < point.end; ++c)
    set.joints.push_back(impl_->character.skin.bindings[impl_->data.bindings[static_cast<std::size_t>(c)]].joint);
  set.hull = convexHull(set.corners);
  if (set.hull.diameter > kPoint * impl_->data.diagonal) return set;
  const double size = set.hull.diameter;
  set.hull = {.dimension = 0, .corners = {0}, .triangles = {}, .edges = {}, .diameter = size};
  return set;
}

double DragSession::movedIn(std::size_t k, std::size_t also) const {
  const drag::DragPoints& data = impl_->data;
  SINEW_CHECK(also + 1 < static_cast<std::size_t>(data.poses), kWhere,
              fmt::format("there is no other pose {}; the drag has {}", also, data.poses - 1));
  return (impl_->placeOf(k, also + 1) -
          data.stay.col(static_cast<Index>(k)).segment<3>(static_cast<Index>(3 * (also + 1))))
      .norm();
}

std::optional<JointSuggestion> DragSession::suggestion(std::size_t k) const {
  const drag::DragPoint& point = impl_->data.points.at(k);
  const DraggedVertex& shown = impl_->data.vertices[k];
  const Index n = point.end - point.begin;
  if (n == 0 || n >= ReachSolver::kMostCorners || shown.reachable) return std::nullopt;
  const ReachOptions options = impl_->reachOptions(point);
  Points corners(3, n + 1);
  corners.leftCols(n) = impl_->cornersOf(k, 0);
  Eigen::VectorXd start = Eigen::VectorXd::Zero(n + 1);
  start.head(n) = impl_->data.start.segment(point.begin, n);
  Eigen::VectorXd weights(n + 1);
  ReachSolver solver;
  const double now = (solver.nearest(corners.leftCols(n), shown.target, options.negative) - shown.target).norm();
  const auto jointOf = [&](std::uint32_t binding) { return impl_->character.skin.bindings[binding].joint; };
  const auto moving =
      std::span(impl_->data.bindings).subspan(static_cast<std::size_t>(point.begin), static_cast<std::size_t>(n));
  std::optional<JointSuggestion> best;
  for (const std::uint32_t binding : impl_->unused(point)) {
    if (std::none_of(moving.begin(), moving.end(), [&](std::uint32_t own) {
          return areNear(impl_->character.skeleton, jointOf(own), jointOf(binding));
        })) {
      continue;
    }
    corners.col(n) = impl_->data.corner(k, binding, 0);
    const bool limited = options.most > 0 && options.most <= n;
    const Vec3 reached = limited ? solver.solve(corners, start, shown.target, options, weights).placed
                                 : solver.nearest(corners, shown.target, options.negative);
    const double distance = (reached - shown.target).norm();
    if (distance >= (best ? best->distance : (1 - kWorthwhile) * now)) continue;
    best = {jointOf(binding), distance};
  }
  return best;
}

bool DragSession::converged() const {
  return std::all_of(impl_->converged.begin(), impl_->converged.end(), [](char one) { return one != 0; });
}

WeightColumns DragSession::before() const {
  WeightColumns columns;
  for (std::size_t k = 0; k < impl_->data.points.size(); ++k) {
    for (const std::uint32_t vertex : seam(k)) columns.add(vertex, impl_->character.skin.weights[vertex]);
  }
  return columns;
}

WeightColumns DragSession::after() const {
  WeightColumns columns;
  for (std::size_t k = 0; k < impl_->data.points.size(); ++k) {
    for (const std::uint32_t vertex : seam(k)) columns.add(vertex, weights(k));
  }
  return columns;
}

SkinWeights DragSession::finish() const {
  for (std::size_t k = 0; k < impl_->data.points.size(); ++k) {
    for (const Influence& influence : weights(k)) {
      SINEW_CHECK(
          influence.weight >= 0, kWhere,
          fmt::format(
              "vertex {} got the weight {} on '{}', but skins do not support negative weights; drag without them",
              impl_->data.vertices[k].vertex, influence.weight,
              impl_->character.skeleton[impl_->character.skin.bindings[influence.binding].joint].name));
    }
  }
  return withColumns(impl_->character.skin.weights, after());
}

}  // namespace sinew
