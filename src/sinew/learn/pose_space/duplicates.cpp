#include "sinew/learn/pose_space/duplicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/learn/pose_space/many.h"
#include "sinew/learn/pose_space/ridge.h"

namespace sinew::pose_space {
namespace {

constexpr const char* kDuplicatesWhere = "pose-space deformation";
/// Shapes closer than this are the same, in diagonals.
constexpr double kSame = 1e-6;
/// Shares of many examples that are taken for a mistake.
constexpr double kMostRepeated = 0.25;
constexpr double kMostContradictory = 0.05;

struct Pair {
  std::size_t first = 0;
  std::size_t second = 0;
  double apart = 0;  // scene units
};

/// Each example that is at the pose of an earlier one, with the first of these.
std::vector<Pair> pairsOf(std::span<const int> groups) {
  std::vector<Pair> pairs;
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto group = toSize(groups[i]);
    if (group == firsts.size())
      firsts.push_back(i);
    else if (firsts[group] > 0)
      pairs.push_back({firsts[group], i});
  }
  return pairs;
}

/// Rms distances of the corrections of many pairs, from the products of all corrections.
void measure(const PoseSpaceModel& model, std::vector<Pair>& pairs) {
  if (pairs.empty()) return;
  const Eigen::MatrixXd products = productsOf(model);
  const double vertices = static_cast<double>(std::max<std::size_t>(1, model.vertices.size()));
  for (Pair& pair : pairs) {
    const auto i = static_cast<Index>(pair.first);
    const auto j = static_cast<Index>(pair.second);
    const double squares = products(i, i) - 2 * products(i, j) + products(j, j);
    // Differences of products are rounded in proportion to these.
    const double rounding = 1e-12 * (products(i, i) + products(j, j));
    pair.apart = squares > rounding ? std::sqrt(squares / vertices) : 0;
  }
}

std::vector<std::string> ofFew(const PoseSpaceModel& model, std::span<const int> groups, double diagonal) {
  std::vector<std::string> warnings;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    for (std::size_t j = 1; j < i; ++j) {
      if (groups[i] != groups[j]) continue;
      const double apart = model.lowRank() || model.vertices.empty()
                               ? 0
                               : (model.deltas[i] - model.deltas[j]).colwise().norm().maxCoeff();
      if (apart > kSame * diagonal) {
        warnings.push_back(
            fmt::format("'{}' and '{}' have the same pose but different sculpts, up to {:.3g} apart: their mean is "
                        "used; keep one of them, or add the joint that distinguishes them to the drivers",
                        model.names[j], model.names[i], apart));
      } else {
        warnings.push_back(
            fmt::format("'{}' and '{}' are the same pose and sculpt: one is enough", model.names[j], model.names[i]));
      }
    }
  }
  return warnings;
}

}  // namespace

std::vector<int> samePoses(const PoseSpaceModel& model) {
  return mergedPoints(model.poseSpace.scales().asDiagonal() * model.poses, RbfOptions().mergeDistance);
}

std::vector<std::string> warningsOfDuplicates(const PoseSpaceModel& model, std::span<const int> groups,
                                              const DuplicateOptions& options) {
  const std::size_t count = groups.size() - 1;
  if (count <= kFewExamples && !model.lowRank()) return ofFew(model, groups, options.diagonal);
  std::vector<Pair> pairs = pairsOf(groups);
  measure(model, pairs);
  const auto contradict = [&](const Pair& pair) { return pair.apart > kSame * options.diagonal; };
  const auto contradictory = toSize(std::count_if(pairs.begin(), pairs.end(), contradict));
  const std::size_t repeated = pairs.size() - contradictory;
  const auto share = [&](std::size_t part) { return static_cast<double>(part) / static_cast<double>(count); };
  std::vector<std::string> warnings;
  if (contradictory > 0) {
    const Pair& worst =
        *std::max_element(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.apart < b.apart; });
    const std::string found = fmt::format(
        "{} of {} examples have the pose of another but a different shape, up to {:.3g} apart (rms; '{}' and '{}')",
        contradictory, count, worst.apart, model.names[worst.first], model.names[worst.second]);
    SINEW_CHECK(!options.refuse || count <= kFewExamples || share(contradictory) < kMostContradictory, kDuplicatesWhere,
                found +
                    ", so the pose does not determine the shape; add the joints that distinguish them to the "
                    "drivers, or use the mean of each with --force");
    warnings.push_back(found + ": their mean is used; add the joint that distinguishes them to the drivers");
  }
  if (repeated > 0) {
    const auto same = std::find_if_not(pairs.begin(), pairs.end(), contradict);
    const std::string found = fmt::format("{} of {} examples repeat the pose and the shape of another ('{}' and '{}')",
                                          repeated, count, model.names[same->first], model.names[same->second]);
    SINEW_CHECK(
        !options.refuse || count <= kFewExamples || share(repeated) < kMostRepeated, kDuplicatesWhere,
        found + fmt::format("; keep one of each (--pick {} does), or continue anyway with --force", count - repeated));
    warnings.push_back(found + ": one of each is enough");
  }
  return warnings;
}

}  // namespace sinew::pose_space
