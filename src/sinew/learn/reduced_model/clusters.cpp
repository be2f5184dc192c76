// Mean-shift skinning, James and Twigg 2005: modes of the density of rotation sequences are the controls. Departures:
// groups are connected on the surface, and small ones join a neighbour; the number of groups can be given.
#include "sinew/learn/reduced_model/clusters.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/learn/reduced_model/regions.h"
#include "sinew/math/mean_shift.h"

namespace sinew::reduced_model {
namespace {

constexpr int kBisections = 9;
constexpr double kBandwidthOfSpread = 1.0 / 6;
constexpr double kNothingTurns = 1e-4;  // radians

}  // namespace

double bandwidthOfSpread(const RotationFeatures& features) {
  return kBandwidthOfSpread * features.spread;
}

ControlGroups groupsOfBandwidth(const TriangleGraph& graph, const RotationFeatures& features, double bandwidth,
                                double leastArea) {
  ControlGroups groups;
  std::vector<std::uint32_t> labels(toSize(features.points.cols()), 0);
  if (features.points.rows() > 0 && features.spread > kNothingTurns && bandwidth > 0) {
    const Modes modes = findModes(features.kernel, features.kernelWeights, features.seeds, {.bandwidth = bandwidth});
    labels = nearestModes(features.points, modes.centres);
    groups.bandwidth = bandwidth;
    groups.unconverged = modes.unconverged;
  }
  Regions regions(graph, features, labels);
  regions.dissolveSmall(leastArea);
  groups.labels = regions.labels();
  groups.count = regions.count();
  return groups;
}

ControlGroups groupsOfCount(const TriangleGraph& graph, const RotationFeatures& features, Index count, double leastArea,
                            const Progress& progress) {
  // The number falls as the bandwidth grows, though not monotonically: the search keeps the most groups that are not
  // too many.
  double low = 0.02 * features.spread;
  double high = 1.5 * features.spread;
  std::optional<ControlGroups> best;
  for (int i = 0; i < kBisections; ++i) {
    report(progress, {.fraction = 0.2 + 0.04 * i, .stage = "controls", .value = best ? double(best->count) : 0});
    const double middle = std::sqrt(low * high);
    ControlGroups groups = groupsOfBandwidth(graph, features, middle, leastArea);
    const bool tooMany = groups.count > count;
    if (!tooMany && (!best || groups.count > best->count)) best = groups;
    if (groups.count == count || groups.bandwidth == 0) break;
    (tooMany ? low : high) = middle;
  }
  if (!best) best = groupsOfBandwidth(graph, features, high, leastArea);
  if (best->count == count) return *best;
  Regions regions(graph, features, best->labels);
  while (regions.count() > count) regions.joinNearest();
  while (regions.count() < count && regions.splitWidest()) {
  }
  best->labels = regions.labels();
  best->count = regions.count();
  return *best;
}

}  // namespace sinew::reduced_model
