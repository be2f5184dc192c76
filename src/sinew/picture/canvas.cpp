#include "sinew/picture/canvas.h"
#include "sinew/base/types.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::picture {
namespace {

/// A window of pixels with the part of each that is covered.
class Mask {
 public:
  Mask(const Image& image, const Place& low, const Place& high)
      : left_(std::clamp(static_cast<int>(std::floor(low.x())), 0, image.width)),
        top_(std::clamp(static_cast<int>(std::floor(low.y())), 0, image.height)),
        right_(std::clamp(static_cast<int>(std::ceil(high.x())), left_, image.width)),
        bottom_(std::clamp(static_cast<int>(std::ceil(high.y())), top_, image.height)),
        covered_(toSize((right_ - left_) * (bottom_ - top_)), 0.0F) {}

  void addSegment(const Place& a, const Place& b, double width) {
    const double reach = 0.5 * width + 1;
    const int x0 = std::max(left_, static_cast<int>(std::floor(std::min(a.x(), b.x()) - reach)));
    const int x1 = std::min(right_, static_cast<int>(std::ceil(std::max(a.x(), b.x()) + reach)));
    const int y0 = std::max(top_, static_cast<int>(std::floor(std::min(a.y(), b.y()) - reach)));
    const int y1 = std::min(bottom_, static_cast<int>(std::ceil(std::max(a.y(), b.y()) + reach)));
    const Place along = b - a;
    const double square = along.squaredNorm();
    // A line thinner than a pixel is drawn as wide as one, but fainter.
    const double drawn = std::max(width, 1.0);
    const double strength = std::min(width, 1.0);
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        const Place p(x + 0.5, y + 0.5);
        const double t = square > 0 ? std::clamp((p - a).dot(along) / square, 0.0, 1.0) : 0;
        const double distance = (p - a - t * along).norm();
        const auto covered = static_cast<float>(strength * std::clamp(0.5 * drawn - distance + 0.5, 0.0, 1.0));
        float& before = covered_[toSize((y - top_) * (right_ - left_) + x - left_)];
        before = std::max(before, covered);
      }
    }
  }

  void layOn(Image& image, Rgba colour) const {
    std::size_t i = 0;
    for (int y = top_; y < bottom_; ++y) {
      for (int x = left_; x < right_; ++x) image.blend(x, y, colour, static_cast<double>(covered_[i++]));
    }
  }

 private:
  int left_;
  int top_;
  int right_;
  int bottom_;
  std::vector<float> covered_;
};

/// Positions far outside an image draw nothing, but must not overflow pixel numbers.
Place withinReach(const Place& p) {
  constexpr double kReach = 1e6;
  return {std::clamp(p.x(), -kReach, kReach), std::clamp(p.y(), -kReach, kReach)};
}

}  // namespace

void drawLines(Image& image, std::span<const Polyline> lines, double width, Rgba colour) {
  Place low = Place::Constant(std::numeric_limits<double>::infinity());
  Place high = -low;
  for (const Polyline& line : lines) {
    for (const Place& p : line) {
      low = low.cwiseMin(withinReach(p));
      high = high.cwiseMax(withinReach(p));
    }
  }
  if (!(low.x() <= high.x()) || !(width > 0)) return;
  const Place border = Place::Constant(0.5 * width + 1);
  Mask mask(image, low - border, high + border);
  for (const Polyline& line : lines) {
    if (line.size() == 1) mask.addSegment(withinReach(line[0]), withinReach(line[0]), width);
    for (std::size_t i = 1; i < line.size(); ++i)
      mask.addSegment(withinReach(line[i - 1]), withinReach(line[i]), width);
  }
  mask.layOn(image, colour);
}

void drawLine(Image& image, const Place& from, const Place& to, double width, Rgba colour) {
  const std::array<Polyline, 1> line{Polyline{from, to}};
  drawLines(image, line, width, colour);
}

void fillRectangle(Image& image, const Place& topLeft, const Place& bottomRight, Rgba colour) {
  const Place low = withinReach(topLeft);
  const Place high = withinReach(bottomRight);
  const int x0 = std::max(0, static_cast<int>(std::floor(low.x())));
  const int x1 = std::min(image.width, static_cast<int>(std::ceil(high.x())));
  const int y0 = std::max(0, static_cast<int>(std::floor(low.y())));
  const int y1 = std::min(image.height, static_cast<int>(std::ceil(high.y())));
  const auto shared = [](double a, double b, int pixel) {
    return std::min(b, pixel + 1.0) - std::max<double>(a, pixel);
  };
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      image.blend(x, y, colour, shared(low.x(), high.x(), x) * shared(low.y(), high.y(), y));
    }
  }
}

void fillDisc(Image& image, const Place& centre, double radius, Rgba colour) {
  drawLine(image, centre, centre, 2 * radius, colour);
}

}  // namespace sinew::picture
