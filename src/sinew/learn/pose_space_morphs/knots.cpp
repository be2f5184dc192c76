// Knots are added one after the other where the fit leaves most: a greedy choice. Each costs a morph target in the
// file, so the fewest that are good enough are taken.
#include "sinew/learn/pose_space_morphs/knots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sinew/deform/pose_space_morphs.h"

namespace sinew::pose_space_morphs {
namespace {

/// Knots closer than this, relative to the reach of the examples, would only fight each other.
constexpr double kLeastGap = 0.02;
/// Beyond this many, knots are added several at a time.
constexpr std::size_t kSingly = 48;
/// The same where not even the examples can all be knots.
constexpr std::size_t kSinglyOfMany = 4;

/// Chooses knots one at a time.
class KnotChooser {
 public:
  KnotChooser(const MorphFit& fit, const PoseSpaceModel& model)
      : fit_(fit), model_(model), fade_(fadingOf(model)), scales_(model.poseSpace.scales()) {
    interpolation_ = model.interpolation;
    interpolation_.ridge = 0;
    interpolation_.confidence.clear();
    add(0);
    for (std::size_t s = 0; s < fit.samples().size(); ++s) {
      reach_ = std::max(reach_, fit.samples()[s].example ? distance(s, 0) : 0);
    }
  }

  [[nodiscard]] std::size_t morphs() const { return knots_.size() - 1; }
  void add(std::size_t sample) { knots_.push_back(sample); }
  void drop(std::size_t morphs) { knots_.resize(morphs + 1); }

  /// The sample with the largest value that is not a knot yet and far enough from all; examples come first.
  [[nodiscard]] std::optional<std::size_t> best(const Eigen::VectorXd& values) const {
    for (const bool examples : {true, false}) {
      std::optional<std::size_t> found;
      for (std::size_t s = 0; s < fit_.samples().size(); ++s) {
        if (fit_.samples()[s].role != SampleRole::Fitted || fit_.samples()[s].example != examples) continue;
        if (nearestKnot(s) <= (examples ? 1e-6 : kLeastGap) * reach_) continue;
        if (!examples && fade_.fade(fit_.samples()[s].coordinates) < 1) continue;
        if (!found || values[static_cast<Index>(s)] > values[static_cast<Index>(*found)]) found = s;
      }
      if (found) return found;
    }
    return std::nullopt;
  }

  /// Weights of all knots but rest at the samples.
  [[nodiscard]] Eigen::MatrixXd basis() const {
    const RbfInterpolator rbf(coordinates(), interpolation_, scales_);
    const auto samples = static_cast<Index>(fit_.samples().size());
    Eigen::MatrixXd basis(static_cast<Index>(morphs()), samples);
    for (Index s = 0; s < samples; ++s) {
      const Eigen::VectorXd& x = fit_.samples()[toSize(s)].coordinates;
      basis.col(s) = rbf.weights(x).tail(basis.rows()) * fade_.fade(x);
    }
    return basis;
  }

  [[nodiscard]] Eigen::MatrixXd coordinates() const {
    Eigen::MatrixXd columns(model_.poseSpace.dimensions(), static_cast<Index>(knots_.size()));
    for (std::size_t k = 0; k < knots_.size(); ++k) {
      columns.col(static_cast<Index>(k)) = fit_.samples()[knots_[k]].coordinates;
    }
    return columns;
  }

  /// Of all knots but rest. Example knots have the name of their example, others a number.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    int between = 0;
    for (std::size_t k = 1; k < knots_.size(); ++k) {
      const std::size_t knot = knots_[k];
      Index nearest = 0;
      const double away =
          (model_.poses.colwise() - fit_.samples()[knot].coordinates).colwise().norm().minCoeff(&nearest);
      const bool named = fit_.samples()[knot].example && away <= 1e-6 * reach_;
      names.push_back(named ? model_.names[toSize(nearest)] : fmt::format("between {}", ++between));
    }
    return names;
  }

  [[nodiscard]] const RbfOptions& interpolation() const { return interpolation_; }

 private:
  [[nodiscard]] double distance(std::size_t a, std::size_t b) const {
    return (fit_.samples()[a].coordinates - fit_.samples()[b].coordinates).cwiseProduct(scales_).norm();
  }
  [[nodiscard]] double nearestKnot(std::size_t sample) const {
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::size_t knot : knots_) nearest = std::min(nearest, distance(sample, knot));
    return nearest;
  }

  const MorphFit& fit_;
  const PoseSpaceModel& model_;
  PoseSpaceWeights fade_;
  Eigen::VectorXd scales_;
  RbfOptions interpolation_;
  std::vector<std::size_t> knots_;  // samples
  double reach_ = 0;
};

}  // namespace

MorphWeighting chooseMorphKnots(const MorphFit& fit, const PoseSpaceModel& model, const MorphLimits& limits,
                                const Progress& progress) {
  KnotChooser chooser(fit, model);
  MorphWeighting result;
  const auto most = toSize(limits.maxMorphs);
  const auto examples =
      toSize(std::count_if(fit.samples().begin(), fit.samples().end(), [](const MorphSample& s) { return s.example; }));
  // All examples at once if they fit; the values do not matter then.
  const Eigen::VectorXd equal = Eigen::VectorXd::Zero(static_cast<Index>(fit.samples().size()));
  for (std::size_t i = 1; examples - 1 <= most && i < examples; ++i) {
    if (const auto next = chooser.best(equal); next && fit.samples()[*next].example) chooser.add(*next);
  }
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    report(progress, {static_cast<double>(chooser.morphs()) / static_cast<double>(most), "morph targets"});
    const Eigen::VectorXd squares = fit.estimate(chooser.basis());
    const double rms = fit.rms(squares);
    result.trade.push_back({static_cast<int>(chooser.morphs()), chooser.morphs() * limits.bytesPerMorph, rms,
                            fit.rms(squares, SampleRole::HeldOut), MorphMethod::Knots});
    best = std::min(best, rms);
    if (rms <= limits.asked || chooser.morphs() >= most) break;
    const std::size_t before = chooser.morphs();
    const std::size_t several = 1 + (examples - 1 > most ? before / kSinglyOfMany : before / kSingly);
    for (std::size_t i = 0; i < several && chooser.morphs() < most; ++i) {
      const auto next = chooser.best(squares);
      if (!next) break;
      chooser.add(*next);
    }
    if (chooser.morphs() == before) break;  // no candidate is left
  }
  // If the requested error was not reached: the fewest that are about as good as the best.
  const auto enough = std::find_if(result.trade.begin(), result.trade.end(), [&](const PoseSpaceTrade& row) {
    return row.rms <= std::max(limits.asked, best / kWorth);
  });
  chooser.drop(toSize(enough->morphs));
  result.knots = chooser.coordinates();
  result.names = chooser.names();
  result.interpolation = chooser.interpolation();
  result.basis = chooser.basis();
  return result;
}

}  // namespace sinew::pose_space_morphs
