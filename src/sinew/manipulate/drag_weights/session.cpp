#include "sinew/manipulate/drag_weights/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sinew::drag_weights {
namespace {

/// In diagonals: a target this near to the reachable set is reached.
constexpr double kReached = 1e-6;
/// Four influences are enough for every point that any number reaches, and one set of a file holds four.
constexpr int kUsualMost = 4;

int mostInfluences(const SkinWeights& weights, const DragPoints& data, const DragOptions& options) {
  const auto isNear = [](double reluctance) { return reluctance > 0; };
  if (options.maxInfluences > 0 || std::none_of(data.reluctance.begin(), data.reluctance.end(), isNear))
    return options.maxInfluences;
  return std::max(kUsualMost, weights.maxInfluences());
}

}  // namespace

Session::Session(const Character& whole, const DragStart& start, DragOptions given, const DragSurface& surface)
    : character(whole),
      options(std::move(given)),
      data(collectPoints(whole, start, options, surface)),
      handles(start.vertices.size()),
      most(mostInfluences(whole.skin.weights, data, options)),
      followers(whole, data, handles, {.most = most, .negative = options.negative}),
      targets(3, static_cast<Index>(handles)) {
  constexpr std::size_t kMostBlocks = 16;
  constexpr std::size_t kLeastPoints = 16;
  const std::size_t count = data.points.size();
  blocks.resize(std::clamp<std::size_t>(count / kLeastPoints, 1, kMostBlocks));
  Index corners = 0;
  for (std::size_t h = 0; h < handles; ++h) corners = std::max(corners, data.points[h].end - data.points[h].begin);
  for (Block& block : blocks) {
    block.target.resize(3 * data.poses);
    block.solver.reserve(3 * data.poses, corners);
    block.scratch = followers.scratch();
  }
  converged.assign(count, 1);
  influenceCount.assign(count, 0);
  std::size_t room = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const DragPoint& point = data.points[i];
    firstInfluence.push_back(static_cast<std::uint32_t>(room));
    const auto own = toSize(point.end - point.begin) + (point.lastLocked - point.firstLocked);
    room += std::max(own, followers.roomOf(i));
  }
  influences.resize(room);
  if (handles > 1 && options.soft > 0 && !options.negative) levels.emplace(whole, data, handles, surface);
  for (std::size_t h = 0; h < handles; ++h) targets.col(static_cast<Index>(h)) = data.vertices[h].start;
  step();
}

ReachOptions Session::reachOptions(const DragPoint& point) const {
  ReachOptions reach;
  reach.secondStage = options.secondStage;
  reach.negative = options.negative;
  reach.alpha = options.alpha;
  reach.pointSize = kPoint * data.diagonal;
  if (most > 0) reach.most = std::max(1, most - static_cast<int>(point.lastLocked - point.firstLocked));
  reach.reluctance = std::span(data.reluctance).subspan(toSize(point.begin), toSize(point.end - point.begin));
  return reach;
}

void Session::step() {
  inBlocks(0, handles, [&](std::size_t i, Block& block) { stepHandle(i, block); });
  stepFollowers();
  // Limiting one vertex may make the next an outlier.
  constexpr int kPasses = 8;
  for (int pass = 0; pass < kPasses && levels && levelHandles(); ++pass) stepFollowers();
}

void Session::stepFollowers() {
  if (handles == data.points.size()) return;
  for (std::size_t h = 0; h < handles; ++h) followers.setHandle(h, column(h));
  inBlocks(handles, data.points.size(), [&](std::size_t i, Block& block) { stepFollower(i, block); });
}

bool Session::levelHandles() {
  bool changed = false;
  Eigen::VectorXd& shares = blocks.front().shares;
  const auto columnOf = [this](std::size_t k) { return column(k); };
  for (std::size_t i = 0; i < handles; ++i) {
    const DragPoint& point = data.points[i];
    if (!levels->level(i, columnOf, most, shares.head(point.end - point.begin))) continue;
    changed = true;
    writeInfluences(i, point, shares);
    withoutDust(i, point);
    DraggedVertex& shown = data.vertices[i];
    shown.reached = placeOf(i, 0);
    shown.distance = (shown.reached - shown.target).norm();
  }
  return changed;
}

void Session::stepFollower(std::size_t i, Block& block) {
  const DragPoint& point = data.points[i];
  DraggedVertex& shown = data.vertices[i];
  shown.target = shown.start;
  for (std::uint32_t p = point.firstPull; p < point.lastPull; ++p) {
    const Pull& pull = data.pulls[p];
    shown.target += pull.share * (targets.col(pull.handle) - data.vertices[pull.handle].start);
  }
  influenceCount[i] = static_cast<std::uint32_t>(
      followers.follow(i, block.scratch, std::span(influences).subspan(firstInfluence[i], followers.roomOf(i))));
  shown.reached = placeOf(i, 0);
  shown.distance = (shown.reached - shown.target).norm();
  shown.reachable = shown.distance <= kReached * data.diagonal;
}

Vec3 Session::placeOf(std::size_t i, std::size_t pose) const {
  const DragPoint& point = data.points[i];
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

void Session::stepHandle(std::size_t i, Block& block) {
  const DragPoint& point = data.points[i];
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
    const Reach reach = block.solver.solve(data.corners.middleCols(point.begin, n), data.start.segment(point.begin, n),
                                           block.target, reachOptions(point), block.shares.head(n));
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

bool Session::withoutDust(std::size_t i, const DragPoint& point) {
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
  const auto held = toSize(free - all.begin());
  const std::size_t left = dropDust(all, held);
  const bool dropped = left < all.size();
  influenceCount[i] = static_cast<std::uint32_t>(left);
  std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(left), largest);
  return dropped;
}

void Session::writeInfluences(std::size_t i, const DragPoint& point, const Eigen::VectorXd& shares) {
  const auto begin = influences.begin() + firstInfluence[i];
  auto end = begin;
  for (std::uint32_t l = point.firstLocked; l < point.lastLocked; ++l) *end++ = data.locked[l];
  for (Index c = point.begin; c < point.end; ++c) {
    const double weight = point.free * shares[c - point.begin];
    if (weight != 0) *end++ = {data.bindings[toSize(c)], weight};
  }
  std::sort(begin, end, largest);
  influenceCount[i] = static_cast<std::uint32_t>(end - begin);
}

Points Session::cornersOf(std::size_t k, std::size_t pose) const {
  const DragPoint& point = data.points.at(k);
  if (point.end == point.begin) return data.stay.col(static_cast<Index>(k)).segment<3>(static_cast<Index>(3 * pose));
  return data.corners.block(static_cast<Index>(3 * pose), point.begin, 3, point.end - point.begin);
}

void Session::findPlaces() const {
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

std::vector<std::uint32_t> Session::unused(const DragPoint& point) const {
  findPlaces();
  const Skin& skin = character.skin;
  const int number = skinOf(character, point.vertex);
  std::vector<std::uint32_t> found;
  for (std::uint32_t b = 0; b < skin.bindings.size(); ++b) {
    const auto own = std::span(data.bindings).subspan(toSize(point.begin), toSize(point.end - point.begin));
    const bool used = std::find(own.begin(), own.end(), b) != own.end();
    const bool locked =
        std::find(options.locked.begin(), options.locked.end(), skin.bindings[b].joint) != options.locked.end();
    if (skin.bindings[b].skin == number && places[b] != 1 && !used && !locked) found.push_back(b);
  }
  return found;
}

}  // namespace sinew::drag_weights
