// Signs that a sculpt S does not belong to the vertices of a character whose skin is P in the pose, in this order:
//   faces    an edge of the sculpt's faces joins vertices that are more than two faces apart on the character;
//   size     the spread of S is less than half or more than twice that of P: other units;
//   order    edges of the character are torn: |S_a - S_b| far above |P_a - P_b|, which no sculpt does to a whole mesh;
//   mirror   |S - P| halves where left and right are exchanged, in the order of vertices, in space, or in both;
//   place    one rigid motion of the whole body explains most of |S - P|: an offset, or other axes;
//   pose     the same for the skin of one joint: the sculpt was made in another pose. A sculpted correction
//            bends the surface, a wrong pose moves pieces of it without bending them. All skin that follows the joint
//            must then fit better, which excludes the small pieces that a least-squares pose leaves rotated;
//   tearing  many points leave their neighbourhood by more than an edge, which shows exchanged vertices where edges are
//            long and the order of faces is no evidence;
//   distance S is so far from P that it cannot be a correction of it.
// Smaller values of the last kinds, and smaller rigid motions, are warnings: they may be intended.
#include "sinew/character/sculpt_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "sinew/base/check.h"
#include "sinew/character/correspondence.h"
#include "sinew/character/mirror.h"
#include "sinew/character/sculpt_check/rigid_difference.h"
#include "sinew/character/sculpt_check/surface.h"
#include "sinew/character/unit_ratios.h"
#include "sinew/character/weld.h"

namespace sinew::sculpt_check {
namespace {

constexpr double kStrangeEdges = 0.05;    ///< share of the sculpt's edges that may join distant vertices
constexpr double kTornLength = 4;         ///< an edge this many times longer is torn
constexpr double kTornEdges = 0.1;        ///< share of torn edges
constexpr double kMeanStretch = 2.2;      ///< of all edges, if there are no faces to compare
constexpr double kLargestScale = 2;       ///< of the whole, and 1 / this
constexpr double kSmallDistance = 0.002;  ///< diagonals: below it nothing is far
constexpr double kMirrorGain = 0.5;       ///< mirrored, the distance is at most this share
constexpr double kBodyShift = 0.1;        ///< diagonals, of the whole body
constexpr double kBodyTurn = 20;          ///< degrees, of the whole body
constexpr double kPieceShift = 0.1;       ///< diagonals, of the skin of one joint
constexpr double kPieceTurn = 30;         ///< degrees
constexpr double kTurnedShift = 0.02;     ///< diagonals that a rotated piece moves at least
constexpr double kCoreWeight = 0.9;       ///< vertices that follow one joint rigidly have at least this weight
constexpr double kFitsBetter = 0.5;       ///< in another pose, at most this share of the squared distance is left
constexpr Index kLeastPiece = 8;          ///< points; fewer do not determine the rotation
constexpr double kOtherScale = 0.08;      ///< of the whole against 1, if nothing but it is wrong
constexpr double kOddScale = 0.02;        ///< the same, for a warning
constexpr double kTornPoint = 1;          ///< local edges that a point is torn out of its neighbourhood
constexpr double kTornPoints = 0.2;       ///< share of such points
constexpr double kOutlier = 2.5;          ///< local edges, for a warning
constexpr double kLeastTearing = 0.01;    ///< diagonals: noise of a scan is not tearing
constexpr double kFarAway = 0.25;         ///< diagonals, rms: no sculpt
constexpr double kFar = 0.1;              ///< the same, for a warning

Points columnsOf(const Points& points, std::span<const std::uint32_t> columns) {
  Points chosen(3, static_cast<Index>(columns.size()));
  for (Index i = 0; i < chosen.cols(); ++i) chosen.col(i) = points.col(columns[toSize(i)]);
  return chosen;
}

std::string threeNumbers(const Vec3& v) {
  return fmt::format("({:.3g}, {:.3g}, {:.3g})", v.x(), v.y(), v.z());
}

/// One doubt after the other, in the order of the list on top.
struct Checker {
  explicit Checker(const Character& from) : character(from), seams(weldCharacter(from, from.mesh.points)) {
    pairs = facePairs(character.mesh, seams);
    hasFaces = !pairs.empty();
    if (!hasFaces) pairs = curvePairs(weldedPoints(seams, character.mesh.points));
    neighbours = Neighbours(pairs, toSize(seams.pointCount()));
    findPieces();
  }

  using Doubt = std::optional<std::string>;

  /// One sculpt: what is known of it, point by point.
  struct Sculpt {
    std::vector<std::uint32_t> vertex;  ///< first vertex of each known point
    std::vector<bool> pointKnown;
    Points points;  ///< of the known points
    Points posed;
    double diagonal = 0;  ///< of the posed
    double scale = 1;     ///< spread against that of the posed
    double distance = 0;  ///< rms
    std::vector<double> torn =
        {};  ///< local edges that each point is torn out of its neighbourhood; none without faces
  };

  /// Points that follow one joint rigidly, or nearly; all its skin if there are too few.
  void findPieces() {
    if (!character.hasSkin()) return;
    std::vector<std::vector<std::uint32_t>> core(toSize(character.skeleton.size()));
    std::vector<std::vector<std::uint32_t>> most(core.size());
    for (const std::uint32_t v : seams.firstVertex) {
      const auto column = character.skin.weights[v];
      if (column.empty()) continue;
      const auto joint = toSize(character.skin.bindings[column.front().binding].joint);
      if (column.front().weight >= kCoreWeight) core[joint].push_back(v);
      if (column.front().weight >= 0.5) most[joint].push_back(v);
    }
    for (std::size_t j = 0; j < core.size(); ++j) {
      std::vector<std::uint32_t>& chosen = static_cast<Index>(core[j].size()) >= kLeastPiece ? core[j] : most[j];
      if (static_cast<Index>(chosen.size()) >= kLeastPiece) pieces.emplace_back(static_cast<int>(j), std::move(chosen));
    }
  }

  [[nodiscard]] Sculpt read(const SculptView& view) const {
    Sculpt sculpt;
    sculpt.pointKnown.assign(seams.firstVertex.size(), true);
    for (std::size_t p = 0; p < seams.firstVertex.size(); ++p) {
      const std::uint32_t v = seams.firstVertex[p];
      sculpt.pointKnown[p] = view.known.empty() || view.known[v];
      if (sculpt.pointKnown[p]) sculpt.vertex.push_back(v);
    }
    sculpt.points = columnsOf(view.points, sculpt.vertex);
    sculpt.posed = columnsOf(view.posed, sculpt.vertex);
    if (sculpt.vertex.empty()) return sculpt;
    sculpt.diagonal = boundingBox(sculpt.posed).diagonal();
    const auto spread = [](const Points& points) { return (points.colwise() - points.rowwise().mean()).norm(); };
    const double posed = spread(sculpt.posed);
    sculpt.scale = posed > 0 ? spread(sculpt.points) / posed : 1;
    sculpt.distance = rmsDistance(sculpt.points, sculpt.posed);
    return sculpt;
  }

  [[nodiscard]] Doubt doubtFaces(const SculptView& view) const {
    if (!hasFaces || view.facesAgree || view.joined.empty()) return std::nullopt;
    std::size_t strange = 0;
    for (const auto& [a, b] : view.joined)
      strange += neighbours.near(seams.pointOfVertex[a], seams.pointOfVertex[b]) ? 0 : 1;
    const double share = static_cast<double>(strange) / static_cast<double>(view.joined.size());
    if (share <= kStrangeEdges) return std::nullopt;
    return fmt::format(
        "{:.0f} % of the edges of its faces join vertices that are not neighbours on the character: its vertices are "
        "in a different order; export it from the character's own mesh, or give its own rest mesh",
        100 * share);
  }

  [[nodiscard]] static Doubt doubtSize(const Sculpt& sculpt) {
    if (sculpt.scale <= kLargestScale && sculpt.scale >= 1 / kLargestScale) return std::nullopt;
    const UnitRatio* unit = sculpt.scale > 0 ? knownUnitRatio(1 / sculpt.scale) : nullptr;
    return fmt::format(
        "is {:.4g} times the size of the character in this pose{}; export it in the character's units, or give its own "
        "rest mesh",
        sculpt.scale, unit != nullptr ? fmt::format(" (scale it from {})", unit->words) : "");
  }

  /// Whether another scale, with a rigid motion, explains most of what the motion alone leaves.
  [[nodiscard]] static bool scaled(const Sculpt& sculpt, double least) {
    if (std::abs(sculpt.scale - 1) <= least || sculpt.points.cols() < kLeastPiece) return false;
    const RigidDifference moved = motionBetween(sculpt.posed, sculpt.points);
    const RigidDifference both = motionBetween(sculpt.scale * sculpt.posed, sculpt.points);
    return moved.rest > kSmallDistance * sculpt.diagonal && both.rest <= kRigidRest * moved.rest;
  }

  [[nodiscard]] static Doubt doubtScale(const Sculpt& sculpt) {
    if (!scaled(sculpt, kOtherScale)) return std::nullopt;
    return fmt::format(
        "is {:.4g} times the size of the character in this pose, and otherwise the same; export it at the character's "
        "scale, or give its own rest mesh",
        sculpt.scale);
  }

  void measureTearing(const SculptView& view, Sculpt& sculpt) const {
    if (!hasFaces) return;
    sculpt.torn =
        tearing(neighbours, columnsOf(view.posed, seams.firstVertex), columnsOf(view.points, seams.firstVertex),
                sculpt.pointKnown, kLeastTearing * sculpt.diagonal);
  }

  [[nodiscard]] static Doubt doubtTearing(const Sculpt& sculpt) {
    const std::vector<double>& torn = sculpt.torn;
    const auto far = std::count_if(torn.begin(), torn.end(), [](double edges) { return edges > kTornPoint; });
    const double share = static_cast<double>(far) / static_cast<double>(sculpt.vertex.size());
    if (share <= kTornPoints) return std::nullopt;
    return fmt::format(
        "{:.0f} % of its vertices are displaced from their neighbours by more than an edge length: its vertices are in "
        "a different order; export it from the character's own mesh, or give its own rest mesh",
        100 * share);
  }

  [[nodiscard]] static Doubt doubtDistance(const Sculpt& sculpt) {
    if (sculpt.distance <= kFarAway * sculpt.diagonal) return std::nullopt;
    return fmt::format(
        "is {:.3g} from the posed skin (rms, {:.3g} % of the body), too far for a correction; check its pose, vertex "
        "order and position",
        sculpt.distance, 100 * sculpt.distance / sculpt.diagonal);
  }

  [[nodiscard]] std::vector<std::string> remarks(const Sculpt& sculpt) const {
    std::vector<std::string> found;
    const double body = 100 / sculpt.diagonal;
    if (scaled(sculpt, kOddScale)) {
      found.push_back(
          fmt::format("is {:.4g} times the size of the posed skin, and otherwise nearly the same", sculpt.scale));
    } else if (sculpt.points.cols() >= kLeastPiece && sculpt.distance > kSmallDistance * sculpt.diagonal) {
      const RigidDifference motion = motionBetween(sculpt.posed, sculpt.points);
      if (motion.explains()) {
        const std::string turn = motion.degrees >= 0.1 ? fmt::format(", turned by {:.1f} degrees", motion.degrees) : "";
        found.push_back(
            fmt::format("is offset by {} from the posed skin as a whole ({:.2g} % of the body){}; the offset is "
                        "learned as a correction of every vertex",
                        threeNumbers(motion.shift), motion.shift.norm() * body, turn));
      }
    }
    const std::vector<double>& torn = sculpt.torn;
    Index outliers = 0;
    for (std::uint32_t p = 0; p < torn.size(); ++p) {
      // The neighbours of an outlier are torn, too, by its share in their mean.
      const auto around = neighbours[p];
      const bool itself = std::none_of(around.begin(), around.end(), [&](auto n) { return torn[n] > 2 * torn[p]; });
      outliers += torn[p] > kOutlier && itself ? 1 : 0;
    }
    if (outliers > 0) {
      const auto worst = std::max_element(torn.begin(), torn.end()) - torn.begin();
      found.push_back(
          fmt::format("{} {} far from {} neighbours (the farthest is vertex {}, by {:.3g} edge lengths); check for "
                      "exchanged or missed vertices",
                      outliers, outliers == 1 ? "vertex lies" : "vertices lie", outliers == 1 ? "its" : "their",
                      seams.firstVertex[toSize(worst)], torn[toSize(worst)]));
    }
    if (sculpt.distance > kFar * sculpt.diagonal) {
      found.push_back(fmt::format("is {:.3g} from the posed skin (rms, {:.3g} % of the body); check its pose",
                                  sculpt.distance, sculpt.distance * body));
    }
    return found;
  }

  [[nodiscard]] Doubt doubtOrder(const SculptView& view, const Sculpt& sculpt) const {
    std::vector<std::pair<double, double>> lengths;  // in the pose, in the sculpt
    for (const auto& [a, b] : pairs) {
      if (!sculpt.pointKnown[a] || !sculpt.pointKnown[b]) continue;
      const std::uint32_t v = seams.firstVertex[a];
      const std::uint32_t w = seams.firstVertex[b];
      lengths.emplace_back((view.posed.col(v) - view.posed.col(w)).norm(),
                           (view.points.col(v) - view.points.col(w)).norm() / sculpt.scale);
    }
    if (lengths.empty()) return std::nullopt;
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    const double median = middle->first;
    double torn = 0;
    double posed = 0;
    double sculpted = 0;
    for (const auto& [before, after] : lengths) {
      torn += after > kTornLength * std::max(before, median) ? 1 : 0;
      posed += before;
      sculpted += after;
    }
    const double share = torn / static_cast<double>(lengths.size());
    // Noise lengthens all short edges slightly; if the faces agree, or a black box may stretch, this is not a sign of a
    // wrong order.
    const bool stretched = view.joined.empty() && !view.facesAgree && view.inPose && sculpted > kMeanStretch * posed;
    if (share <= kTornEdges && !stretched) return std::nullopt;
    return fmt::format(
        "edges of the character are {:.3g} times as long in it on average, and {:.0f} % are more than {:g} times as "
        "long: its vertices are in a different order; export it from the character's own mesh, or give its own rest "
        "mesh",
        posed > 0 ? sculpted / posed : 0, 100 * share, kTornLength);
  }

  const MirrorMap* mirror() const {
    std::call_once(mirrorOnce, [this] {
      try {
        mirrorMap = findMirror(character);
      } catch (const Error&) {
        // A body without symmetry cannot be mistaken for its mirror image.
      }
    });
    return mirrorMap ? &*mirrorMap : nullptr;
  }

  [[nodiscard]] Doubt doubtMirror(const SculptView& view, const Sculpt& sculpt) const {
    if (sculpt.distance <= kSmallDistance * sculpt.diagonal) return std::nullopt;
    const MirrorMap* const map = mirror();
    if (map == nullptr) return std::nullopt;
    std::array<double, 4> squares{};  // as it is, order exchanged, space reflected, both
    double count = 0;
    for (const std::uint32_t v : sculpt.vertex) {
      const MirrorPlace& place = map->vertex[v];
      if (place.kind == MirrorPlace::Kind::None) continue;
      bool all = true;
      for (std::size_t k = 0; k < 3 && !view.known.empty(); ++k) {
        if (place.weight[k] > 0) all = all && view.known[place.vertex[k]];
      }
      if (!all) continue;
      const Vec3 own = view.points.col(v);
      const Vec3 other = columnAt(place, view.points);
      const Vec3 posed = view.posed.col(v);
      squares[0] += (own - posed).squaredNorm();
      squares[1] += (other - posed).squaredNorm();
      squares[2] += (map->point(own) - posed).squaredNorm();
      squares[3] += (map->point(other) - posed).squaredNorm();
      ++count;
    }
    const auto best = toSize(std::min_element(squares.begin(), squares.end()) - squares.begin());
    if (best == 0 || squares[best] > kMirrorGain * kMirrorGain * squares[0]) return std::nullopt;
    static constexpr std::string_view kWhat[] = {"", "with left and right vertices exchanged", "reflected",
                                                 "as its own mirror image"};
    static constexpr std::string_view kRemedy[] = {"", "export it with the character's own vertex order",
                                                   "export it without mirroring",
                                                   "give it to the mirrored pose, or mirror the sculpt"};
    return fmt::format("is {:.3g} from the posed skin (rms), but only {:.3g} {} in {}: left and right are swapped; {}",
                       std::sqrt(squares[0] / count), std::sqrt(squares[best] / count), kWhat[best], "xyz"[map->axis],
                       kRemedy[best]);
  }

  [[nodiscard]] static Doubt doubtPlace(const Sculpt& sculpt) {
    if (sculpt.points.cols() < kLeastPiece || sculpt.distance <= kSmallDistance * sculpt.diagonal) return std::nullopt;
    const RigidDifference motion = motionBetween(sculpt.posed, sculpt.points);
    if (!motion.explains()) return std::nullopt;
    if (motion.degrees > kBodyTurn) {
      return fmt::format(
          "is rotated by {:.0f} degrees relative to the posed skin as a whole; export it with the character's axes, in "
          "the world space of the pose, or give its own rest mesh",
          motion.degrees);
    }
    if (motion.shift.norm() <= kBodyShift * sculpt.diagonal) return std::nullopt;
    return fmt::format(
        "is offset by {} from the posed skin as a whole ({:.3g} % of the body); export it at the position of the posed "
        "character, or give the pose that it was sculpted in",
        threeNumbers(motion.shift), 100 * motion.shift.norm() / sculpt.diagonal);
  }

  [[nodiscard]] Doubt doubtPose(const SculptView& view, const Sculpt& sculpt) const {
    const RigidDifference* worst = nullptr;
    int worstJoint = -1;
    std::vector<RigidDifference> motions;
    motions.reserve(pieces.size());
    for (const auto& [joint, all] : pieces) {
      std::vector<std::uint32_t> vertices = all;
      if (!view.known.empty()) std::erase_if(vertices, [&](std::uint32_t v) { return !view.known[v]; });
      if (static_cast<Index>(vertices.size()) < kLeastPiece) continue;
      motions.push_back(motionBetween(columnsOf(view.posed, vertices), columnsOf(view.points, vertices)));
      const RigidDifference& motion = motions.back();
      const double moved = motion.distance / sculpt.diagonal;
      const bool wrong =
          motion.explains() && (moved > kPieceShift || (motion.degrees > kPieceTurn && moved > kTurnedShift));
      if (!wrong || (worst != nullptr && motion.distance <= worst->distance)) continue;
      if (shareLeft(character, seams.firstVertex, view, joint, motion.motion) > kFitsBetter) continue;
      worst = &motion;
      worstJoint = joint;
    }
    if (worst == nullptr) return std::nullopt;
    return fmt::format(
        "does not match its pose: the skin of joint '{}' is {:.3g} from the pose ({:.3g} % of the body), rotated by "
        "{:.0f} degrees as one rigid piece; give the pose that it was sculpted in",
        character.skeleton[worstJoint].name, worst->distance, 100 * worst->distance / sculpt.diagonal, worst->degrees);
  }

  /// The first that contradicts, in the order of the list on top.
  [[nodiscard]] Doubt doubtOf(const SculptView& view, Sculpt& sculpt) const {
    if (auto doubt = view.inPose ? doubtSize(sculpt) : std::nullopt) return doubt;
    if (auto doubt = doubtOrder(view, sculpt)) return doubt;
    if (!view.inPose) return std::nullopt;
    if (auto doubt = doubtMirror(view, sculpt)) return doubt;
    if (auto doubt = doubtScale(sculpt)) return doubt;
    if (auto doubt = doubtPlace(sculpt)) return doubt;
    if (auto doubt = doubtPose(view, sculpt)) return doubt;
    measureTearing(view, sculpt);
    if (auto doubt = doubtTearing(sculpt)) return doubt;
    return doubtDistance(sculpt);
  }

  const Character& character;
  WeldMap seams;
  std::vector<Edge> pairs;  ///< of welded points
  bool hasFaces = true;
  Neighbours neighbours;
  std::vector<std::pair<int, std::vector<std::uint32_t>>> pieces;  ///< joint, first vertices of its points
  mutable std::once_flag mirrorOnce;
  mutable std::optional<MirrorMap> mirrorMap;
};

}  // namespace
}  // namespace sinew::sculpt_check

namespace sinew {

struct SculptCheck::Impl : sculpt_check::Checker {
  using Checker::Checker;
};

SculptCheck::SculptCheck(const Character& character) : impl_(std::make_unique<Impl>(character)) {}
SculptCheck::~SculptCheck() = default;

SculptFindings SculptCheck::check(const SculptView& view) const {
  const Index count = impl_->character.mesh.vertexCount();
  SINEW_CHECK(view.points.cols() == count && view.posed.cols() == count &&
                  (view.known.empty() || static_cast<Index>(view.known.size()) == count),
              "match", fmt::format("the sculpt is checked against {} vertices, but has {}", count, view.points.cols()));
  if (auto doubt = impl_->doubtFaces(view)) return {std::move(doubt), {}};
  Impl::Sculpt sculpt = impl_->read(view);
  if (sculpt.vertex.size() < 2 || !(sculpt.diagonal > 0) || !view.points.allFinite()) return {};
  if (auto doubt = impl_->doubtOf(view, sculpt)) return {std::move(doubt), {}};
  if (!view.inPose) return {};
  return {std::nullopt, impl_->remarks(sculpt)};
}

std::optional<std::string> SculptCheck::doubt(const SculptView& view) const {
  return check(view).doubt;
}

}  // namespace sinew
