// Bodies as implicit surfaces: tapered capsules and ellipsoids, smoothly united along each limb.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/types.h"

namespace sinew::body {

enum class PrimitiveKind { TaperedCapsule, Ellipsoid };

/// One mass of flesh. In its own frame x runs along `axis`; y and z are the cross-section.
struct Primitive {
  PrimitiveKind kind = PrimitiveKind::TaperedCapsule;
  Vec3 origin = Vec3::Zero();                     ///< capsule: centre of the first ball; ellipsoid: its centre
  Mat3 localFromWorld = Mat3::Identity();         ///< rotation
  double length = 0;                              ///< capsule: between the balls' centres
  double radiusStart = 1;                         ///< capsule
  double radiusEnd = 1;                           ///< capsule
  Eigen::Array3d radii = Eigen::Array3d::Ones();  ///< ellipsoid: radii; capsule: factors on x (1), y and z
  double blend = 0;                               ///< width over which it melts into its group, metres
  bool carves = false;                            ///< takes away from what its group has so far instead of adding

  // What evaluation needs of the above; filled by the functions below.
  Eigen::Array3d inverseRadii = Eigen::Array3d::Ones();
  double slope = 0;   ///< capsule: how fast its radius falls
  double cosine = 1;  ///< capsule: of the angle between its side and its axis
  double factor = 1;  ///< the least radius or factor
};

/// From ball to ball; |radiusStart - radiusEnd| must be less than the distance.
Primitive taperedCapsule(const Vec3& start, const Vec3& end, double radiusStart, double radiusEnd, double blend);
/// The same with its cross-section scaled: `across` is the direction of the local y axis (made orthogonal).
Primitive flattenedCapsule(const Vec3& start, const Vec3& end, double radiusStart, double radiusEnd, const Vec3& across,
                           double factorAcross, double factorOther, double blend);
/// Radii along `axis`, `across` (made orthogonal) and the third direction.
Primitive ellipsoid(const Vec3& centre, const Vec3& radii, const Vec3& axis, const Vec3& across, double blend);
/// Axes of the world.
Primitive ellipsoid(const Vec3& centre, const Vec3& radii, double blend);

/// The same solid as a tool: hollows an ear, cuts a stump.
Primitive carving(Primitive solid);

/// Signed distance (exact for plain capsules, a bound of first order otherwise) and its gradient.
double signedDistance(const Primitive& primitive, const Vec3& point, Vec3& gradient);

/// A limb: its masses melt into each other and the whole melts into its parent, but never into a sibling. So thighs and
/// fingers may come close without fusing.
struct Group {
  std::string name;
  int parent = -1;   ///< comes before its children
  double blend = 0;  ///< width of the transition to the parent, metres
  std::vector<Primitive> primitives;
};

/// f = min over groups g of v(g), v(g) = smin(v(parent g), d(g)), d(g) = smooth union of its primitives in order; those
/// that carve are subtracted by -smin(-d, carver).
/// Negative inside. Immutable once made; every call may run on any thread.
class ImplicitSurface {
 public:
  explicit ImplicitSurface(std::vector<Group> groups);

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] int groupIndex(std::string_view name) const;

  /// Valid everywhere, visits every primitive.
  [[nodiscard]] double valueAnywhere(const Vec3& point) const;
  /// The same within nearBand() of the surface, visiting only what is near; further away only its sign and
  /// |f| > nearBand() hold.
  [[nodiscard]] double value(const Vec3& point) const;
  double value(const Vec3& point, Vec3& gradient) const;
  /// The unit gradient.
  [[nodiscard]] Vec3 normal(const Vec3& point) const;
  [[nodiscard]] double nearBand() const { return band_; }

  /// Newton steps onto the surface along the gradient, each at most `longest`.
  [[nodiscard]] Vec3 projected(Vec3 point, int steps, double longest) const;

  /// Signed distance of each group alone, capped at `most`.
  void groupDistances(const Vec3& point, double most, std::vector<double>& distances) const;

  struct Sphere {
    Vec3 centre;
    double radius;
  };
  /// Balls that contain the solids and their blends; carving solids are excluded.
  [[nodiscard]] std::vector<Sphere> bounds() const;
  [[nodiscard]] const Vec3& low() const { return low_; }
  [[nodiscard]] const Vec3& high() const { return high_; }

 private:
  struct Entry {
    std::uint32_t first = 0;  ///< into members_
    std::uint32_t count = 0;
    int parent = -1;  ///< entry of the same cell, or -1
    double blend = 0;
  };
  void listCells();
  [[nodiscard]] std::vector<std::uint32_t> solidsNear(const Vec3& centre, double radius,
                                                      const std::vector<std::uint32_t>& candidates) const;
  void addCell(const std::vector<std::uint32_t>& solids);
  [[nodiscard]] std::optional<std::size_t> cellOf(const Vec3& point) const;
  template <bool kSlope>
  double fold(std::size_t cell, const Vec3& point, Vec3& gradient) const;

  std::vector<Group> groups_;
  std::vector<Primitive> flat_;            ///< all primitives, group by group
  std::vector<Sphere> bounds_;             ///< of flat_
  std::vector<int> groupOf_;               ///< of flat_
  std::vector<std::uint32_t> groupStart_;  ///< into flat_, one more than groups
  Vec3 low_, high_, gridLow_;
  double cell_ = 0, band_ = 0;
  std::array<int, 3> cells_{};
  std::vector<std::uint32_t> cellEntries_;  ///< into entries_, one more than cells; the last cell lists everything
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> members_;  ///< into flat_
};

}  // namespace sinew::body
