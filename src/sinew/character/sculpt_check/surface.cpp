#include "sinew/character/sculpt_check/surface.h"

#include <numeric>

namespace sinew::sculpt_check {

std::vector<Edge> facePairs(const Mesh& mesh, const WeldMap& weld) {
  constexpr std::size_t kAllPairs = 8;
  std::vector<Edge> pairs;
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t p = weld.pointOfVertex[a];
    const std::uint32_t q = weld.pointOfVertex[b];
    if (p != q) pairs.push_back({std::min(p, q), std::max(p, q)});
  };
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto face = mesh.faces[f];
    for (std::size_t i = 0; i < face.size(); ++i) {
      if (face.size() > kAllPairs) {
        add(face[i], face[(i + 1) % face.size()]);
        continue;
      }
      for (std::size_t k = i + 1; k < face.size(); ++k) add(face[i], face[k]);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::vector<Edge> curvePairs(const Points& points) {
  const BoundingBox box = boundingBox(points);
  const double size = std::max((box.high - box.low).maxCoeff(), 1e-300);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (Index p = 0; p < points.cols(); ++p) {
    std::uint64_t code = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto cell = static_cast<std::uint64_t>(1023 * (points(axis, p) - box.low[axis]) / size);
      for (int bit = 0; bit < 10; ++bit) code |= (cell >> bit & 1U) << (3 * bit + axis);
    }
    order.emplace_back(code, static_cast<std::uint32_t>(p));
  }
  std::sort(order.begin(), order.end());
  std::vector<Edge> pairs;
  for (std::size_t i = 1; i < order.size(); ++i) pairs.push_back({order[i - 1].second, order[i].second});
  return pairs;
}

Neighbours::Neighbours(std::span<const Edge> pairs, std::size_t points) {
  start.assign(points + 1, 0);
  for (const Edge& pair : pairs) {
    for (const std::uint32_t p : pair) ++start[p + 1];
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  entry.resize(start.back());
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
  for (const auto& [a, b] : pairs) {
    entry[next[a]++] = b;
    entry[next[b]++] = a;
  }
  for (std::size_t p = 0; p < points; ++p) std::sort(entry.begin() + start[p], entry.begin() + start[p + 1]);
}

std::vector<double> tearing(const Neighbours& neighbours, const Points& from, const Points& to,
                            const std::vector<bool>& known, double least) {
  const auto count = static_cast<std::uint32_t>(from.cols());
  std::vector<double> torn(count, 0);
  std::vector<double> edge(count, 0);
  std::vector<double> lengths;
  for (std::uint32_t p = 0; p < count; ++p) {
    if (!known[p]) continue;
    Vec3 mean = Vec3::Zero();
    double number = 0;
    for (const std::uint32_t n : neighbours[p]) {
      if (!known[n]) continue;
      mean += to.col(n) - from.col(n);
      const double length = (from.col(n) - from.col(p)).norm();
      edge[p] += length;
      if (n > p) lengths.push_back(length);
      ++number;
    }
    if (number == 0) continue;
    edge[p] /= number;
    torn[p] = (to.col(p) - from.col(p) - mean / number).norm();
  }
  if (lengths.empty()) return torn;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  for (std::uint32_t p = 0; p < count; ++p) {
    const double scale = std::max(edge[p], *middle);
    torn[p] = torn[p] < least || !(scale > 0) ? 0 : torn[p] / scale;
  }
  return torn;
}

}  // namespace sinew::sculpt_check
