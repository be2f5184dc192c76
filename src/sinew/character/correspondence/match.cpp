// The search for which vertex of a sculpt is which vertex of a character:
//   character = s A sculpt + o,  A one of the 48 signed permutations of the axes, s a scale, o an offset.
//
// In this order, the first that explains every vertex wins:
//   1. the same index, no transform;
//   2. the same index, with the A, s, o of least squared distance (closed form, since A is one of 48);
//   3. the same place, no transform;
//   4. the same place, with A, s, o from a list: scales from the ratio of the boxes and from units of length, offsets
//      none or from box to box. Candidates are sieved on growing samples of the sculpt; equally good ones are settled
//      in favour of the identity, then of turns over mirrors, then of fewer changes. So a symmetric character, which
//      fits its own mirror image just as well, is not called mirrored.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/correspondence.h"
#include "sinew/character/correspondence/words.h"
#include "sinew/character/mesh.h"
#include "sinew/character/unit_ratios.h"
#include "sinew/math/point_grid.h"

namespace sinew::correspondence {
namespace {

constexpr Index kGrain = 2048;

struct Candidate {
  double scale = 1;
  Mat3 axes = Mat3::Identity();
  Vec3 offset = Vec3::Zero();
  double cost = 0;  ///< how much is changed: settles ties
  Index score = 0;  ///< sculpt samples that land on the character

  [[nodiscard]] Vec3 operator()(const Vec3& sculpt) const { return scale * (axes * sculpt) + offset; }
};

struct RestPair {
  const ConstPointsRef& character;
  const ConstPointsRef& sculpt;
  BoundingBox characterBox;
  BoundingBox sculptBox;
  double reach = 0;  ///< the tolerance in scene units
};

double costOf(const Mat3& axes) {
  if (axes.isIdentity()) return 0;
  const Vec3 diagonal = axes.diagonal();
  if (axes.determinant() > 0) return diagonal.x() == 1 ? 1 : diagonal.maxCoeff() == 1 ? 1.25 : 1.5;
  if (diagonal.cwiseAbs().sum() < 3 || diagonal.sum() != 1) return 3.75;
  return diagonal.x() == -1 ? 3 : diagonal.z() == -1 ? 3.25 : 3.5;  // bodies are symmetric in x most often
}

std::vector<Mat3> signedPermutations() {
  std::vector<Mat3> all;
  std::array<int, 3> order = {0, 1, 2};
  do {
    for (unsigned signs = 0; signs < 8; ++signs) {
      Mat3 axes = Mat3::Zero();
      for (int row = 0; row < 3; ++row) {
        axes(row, order[toSize(row)]) = (signs >> row & 1u) != 0 ? -1 : 1;
      }
      all.push_back(axes);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

/// Whether every vertex of the sculpt lands on the character's vertex of the same index.
bool agreesByIndex(const RestPair& pair, const Candidate& candidate) {
  const double squared = pair.reach * pair.reach;
  for (Index v = 0; v < pair.character.cols(); ++v) {
    if ((candidate(pair.sculpt.col(v)) - pair.character.col(v)).squaredNorm() > squared) return false;
  }
  return true;
}

/// A box-to-box offset; exactly zero if it is within the tolerance.
Vec3 offsetBetween(const RestPair& pair, const Vec3& character, const Vec3& movedSculpt) {
  const Vec3 offset = character - movedSculpt;
  return offset.norm() <= pair.reach ? Vec3(Vec3::Zero()) : offset;
}

/// Step 2: the A that explains most of the covariance of the two shapes vertex by vertex, and its scale and offset.
std::vector<Candidate> candidatesByIndex(const RestPair& pair) {
  const Vec3 characterMean = pair.character.rowwise().mean();
  const Vec3 sculptMean = pair.sculpt.rowwise().mean();
  Mat3 covariance = Mat3::Zero();
  double spread = 0;
  for (Index v = 0; v < pair.character.cols(); ++v) {
    const Vec3 s = pair.sculpt.col(v) - sculptMean;
    covariance += (pair.character.col(v) - characterMean) * s.transpose();
    spread += s.squaredNorm();
  }
  if (spread == 0) return {};
  std::vector<Candidate> candidates;
  for (const Mat3& axes : signedPermutations()) {
    const double scale = axes.cwiseProduct(covariance).sum() / spread;
    if (scale <= 0) continue;
    std::vector<double> scales;
    if (std::abs(scale - 1) <= 0.005) scales.push_back(1);
    if (const UnitRatio* unit = knownUnitRatio(scale)) scales.push_back(unit->ratio);
    scales.push_back(scale);
    for (const double s : scales) {
      Candidate candidate{s, axes, Vec3::Zero(), costOf(axes) + (s != 1 ? 0.5 : 0), 0};
      candidate.offset = offsetBetween(pair, characterMean, candidate(sculptMean));
      if (!candidate.offset.isZero()) candidate.cost += 0.5;
      candidates.push_back(candidate);
    }
  }
  return candidates;
}

/// Step 4: everything worth trying.
std::vector<Candidate> candidatesByPosition(const RestPair& pair) {
  const double ratio = pair.characterBox.diagonal() / pair.sculptBox.diagonal();
  std::vector<std::pair<double, double>> scales = {{1, 0}};  // with their costs: what the boxes suggest comes first
  for (const UnitRatio& unit : unitRatios()) {
    scales.emplace_back(unit.ratio, std::abs(ratio / unit.ratio - 1) <= 0.005 ? 0.5 : 0.52);
  }
  scales.emplace_back(ratio, 0.51);
  std::vector<Candidate> candidates;
  for (const auto& [scale, cost] : scales) {
    for (const Mat3& axes : signedPermutations()) {
      Candidate candidate{scale, axes, Vec3::Zero(), costOf(axes) + cost, 0};
      candidates.push_back(candidate);
      candidate.offset = offsetBetween(pair, pair.characterBox.centre(), candidate(pair.sculptBox.centre()));
      candidate.cost += 0.5;
      if (!candidate.offset.isZero()) candidates.push_back(candidate);
    }
  }
  return candidates;
}

/// Counts how many of `samples` evenly taken sculpt vertices land on the character.
void scoreCandidates(const RestPair& pair, const PointGrid& characterGrid, Index samples,
                     std::vector<Candidate>& candidates) {
  const Index count = pair.sculpt.cols();
  samples = std::min(samples, count);
  // Golden steps take samples from all over the sculpt from the start, so that a candidate without a hit can go early.
  Index stride = std::max<Index>(1, static_cast<Index>(0.618034 * static_cast<double>(samples)));
  while (std::gcd(stride, samples) != 1) ++stride;
  constexpr Index kHopeless = 64;
  parallelFor(static_cast<Index>(candidates.size()), 1, [&](Index c) {
    Candidate& candidate = candidates[toSize(c)];
    candidate.score = 0;
    for (Index i = 0; i < samples; ++i) {
      const Index v = i * stride % samples * count / samples;
      if (characterGrid.nearest(candidate(pair.sculpt.col(v))).point >= 0) ++candidate.score;
      if (i == kHopeless && candidate.score == 0) break;
    }
  });
}

/// Keeps the `most` best of those within 2 % of the best score.
void sieve(Index samples, std::size_t most, std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.cost < b.cost;
  });
  const Index least = std::max<Index>(1, candidates.front().score - samples / 50);
  const auto end =
      std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.score < least; });
  candidates.erase(end, candidates.end());
  if (candidates.size() > most) candidates.resize(most);
}

/// Each character vertex takes the nearest vertex of the moved sculpt, or its own index if that is near enough too, so
/// that vertices which coincide at rest (closed lips) stay separate.
MatchResult matchByPosition(const RestPair& pair, const Candidate& candidate) {
  MatchResult match;
  match.method = MatchMethod::ByRestPosition;
  match.scale = candidate.scale;
  match.axes = candidate.axes;
  match.offset = candidate.offset;
  match.mirrored = candidate.axes.determinant() < 0;
  const Index count = pair.character.cols();
  const bool sameCount = count == pair.sculpt.cols();
  Points moved(3, pair.sculpt.cols());
  for (Index v = 0; v < moved.cols(); ++v) moved.col(v) = candidate(pair.sculpt.col(v));
  const PointGrid grid(moved, pair.reach);
  match.sculptVertex.assign(toSize(count), -1);
  parallelFor(count, kGrain, [&](Index v) {
    const Vec3 point = pair.character.col(v);
    const bool own = sameCount && (moved.col(v) - point).norm() <= pair.reach;
    match.sculptVertex[toSize(v)] = own ? v : grid.nearest(point).point;
  });
  std::vector<bool> used(toSize(moved.cols()), false);
  for (Index v = 0; v < count; ++v) {
    const std::int64_t from = match.sculptVertex[toSize(v)];
    if (from < 0) {
      ++match.unmatched;
    } else {
      used[toSize(from)] = true;
      match.largestGap = std::max(match.largestGap, (moved.col(from) - pair.character.col(v)).norm());
    }
  }
  match.unusedSculpt = std::count(used.begin(), used.end(), false);
  return match;
}

MatchResult matchByIndex(const RestPair& pair, const Candidate& candidate) {
  MatchResult match;
  match.scale = candidate.scale;
  match.axes = candidate.axes;
  match.offset = candidate.offset;
  match.mirrored = candidate.axes.determinant() < 0;
  match.sculptVertex.resize(toSize(pair.character.cols()));
  std::iota(match.sculptVertex.begin(), match.sculptVertex.end(), 0);
  for (Index v = 0; v < pair.character.cols(); ++v) {
    match.largestGap = std::max(match.largestGap, (candidate(pair.sculpt.col(v)) - pair.character.col(v)).norm());
  }
  return match;
}

/// Step 4. `plain` is the match without a transform, which is kept unless another explains far more.
MatchResult searchTransforms(const RestPair& pair, MatchResult plain) {
  if (pair.sculptBox.diagonal() == 0 || pair.characterBox.diagonal() == 0) return plain;
  const PointGrid grid(pair.character, pair.reach);
  std::vector<Candidate> candidates = candidatesByPosition(pair);
  for (const auto& [samples, most] : {std::pair<Index, std::size_t>{256, 64}, {16384, 6}}) {
    scoreCandidates(pair, grid, samples, candidates);
    sieve(std::min(samples, pair.sculpt.cols()), most, candidates);
    if (candidates.empty()) return plain;
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  MatchResult best = std::move(plain);
  const Index count = pair.character.cols();
  for (const Candidate& candidate : candidates) {
    MatchResult match = matchByPosition(pair, candidate);
    // Chance hits of dense meshes are not a match: half of one of the two shapes must be explained.
    const bool explains = 2 * match.unmatched <= count || 2 * match.unusedSculpt <= pair.sculpt.cols();
    // A few more vertices do not justify a rotation of the character; halving the unmatched ones, or doubling the
    // matched ones, does.
    const bool clearly = !best.plain() || 2 * match.unmatched <= best.unmatched ||
                         count - match.unmatched >= 2 * (count - best.unmatched);
    if (explains && clearly && match.unmatched < best.unmatched) best = std::move(match);
  }
  return best;
}

MatchResult findMatch(const RestPair& pair, bool allowTransform) {
  const Candidate identity;
  const bool sameCount = pair.character.cols() == pair.sculpt.cols();
  if (sameCount && agreesByIndex(pair, identity)) return matchByIndex(pair, identity);
  if (sameCount && allowTransform) {
    std::vector<Candidate> candidates = candidatesByIndex(pair);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    for (const Candidate& candidate : candidates) {
      if (agreesByIndex(pair, candidate)) return matchByIndex(pair, candidate);
    }
  }
  MatchResult plain = matchByPosition(pair, identity);
  if (plain.unmatched == 0 || !allowTransform) return plain;
  return searchTransforms(pair, std::move(plain));
}

}  // namespace
}  // namespace sinew::correspondence

namespace sinew {

MatchResult matchRest(const ConstPointsRef& characterRest, const ConstPointsRef& sculptRest,
                      const MatchOptions& options) {
  SINEW_CHECK(std::isfinite(options.tolerance) && options.tolerance >= 0, "match",
              "the tolerance must be a finite number, zero or more");
  checkFinite(characterRest, "match", "the character's rest shape");
  checkFinite(sculptRest, "match", "the sculpt's rest shape");
  correspondence::RestPair pair{characterRest, sculptRest, boundingBox(characterRest), boundingBox(sculptRest), 0};
  pair.reach = options.tolerance * pair.characterBox.diagonal();
  MatchResult match;
  if (characterRest.cols() == 0 || sculptRest.cols() == 0) {
    match.sculptVertex.assign(toSize(characterRest.cols()), -1);
    match.unmatched = characterRest.cols();
    match.unusedSculpt = sculptRest.cols();
  } else {
    match = correspondence::findMatch(pair, options.allowTransform);
  }
  match.sentence = correspondence::matchSentence(match, sculptRest.cols(), options.tolerance);
  return match;
}

}  // namespace sinew
