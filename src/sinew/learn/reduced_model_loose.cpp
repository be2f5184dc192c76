#include "sinew/learn/reduced_model_loose.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/learn/reduced_model_controls.h"

namespace sinew {
namespace {

constexpr double kCarried = 0.01;  // of the diagonal

struct Piece {
  double area = 0;
  bool loose = true;
  std::vector<std::size_t> triangles;
};

std::vector<Piece> pieces(const TriangleGraph& graph, const RotationFeatures& features, const ControlGroups& groups) {
  std::vector<Piece> all(static_cast<std::size_t>(groups.count));
  for (std::size_t t = 0; t < groups.labels.size(); ++t) {
    Piece& piece = all[groups.labels[t]];
    piece.area += features.areas[static_cast<Index>(t)];
    piece.triangles.push_back(t);
    for (const std::uint32_t other : graph[t])
      if (groups.labels[other] != groups.labels[t]) piece.loose = false;
  }
  return all;
}

/// Mean squared distance of a piece's corners under a control, over the examples.
double carriedError(const ReducedSurface& surface, const Piece& piece, const Points& rest,
                    const std::vector<Points>& aligned, const std::vector<std::vector<Affine>>& maps,
                    std::size_t control) {
  double sum = 0;
  for (std::size_t e = 0; e < aligned.size(); ++e) {
    for (const std::size_t t : piece.triangles)
      for (const std::uint32_t v : surface.triangles[t])
        sum += (maps[e][control] * rest.col(v) - aligned[e].col(v)).squaredNorm();
  }
  return sum / static_cast<double>(3 * piece.triangles.size() * aligned.size());
}

/// Numbers 0 .. n - 1 for the labels that are left.
void compact(ControlGroups& groups) {
  std::vector<std::uint32_t> number(static_cast<std::size_t>(groups.count), 0);
  for (const std::uint32_t label : groups.labels) number[label] = 1;
  std::uint32_t next = 0;
  for (std::uint32_t& n : number) n = n != 0 ? next++ : 0;
  for (std::uint32_t& label : groups.labels) label = number[label];
  groups.count = next;
}

}  // namespace

Index joinLoosePieces(const ReducedSurface& surface, const TriangleGraph& graph, const RotationFeatures& features,
                      const Points& rest, const std::vector<Points>& aligned, double leastArea, ControlGroups& groups) {
  const std::vector<Piece> all = pieces(graph, features, groups);
  const auto small = [&](const Piece& piece) { return piece.loose && piece.area < leastArea; };
  const auto joining = std::count_if(all.begin(), all.end(), small);
  if (joining == 0 || joining == groups.count) return 0;
  const std::vector<std::vector<Affine>> maps =
      controlTransforms(surface, rest, aligned, groups.labels, groups.count, 0.1);
  const double diagonal = boundingBox(rest).diagonal();
  Index joined = 0;
  for (const Piece& piece : all) {
    if (!small(piece)) continue;
    double least = 0;
    std::size_t best = all.size();
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (small(all[c])) continue;
      const double error = carriedError(surface, piece, rest, aligned, maps, c);
      if (best != all.size() && error >= least) continue;
      least = error;
      best = c;
    }
    if (piece.area > 0 && std::sqrt(least) > kCarried * diagonal) continue;
    for (const std::size_t t : piece.triangles) groups.labels[t] = static_cast<std::uint32_t>(best);
    ++joined;
  }
  compact(groups);
  return joined;
}

void orderGroups(const ReducedSurface& surface, const Points& rest, ControlGroups& groups) {
  const BoundingBox box = boundingBox(rest);
  Index axis = 0;
  (box.high - box.low).maxCoeff(&axis);
  std::vector<double> along(static_cast<std::size_t>(groups.count), 0.0);
  std::vector<double> count(static_cast<std::size_t>(groups.count), 0.0);
  for (std::size_t t = 0; t < groups.labels.size(); ++t) {
    for (const std::uint32_t v : surface.triangles[t]) along[groups.labels[t]] += rest(axis, v);
    count[groups.labels[t]] += 3;
  }
  std::vector<std::uint32_t> order(static_cast<std::size_t>(groups.count));
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return along[a] / count[a] > along[b] / count[b]; });
  std::vector<std::uint32_t> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<std::uint32_t>(i);
  for (std::uint32_t& label : groups.labels) label = number[label];
}

}  // namespace sinew
