// How strongly the weights of each point keep to what they were: chosen by the error at examples that are left out.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/fit/regions.h"
#include "sinew/learn/fit/weights.h"

namespace sinew::fit {

/// What was chosen for one region of points.
struct RegionChoice {
  double prior = 0;      ///< strength in units of the natural scale (see naturalPull); infinity: the weights stay
  bool halfway = false;  ///< towards weights on half joints instead of the own ones
  bool near = true;      ///< distant joints are left out
  bool met = false;      ///< the own weights already match all examples there
  double before = 0;     ///< sum of squared left-out errors of the own weights, over sampled points
  double after = 0;      ///< the same of what was chosen
  int examples = 0;      ///< how many left-out groups of examples move the region's joints against each other
};

struct PullChoice {
  std::vector<PointPull> pulls;  ///< per point of the problem
  PointRegions regions;
  std::vector<RegionChoice> choices;  ///< per region
};

/// Chooses among "keep", a few strengths with neighbouring joints, and the examples alone with all joints, region by
/// region, and smooths the strengths over the surface. Only the first `examples` of the problem are left out (a rest
/// pose that was added after them never is). With fewer than two there is no leave-one-out error: strength 1 is used.
/// `partners`: per joint its mirror image or -1; empty: no symmetry.
PullChoice choosePulls(const Character& character, const FitProblem& problem, std::size_t examples,
                       const WeightOptions& options, const std::vector<int>& partners, const Progress& progress = {});

/// Pulls of one strength everywhere. The unit is a hundredth of the squared distance by which the examples separate the
/// joints at the point (neighbouring joints, or half joints from the middle of their bones). At 1 the examples decide
/// wherever they show a difference, at 10 and 100 only where they show it clearly, from 1e6 on the own weights stay; at
/// 0.1 and below noise decides too.
std::vector<PointPull> naturalPulls(const Character& character, const FitProblem& problem, double prior);

}  // namespace sinew::fit
