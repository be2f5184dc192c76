// Coordinate search over the options of learnPoseSpace, whose leave-one-out error is a closed form: first the
// interpolation, then how exactly examples are matched, then how many shapes and centres many examples need.
// Corrections of a vertex do not depend on other vertices, so errors at some vertices stand for all.
#include "sinew/learn/tune_pose_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sinew/base/check.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/posing.h"

namespace sinew {
namespace {

constexpr const char* kTuneWhere = "tuning a pose space";
constexpr std::size_t kMostSampled = 2000;
/// Later options must be better by this factor than those before.
constexpr double kBetter = 0.98;

/// The examples at some of the vertices that they correct.
struct Sample {
  Character character;
  ExampleSet set;
  double share = 1;  ///< of all vertices that these stand for
  double diagonal = 1;
};

Sample sampleOf(const Character& character, ExampleSource& source, const PoseSpaceOptions& options,
                const Progress& progress) {
  const Index vertices = character.mesh.vertexCount();
  CharacterPoser poser(character, makeSkinDeformer(options.base, character.skin));
  Sample sample;
  sample.diagonal = boundingBox(poser.pose(restPose(character))).diagonal();
  const double least = options.leastDelta * sample.diagonal;
  std::vector<char> corrected(toSize(vertices), 0);
  Example example;
  const auto read = [&](std::size_t k, double from) {
    report(progress, {from + 0.5 * static_cast<double>(k) / static_cast<double>(source.size()), "examples"});
    source.read(k, example);
    SINEW_CHECK(
        example.points.cols() == vertices, kTuneWhere,
        fmt::format("example '{}' has {} vertices, the character {}", example.name, example.points.cols(), vertices));
  };
  for (std::size_t k = 0; k < source.size(); ++k) {
    read(k, 0);
    const Points& skinned = poser.pose(example.pose);
    for (Index v = 0; v < vertices; ++v) {
      if ((example.points.col(v) - skinned.col(v)).norm() > least) corrected[toSize(v)] = 1;
    }
  }
  std::vector<Index> all;
  for (Index v = 0; v < vertices; ++v) {
    if (corrected[toSize(v)] != 0) all.push_back(v);
  }
  std::vector<Index> chosen;
  const std::size_t count = std::min(all.size(), kMostSampled);
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  sample.share = static_cast<double>(all.size()) / static_cast<double>(vertices);
  if (chosen.empty()) return sample;
  sample.character = characterOfVertices(character, chosen);
  sample.set.drivers = source.outline().drivers;
  for (std::size_t k = 0; k < source.size(); ++k) {
    read(k, 0.5);
    sample.set.examples.push_back(exampleOfVertices(example, chosen));
  }
  return sample;
}

class Tuner {
 public:
  Tuner(const Sample& sample, const PoseSpaceOptions& start, Progress progress)
      : sample_(sample), start_(start), progress_(std::move(progress)), best_(start) {}

  PoseSpaceTuning run() {
    attempt("options as given", start_);
    tuneInterpolation();
    tuneRidge();
    if (manyExamples()) tuneCounts();
    return {best_, std::move(trials_)};
  }

 private:
  static constexpr double kTrials = 30;
  static constexpr double kFarthest = 100;  ///< radii that are tried, in automatic ones

  void tuneInterpolation() {
    const PoseSpaceOptions defaults;
    if (start_.kernel == defaults.kernel) {
      for (const RbfKernelRow& row : rbfKernels()) {
        PoseSpaceOptions options = start_;
        options.kernel = row.name;
        if (!row.usesRadius || start_.radius > 0)
          attempt(fmt::format("kernel {}", row.name), options);
        else
          tuneRadius(options);
      }
    } else if (start_.radius == 0 && radius_ > 0) {
      tuneRadius(start_);
    }
    if (start_.weighted) return;
    PoseSpaceOptions options = best_;
    options.weighted = true;
    attempt("weighted", options);
  }

  void tuneRadius(PoseSpaceOptions options) {
    options.radius = 0;
    attempt(fmt::format("kernel {}, automatic radius", options.kernel), options);
    const double automatic = lastRadius_;
    const double automaticError = trials_.back().leaveOneOut;
    // In both directions as long as it gets better.
    for (const double step : {2.0, 0.5}) {
      double error = automaticError;
      for (double factor = step; factor < kFarthest && factor > 1 / kFarthest; factor *= step) {
        options.radius = factor * automatic;
        attempt(fmt::format("kernel {}, radius {:.3g}", options.kernel, options.radius), options);
        if (!(trials_.back().leaveOneOut < error)) break;
        error = trials_.back().leaveOneOut;
      }
    }
  }

  void tuneRidge() {
    if (start_.ridge != PoseSpaceOptions().ridge) return;
    for (const double ridge : {1e-3, 0.01, 0.1, 1.0}) {
      PoseSpaceOptions options = best_;
      options.ridge = ridge;
      attempt(fmt::format("ridge {:g}", ridge), options);
    }
  }

  /// Whether shapes and centres are fewer than examples by default.
  [[nodiscard]] bool manyExamples() const {
    return rank_ > 0 && rank_ < static_cast<Index>(sample_.set.examples.size());
  }

  void tuneCounts() {
    const auto examples = static_cast<Index>(sample_.set.examples.size());
    if (start_.rank == kAutomaticCount) {
      for (const Index rank : {rank_ / 2, 2 * rank_}) {
        if (rank < 1 || rank > std::min(examples, kMostLowRankShapes)) continue;
        PoseSpaceOptions options = best_;
        options.rank = static_cast<int>(rank);
        attempt(fmt::format("rank {}", rank), options);
      }
    }
    if (start_.centres != kAutomaticCount) return;
    for (const Index share : {2, 4, 8}) {
      if (examples / share < 12) continue;
      PoseSpaceOptions options = best_;
      options.centres = static_cast<int>(examples / share);
      attempt(fmt::format("{} centres", options.centres), options);
    }
  }

  void attempt(const std::string& name, const PoseSpaceOptions& options) {
    const auto done = static_cast<double>(trials_.size());
    Progress part;
    if (progress_) {
      part = [&](const ProgressState& state) {
        return progress_({std::min(1.0, (done + state.fraction) / kTrials), "trying options", least_});
      };
    }
    const PoseSpaceReport report = learnPoseSpace(sample_.character, sample_.set, options, part).report;
    PoseSpaceTuningTrial trial;
    trial.name = name;
    trial.options = options;
    trial.rank = report.rank;
    trial.centres = report.centres;
    const double error =
        std::isfinite(report.leaveOneOut.rms) ? report.leaveOneOut.rms : std::numeric_limits<double>::infinity();
    trial.leaveOneOut = error * std::sqrt(sample_.share);
    trial.leaveOneOutPercent = 100 * trial.leaveOneOut / sample_.diagonal;
    lastRadius_ = report.radius;
    if (trials_.empty() || error < kBetter * least_) {
      for (PoseSpaceTuningTrial& before : trials_) before.chosen = false;
      trial.chosen = true;
      least_ = error;
      best_ = options;
      rank_ = report.rank;
      radius_ = report.radius;
    }
    trials_.push_back(std::move(trial));
  }

  const Sample& sample_;
  const PoseSpaceOptions& start_;
  Progress progress_;
  PoseSpaceOptions best_;
  double least_ = 0;
  Index rank_ = 0;
  double radius_ = 0;  // of the best
  double lastRadius_ = 0;
  std::vector<PoseSpaceTuningTrial> trials_;
};

}  // namespace

PoseSpaceTuning tunePoseSpace(const Character& character, ExampleSource& examples, const PoseSpaceOptions& options,
                              const Progress& progress) {
  checkCharacter(character, kTuneWhere);
  const Sample sample = sampleOf(character, examples, options, partProgress(progress, 0, 0.1));
  if (sample.set.examples.size() < 2) return {options, {}};
  return Tuner(sample, options, partProgress(progress, 0.1, 1)).run();
}

}  // namespace sinew
