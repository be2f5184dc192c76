// Data of a drag before its first step: which points a dragged vertex affects, by what share, and the position that
// each joint alone would give them.
#include "sinew/manipulate/drag_weights/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/manipulate/drag_weights/near.h"

namespace sinew::drag_weights {
namespace {

/// Seam vertices whose weights differ by less than this in sum have the same.
constexpr double kSameWeights = 1e-4;
/// Sums of weights below this are none.
constexpr double kNoWeight = 1e-9;

bool contains(std::span<const int> list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

double difference(std::span<const Influence> a, std::span<const Influence> b) {
  const auto weightIn = [](std::span<const Influence> column, std::uint32_t binding) {
    for (const Influence& influence : column) {
      if (influence.binding == binding) return influence.weight;
    }
    return 0.0;
  };
  double sum = 0;
  for (const Influence& influence : a) sum += std::abs(influence.weight - weightIn(b, influence.binding));
  for (const Influence& influence : b) sum += weightIn(a, influence.binding) == 0 ? influence.weight : 0;
  return sum;
}

/// One pose of the whole character.
struct PosedCharacter {
  PosedJoints joints;
  Points rest;   ///< with its morph targets
  Points shown;  ///< with what was learned
};

class Collector {
 public:
  Collector(const Character& character, const DragStart& start, const DragOptions& options, const DragSurface& surface)
      : character_(character), start_(start), options_(options), surface_(surface) {}

  DragPoints collect() {
    checkVertices();
    checkJoints();
    for (std::size_t k = 0; k <= start_.also.size(); ++k) posed_.push_back(poseOf(k));
    points_.poses = static_cast<Index>(posed_.size());
    points_.diagonal = boundingBox(posed_[0].shown).diagonal();
    addHandles();
    selected_.resize(start_.vertices.size());
    if (options_.soft > 0) addFollowers();
    fillInfluences();
    fillPlaces();
    for (PosedCharacter& pose : posed_) points_.worldFromRest.push_back(std::move(pose.joints.worldFromRest));
    return std::move(points_);
  }

 private:
  [[nodiscard]] const SkinWeights& weights() const { return character_.skin.weights; }

  [[nodiscard]] bool isSkinned(Index vertex) const {
    for (const MeshPart& part : character_.mesh.parts) {
      if (vertex >= part.firstVertex && vertex < part.firstVertex + part.vertexCount) return part.skinned;
    }
    return true;
  }

  void checkVertices() const {
    SINEW_CHECK(character_.hasSkin(), kWhere, "the character has no skin to drag; bind it to a skeleton first");
    SINEW_CHECK(!start_.vertices.empty(), kWhere, "no vertex is given; name one or more");
    const Index count = character_.mesh.vertexCount();
    for (const Index vertex : start_.vertices) {
      SINEW_CHECK(vertex >= 0 && vertex < count, kWhere,
                  fmt::format("there is no vertex {}; the character has {}, numbered from 0", vertex, count));
      SINEW_CHECK(isSkinned(vertex), kWhere,
                  fmt::format("vertex {} belongs to a mesh without a skin; drag one of a skinned mesh", vertex));
    }
  }

  void checkJoints() const {
    const int count = character_.skeleton.size();
    for (const std::vector<int>* list : {&options_.joints, &options_.added, &options_.locked}) {
      for (const int joint : *list) {
        SINEW_CHECK(joint >= 0 && joint < count, kWhere,
                    fmt::format("there is no joint {}; the skeleton has {}", joint, count));
      }
    }
    for (const Index vertex : start_.vertices) {
      for (const std::vector<int>* list : {&options_.joints, &options_.added}) {
        for (const int joint : *list) {
          SINEW_CHECK(bindingOf(character_.skin, skinOf(character_, vertex), joint) >= 0, kWhere,
                      fmt::format("the skin of vertex {} does not bind the joint '{}'; use one that it binds", vertex,
                                  character_.skeleton[joint].name));
        }
      }
    }
  }

  [[nodiscard]] PosedCharacter poseOf(std::size_t k) const {
    const Pose& pose = k == 0 ? start_.pose : start_.also[k - 1];
    PosedCharacter posed;
    poseJoints(character_, pose, posed.joints);
    std::vector<double> morphWeights;
    start_.playback.morph(character_, pose, morphWeights, posed.rest);
    posed.shown = posePoints(character_, pose, start_.playback);
    return posed;
  }

  /// Adds the point of a vertex: of its seam, those with the same weights.
  void addPoint(Index vertex, double share, std::span<const Pull> pulls) {
    DragPoint point{.vertex = vertex};
    point.firstPull = static_cast<std::uint32_t>(points_.pulls.size());
    points_.pulls.insert(points_.pulls.end(), pulls.begin(), pulls.end());
    point.lastPull = static_cast<std::uint32_t>(points_.pulls.size());
    point.firstSeam = static_cast<std::uint32_t>(points_.seams.size());
    for (const std::uint32_t other : surface_.verticesOf(pointOf(vertex))) {
      if (difference(weights()[vertex], weights()[static_cast<Index>(other)]) < kSameWeights && isSkinned(other))
        points_.seams.push_back(other);
    }
    point.lastSeam = static_cast<std::uint32_t>(points_.seams.size());
    points_.points.push_back(point);
    DraggedVertex shown{.vertex = vertex, .share = share};
    shown.start = shown.target = shown.reached = posed_[0].shown.col(vertex);
    points_.vertices.push_back(shown);
  }

  [[nodiscard]] std::uint32_t pointOf(Index vertex) const { return surface_.weld().pointOfVertex[toSize(vertex)]; }

  void addHandles() {
    for (std::uint32_t h = 0; h < start_.vertices.size(); ++h) {
      const auto vertex = static_cast<std::uint32_t>(start_.vertices[h]);
      for (std::uint32_t k = 0; k < h; ++k) {
        const DragPoint& other = points_.points[k];
        SINEW_CHECK(
            std::find(points_.seams.begin() + other.firstSeam, points_.seams.begin() + other.lastSeam, vertex) ==
                points_.seams.begin() + other.lastSeam,
            kWhere,
            fmt::format("vertices {} and {} are the same point of the skin; give one of them", other.vertex, vertex));
      }
      const Pull own{h, 1};
      addPoint(vertex, 1, {&own, 1});
    }
  }

  struct Follow {
    std::uint32_t point = 0;
    Pull pull;
  };

  /// A vertex near several handles takes a mean of their motions; nearer ones count more, and a coincident one counts
  /// alone: f / (1 - f).
  void addFollowers() {
    DragSurface::Search search;
    std::vector<DragSurface::Near> found;
    std::vector<Follow> follows;
    for (std::uint32_t h = 0; h < start_.vertices.size(); ++h) {
      if (options_.volume) {
        surface_.withinBall(posed_[0].shown, pointOf(start_.vertices[h]), options_.soft, found);
      } else {
        surface_.within(posed_[0].shown, pointOf(start_.vertices[h]), options_.soft, search, found);
      }
      for (const DragSurface::Near& near : found) {
        follows.push_back({near.point, {h, falloffShare(options_.falloff, near.distance / options_.soft)}});
        selected_[h].push_back(near.point);
      }
    }
    std::stable_sort(follows.begin(), follows.end(),
                     [](const Follow& a, const Follow& b) { return a.point < b.point; });
    const std::vector<std::uint32_t> handles = points_.seams;
    std::vector<Pull> pulls;
    for (std::size_t begin = 0, end = 0; begin < follows.size(); begin = end) {
      pulls.clear();
      for (; end < follows.size() && follows[end].point == follows[begin].point; ++end)
        pulls.push_back(follows[end].pull);
      addFollower(follows[begin].point, pulls, handles);
    }
  }

  void addFollower(std::uint32_t point, std::vector<Pull>& pulls, const std::vector<std::uint32_t>& handles) {
    double most = 0;
    double sum = 0;
    for (Pull& pull : pulls) {
      most = std::max(most, pull.share);
      sum += pull.share /= std::max(1e-9, 1 - pull.share);
    }
    if (!(sum > 0)) return;
    for (Pull& pull : pulls) pull.share *= most / sum;
    const std::size_t firstSeam = points_.seams.size();
    for (const std::uint32_t vertex : surface_.verticesOf(point)) {
      const auto mine = points_.seams.begin() + static_cast<std::ptrdiff_t>(firstSeam);
      const bool taken = std::find(mine, points_.seams.end(), vertex) != points_.seams.end() ||
                         std::find(handles.begin(), handles.end(), vertex) != handles.end();
      if (!taken && isSkinned(vertex)) addPoint(vertex, most, pulls);
    }
  }

  struct Column {
    std::uint32_t binding = 0;
    double weight = 0;
    double reluctance = 0;
  };

  /// Influences that may change, and in `locked` those that may not.
  void influencesOf(Index vertex, std::vector<Column>& columns, std::vector<Influence>& locked) const {
    columns.clear();
    locked.clear();
    const Skin& skin = character_.skin;
    const int number = skinOf(character_, vertex);
    const auto offer = [&](std::int64_t binding) {
      if (binding < 0) return;
      const auto b = static_cast<std::uint32_t>(binding);
      const bool known =
          std::any_of(columns.begin(), columns.end(), [b](const Column& column) { return column.binding == b; });
      if (!known && !contains(options_.locked, skin.bindings[b].joint))
        columns.push_back({b, weights().weight(vertex, b)});
    };
    for (const Influence& influence : weights()[vertex]) {
      const int joint = skin.bindings[influence.binding].joint;
      if (contains(options_.locked, joint)) locked.push_back(influence);
      if (options_.joints.empty()) offer(influence.binding);
    }
    for (const int joint : options_.joints) offer(bindingOf(skin, number, joint));
    for (const int joint : options_.added) offer(bindingOf(skin, number, joint));
    double free = 1;
    for (const Influence& influence : locked) free -= influence.weight;
    if (!columns.empty() && free > kNoWeight) return;
    columns.clear();
    locked.assign(weights()[vertex].begin(), weights()[vertex].end());
  }

  /// Per handle; none where only present joints may move them.
  [[nodiscard]] std::vector<std::vector<Offer>> nearJoints() const {
    if (options_.presentOnly || !options_.joints.empty() || options_.negative) return {};
    std::vector<std::vector<Offer>> offers(start_.vertices.size());
    NearJoints near(character_, surface_);
    for (std::size_t h = 0; h < offers.size(); ++h)
      near.find(start_.vertices[h], selected_[h], options_.locked, offers[h]);
    if (options_.soft > 0 && offers.size() > 1) near.share(start_.vertices, offers);
    return offers;
  }

  static void addOffers(std::span<const Offer> offers, std::vector<Column>& columns) {
    for (const Offer& one : offers) {
      const bool known = std::any_of(columns.begin(), columns.end(),
                                     [&](const Column& column) { return column.binding == one.binding; });
      if (!known && static_cast<Index>(columns.size()) < ReachSolver::kMostCorners)
        columns.push_back({one.binding, 0, one.reluctance});
    }
  }

  void fillInfluences() {
    std::vector<Column> columns;
    std::vector<Influence> locked;
    std::vector<double> start;
    const std::vector<std::vector<Offer>> offers = nearJoints();
    std::size_t handle = 0;
    for (DragPoint& point : points_.points) {
      influencesOf(point.vertex, columns, locked);
      if (handle < offers.size() && !columns.empty()) addOffers(offers[handle], columns);
      ++handle;
      SINEW_CHECK(static_cast<Index>(columns.size()) <= ReachSolver::kMostCorners, kWhere,
                  fmt::format("vertex {} has {} candidate joints; the maximum is {}", point.vertex, columns.size(),
                              ReachSolver::kMostCorners));
      SINEW_CHECK(
          columns.empty() || options_.maxInfluences == 0 || static_cast<int>(locked.size()) < options_.maxInfluences,
          kWhere,
          fmt::format("vertex {} has {} locked influences and weight that is not locked, so {} influences "
                      "are not enough; allow more or unlock one",
                      point.vertex, locked.size(), options_.maxInfluences));
      point.firstLocked = static_cast<std::uint32_t>(points_.locked.size());
      points_.locked.insert(points_.locked.end(), locked.begin(), locked.end());
      point.lastLocked = static_cast<std::uint32_t>(points_.locked.size());
      point.begin = static_cast<Index>(start.size());
      double sum = 0;
      for (const Column& column : columns) sum += column.weight;
      for (const Column& column : columns) {
        points_.bindings.push_back(column.binding);
        points_.reluctance.push_back(column.reluctance);
        start.push_back(sum > kNoWeight ? column.weight / sum : 1 / static_cast<double>(columns.size()));
      }
      point.end = static_cast<Index>(start.size());
      point.free = columns.empty() ? 0 : 1;
      if (columns.empty()) continue;
      for (const Influence& influence : locked) point.free -= influence.weight;
    }
    points_.start = Eigen::Map<const Eigen::VectorXd>(start.data(), static_cast<Index>(start.size()));
  }

  void fillPlaces() {
    const auto count = static_cast<Index>(points_.points.size());
    const Index rows = 3 * points_.poses;
    points_.rest.resize(rows, count);
    points_.offset.resize(rows, count);
    points_.stay.resize(rows, count);
    points_.corners.resize(rows, points_.start.size());
    for (Index i = 0; i < count; ++i) {
      const DragPoint& point = points_.points[toSize(i)];
      for (Index k = 0; k < points_.poses; ++k) fillPlace(i, point, k);
    }
  }

  void fillPlace(Index i, const DragPoint& point, Index k) {
    const PosedCharacter& pose = posed_[toSize(k)];
    const Vec3 rest = pose.rest.col(point.vertex);
    const auto placed = [&](std::uint32_t binding) -> Vec3 { return pose.joints.worldFromRest[binding] * rest; };
    Vec3 blend = Vec3::Zero();
    for (const Influence& influence : weights()[point.vertex]) blend += influence.weight * placed(influence.binding);
    Vec3 offset = pose.shown.col(point.vertex) - blend;
    for (std::uint32_t l = point.firstLocked; l < point.lastLocked; ++l)
      offset += points_.locked[l].weight * placed(points_.locked[l].binding);
    points_.rest.col(i).segment<3>(3 * k) = rest;
    points_.offset.col(i).segment<3>(3 * k) = offset;
    points_.stay.col(i).segment<3>(3 * k) = pose.shown.col(point.vertex);
    for (Index c = point.begin; c < point.end; ++c) {
      points_.corners.col(c).segment<3>(3 * k) = offset + point.free * placed(points_.bindings[toSize(c)]);
    }
  }

  const Character& character_;
  const DragStart& start_;
  const DragOptions& options_;
  const DragSurface& surface_;
  std::vector<PosedCharacter> posed_;
  std::vector<std::vector<std::uint32_t>> selected_;  ///< per handle: points of its soft selection
  DragPoints points_;
};

}  // namespace

int skinOf(const Character& character, Index vertex) {
  return character.skin.bindings[character.skin.weights[vertex].front().binding].skin;
}

std::int64_t bindingOf(const Skin& skin, int skinNumber, int joint) {
  for (std::size_t b = 0; b < skin.bindings.size(); ++b) {
    if (skin.bindings[b].skin == skinNumber && skin.bindings[b].joint == joint) return static_cast<std::int64_t>(b);
  }
  return -1;
}

Vec3 DragPoints::corner(std::size_t point, std::uint32_t binding, std::size_t pose) const {
  const auto column = static_cast<Index>(point);
  const auto row = static_cast<Index>(3 * pose);
  const Vec3 place = rest.col(column).segment<3>(row);
  return offset.col(column).segment<3>(row) + points[point].free * (worldFromRest[pose][binding] * place);
}

DragPoints collectPoints(const Character& character, const DragStart& start, const DragOptions& options,
                         const DragSurface& surface) {
  return Collector(character, start, options, surface).collect();
}

}  // namespace sinew::drag_weights
