// glTF adds morph targets in the rest pose and then skins by linear blending. A pose-space model of any space is
// refitted to that form: N morph targets with weights c_k(x), displaced by
//
//   min over d_k of  sum_s w_s | M_s (v + sum_k c_k(x_s) d_k) - model(x_s) |^2
//
// over sampled poses x_s (pose_space_morphs/fit.cpp). Weights are the cardinal functions of knots, which are the
// examples and as many poses between them as the error needs (pose_space_morphs/knots.cpp): with the examples alone the
// frame space loses most of what it is better at than rest-space deltas, with about twice as many knots it keeps it. Or
// they are mixtures of cardinal functions, few for any number of examples (pose_space_morphs/shapes.cpp).
#include "sinew/learn/pose_space_morphs.h"
#include "sinew/character/examples_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/character/compare.h"
#include "sinew/character/morph_deltas.h"
#include "sinew/character/turned_normals.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space_morphs/bake.h"
#include "sinew/learn/pose_space_morphs/fit.h"
#include "sinew/learn/pose_space_morphs/project.h"
#include "sinew/learn/pose_space_morphs/quantize.h"
#include "sinew/learn/pose_space_morphs/weighting.h"

namespace sinew::pose_space_morphs {
namespace {

constexpr const char* kWhere = "morph targets of a pose space";
/// The default error of the refit: this share of the model's leave-one-out error (with every second example omitted
/// that error is about eight times the error between all of them), and at least kLeastAsked diagonals, which is
/// invisible.
constexpr double kShareOfOwn = 0.04;
constexpr double kLeastAsked = 5e-5;
/// Points of the frames that are compared with the model for the report, at most.
constexpr double kMostComparedPoints = 1e6;

struct MeshRange {
  int mesh = 0;
  Index first = 0;
  Index end = 0;
};

/// The stretches of vertices that have morph targets of their own: the meshes with corrected vertices.
std::vector<MeshRange> correctedMeshes(const Character& character, std::span<const std::uint32_t> vertices) {
  std::vector<MeshRange> ranges;
  for (const MeshPart& part : character.mesh.parts) {
    const auto found =
        std::find_if(ranges.begin(), ranges.end(), [&](const MeshRange& range) { return range.mesh == part.mesh; });
    const Index end = part.firstVertex + part.vertexCount;
    if (found == ranges.end()) {
      ranges.push_back({part.mesh, part.firstVertex, end});
    } else {
      found->first = std::min(found->first, part.firstVertex);
      found->end = std::max(found->end, end);
    }
  }
  if (ranges.empty()) ranges.push_back({0, 0, character.mesh.vertexCount()});
  std::erase_if(ranges, [&](const MeshRange& range) {
    return std::none_of(vertices.begin(), vertices.end(), [&](std::uint32_t v) {
      return static_cast<Index>(v) >= range.first && static_cast<Index>(v) < range.end;
    });
  });
  return ranges;
}

Points roundedToFloat(const Points& points) {
  return points.cast<float>().cast<double>();
}

class Exporter {
 public:
  Exporter(const Character& character, std::shared_ptr<const PoseSpaceModel> model, ExampleSource& source,
           const PoseSpaceExportOptions& options, const Progress& progress)
      : model_(std::move(model)), source_(source), options_(options), progress_(progress) {
    result_.character = character;
    diagonal_ = boundingBox(posePoints(character, restPose(character))).diagonal();
  }

  PoseSpaceExport run() {
    const auto start = std::chrono::steady_clock::now();
    Character& character = result_.character;
    const MorphFit fit(character, model_, sampleMorphPoses(character, *model_, source_.outline()), progress_);
    const auto ranges = correctedMeshes(character, fit.vertices());
    std::size_t bytes = 0;
    for (const MeshRange& range : ranges) {
      bytes += deltaBytes(toSize(range.end - range.first), toSize(range.end - range.first), options_.quantize).dense *
               (carriesNormals(range) ? 2 : 1);
    }
    result_.report.asked = askedError();
    MorphWeighting weighting = chooseWeighting(fit, *model_, options_.method,
                                               {options_.maxMorphs, options_.mostCentres, result_.report.asked, bytes},
                                               partProgress(progress_, 0.2, 0.5));
    addMorphs(fit, weighting, ranges);
    bake(partProgress(progress_, 0.8, 0.9));
    sinew::report(progress_, {0.9, "errors"});
    compareExamples();
    compareFrames();
    result_.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  [[nodiscard]] double askedError() const {
    if (options_.askedError > 0) return options_.askedError * diagonal_;
    return std::max(kLeastAsked * diagonal_, kShareOfOwn * options_.leaveOneOut);
  }

  /// Viewers misread morph targets without normals in a mesh that has others with normals.
  [[nodiscard]] bool carriesNormals(const MeshRange& range) const {
    const Character& character = result_.character;
    return options_.normals && character.mesh.normals.cols() > 0 &&
           std::all_of(character.morphs.begin(), character.morphs.end(), [&](const MorphTarget& morph) {
             return morph.mesh != range.mesh || morph.normalDeltas.cols() > 0;
           });
  }

  /// The rotation of the normals of a range of vertices by their displacements.
  [[nodiscard]] Points normalDeltas(const NormalTurner& turner, const MorphTarget& morph) const {
    const Mesh& mesh = result_.character.mesh;
    Points shape = mesh.points;
    shape.middleCols(morph.firstVertex, morph.deltas.cols()) += morph.deltas;
    const Points turned = turner.turned(shape) - mesh.normals;
    return roundedToFloat(turned.middleCols(morph.firstVertex, morph.deltas.cols()));
  }

  /// What would help where the morph targets leave too much. `tried`: the most that were fitted.
  [[nodiscard]] std::string wayCloser(int tried) const {
    if (tried >= options_.maxMorphs && result_.report.morphs == tried)
      return fmt::format("more than --max-morphs {} would lower it", options_.maxMorphs);
    return fmt::format(
        "up to {} were tried and hardly lower it; add examples, or clips that visit the poses between them", tried);
  }

  void addMorphs(const MorphFit& fit, MorphWeighting& weighting, const std::vector<MeshRange>& ranges) {
    Character& character = result_.character;
    const Eigen::MatrixXf displaced = fit.solve(weighting.basis, partProgress(progress_, 0.5, 0.8));
    PoseSpaceExportReport& report = result_.report;
    report.method = weighting.method;
    report.morphs = weighting.count();
    report.trade = std::move(weighting.trade);
    report.reached = fit.rms(fit.estimate(weighting.basis));
    if (report.reached > 1.05 * report.asked) {
      int tried = report.morphs;
      for (const PoseSpaceTrade& row : report.trade) {
        if (row.method == report.method) tried = std::max(tried, row.morphs);
      }
      report.warnings.push_back(fmt::format(
          "{} alone, as other programs play them, deviate from the model by {:.3g} % of the diagonal (rms over sampled "
          "poses), where {:.3g} % is {}; {}",
          counted(toSize(report.morphs), "morph target", "morph targets"), 100 * report.reached / diagonal_,
          100 * report.asked / diagonal_, options_.askedError > 0 ? "requested" : "the target (--morph-error)",
          wayCloser(tried)));
    }
    PoseSpaceMorphs& morphs = result_.morphs;
    morphs.knots = std::move(weighting.knots);
    morphs.interpolation = std::move(weighting.interpolation);
    morphs.mixing = std::move(weighting.mixing);
    const Index firstWeight = morphs.mixing.size() > 0 ? 0 : 1;
    const NormalTurner turner(character.mesh);
    for (const MeshRange& range : ranges) {
      const bool normals = carriesNormals(range);
      for (Index k = 0; k < displaced.cols(); ++k) {
        MorphTarget morph;
        morph.name = "psd " + weighting.names[toSize(k)];
        morph.mesh = range.mesh;
        morph.firstVertex = range.first;
        morph.deltas = Points::Zero(3, range.end - range.first);
        for (std::size_t i = 0; i < fit.vertices().size(); ++i) {
          const auto v = static_cast<Index>(fit.vertices()[i]);
          if (v < range.first || v >= range.end) continue;
          morph.deltas.col(v - range.first) = displaced.block<3, 1>(3 * static_cast<Index>(i), k).cast<double>();
        }
        if (normals) morph.normalDeltas = normalDeltas(turner, morph);
        morphs.morphs.push_back(static_cast<int>(character.morphs.size()));
        morphs.knotOf.push_back(static_cast<int>(k + firstWeight));
        character.morphs.push_back(std::move(morph));
      }
    }
    if (options_.quantize) quantizeMorphs(diagonal_, morphs, character);
    if (report.method == MorphMethod::Svd && !morphs.empty())
      projection_ = std::make_unique<MorphProjection>(character, *model_, morphs, fit.few());
    measureMorphs();
  }

  /// Sizes of displacements and of what the file stores of them.
  void measureMorphs() {
    const PoseSpaceMorphs& morphs = result_.morphs;
    sizes_ = Eigen::VectorXd::Zero(morphs.weightCount());
    for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
      const MorphTarget& morph = result_.character.morphs[toSize(morphs.morphs[m])];
      const double largest = std::sqrt(morph.deltas.colwise().squaredNorm().maxCoeff());
      sizes_[morphs.knotOf[m]] = std::max(sizes_[morphs.knotOf[m]], largest);
      result_.report.bytes += morphBytes(morph, options_.quantize);
    }
  }

  void bake(const Progress& progress) {
    Character& character = result_.character;
    if (result_.morphs.empty()) return;
    if (options_.examplesClip) {
      // One that a fit to the same examples wrote.
      std::erase_if(character.clips, [&](const Clip& clip) {
        return clip.name == options_.clip && visitsExamples(character, clip, source_.outline());
      });
      result_.morphs.clip = freeClipName(character, options_.clip);
      character.clips.push_back(examplesClip(character, source_.outline(), result_.morphs.clip));
    }
    const PoseSpaceMorphWeights weights(*model_, result_.morphs);
    const BakeSettings settings{options_.framesPerSecond, options_.bakeTolerance * diagonal_, sizes_};
    const auto count = static_cast<double>(character.clips.size());
    for (std::size_t c = 0; c < character.clips.size(); ++c) {
      const Progress part = partProgress(progress, static_cast<double>(c) / count, static_cast<double>(c + 1) / count);
      result_.report.bytes += bakeMorphWeights(character, weights, model_->poseSpace, projection_.get(), settings, part,
                                               character.clips[c]);
    }
  }

  /// The pose of an example as a player shows it: with the weights that were baked for it.
  [[nodiscard]] Pose playedPose(const Example& example, const PoseSpaceMorphWeights* weights) {
    Pose pose = example.pose;
    pose.morphWeights.resize(result_.character.morphs.size(), 0);
    if (weights != nullptr) weights->apply(result_.character.skeleton, pose);
    if (projection_) projection_->apply(pose);
    for (double& weight : pose.morphWeights) weight = static_cast<double>(static_cast<float>(weight));
    return pose;
  }

  void compareExamples() {
    std::unique_ptr<PoseSpaceMorphWeights> weights;
    if (!result_.morphs.empty()) weights = std::make_unique<PoseSpaceMorphWeights>(*model_, result_.morphs);
    CharacterPoser player(result_.character);
    const Index vertices = result_.character.mesh.vertexCount();
    SequenceErrors errors(vertices, source_.size(), diagonal_);
    Example example;
    for (std::size_t k = 0; k < source_.size(); ++k) {
      source_.read(k, example);
      SINEW_CHECK(example.points.cols() == vertices, kWhere,
                  fmt::format("the example '{}' has {} vertices, the character {}", example.name, example.points.cols(),
                              vertices));
      errors.add(example.points, player.pose(playedPose(example, weights.get())));
    }
    result_.report.error = errors.result();
  }

  /// The keys of all baked channels, or as many of them, evenly spread, as memory allows.
  void compareFrames() {
    const Character& character = result_.character;
    std::vector<std::pair<const Clip*, double>> frames;
    for (const Clip& clip : character.clips) {
      for (const ClipChannel& channel : clip.channels) {
        if (channel.path != ClipPath::Weights) continue;
        for (const double time : channel.times) frames.emplace_back(&clip, time);
      }
    }
    const double perFrame = static_cast<double>(std::max<Index>(1, character.mesh.vertexCount()));
    const auto most = static_cast<std::size_t>(std::max(16.0, kMostComparedPoints / perFrame));
    const std::size_t stride = (frames.size() + most - 1) / most;
    CharacterPoser player(character);
    CharacterPoser learned(character, {std::make_shared<PoseSpaceDeformer>(character, model_), result_.morphs.morphs});
    SequenceErrors errors(character.mesh.vertexCount(), frames.size() / std::max<std::size_t>(1, stride) + 1,
                          diagonal_);
    for (std::size_t f = 0; f < frames.size(); f += stride) {
      sinew::report(progress_, {0.9 + 0.1 * static_cast<double>(f) / static_cast<double>(frames.size()), "errors"});
      Pose pose = restPose(character);
      sampleClip(*frames[f].first, frames[f].second, pose);
      const Points& truth = learned.pose(pose);
      errors.add(truth, player.pose(pose));
    }
    result_.report.model = errors.result();
  }

  std::shared_ptr<const PoseSpaceModel> model_;
  ExampleSource& source_;
  const PoseSpaceExportOptions& options_;
  const Progress& progress_;
  double diagonal_ = 1;
  Eigen::VectorXd sizes_;  // per weight
  std::unique_ptr<MorphProjection> projection_;
  PoseSpaceExport result_;
};

}  // namespace
}  // namespace sinew::pose_space_morphs

namespace sinew {

std::string PoseSpaceExportReport::sentence() const {
  return fmt::format(
      "{} per mesh ({:.3g} MB): rms {:.3g} % against the examples, {:.3g} % against the model over the file's clips",
      counted(toSize(morphs), "morph target", "morph targets"), static_cast<double>(bytes) / 1e6,
      error.total.rmsPercent, model.total.rmsPercent);
}

PoseSpaceExport exportPoseSpace(const Character& character, std::shared_ptr<const PoseSpaceModel> model,
                                ExampleSource& examples, const PoseSpaceExportOptions& options,
                                const Progress& progress) {
  SINEW_CHECK(model != nullptr, pose_space_morphs::kWhere, "there is no model to export");
  checkPoseSpaceModel(*model, character, pose_space_morphs::kWhere);
  SINEW_CHECK(options.maxMorphs >= 1, pose_space_morphs::kWhere,
              fmt::format("at most {} morph targets are allowed; it must be 1 or more", options.maxMorphs));
  SINEW_CHECK(options.askedError >= 0 && options.leaveOneOut >= 0 && options.framesPerSecond > 0 &&
                  std::isfinite(options.framesPerSecond),
              pose_space_morphs::kWhere, "errors must not be negative, and frames per second positive");
  for (const Example& example : examples.outline().examples) {
    SINEW_CHECK(example.pose.local.size() == toSize(character.skeleton.size()) &&
                    example.pose.morphWeights.size() == character.morphs.size(),
                pose_space_morphs::kWhere, fmt::format("the example '{}' does not match the character", example.name));
  }
  return pose_space_morphs::Exporter(character, std::move(model), examples, options, progress).run();
}

PoseSpaceExport exportPoseSpace(const Character& character, std::shared_ptr<const PoseSpaceModel> model,
                                const ExampleSet& set, const PoseSpaceExportOptions& options,
                                const Progress& progress) {
  ExamplesInMemory examples(set);
  return exportPoseSpace(character, std::move(model), examples, options, progress);
}

void bakePoseSpaceMorphs(const Character& character, const PoseSpaceModel& model, const PoseSpaceMorphs& morphs,
                         double framesPerSecond, Clip& clip) {
  const double diagonal = boundingBox(posePoints(character, restPose(character))).diagonal();
  pose_space_morphs::BakeSettings settings{framesPerSecond, PoseSpaceExportOptions().bakeTolerance * diagonal,
                                           Eigen::VectorXd::Zero(morphs.weightCount())};
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    const Points& deltas = character.morphs[toSize(morphs.morphs[m])].deltas;
    double& size = settings.sizes[morphs.knotOf[m]];
    if (deltas.cols() > 0) size = std::max(size, std::sqrt(deltas.colwise().squaredNorm().maxCoeff()));
  }
  const PoseSpaceMorphWeights weights(model, morphs);
  pose_space_morphs::bakeMorphWeights(character, weights, model.poseSpace, nullptr, settings, {}, clip);
}

}  // namespace sinew
