// The rest as medoid: r minimises sum_p sum_t area_t angle(R_t^{r -> p})^2 over the examples. The paper chooses it by
// hand. The angle is the same both ways, so each pair is measured once, on triangles drawn by area. Rotations are taken
// against the first example, once for each, since R^{r -> p} = R^{0 -> p} R^{0 -> r}^T up to the triangles' shear.
#include "sinew/learn/reduced_model/rest.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/learn/reduced_model/rotations.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::reduced_model {
namespace {

constexpr Index kTriangles = 4000;
constexpr Index kLeastTriangles = 250;
constexpr Index kRotations = 1000000;        // that all pairs together may cost
constexpr std::size_t kMostCandidates = 64;  // examples that are compared, evenly spread

std::vector<Triangle> drawTriangles(const ReducedSurface& surface, const Points& shape, Index count, int seed) {
  std::vector<double> summed;
  double total = 0;
  for (const Triangle& triangle : surface.triangles) {
    if (hasRotation(triangle, shape)) total += triangleSize(shape, triangle).first;
    summed.push_back(total);
  }
  std::vector<Triangle> drawn;
  if (!(total > 0)) return drawn;
  auto random = Lcg(static_cast<std::uint32_t>(seed));
  for (Index i = 0; i < count; ++i) {
    const double at = total * (static_cast<double>(i) + random.uniform()) / static_cast<double>(count);
    const auto found = std::lower_bound(summed.begin(), summed.end(), at);
    const auto index = std::min<std::size_t>(toSize(found - summed.begin()), summed.size() - 1);
    drawn.push_back(surface.triangles[index]);
  }
  return drawn;
}

Points centroids(std::span<const Triangle> triangles, const Points& points) {
  Points centres(3, static_cast<Index>(triangles.size()));
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    centres.col(static_cast<Index>(t)) =
        (points.col(triangles[t][0]) + points.col(triangles[t][1]) + points.col(triangles[t][2])) / 3;
  }
  return centres;
}

/// What pairs compare of a candidate.
struct RestCandidate {
  Points centres;
  std::vector<Mat3> rotations;  ///< of the triangles, against the first candidate
};

RestCandidate candidateOf(std::span<const Triangle> triangles, const Points& first, const Points& shape) {
  RestCandidate candidate{centroids(triangles, shape), {}};
  for (const Triangle& triangle : triangles) candidate.rotations.push_back(triangleRotation(triangle, first, shape));
  return candidate;
}

/// Sum over triangles of the squared angle, with the global rotation removed.
double turnedApart(const RestCandidate& a, const RestCandidate& b) {
  const Mat3 turn = fitRigid(a.centres, b.centres).toFromFrom.linear();
  double sum = 0;
  for (std::size_t t = 0; t < a.rotations.size(); ++t) {
    // The trace of turn^T R_b R_a^T.
    const double trace = (turn * a.rotations[t]).cwiseProduct(b.rotations[t]).sum();
    const double angle = std::acos(std::clamp(0.5 * (trace - 1), -1.0, 1.0));
    sum += angle * angle;
  }
  return sum;
}

}  // namespace

std::size_t medoidExample(const ReducedSurface& surface, std::span<const Points> examples, int seed) {
  if (examples.size() < 3) return 0;
  const std::size_t count = std::min(examples.size(), kMostCandidates);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < count; ++i) candidates.push_back(i * examples.size() / count);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) pairs.emplace_back(a, b);
  const auto pairCount = static_cast<Index>(pairs.size());
  const Index sample = std::clamp(kRotations / pairCount, kLeastTriangles, kTriangles);
  const std::vector<Triangle> triangles =
      drawTriangles(surface, examples[0], std::min(sample, surface.triangleCount()), seed);
  std::vector<RestCandidate> compared(count);
  parallelFor(static_cast<Index>(count), 1, [&](Index i) {
    const auto c = toSize(i);
    compared[c] = candidateOf(triangles, examples[0], examples[candidates[c]]);
  });
  std::vector<double> apart(pairs.size());
  parallelFor(pairCount, 1, [&](Index i) {
    const auto [a, b] = pairs[toSize(i)];
    apart[toSize(i)] = turnedApart(compared[a], compared[b]);
  });
  std::vector<double> total(count, 0.0);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    total[pairs[i].first] += apart[i];
    total[pairs[i].second] += apart[i];
  }
  return candidates[toSize(std::min_element(total.begin(), total.end()) - total.begin())];
}

AlignedExamples alignExamples(const ReducedSurface& surface, const Points& rest, std::span<const Points> examples) {
  std::vector<double> used(surface.used.begin(), surface.used.end());
  AlignedExamples aligned;
  aligned.points.resize(examples.size());
  aligned.inputFromAligned.assign(examples.size(), Eigen::Isometry3d::Identity());
  parallelFor(static_cast<Index>(examples.size()), 1, [&](Index i) {
    const auto e = toSize(i);
    aligned.points[e] = examples[e];
    if (examples[e] == rest) return;
    const Eigen::Isometry3d restFromInput = fitRigid(examples[e], rest, used).toFromFrom;
    aligned.points[e] = (restFromInput.linear() * examples[e]).colwise() + restFromInput.translation();
    aligned.inputFromAligned[e] = restFromInput.inverse();
  });
  return aligned;
}

}  // namespace sinew::reduced_model
