#include "sinew/learn/reduced_model/loose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sinew/base/parallel.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::reduced_model {
namespace {

constexpr double kCarried = 0.02;   // of the diagonal
constexpr Index kHosts = 5000;      // triangles of larger pieces that are looked at
constexpr std::size_t kPatch = 24;  // nearest triangles that must move a piece

constexpr std::uint32_t kNone = 0xffffffffu;

/// Edge-connected pieces of the whole surface.
struct Pieces {
  std::vector<std::uint32_t> of;  // per triangle
  std::vector<std::vector<std::uint32_t>> triangles;
  std::vector<double> areas;  // shares of the whole
};

Pieces findPieces(const ReducedSurface& surface, const TriangleGraph& graph, const Points& rest) {
  Pieces pieces;
  pieces.of.assign(surface.triangles.size(), kNone);
  std::vector<std::uint32_t> stack;
  double total = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    if (pieces.of[t] != kNone) continue;
    const auto piece = static_cast<std::uint32_t>(pieces.triangles.size());
    pieces.triangles.emplace_back();
    pieces.areas.push_back(0);
    pieces.of[t] = piece;
    stack.push_back(static_cast<std::uint32_t>(t));
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      pieces.triangles.back().push_back(at);
      pieces.areas.back() += triangleSize(rest, surface.triangles[at]).first;
      for (const std::uint32_t next : graph[at]) {
        if (pieces.of[next] != kNone) continue;
        pieces.of[next] = piece;
        stack.push_back(next);
      }
    }
    total += pieces.areas.back();
  }
  for (double& area : pieces.areas) area = total > 0 ? area / total : 1;
  return pieces;
}

/// The centroids of triangles over the examples, the rest first: 3 (P + 1) x n.
Eigen::MatrixXd centroidPaths(const ReducedSurface& surface, const std::vector<std::uint32_t>& triangles,
                              const Points& rest, const std::vector<Points>& aligned) {
  Eigen::MatrixXd paths(3 * (static_cast<Index>(aligned.size()) + 1), static_cast<Index>(triangles.size()));
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& triangle = surface.triangles[triangles[i]];
    auto path = paths.col(static_cast<Index>(i));
    path.head<3>() = centroid(triangle, rest);
    for (std::size_t e = 0; e < aligned.size(); ++e)
      path.segment<3>(3 * (static_cast<Index>(e) + 1)) = centroid(triangle, aligned[e]);
  }
  return paths;
}

/// Root mean square distance between a piece and its image under the motion of a patch of hosts, over the examples.
double carriedError(const Eigen::MatrixXd& piece, const Eigen::MatrixXd& patch) {
  double sum = 0;
  const Points pieceRest = piece.topRows<3>();
  const Points patchRest = patch.topRows<3>();
  for (Index row = 3; row < piece.rows(); row += 3) {
    const Eigen::Isometry3d motion = fitRigid(patchRest, Points(patch.middleRows<3>(row))).toFromFrom;
    sum += ((motion.linear() * pieceRest).colwise() + motion.translation() - piece.middleRows<3>(row)).squaredNorm();
  }
  return std::sqrt(sum / static_cast<double>(piece.cols() * std::max<Index>(1, piece.rows() / 3 - 1)));
}

/// The triangle that a piece follows, or kNone.
std::uint32_t hostOf(const Eigen::MatrixXd& piece, const Eigen::MatrixXd& hosts,
                     const std::vector<std::uint32_t>& hostTriangles, double reach) {
  const Eigen::VectorXd middle = piece.rowwise().mean();
  const Eigen::VectorXd away = (hosts.colwise() - middle).colwise().squaredNorm().transpose();
  std::vector<std::uint32_t> order(hostTriangles.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t count = std::min(kPatch, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return away[a] != away[b] ? away[a] < away[b] : a < b; });
  Eigen::MatrixXd patch(hosts.rows(), static_cast<Index>(count));
  for (std::size_t i = 0; i < count; ++i) patch.col(static_cast<Index>(i)) = hosts.col(order[i]);
  return carriedError(piece, patch) <= reach ? hostTriangles[order.front()] : kNone;
}

void addEdges(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges, TriangleGraph& graph) {
  std::vector<std::vector<std::uint32_t>> extra(graph.start.size() - 1);
  for (const auto& [a, b] : edges) {
    extra[a].push_back(b);
    extra[b].push_back(a);
  }
  TriangleGraph fresh;
  fresh.start.push_back(0);
  for (std::size_t t = 0; t < extra.size(); ++t) {
    fresh.neighbours.insert(fresh.neighbours.end(), graph[t].begin(), graph[t].end());
    fresh.neighbours.insert(fresh.neighbours.end(), extra[t].begin(), extra[t].end());
    fresh.start.push_back(static_cast<std::uint32_t>(fresh.neighbours.size()));
  }
  graph = std::move(fresh);
}

}  // namespace

Index attachLoosePieces(const ReducedSurface& surface, const Points& rest, const std::vector<Points>& aligned,
                        double leastArea, TriangleGraph& graph) {
  const Pieces pieces = findPieces(surface, graph, rest);
  std::vector<std::size_t> loose;
  for (std::size_t p = 0; p < pieces.areas.size(); ++p)
    if (pieces.areas[p] < leastArea) loose.push_back(p);
  if (loose.empty() || loose.size() == pieces.areas.size()) return 0;
  std::vector<std::uint32_t> hostTriangles;
  for (std::size_t t = 0; t < pieces.of.size(); ++t)
    if (pieces.areas[pieces.of[t]] >= leastArea) hostTriangles.push_back(static_cast<std::uint32_t>(t));
  const std::size_t stride = std::max<std::size_t>(1, hostTriangles.size() / kHosts);
  for (std::size_t i = 0; i * stride < hostTriangles.size(); ++i) hostTriangles[i] = hostTriangles[i * stride];
  hostTriangles.resize((hostTriangles.size() + stride - 1) / stride);
  const Eigen::MatrixXd hosts = centroidPaths(surface, hostTriangles, rest, aligned);
  const double reach = kCarried * boundingBox(rest).diagonal();
  std::vector<std::uint32_t> found(loose.size(), kNone);
  parallelFor(static_cast<Index>(loose.size()), 1, [&](Index i) {
    const auto p = toSize(i);
    const Eigen::MatrixXd paths = centroidPaths(surface, pieces.triangles[loose[p]], rest, aligned);
    found[p] = hostOf(paths, hosts, hostTriangles, reach);
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t p = 0; p < loose.size(); ++p)
    if (found[p] != kNone) edges.emplace_back(pieces.triangles[loose[p]].front(), found[p]);
  if (!edges.empty()) addEdges(edges, graph);
  return static_cast<Index>(edges.size());
}

void orderGroups(const ReducedSurface& surface, const Points& rest, ControlGroups& groups) {
  const BoundingBox box = boundingBox(rest);
  Index axis = 0;
  (box.high - box.low).maxCoeff(&axis);
  std::vector<double> along(toSize(groups.count), 0.0);
  std::vector<double> count(toSize(groups.count), 0.0);
  for (std::size_t t = 0; t < groups.labels.size(); ++t) {
    for (const std::uint32_t v : surface.triangles[t]) along[groups.labels[t]] += rest(axis, v);
    count[groups.labels[t]] += 3;
  }
  std::vector<std::uint32_t> order(toSize(groups.count));
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return along[a] / count[a] > along[b] / count[b]; });
  std::vector<std::uint32_t> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<std::uint32_t>(i);
  for (std::uint32_t& label : groups.labels) label = number[label];
}

}  // namespace sinew::reduced_model
