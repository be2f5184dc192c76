// Left from right: mirrors poses and sculpts across the plane of symmetry of a body.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/character/character.h"
#include "sinew/character/example_set.h"

namespace sinew {

/// Normal of the mirror plane.
enum class MirrorAxis { Auto, X, Y, Z };  ///< Auto: the one that pairs most joints and vertices
constexpr auto choiceRows(MirrorAxis) {
  return choiceTable<MirrorAxis>(
      {{MirrorAxis::Auto, "auto"}, {MirrorAxis::X, "x"}, {MirrorAxis::Y, "y"}, {MirrorAxis::Z, "z"}});
}

struct MirrorOptions {
  MirrorAxis axis = MirrorAxis::Auto;
  std::optional<double> offset{};  ///< where it cuts the axis, scene units; none: found from mesh and skeleton
  double tolerance = 1e-4;         ///< how near a vertex must be to the mirrored one to be its partner, diagonals
  double surfaceReach = 0.01;      ///< how near the mirrored surface must come where it has no such vertex, diagonals
  double jointTolerance = 0.02;    ///< how near a joint must be to the mirrored one, diagonals
  double samePoseDegrees = 1;      ///< poses whose joints differ by less are equal: nothing is added
  bool force = false;              ///< examples: also where many vertices have no partner
};

/// A position on the rest surface: a vertex, or a point of a triangle.
struct MirrorPlace {
  enum class Kind : std::uint8_t { None, Vertex, Surface };
  Kind kind = Kind::None;
  std::array<std::uint32_t, 3> vertex{};  ///< Vertex: only the first
  std::array<double, 3> weight{};         ///< Surface: of the three
};

struct MirrorReport {
  int jointPairs = 0;
  int centreJoints = 0;                      ///< their own partners
  std::vector<std::string> unmatchedJoints;  ///< of those that the skin needs
  std::vector<std::string> unmatchedMorphs;
  Index vertexPartners = 0;     ///< vertices that have a vertex as partner
  Index surfacePartners = 0;    ///< that have a point of the surface as partner
  Index unmatchedVertices = 0;  ///< that have none
  Index firstUnmatchedVertex = -1;
  double rms = 0;         ///< asymmetry of the matched vertices, scene units
  double rmsPercent = 0;  ///< in % of the diagonal
  double max = 0;
  std::vector<std::string> warnings;  ///< a sentence each

  /// One line for display.
  std::string sentence;
};

/// Mirror partners at rest, in world space. An involution for joints and morph targets.
struct MirrorMap {
  int axis = 0;                     ///< 0, 1, 2 for x, y, z
  double offset = 0;                ///< the plane is where that coordinate has this value
  std::vector<int> joint;           ///< partner of each joint; itself at the centre; -1: none
  std::vector<int> morph;           ///< of each morph target
  std::vector<MirrorPlace> vertex;  ///< position of the mirror image of each vertex
  std::vector<double> side;         ///< of each vertex from the plane, in the shape in which partners were found
  MirrorReport report;

  /// The mirror image of a point and of a direction.
  [[nodiscard]] Vec3 point(Vec3 p) const {
    p[axis] = 2 * offset - p[axis];
    return p;
  }
  [[nodiscard]] Vec3 direction(Vec3 d) const {
    d[axis] = -d[axis];
    return d;
  }
};

/// Positions decide, of joints, of what is below them and of the skin that they move; names (left and right in several
/// languages and manners) only settle ties. Throws BadInput for an unknown axis, and where the body is not symmetric:
/// less than half of the skin's joints or of the vertices have partners. O(V) by a hash grid.
MirrorMap findMirror(const Character& character, const MirrorOptions& options = {});

/// The pose whose skinned shape is the mirror image: each joint moves relative to its rest as the mirror image of its
/// partner, for any axes of the two. Joints without a partner stay at rest. Mirroring twice gives the same pose to
/// rounding. Throws if sizes do not match.
Pose mirrorPose(const Character& character, const MirrorMap& map, const Pose& pose);

/// How the partner of one joint follows it, for tools that pose a joint at a time: with the rest transforms of the two,
///   rotation' = above rotation own^-1,  translation' = rest' - above (translation - rest).
/// For a joint that moves alone it agrees with mirrorPose, but for scales that differ between the sides.
struct JointMirror {
  int partner = -1;  ///< -1: none, itself, or one whose parent is not the mirrored parent
  Quat above = Quat::Identity();
  Quat own = Quat::Identity();
};
std::vector<JointMirror> jointMirrors(const Character& character, const MirrorMap& map);

/// The mirror image of a shape in world space, in the character's vertex order. Vertices without a partner take the
/// column of `otherwise`.
Points mirrorPoints(const MirrorMap& map, const ConstPointsRef& points, const ConstPointsRef& otherwise);

/// The mirror image of a sculpt at a pose. If a vertex has no partner vertex, the mirrored correction is added to the
/// linear blend of the mirrored pose, which is smoother than the shape itself; if it has no partner at all, it takes
/// the linear blend alone.
Points mirrorSculpt(const Character& character, const MirrorMap& map, const Pose& pose, const Pose& mirrored,
                    const ConstPointsRef& sculpt);

/// "hand_l" becomes "hand_r", "LeftArm" "RightArm", "stride_left" "stride_right"; nothing if no side is named.
std::optional<std::string> otherSide(std::string_view name);

struct MirrorResult {
  ExampleSet set;                  ///< the given examples, then the added ones; drivers of both sides
  std::vector<std::string> added;  ///< names of the mirrored examples
  std::vector<std::string> notes;  ///< which were left out and why, a sentence each
  MirrorMap map;
};

/// Adds the mirror image of every example, under its name with the side swapped, or with the suffix "_mirrored". Skips
/// examples that are their own mirror image, those whose mirrored pose is already an example, and those that move a
/// joint or a morph target without a partner. Vertices without a partner do not count in the added examples (mask 0).
/// Throws BadInput where a quarter of the vertices have none and fewer have a vertex as partner, unless forced: what
/// the others then learn is not what was sculpted.
MirrorResult mirrorExamples(const Character& character, const ExampleSet& set, const MirrorOptions& options = {});

/// The weighted sum of columns that a mirror place stands for.
Vec3 columnAt(const MirrorPlace& place, const ConstPointsRef& columns);

}  // namespace sinew
