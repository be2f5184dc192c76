#include "sinew/learn/pose_space_morphs/samples.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/base/random.h"

namespace sinew::pose_space_morphs {
namespace {

/// Errors at examples count this many times: there the file must show the sculpt.
constexpr double kExampleWeight = 1e4;
constexpr std::size_t kNeighbours = 3;
constexpr std::size_t kMostSegmentSamples = 160;
constexpr std::size_t kMostClipSamples = 64;
constexpr std::size_t kHeldOutSamples = 32;
constexpr std::uint32_t kHeldOutSeed = 17;
constexpr std::size_t kCentresPerExample = 4;
constexpr std::size_t kMostCentreSamples = 480;
constexpr std::uint32_t kCentreSeed = 29;
/// Rest among them.
constexpr std::size_t kFewExamples = 33;
constexpr std::size_t kCentreNeighbours = 8;
/// Of the way between two neighbours, at most.
constexpr double kCentreStep = 0.5;

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

class PoseSampler {
 public:
  PoseSampler(const Character& character, const PoseSpace& space) : character_(character), space_(space) {}

  void add(const Pose& pose, double weight, bool example) {
    samples_.push_back({pose, space_.coordinates(character_.skeleton, pose), weight, example});
  }

  /// On the paths between examples. Of many paths, evenly spread ones.
  void addBetween() {
    const auto found = segmentsOf(samples_, space_.scales());
    const std::vector<std::pair<std::size_t, std::size_t>> segments(found.begin(), found.end());
    if (segments.empty()) return;
    const std::size_t inner = std::clamp<std::size_t>(kMostSegmentSamples / segments.size(), 3, 9);
    const std::size_t stride = std::max<std::size_t>(1, inner * segments.size() / (4 * kMostSegmentSamples));
    for (std::size_t s = 0; s < segments.size(); s += stride) {
      const Eigen::VectorXd first = samples_[segments[s].first].coordinates;
      const Eigen::VectorXd last = samples_[segments[s].second].coordinates;
      for (std::size_t i = 1; i <= inner; ++i) {
        const double t = static_cast<double>(i) / static_cast<double>(inner + 1);
        add(at((1 - t) * first + t * last), 1, false);
      }
    }
  }

  void addClips() {
    double total = 0;
    for (const Clip& clip : character_.clips) total += clip.seconds();
    for (const Clip& clip : character_.clips) {
      if (!(clip.seconds() > 0)) continue;
      const auto frames = static_cast<int>(std::clamp(
          std::ceil(static_cast<double>(kMostClipSamples) * clip.seconds() / total), 2.0, 10 * clip.seconds() + 2));
      for (int f = 0; f < frames; ++f) {
        Pose pose = restPose(character_);
        sampleClip(clip, clip.seconds() * f / (frames - 1), pose);
        add(pose, 1, false);
      }
    }
  }

  /// Mixtures of three examples each, rest among them.
  void addHeldOut(std::size_t examples) {
    if (examples < 2) return;
    Lcg random(kHeldOutSeed);
    for (std::size_t i = 0; i < kHeldOutSamples; ++i) {
      Eigen::VectorXd mixed = Eigen::VectorXd::Zero(space_.dimensions());
      double total = 0;
      for (int k = 0; k < 3; ++k) {
        const auto example = static_cast<std::size_t>(random.uniform() * static_cast<double>(examples));
        const double share = 0.05 + random.uniform();
        mixed += share * samples_[example].coordinates;
        total += share;
      }
      add(at(mixed / total), 0, false);
      samples_.back().role = SampleRole::HeldOut;
    }
  }

  /// Also beyond the examples: poses there would be extrapolated otherwise. Few examples are far from each other: from
  /// an example towards another and away from a third. Of many: from an example as another differs from a neighbour.
  void addCentres(std::size_t examples) {
    if (examples < 2) return;
    const bool many = examples > kFewExamples;
    std::vector<std::vector<std::size_t>> neighbours;
    if (many) neighbours = neighboursOf(examples);
    Lcg random(kCentreSeed);
    const auto any = [&](std::size_t count) {
      return static_cast<std::size_t>(random.uniform() * static_cast<double>(count));
    };
    for (std::size_t i = 0; i < std::min(kMostCentreSamples, kCentresPerExample * examples); ++i) {
      Eigen::VectorXd x = samples_[any(examples)].coordinates;
      if (many) {
        const std::size_t other = any(examples);
        const std::size_t neighbour = neighbours[other][any(neighbours[other].size())];
        x += kCentreStep * random.uniform() * (samples_[neighbour].coordinates - samples_[other].coordinates);
      } else {
        const Eigen::VectorXd start = x;
        const double towards = random.uniform();
        x += 0.7 * towards * (samples_[any(examples)].coordinates - start);
        const double away = random.uniform();
        x += 0.3 * away * (start - samples_[any(examples)].coordinates);
      }
      add(at(x), 0, false);
      samples_.back().role = SampleRole::Centre;
    }
  }

  std::vector<MorphSample> take() { return std::move(samples_); }

 private:
  /// The nearest examples of each.
  [[nodiscard]] std::vector<std::vector<std::size_t>> neighboursOf(std::size_t examples) const {
    const Eigen::VectorXd scales = space_.scales();
    std::vector<std::vector<std::size_t>> neighbours(examples);
    for (std::size_t i = 0; i < examples; ++i) {
      std::vector<std::pair<double, std::size_t>> others;
      for (std::size_t j = 0; j < examples; ++j) {
        const Eigen::VectorXd away = samples_[i].coordinates - samples_[j].coordinates;
        if (j != i) others.emplace_back(away.cwiseProduct(scales).squaredNorm(), j);
      }
      const std::size_t count = std::min(others.size(), kCentreNeighbours);
      std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count), others.end());
      for (std::size_t k = 0; k < count; ++k) neighbours[i].push_back(others[k].second);
    }
    return neighbours;
  }

  [[nodiscard]] Pose at(const Eigen::VectorXd& coordinates) const {
    Pose pose = restPose(character_);
    space_.apply(character_.skeleton, coordinates, pose);
    return pose;
  }

  const Character& character_;
  const PoseSpace& space_;
  std::vector<MorphSample> samples_;
};

}  // namespace

std::vector<MorphSample> sampleMorphPoses(const Character& character, const PoseSpaceModel& model,
                                          const ExampleSet& set) {
  PoseSampler sampler(character, model.poseSpace);
  sampler.add(restPose(character), kExampleWeight, true);
  for (const Example& example : set.examples) sampler.add(example.pose, kExampleWeight, true);
  sampler.addBetween();
  sampler.addClips();
  sampler.addHeldOut(set.examples.size() + 1);
  sampler.addCentres(set.examples.size() + 1);
  return sampler.take();
}

}  // namespace sinew::pose_space_morphs
