// Direct manipulation (Mohr, Tokheim and Gleicher 2003). drag_weights/solve.cpp has the method for one vertex,
// points.cpp what is known before the first step, follow.cpp how a soft selection follows, level.cpp how several
// vertices that are dragged softly agree with their neighbours, session.cpp a step: one small problem per vertex asked
// for, then a blend per follower. Each is independent, so it runs in parallel with the same bits on any number of
// threads.
#include "sinew/manipulate/drag_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/manipulate/drag_weights/near.h"
#include "sinew/manipulate/drag_weights/session.h"

namespace sinew::drag_weights {
namespace {

/// A joint is suggested where it takes away at least this part of the distance, and is near (near.h).
constexpr double kWorthwhile = 0.05;

void checkOptions(const DragOptions& options) {
  SINEW_CHECK(std::isfinite(options.soft) && options.soft >= 0, kWhere,
              fmt::format("the soft radius is {}; it must be 0 or more", options.soft));
  checkChoice(options.falloff, "falloff", kWhere);
  checkChoice(options.secondStage, "second stage", kWhere);
  SINEW_CHECK(options.maxInfluences >= 0, kWhere,
              fmt::format("max-influences is {}; it must be 0 (unlimited) or more", options.maxInfluences));
  SINEW_CHECK(std::isfinite(options.alpha) && options.alpha >= 0, kWhere,
              fmt::format("alpha is {}; it must be from 0 (only the target counts) to 1 (other poses count as much)",
                          options.alpha));
}

}  // namespace
}  // namespace sinew::drag_weights

namespace sinew {

void WeightColumns::add(Index vertex, std::span<const Influence> column) {
  vertices.push_back(vertex);
  influences.insert(influences.end(), column.begin(), column.end());
  offsets.push_back(static_cast<std::uint32_t>(influences.size()));
}

SkinWeights withColumns(const SkinWeights& weights, const WeightColumns& columns) {
  constexpr std::size_t kOld = ~std::size_t{0};
  std::vector<std::size_t> replaced(toSize(weights.vertexCount()), kOld);
  for (std::size_t k = 0; k < columns.vertices.size(); ++k) {
    const Index vertex = columns.vertices[k];
    SINEW_CHECK(vertex >= 0 && vertex < weights.vertexCount(), drag_weights::kWhere,
                fmt::format("there is no vertex {}; the skin has {}", vertex, weights.vertexCount()));
    replaced[toSize(vertex)] = k;
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

DragSession::DragSession(const Character& character, const DragStart& start, DragOptions options,
                         std::shared_ptr<const DragSurface> surface) {
  drag_weights::checkOptions(options);
  SINEW_CHECK(character.hasSkin(), drag_weights::kWhere,
              "the character has no skin to drag; bind it to a skeleton first");
  if (!surface) surface = std::make_shared<const DragSurface>(character);
  SINEW_CHECK(surface->weld().pointOfVertex.size() == toSize(character.mesh.vertexCount()), drag_weights::kWhere,
              "the surface was made for another character");
  session_ = std::make_unique<drag_weights::Session>(character, start, std::move(options), *surface);
}

DragSession::~DragSession() = default;

DragSession::DragSession(DragSession&&) noexcept = default;

DragSession& DragSession::operator=(DragSession&&) noexcept = default;

void DragSession::drag(const ConstPointsRef& targets) {
  SINEW_CHECK(targets.cols() == static_cast<Index>(session_->handles), drag_weights::kWhere,
              fmt::format("{} targets for {} vertices; give one for each", targets.cols(), session_->handles));
  checkFinite(targets, drag_weights::kWhere, "target");
  session_->targets = targets;
  session_->step();
}

void DragSession::move(const Vec3& way) {
  checkFinite(way, drag_weights::kWhere, "way");
  for (std::size_t h = 0; h < session_->handles; ++h)
    session_->targets.col(static_cast<Index>(h)) = session_->data.vertices[h].start + way;
  session_->step();
}

void DragSession::scale(double factor) {
  SINEW_CHECK(std::isfinite(factor), drag_weights::kWhere, "the factor is not a finite number");
  Vec3 centroid = Vec3::Zero();
  for (std::size_t h = 0; h < session_->handles; ++h)
    centroid += session_->data.vertices[h].start / static_cast<double>(session_->handles);
  for (std::size_t h = 0; h < session_->handles; ++h) {
    session_->targets.col(static_cast<Index>(h)) = centroid + factor * (session_->data.vertices[h].start - centroid);
  }
  session_->step();
}

void DragSession::setAlpha(double alpha) {
  DragOptions options = session_->options;
  options.alpha = alpha;
  drag_weights::checkOptions(options);
  session_->options.alpha = alpha;
}

std::span<const DraggedVertex> DragSession::vertices() const {
  return session_->data.vertices;
}

std::span<const Influence> DragSession::weights(std::size_t k) const {
  return session_->column(k);
}

std::span<const std::uint32_t> DragSession::seam(std::size_t k) const {
  const drag_weights::DragPoint& point = session_->data.points.at(k);
  return std::span(session_->data.seams).subspan(point.firstSeam, point.lastSeam - point.firstSeam);
}

ReachableSet DragSession::reachable(std::size_t k, std::size_t pose) const {
  const drag_weights::DragPoint& point = session_->data.points.at(k);
  SINEW_CHECK(pose < toSize(session_->data.poses), drag_weights::kWhere,
              fmt::format("there is no pose {}; the drag has {}", pose, session_->data.poses));
  ReachableSet set;
  set.corners = session_->cornersOf(k, pose);
  for (Index c = point.begin; c < point.end; ++c) {
    set.joints.push_back(session_->character.skin.bindings[session_->data.bindings[toSize(c)]].joint);
    set.near.push_back(session_->data.reluctance[c] > 0 ? 1 : 0);
  }
  set.hull = convexHull(set.corners);
  if (set.hull.diameter > drag_weights::kPoint * session_->data.diagonal) return set;
  const double size = set.hull.diameter;
  set.hull = {.dimension = 0, .corners = {0}, .triangles = {}, .edges = {}, .diameter = size};
  return set;
}

double DragSession::movedIn(std::size_t k, std::size_t also) const {
  const drag_weights::DragPoints& data = session_->data;
  SINEW_CHECK(also + 1 < toSize(data.poses), drag_weights::kWhere,
              fmt::format("there is no other pose {}; the drag has {}", also, data.poses - 1));
  return (session_->placeOf(k, also + 1) -
          data.stay.col(static_cast<Index>(k)).segment<3>(static_cast<Index>(3 * (also + 1))))
      .norm();
}

std::optional<JointSuggestion> DragSession::suggestion(std::size_t k) const {
  const drag_weights::DragPoint& point = session_->data.points.at(k);
  const DraggedVertex& shown = session_->data.vertices[k];
  const Index n = point.end - point.begin;
  if (n == 0 || n >= drag_weights::ReachSolver::kMostCorners || shown.reachable) return std::nullopt;
  drag_weights::ReachOptions options = session_->reachOptions(point);
  std::vector<double> reluctance(options.reluctance.begin(), options.reluctance.end());
  reluctance.push_back(0);
  options.reluctance = reluctance;
  Points corners(3, n + 1);
  corners.leftCols(n) = session_->cornersOf(k, 0);
  Eigen::VectorXd start = Eigen::VectorXd::Zero(n + 1);
  start.head(n) = session_->data.start.segment(point.begin, n);
  Eigen::VectorXd weights(n + 1);
  drag_weights::ReachSolver solver;
  const double now = (solver.nearest(corners.leftCols(n), shown.target, options.negative) - shown.target).norm();
  const auto jointOf = [&](std::uint32_t binding) { return session_->character.skin.bindings[binding].joint; };
  std::vector<std::uint32_t> moving;
  for (Index c = point.begin; c < point.end; ++c) {
    if (session_->data.reluctance[toSize(c)] == 0) moving.push_back(session_->data.bindings[toSize(c)]);
  }
  std::optional<JointSuggestion> best;
  for (const std::uint32_t binding : session_->unused(point)) {
    if (std::none_of(moving.begin(), moving.end(), [&](std::uint32_t own) {
          return drag_weights::areNear(session_->character.skeleton, jointOf(own), jointOf(binding));
        })) {
      continue;
    }
    corners.col(n) = session_->data.corner(k, binding, 0);
    const bool limited = options.most > 0 && options.most <= n;
    const Vec3 reached = limited ? solver.solve(corners, start, shown.target, options, weights).placed
                                 : solver.nearest(corners, shown.target, options.negative);
    const double distance = (reached - shown.target).norm();
    if (distance >= (best ? best->distance : (1 - drag_weights::kWorthwhile) * now)) continue;
    best = {jointOf(binding), distance};
  }
  return best;
}

bool DragSession::converged() const {
  return std::all_of(session_->converged.begin(), session_->converged.end(), [](char one) { return one != 0; });
}

WeightColumns DragSession::before() const {
  WeightColumns columns;
  for (std::size_t k = 0; k < session_->data.points.size(); ++k) {
    for (const std::uint32_t vertex : seam(k)) columns.add(vertex, session_->character.skin.weights[vertex]);
  }
  return columns;
}

WeightColumns DragSession::after() const {
  WeightColumns columns;
  for (std::size_t k = 0; k < session_->data.points.size(); ++k) {
    for (const std::uint32_t vertex : seam(k)) columns.add(vertex, weights(k));
  }
  return columns;
}

SkinWeights DragSession::finish() const {
  for (std::size_t k = 0; k < session_->data.points.size(); ++k) {
    for (const Influence& influence : weights(k)) {
      SINEW_CHECK(
          influence.weight >= 0, drag_weights::kWhere,
          fmt::format(
              "vertex {} got the weight {} on '{}', but skins do not support negative weights; drag without them",
              session_->data.vertices[k].vertex, influence.weight,
              session_->character.skeleton[session_->character.skin.bindings[influence.binding].joint].name));
    }
  }
  return withColumns(session_->character.skin.weights, after());
}

}  // namespace sinew
