// For a set of directions d, spread evenly over the sphere, with V(p, d) = 1 if nothing lies between p and the sky:
//   open(p) = sum V(p, d) max(0, n . d) / sum max(0, n . d).
// V comes from one small depth map per pair of opposite directions: the map keeps the farthest and the nearest surface
// along d, which are the first surfaces seen from d and from -d. Directions are dealt to a fixed number of batches and
// batches are added in order, so that threads do not change a bit.
#include "sinew/picture/render/occlusion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/base/parallel.h"

namespace sinew::picture {
namespace {

constexpr int kMapSize = 192;
constexpr int kGroundSize = 128;
constexpr std::size_t kBatches = 8;
/// Depth differences of this many texels count as the same surface; from there to twice as much light fades.
constexpr float kBiasTexels = 2.0F;

float least(float a, float b, float c) {
  return std::min(a, std::min(b, c));
}
float most(float a, float b, float c) {
  return std::max(a, std::max(b, c));
}

struct Ball {
  Eigen::Vector3f centre = Eigen::Vector3f::Zero();
  float radius = 0;
};

/// Orthographic depth along +-d of everything solid.
class DepthMap {
 public:
  DepthMap() : top_(kMapSize * kMapSize), bottom_(top_.size()) {}

  void draw(const ViewedScene& viewed, const std::vector<Triangle>& triangles, const Ball& ball,
            const Eigen::Vector3f& direction) {
    const Eigen::Vector3f side = direction.unitOrthogonal();
    const float scale = 0.5F * (kMapSize - 4) / ball.radius;
    axes_.row(0) = scale * side;
    axes_.row(1) = scale * direction.cross(side);
    axes_.row(2) = scale * direction;
    offset_ = Eigen::Vector3f(0.5F * kMapSize, 0.5F * kMapSize, 0) - axes_ * ball.centre;
    std::fill(top_.begin(), top_.end(), -std::numeric_limits<float>::infinity());
    std::fill(bottom_.begin(), bottom_.end(), std::numeric_limits<float>::infinity());
    places_.resize(viewed.vertices.size());
    for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = place(viewed.vertices[i].position);
    for (const Triangle& t : triangles) drawTriangle(places_[t[0]], places_[t[1]], places_[t[2]]);
  }

  /// In texels: x, y, and the height along the direction.
  [[nodiscard]] Eigen::Vector3f place(const Eigen::Vector3f& position) const { return axes_ * position + offset_; }

  /// How much light from the direction (from the opposite one with `opposite`) reaches a position, 0 to 1.
  [[nodiscard]] float light(const Eigen::Vector3f& p, bool opposite) const {
    if (!(p.x() >= 0 && p.y() >= 0 && p.x() < kMapSize && p.y() < kMapSize)) return 1;
    const std::size_t i = texel(static_cast<int>(p.x()), static_cast<int>(p.y()));
    const float covered = opposite ? p.z() - bottom_[i] : top_[i] - p.z();
    return std::clamp(2 - covered / kBiasTexels, 0.0F, 1.0F);
  }

 private:
  static std::size_t texel(int x, int y) { return toSize(y) * kMapSize + toSize(x); }
  /// The first texel whose centre is not before a position. Positions are never negative, so that casting rounds down.
  static int texelAfter(float place) {
    const float shifted = place + 0.5F;
    return static_cast<int>(shifted);
  }

  void drawTriangle(const Eigen::Vector3f& a, const Eigen::Vector3f& b, const Eigen::Vector3f& c) {
    // Texel centres inside the box; most triangles of a fine mesh contain none or one.
    const int left = texelAfter(least(a.x(), b.x(), c.x()));
    const int right = std::min(kMapSize, texelAfter(most(a.x(), b.x(), c.x()))) - 1;
    if (left > right) return;
    const int top = texelAfter(least(a.y(), b.y(), c.y()));
    const int bottom = std::min(kMapSize, texelAfter(most(a.y(), b.y(), c.y()))) - 1;
    if (top > bottom) return;
    const float area = (b.x() - a.x()) * (c.y() - a.y()) - (c.x() - a.x()) * (b.y() - a.y());
    if (std::abs(area) < 1e-9F) return;
    const float inverse = 1 / area;
    for (int y = top; y <= bottom; ++y) {
      const float py = static_cast<float>(y) + 0.5F - a.y();
      for (int x = left; x <= right; ++x) {
        const float px = static_cast<float>(x) + 0.5F - a.x();
        const float wb = (px * (c.y() - a.y()) - (c.x() - a.x()) * py) * inverse;
        const float wc = ((b.x() - a.x()) * py - px * (b.y() - a.y())) * inverse;
        if (wb < 0 || wc < 0 || wb + wc > 1) continue;
        const float z = a.z() + wb * (b.z() - a.z()) + wc * (c.z() - a.z());
        const std::size_t i = texel(x, y);
        top_[i] = std::max(top_[i], z);
        bottom_[i] = std::min(bottom_[i], z);
      }
    }
  }

  Eigen::Matrix3f axes_ = Eigen::Matrix3f::Identity();
  Eigen::Vector3f offset_ = Eigen::Vector3f::Zero();
  std::vector<float> top_;
  std::vector<float> bottom_;
  std::vector<Eigen::Vector3f> places_;
};

/// Half of an even set on the sphere (a Fibonacci lattice over the upper half); the other half are the opposites.
std::vector<Eigen::Vector3f> halfSphere(int count, const Eigen::Vector3f& up) {
  const Eigen::Vector3f side = up.unitOrthogonal();
  const Eigen::Vector3f front = up.cross(side);
  std::vector<Eigen::Vector3f> directions;
  for (int i = 0; i < count; ++i) {
    const double height = (i + 0.5) / count;
    const double angle = 2 * std::numbers::pi * std::fmod(i * 0.6180339887498949, 1.0);
    const double ring = std::sqrt(1 - height * height);
    directions.emplace_back(static_cast<float>(height) * up + static_cast<float>(ring * std::cos(angle)) * side +
                            static_cast<float>(ring * std::sin(angle)) * front);
  }
  return directions;
}

Ball ballAround(const ViewedScene& viewed, const std::vector<Triangle>& triangles) {
  Eigen::Vector3f low = Eigen::Vector3f::Constant(std::numeric_limits<float>::infinity());
  Eigen::Vector3f high = -low;
  for (const Triangle& t : triangles) {
    for (const std::uint32_t v : t) {
      low = low.cwiseMin(viewed.vertices[v].position);
      high = high.cwiseMax(viewed.vertices[v].position);
    }
  }
  Ball ball{0.5F * (low + high), 0};
  float square = 0;
  for (const Triangle& t : triangles) {
    for (const std::uint32_t v : t)
      square = std::max(square, (viewed.vertices[v].position - ball.centre).squaredNorm());
  }
  ball.radius = std::sqrt(square);
  return ball;
}

/// What one batch of directions saw.
struct Gathered {
  std::vector<float> seen;
  std::vector<float> asked;
  std::vector<float> groundSeen;
  float groundAsked = 0;
};

class Gatherer {
 public:
  Gatherer(const ViewedScene& viewed, const std::vector<Triangle>& triangles, const Ball& ball,
           const GroundShadow& shadow, const Eigen::Vector3f& key)
      : viewed_(viewed), triangles_(triangles), ball_(ball), shadow_(shadow), key_(key) {}

  void gather(const Eigen::Vector3f& direction, DepthMap& map, Gathered& sums) const {
    map.draw(viewed_, triangles_, ball_, direction);
    // Lifted off the surface by half a texel, so that it does not shadow itself at grazing angles.
    const float lift = ball_.radius / kMapSize;
    for (std::size_t i = 0; i < viewed_.vertices.size(); ++i) {
      const ShadeVertex& vertex = viewed_.vertices[i];
      const float cosine = vertex.normal.dot(direction);
      const float light = map.light(map.place(vertex.position + lift * vertex.normal), cosine < 0);
      sums.seen[i] += std::abs(cosine) * light;
      sums.asked[i] += std::abs(cosine);
    }
    if (!shadow_.empty()) gatherGround(direction, map, sums);
  }

 private:
  void gatherGround(const Eigen::Vector3f& direction, const DepthMap& map, Gathered& sums) const {
    const float towardsKey = std::max(0.0F, direction.dot(key_));
    const float weight = direction.dot(viewed_.up) * (0.5F + 1.5F * towardsKey * towardsKey);
    if (weight <= 0) return;
    sums.groundAsked += weight;
    // Positions are linear in the column: a start and a step per row.
    std::size_t i = 0;
    for (int row = 0; row < shadow_.size(); ++row) {
      const Eigen::Vector3f start = map.place(shadow_.placeOf(0, row));
      const Eigen::Vector3f step = map.place(shadow_.placeOf(1, row)) - start;
      for (int column = 0; column < shadow_.size(); ++column, ++i) {
        sums.groundSeen[i] += weight * map.light(start + static_cast<float>(column) * step, false);
      }
    }
  }

  const ViewedScene& viewed_;
  const std::vector<Triangle>& triangles_;
  const Ball& ball_;
  const GroundShadow& shadow_;
  const Eigen::Vector3f& key_;
};

std::vector<Triangle> solidTriangles(const ViewedScene& viewed) {
  std::vector<Triangle> triangles;
  triangles.reserve(viewed.triangles.size());
  for (const ViewTriangle& t : viewed.triangles) {
    if (!viewed.styles[t.shape].ghost) triangles.push_back(t.vertex);
  }
  return triangles;
}

GroundShadow emptyShadow(const ViewedScene& viewed, const Ball& ball) {
  const Eigen::Vector3f right = viewed.up.unitOrthogonal();
  const Eigen::Vector3f middle = ball.centre + (viewed.groundHeight - viewed.up.dot(ball.centre)) * viewed.up;
  return {kGroundSize, middle, right, viewed.up.cross(right), 2.2F * ball.radius};
}

}  // namespace

GroundShadow::GroundShadow(int size, const Eigen::Vector3f& middle, const Eigen::Vector3f& right,
                           const Eigen::Vector3f& forward, float reach)
    : size_(size),
      middle_(middle),
      right_(right),
      forward_(forward),
      reach_(reach),
      light_(toSize(size * size), 1.0F) {}

Eigen::Vector3f GroundShadow::placeOf(int column, int row) const {
  const auto along = [&](int i) { return reach_ * ((2 * static_cast<float>(i) + 1) / static_cast<float>(size_) - 1); };
  return middle_ + along(column) * right_ + along(row) * forward_;
}

float GroundShadow::light(const Eigen::Vector3f& place) const {
  const Eigen::Vector3f offset = place - middle_;
  const auto texel = [&](float along) { return (along / reach_ + 1) * 0.5F * static_cast<float>(size_) - 0.5F; };
  const float x = texel(offset.dot(right_));
  const float y = texel(offset.dot(forward_));
  const auto last = static_cast<float>(size_ - 1);
  if (!(x >= 0 && y >= 0 && x < last && y < last)) return 1;
  const int column = static_cast<int>(x);
  const int row = static_cast<int>(y);
  const float tx = x - static_cast<float>(column);
  const float ty = y - static_cast<float>(row);
  const float* p = light_.data() + static_cast<std::ptrdiff_t>(row) * size_ + column;
  return (1 - ty) * ((1 - tx) * p[0] + tx * p[1]) + ty * ((1 - tx) * p[size_] + tx * p[size_ + 1]);
}

void GroundShadow::finish() {
  const auto side = toSize(size_);
  const auto index = [&](int column, int row) { return toSize(row) * side + toSize(column); };
  const auto inside = [&](int i) { return std::clamp(i, 0, size_ - 1); };
  for (int pass = 0; pass < 16; ++pass) {
    const std::vector<float> before = light_;
    for (int row = 0; row < size_; ++row) {
      for (int column = 0; column < size_; ++column) {
        const int behind = pass % 2 == 0 ? -1 : 0;
        const int beside = pass % 2 == 0 ? 0 : -1;
        light_[index(column, row)] = 0.25F * before[index(inside(column + behind), inside(row + beside))] +
                                     0.5F * before[index(column, row)] +
                                     0.25F * before[index(inside(column - behind), inside(row - beside))];
      }
    }
  }
  for (int row = 0; row < size_; ++row) {
    for (int column = 0; column < size_; ++column) {
      const float radius = (placeOf(column, row) - middle_).norm() / reach_;
      const float fade = std::clamp((1 - radius) / 0.35F, 0.0F, 1.0F);
      float& value = light_[index(column, row)];
      value = 1 - (1 - value) * fade * fade * (3 - 2 * fade);
    }
  }
}

GroundShadow computeOcclusion(ViewedScene& viewed, int directions, bool ground, const Eigen::Vector3f& key) {
  const std::vector<Triangle> triangles = solidTriangles(viewed);
  if (directions <= 0 || triangles.empty()) return {};
  const Ball ball = ballAround(viewed, triangles);
  if (!(ball.radius > 0)) return {};
  GroundShadow shadow = ground ? emptyShadow(viewed, ball) : GroundShadow();
  const std::vector<Eigen::Vector3f> halves = halfSphere((directions + 1) / 2, viewed.up);
  const Gatherer gatherer(viewed, triangles, ball, shadow, key);

  std::vector<Gathered> batches(kBatches);
  parallelFor(static_cast<Index>(kBatches), 1, [&](Index batch) {
    Gathered& sums = batches[toSize(batch)];
    sums.seen.assign(viewed.vertices.size(), 0);
    sums.asked.assign(viewed.vertices.size(), 0);
    sums.groundSeen.assign(shadow.values().size(), 0);
    DepthMap map;
    for (auto i = toSize(batch); i < halves.size(); i += kBatches) {
      gatherer.gather(halves[i], map, sums);
    }
  });

  parallelFor(static_cast<Index>(viewed.vertices.size()), 8192, [&](Index index) {
    const auto i = toSize(index);
    float seen = 0;
    float asked = 0;
    for (const Gathered& sums : batches) {
      seen += sums.seen[i];
      asked += sums.asked[i];
    }
    viewed.vertices[i].open = asked > 0 ? seen / asked : 1;
  });
  float asked = 0;
  for (const Gathered& sums : batches) asked += sums.groundAsked;
  if (shadow.empty() || asked <= 0) return {};
  for (std::size_t i = 0; i < shadow.values().size(); ++i) {
    float seen = 0;
    for (const Gathered& sums : batches) seen += sums.groundSeen[i];
    shadow.values()[i] = seen / asked;
  }
  shadow.finish();
  return shadow;
}

}  // namespace sinew::picture
