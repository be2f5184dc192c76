// Knots are added one after the other where the fit leaves most: a greedy choice. Each costs a morph target in the
// file, so the fewest that are good enough are taken.
#include "sinew/learn/pose_space_morphs/knots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/deform/pose_space_morphs.h"

namespace sinew::pose_space_morphs {
namespace {

/// Errors at examples count this many times: there the file must show the sculpt.
constexpr double kExampleWeight = 1e4;
constexpr std::size_t kNeighbours = 3;
constexpr std::size_t kMostSegmentSamples = 160;
constexpr std::size_t kMostClipSamples = 64;
/// Knots closer than this, relative to the reach of the examples, would only fight each other.
constexpr double kLeastGap = 0.02;
/// Of knots that leave too much anyway, the last ones that lower the error by less than this in all are not worth their
/// bytes.
constexpr double kWorth = 0.98;
/// Beyond this many, knots are added several at a time.
constexpr std::size_t kSingly = 48;

/// Pairs of poses between which samples are taken: each with rest and with its nearest ones.
std::set<std::pair<std::size_t, std::size_t>> segmentsOf(const std::vector<MorphSample>& samples,
                                                         const Eigen::VectorXd& scales) {
  std::set<std::pair<std::size_t, std::size_t>> segments;
  const auto distance = [&](std::size_t a, std::size_t b) {
    return (samples[a].coordinates - samples[b].coordinates).cwiseProduct(scales).norm();
  };
  for (std::size_t i = 1; i < samples.size(); ++i) {
    std::vector<std::size_t> others;
    for (std::size_t j = 0; j < samples.size(); ++j) {
      if (j != i) others.push_back(j);
    }
    std::stable_sort(others.begin(), others.end(),
                     [&](std::size_t a, std::size_t b) { return distance(i, a) < distance(i, b); });
    others.resize(std::min(others.size(), kNeighbours));
    others.push_back(0);
    for (const std::size_t j : others) {
      if (distance(i, j) > 0) segments.insert(std::minmax(i, j));
    }
  }
  return segments;
}

void addClipSamples(const Character& character, const PoseSpaceModel& model, std::vector<MorphSample>& samples) {
  double total = 0;
  for (const Clip& clip : character.clips) total += clip.seconds();
  for (const Clip& clip : character.clips) {
    if (!(clip.seconds() > 0)) continue;
    const auto frames = static_cast<int>(std::clamp(
        std::ceil(static_cast<double>(kMostClipSamples) * clip.seconds() / total), 2.0, 10 * clip.seconds() + 2));
    for (int f = 0; f < frames; ++f) {
      MorphSample sample;
      sample.pose = restPose(character);
      sampleClip(clip, clip.seconds() * f / (frames - 1), sample.pose);
      sample.coordinates = model.poseSpace.coordinates(character.skeleton, sample.pose);
      samples.push_back(std::move(sample));
    }
  }
}

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
        if (fit_.samples()[s].example != examples || nearestKnot(s) <= (examples ? 1e-6 : kLeastGap) * reach_) continue;
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

  /// Example knots have the name of their example, others a number.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    int between = 0;
    for (const std::size_t knot : knots_) {
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

std::vector<MorphSample> sampleMorphPoses(const Character& character, const PoseSpaceModel& model,
                                          const ExampleSet& set) {
  const PoseSpace& space = model.poseSpace;
  std::vector<MorphSample> samples;
  const auto add = [&](const Pose& pose, double weight, bool example) {
    samples.push_back({pose, space.coordinates(character.skeleton, pose), weight, example});
  };
  add(restPose(character), kExampleWeight, true);
  for (const Example& example : set.examples) add(example.pose, kExampleWeight, true);
  const auto segments = segmentsOf(samples, space.scales());
  const std::size_t inner = segments.empty() ? 0 : std::clamp<std::size_t>(kMostSegmentSamples / segments.size(), 3, 9);
  for (const auto& [a, b] : segments) {
    for (std::size_t i = 1; i <= inner; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(inner + 1);
      Pose pose = restPose(character);
      space.apply(character.skeleton, (1 - t) * samples[a].coordinates + t * samples[b].coordinates, pose);
      add(pose, 1, false);
    }
  }
  addClipSamples(character, model, samples);
  return samples;
}

MorphKnots chooseMorphKnots(const MorphFit& fit, const PoseSpaceModel& model, Index vertexCount, int maxMorphs,
                            double asked, std::size_t bytesPerMorph, const Progress& progress) {
  KnotChooser chooser(fit, model);
  MorphKnots result;
  const auto most = toSize(maxMorphs);
  const auto examples =
      toSize(std::count_if(fit.samples().begin(), fit.samples().end(), [](const MorphSample& s) { return s.example; }));
  // All examples at once if they fit; the values do not matter then.
  const Eigen::VectorXd equal = Eigen::VectorXd::Zero(static_cast<Index>(fit.samples().size()));
  for (std::size_t i = 1; examples - 1 <= most && i < examples; ++i) {
    if (const auto next = chooser.best(equal); next && fit.samples()[*next].example) chooser.add(*next);
  }
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    report(progress, {0.3 + 0.4 * static_cast<double>(chooser.morphs()) / static_cast<double>(most), "morph targets"});
    const MorphFit::Solution solution = fit.estimate(chooser.basis());
    const double rms = solution.rms(vertexCount);
    result.trade.push_back({static_cast<int>(chooser.morphs()), chooser.morphs() * bytesPerMorph, rms});
    best = std::min(best, rms);
    if (rms <= asked || chooser.morphs() >= most) break;
    const std::size_t before = chooser.morphs();
    for (std::size_t i = 0; i < 1 + before / kSingly && chooser.morphs() < most; ++i) {
      const auto next = chooser.best(solution.squares);
      if (!next) break;
      chooser.add(*next);
    }
    if (chooser.morphs() == before) break;  // no candidate is left
  }
  // If the requested error was not reached: the fewest that are about as good as the best.
  const auto enough = std::find_if(result.trade.begin(), result.trade.end(), [&](const PoseSpaceTrade& row) {
    return row.rms <= std::max(asked, best / kWorth);
  });
  chooser.drop(toSize(enough->morphs));
  result.knots = chooser.coordinates();
  result.names = chooser.names();
  result.interpolation = chooser.interpolation();
  result.basis = chooser.basis();
  return result;
}

}  // namespace sinew::pose_space_morphs
