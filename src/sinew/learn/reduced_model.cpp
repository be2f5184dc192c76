// Der, Sumner and Popovic, "Inverse kinematics for reduced deformable models" (SIGGRAPH 2006), section 4, on James and
// Twigg, "Skinning mesh animations" (SIGGRAPH 2005): controls b with maps [F | d] per example and weights alpha so that
//   v_p = sum_b alpha_b(v) (F_b^p v + d_b^p)   comes nearest to example p, for all p.
// Departures: examples are aligned rigidly to the rest, which is their medoid where none is given; the bandwidth is an
// angle; control transforms have a ridge towards rotations; weights below 5 % are left out, which halves the proxies.
#include "sinew/learn/reduced_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/base/check.h"
#include "sinew/learn/reduced_model/clusters.h"
#include "sinew/learn/reduced_model/controls.h"
#include "sinew/learn/reduced_model/loose.h"
#include "sinew/learn/reduced_model/report.h"
#include "sinew/learn/reduced_model/rest.h"
#include "sinew/learn/reduced_model/weights.h"
#include "sinew/learn/reduced_skeleton.h"

namespace sinew::reduced_model {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

void checkOptions(const ReducedOptions& options, std::size_t examples) {
  constexpr const char* kWhere = "reduced model";
  SINEW_CHECK(options.controls >= 0, kWhere,
              fmt::format("{} controls are requested; it must be 1 or more, or 0 for automatic", options.controls));
  SINEW_CHECK(options.maxInfluences >= 1, kWhere,
              fmt::format("{} influences per vertex are requested; it must be 1 or more", options.maxInfluences));
  SINEW_CHECK(options.rest < static_cast<int>(examples), kWhere,
              fmt::format("example {} is selected as the rest, but there are {} examples", options.rest, examples));
  SINEW_CHECK(options.bandwidth >= 0 && std::isfinite(options.bandwidth), kWhere,
              fmt::format("the bandwidth of {} degrees must be positive, or 0 for automatic", options.bandwidth));
  SINEW_CHECK(options.ridge >= 0 && options.prune >= 0 && options.prune < 0.5 && options.leastArea >= 0 &&
                  options.kernelPoints > 0 && options.seeds > 0,
              kWhere, "an option is negative, or the pruning limit is 0.5 or more");
}

}  // namespace
}  // namespace sinew::reduced_model

namespace sinew {

ReducedResult learnReducedModel(const Mesh& topology, std::span<const Points> examples,
                                std::span<const std::string> names, const std::optional<Points>& rest,
                                const ReducedOptions& options, const Progress& progress) {
  reduced_model::checkOptions(options, examples.size());
  reduced_model::StageClock clock;
  ReducedResult result;
  ReducedModel& model = result.model;

  report(progress, {.fraction = 0, .stage = "checks"});
  reduced_model::PreparedExamples prepared =
      reduced_model::prepareExamples(topology, examples, names, rest, options.rest, options.seed, clock);
  reduced_model::fillModel(prepared, model);
  const reduced_model::ReducedSurface& surface = prepared.surface;
  const std::vector<Points>& aligned = prepared.aligned;

  reduced_model::attachLoosePieces(surface, model.rest, aligned, options.leastArea, prepared.graph);

  report(progress, {.fraction = 0.1, .stage = "rotations"});
  const reduced_model::RotationFeatures features = reduced_model::rotationFeatures(
      surface, prepared.graph, model.rest, aligned, options.kernelPoints, options.seeds, options.seed);
  clock.lap("rotations");
  report(progress, {.fraction = 0.2, .stage = "controls"});
  const double bandwidth =
      options.bandwidth > 0 ? options.bandwidth / reduced_model::kDegrees : reduced_model::bandwidthOfSpread(features);
  reduced_model::ControlGroups groups =
      options.controls > 0
          ? reduced_model::groupsOfCount(prepared.graph, features, options.controls, options.leastArea, progress)
          : reduced_model::groupsOfBandwidth(prepared.graph, features, bandwidth, options.leastArea);
  reduced_model::orderGroups(surface, model.rest, groups);
  model.labels = reduced_model::labelsOfSource(prepared, groups.labels);
  clock.lap("controls");

  report(progress, {.fraction = 0.6, .stage = "transforms"});
  model.controls =
      reduced_model::controlTransforms(surface, model.rest, aligned, groups.labels, groups.count, options.ridge);
  clock.lap("transforms");
  report(progress, {.fraction = 0.65, .stage = "weights"});
  model.weights =
      reduced_model::controlWeights(model.rest, aligned, model.controls, options.maxInfluences, options.prune);
  model.parents = controlHierarchy(model.rest, model.weights);
  clock.lap("weights");
  result.report.bandwidth = groups.bandwidth * reduced_model::kDegrees;
  result.report.slivers = features.slivers;
  reduced_model::finish(
      prepared, {.proxies = options.proxies, .requested = options.controls, .proxiesBegin = 0.85, .errorsBegin = 0.95},
      clock, progress, result);
  return result;
}

}  // namespace sinew
