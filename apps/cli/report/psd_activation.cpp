// How the examples of a pose space come and go along paths between them.
#include "report/psd.h"

#include <algorithm>

#include "report/words.h"
#include "sinew/base/text.h"

namespace sinew::cli {
namespace {

constexpr Index kStepsPerLeg = 40;
constexpr double kVisible = 0.05;  // curves that stay below are left out

Index largestGroup(const PoseSpaceModel& model) {
  std::vector<Index> sizes(toSize(std::max<Index>(1, model.groupWeights.cols())), 0);
  for (const std::uint32_t group : model.groupOf) ++sizes[group];
  return std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
}

/// A path through examples in equal steps.
struct Way {
  std::vector<std::size_t> stops;
  Eigen::MatrixXd weights;     ///< examples x steps
  std::vector<double> places;  ///< number of legs completed
  std::vector<double> fade;
};

Way followed(const PoseSpaceModel& model, const PoseSpaceWeights& weights, std::vector<std::size_t> stops) {
  Way way{std::move(stops), {}, {}, {}};
  const auto legs = static_cast<Index>(way.stops.size()) - 1;
  const Index group = largestGroup(model);
  Eigen::MatrixXd all(weights.exampleCount(), weights.groupCount());
  way.weights.resize(weights.exampleCount(), legs * kStepsPerLeg + 1);
  for (Index step = 0; step < way.weights.cols(); ++step) {
    const Index leg = std::min(step / kStepsPerLeg, legs - 1);
    const double part = static_cast<double>(step - leg * kStepsPerLeg) / kStepsPerLeg;
    const auto from = static_cast<Index>(way.stops[toSize(leg)]);
    const auto to = static_cast<Index>(way.stops[toSize(leg) + 1]);
    const Eigen::VectorXd x = (1 - part) * model.poses.col(from) + part * model.poses.col(to);
    weights.evaluate(x, all);
    way.weights.col(step) = all.col(group);
    way.places.push_back(static_cast<double>(leg) + part);
    way.fade.push_back(weights.fade(x, group));
  }
  return way;
}

PageLineChart chartOf(const PoseSpaceModel& model, const Way& way) {
  PageLineChart chart;
  for (std::size_t stop = 0; stop < way.stops.size(); ++stop) {
    const std::string& name = model.names[way.stops[stop]];
    chart.title += (stop > 0 ? " → " : "") + name;
    chart.marks.push_back({static_cast<double>(stop), shortened(name, 11)});
  }
  chart.description = "weights of the examples along " + chart.title;
  const Eigen::VectorXd sum = way.weights.colwise().sum();
  chart.lines = {{"fade", way.places, way.fade, kPageGrey, false},
                 {"sum of all", way.places, {sum.begin(), sum.end()}, kPageGrey, true}};
  for (Index k = 0; k < way.weights.rows(); ++k) {
    const Eigen::VectorXd curve = way.weights.row(k).transpose();
    if (curve.cwiseAbs().maxCoeff() < kVisible) continue;
    chart.lines.push_back({model.names[toSize(k)],
                           way.places,
                           {curve.begin(), curve.end()},
                           k == 0 ? kPageInk : static_cast<int>((k - 1) % kPageColours),
                           false});
  }
  return chart;
}

}  // namespace

std::vector<PageLineChart> activationCharts(const PoseSpaceModel& model, std::span<const std::size_t> examples,
                                            const Progress& progress) {
  // Of the examples, also where the model has fewer shapes.
  PoseSpaceModel settings = withoutDeltas(model);
  settings.groupOf = model.groupOf;
  settings.groupWeights = model.groupWeights;
  settings.terms = model.terms;
  settings.shares = model.shares;
  const PoseSpaceWeights weights(settings);
  std::vector<PageLineChart> charts;
  for (const std::size_t example : examples) {
    report(progress, {static_cast<double>(charts.size()) / static_cast<double>(examples.size()), "activation curves"});
    const std::size_t following = example + 1 < model.exampleCount() ? example + 1 : 1;
    std::vector<std::size_t> stops = {0, example};
    if (following != example) stops.push_back(following);
    charts.push_back(chartOf(model, followed(model, weights, std::move(stops))));
  }
  return charts;
}

}  // namespace sinew::cli
