#include "sinew/picture/skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "sinew/base/check.h"

namespace sinew::picture {
namespace {

/// The thick end of a bone is this far along it.
constexpr double kSkeletonShoulder = 0.14;

/// Collects triangles and packs them into Geometry at the end.
class Builder {
 public:
  void addBone(const Vec3& from, const Vec3& to, double width, Rgba colour) {
    const Vec3 along = to - from;
    const Vec3 side = along.unitOrthogonal() * width;
    const Vec3 front = along.cross(side).normalized() * width;
    const Vec3 middle = from + kSkeletonShoulder * along;
    const auto first = static_cast<std::uint32_t>(points_.size());
    points_.insert(points_.end(), {from, to, middle + side, middle + front, middle - side, middle - front});
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t a = first + 2 + k;
      const std::uint32_t b = first + 2 + (k + 1) % 4;
      add({first, b, a}, colour);
      add({first + 1, a, b}, colour);
    }
  }

  /// An icosahedron, each triangle cut in four, pushed out to the sphere.
  void addBall(const Vec3& centre, double radius, Rgba colour) {
    const auto first = static_cast<std::uint32_t>(points_.size());
    for (const Vec3& p : ball().points) points_.push_back(centre + radius * p);
    for (const Triangle& t : ball().triangles) add({first + t[0], first + t[1], first + t[2]}, colour);
  }

  [[nodiscard]] Geometry finish() && {
    Geometry geometry;
    geometry.points.resize(3, static_cast<Index>(points_.size()));
    for (std::size_t i = 0; i < points_.size(); ++i) geometry.points.col(static_cast<Index>(i)) = points_[i];
    geometry.triangles = std::move(triangles_);
    geometry.triangleColours = std::move(colours_);
    return geometry;
  }

 private:
  struct Ball {
    std::vector<Vec3> points;
    std::vector<Triangle> triangles;
  };

  static Ball makeBall() {
    Ball ball;
    const double g = std::numbers::phi;
    for (const double a : {-1.0, 1.0}) {
      for (const double b : {-g, g}) {
        ball.points.insert(ball.points.end(), {Vec3(0, a, b), Vec3(a, b, 0), Vec3(b, 0, a)});
      }
    }
    for (Vec3& p : ball.points) p.normalize();
    // The faces of an icosahedron are its triples of mutual neighbours (cosine 1/sqrt(5)).
    const auto near = [&](std::uint32_t i, std::uint32_t j) { return ball.points[i].dot(ball.points[j]) > 0.4; };
    std::vector<Triangle> faces;
    for (std::uint32_t i = 0; i < 12; ++i) {
      for (std::uint32_t j = i + 1; j < 12; ++j) {
        for (std::uint32_t k = j + 1; k < 12; ++k) {
          if (!near(i, j) || !near(j, k) || !near(i, k)) continue;
          const bool outward = ball.points[i].dot(ball.points[j].cross(ball.points[k])) > 0;
          faces.push_back(outward ? Triangle{i, j, k} : Triangle{i, k, j});
        }
      }
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [place, isNew] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(ball.points.size()));
      if (isNew) ball.points.push_back((ball.points[a] + ball.points[b]).normalized());
      return place->second;
    };
    for (const Triangle& t : faces) {
      const std::uint32_t ab = middle(t[0], t[1]);
      const std::uint32_t bc = middle(t[1], t[2]);
      const std::uint32_t ca = middle(t[2], t[0]);
      ball.triangles.insert(ball.triangles.end(), {{t[0], ab, ca}, {t[1], bc, ab}, {t[2], ca, bc}, {ab, bc, ca}});
    }
    return ball;
  }
  static const Ball& ball() {
    static const Ball kBall = makeBall();
    return kBall;
  }

  void add(const Triangle& triangle, Rgba colour) {
    triangles_.push_back(triangle);
    colours_.push_back(colour);
  }

  std::vector<Vec3> points_;
  std::vector<Triangle> triangles_;
  std::vector<Rgba> colours_;
};

/// For each joint whether it is drawn.
std::vector<bool> drawnJoints(const Skeleton& skeleton, std::span<const int> joints) {
  std::vector<bool> drawn(toSize(skeleton.size()), joints.empty());
  for (const int joint : joints) {
    SINEW_CHECK(joint >= 0 && joint < skeleton.size(), "boneGeometry",
                fmt::format("joint {} does not exist; the skeleton has {}", joint, skeleton.size()));
    drawn[toSize(joint)] = true;
  }
  return drawn;
}

int drawnAncestor(const Skeleton& skeleton, const std::vector<bool>& drawn, int joint) {
  int parent = skeleton[joint].parent;
  while (parent >= 0 && !drawn[toSize(parent)]) parent = skeleton[parent].parent;
  return parent;
}

/// The direction from the parent to the joint at rest, in the joint's own frame.
Vec3 straightOn(const LocalTransform& rest) {
  return rest.rotation.conjugate() * rest.translation;
}

}  // namespace

Shape Geometry::shape(bool ghost) const {
  Shape shape;
  shape.points = &points;
  shape.triangles = triangles;
  shape.triangleColours = triangleColours;
  shape.ghost = ghost;
  return shape;
}

Geometry boneGeometry(const Skeleton& skeleton, std::span<const Affine> worldFromJoint, std::span<const int> joints,
                      const BoneOptions& options) {
  SINEW_CHECK(worldFromJoint.size() == toSize(skeleton.size()), "boneGeometry",
              fmt::format("{} transforms for {} joints; give one per joint", worldFromJoint.size(), skeleton.size()));
  SINEW_CHECK(options.thickness >= 0.01 && options.thickness <= 0.5, "boneGeometry",
              fmt::format("a bone thickness of {}; choose 0.01 to 0.5 of its length", options.thickness));
  SINEW_CHECK(options.jointRadius >= 0 && options.jointRadius <= 0.2, "boneGeometry",
              fmt::format("a joint radius of {}; choose 0 to 0.2 of the skeleton", options.jointRadius));
  SINEW_CHECK(options.leafLength >= 0 && options.leafLength <= 2, "boneGeometry",
              fmt::format("a last bone of {} of the one before; choose 0 to 2", options.leafLength));
  const std::vector<bool> drawn = drawnJoints(skeleton, joints);
  const auto place = [&](int joint) -> Vec3 { return worldFromJoint[toSize(joint)].translation(); };
  Points places(3, skeleton.size());
  Index count = 0;
  for (int j = 0; j < skeleton.size(); ++j) {
    if (drawn[toSize(j)]) places.col(count++) = place(j);
  }
  places.conservativeResize(3, count);
  checkFinite(places, "boneGeometry", "the joints");
  const double size = boundingBox(places).diagonal();

  Builder builder;
  const double ballRadius = options.jointRadius * size;
  const double widest = 2.2 * ballRadius + 0.004 * size;
  std::vector<double> shortest(drawn.size(), std::numeric_limits<double>::infinity());
  std::vector<bool> carriesOn(drawn.size(), false);
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = drawn[toSize(j)] ? drawnAncestor(skeleton, drawn, j) : -1;
    if (parent < 0) continue;
    const double length = (place(j) - place(parent)).norm();
    carriesOn[toSize(parent)] = true;
    if (length <= 1e-9 * size) continue;
    builder.addBone(place(parent), place(j), std::min(options.thickness * length, widest), options.boneColour);
    for (const int end : {j, parent}) {
      double& least = shortest[toSize(end)];
      least = std::min(least, length);
    }
  }
  for (int j = 0; j < skeleton.size(); ++j) {
    const auto i = toSize(j);
    if (!drawn[i]) continue;
    if (!carriesOn[i] && std::isfinite(shortest[i]) && options.leafLength > 0) {
      const Vec3 direction = worldFromJoint[i].linear() * straightOn(skeleton[j].rest);
      const double length = options.leafLength * shortest[i];
      if (direction.norm() > 0) {
        builder.addBone(place(j), place(j) + length * direction.normalized(),
                        std::min(options.thickness * length, widest), options.boneColour);
      }
    }
    // Small balls where joints are dense, such as hands.
    const double radius = std::min(ballRadius, 0.2 * shortest[i]);
    if (radius > 0) builder.addBall(place(j), radius, options.jointColour);
  }
  return std::move(builder).finish();
}

Geometry ballGeometry(const ConstPointsRef& centres, double radius, Rgba colour) {
  checkFinite(centres, "ballGeometry", "the centres");
  SINEW_CHECK(radius > 0 && std::isfinite(radius), "ballGeometry",
              fmt::format("a radius of {}; it must be positive", radius));
  Builder builder;
  for (Index i = 0; i < centres.cols(); ++i) builder.addBall(centres.col(i), radius, colour);
  return std::move(builder).finish();
}

}  // namespace sinew::picture
