// Pose-space deformation from examples: Lewis, Cordner and Fong (SIGGRAPH 2000); inverse as Xian et al. (equations 4 to
// 8) and Lee and Wang (equations 3 to 7); weighted after Kurihara and Miyata (SCA 2004).
//   r_k = sculpt_k - skin_k(v)        stored per example in the chosen space (pose_space/deltas.cpp)
//   delta(x) = sum_k c_k(x) delta_k   c_k the cardinal functions of the poses (math/rbf)
// Departures: the default space is the rotating frame of each vertex, the default kernel r^3 with a linear polynomial;
// the rest pose is always an example; corrections fade out far from every example.
#include "sinew/learn/pose_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "sinew/base/check.h"
#include "sinew/base/progress.h"
#include "sinew/base/text.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space/duplicates.h"
#include "sinew/learn/pose_space/gather.h"
#include "sinew/learn/pose_space/groups.h"
#include "sinew/learn/pose_space/left_out.h"
#include "sinew/learn/pose_space/many.h"
#include "sinew/learn/pose_space/report.h"
#include "sinew/learn/pose_space/ridge.h"
#include "sinew/learn/pose_space/scores.h"
#include "sinew/learn/pose_space/terms.h"

namespace sinew::pose_space {
namespace {

constexpr const char* kWhere = "pose-space deformation";
constexpr std::size_t kHints = 3;
/// Ridges up to this are rounding, not a wish.
constexpr double kLeastRidgeAsked = 1e-6;
/// More than this on the diagonal of an interpolation changes it instead of steadying it.
constexpr double kSteady = 1e-4;
/// Kernel auto: beyond this many examples groups become fewer, since each costs the cube of the examples.
constexpr double kFewPerGroup = 48;
constexpr double kMostGroupWork = 4e9;
constexpr int kLeastGroups = 24;
/// Conditions are computed of at most this many groups.
constexpr Index kConditions = 512;
constexpr Index kLargeSystem = 96;
constexpr double kMegabyte = 1e6;

/// The kernel of the term with the largest share.
std::string mainKernel(const PoseSpaceModel& model, const std::vector<PoseSpaceTrial>& trials) {
  if (model.terms.empty()) return model.interpolation.kernel;
  const auto best =
      std::max_element(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.share < b.share; });
  return best->kernel;
}

class Learner {
 public:
  Learner(const Character& character, ExampleSource& source, const PoseSpaceOptions& options, const Progress& progress)
      : character_(character),
        outline_(source.outline()),
        options_(options),
        progress_(progress),
        base_(makeSkinDeformer(options.base, character.skin)),
        reader_(character, source, *base_, options.space, options.regularisation) {
    diagonal_ = boundingBox(posePoints(character, restPose(character), base_)).diagonal();
    SINEW_CHECK(diagonal_ > 0, kWhere, "all vertices of the character are at one point");
  }

  PoseSpaceResult run() {
    const auto start = std::chrono::steady_clock::now();
    setUpPoses();
    gather();
    smooth();
    chooseInterpolation();
    if (many_) many_->chooseCentres(mostCentres(), partProgress(progress_, 0.5, 0.6));
    auto model = std::make_shared<const PoseSpaceModel>(std::move(model_));
    const PoseSpaceDeformer deformer(character_, model, base_);
    score(deformer);
    finishReport(deformer);
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {std::move(model), std::move(report_)};
  }

 private:
  void setUpPoses() {
    PoseSpaceChoice choice = choosePoseSpace(character_, outline_, options_.coordinates);
    SINEW_CHECK(!choice.space.drivers.empty(), kWhere,
                "no example rotates a joint, so nothing can drive corrections; check the poses of the examples, or "
                "list the drivers");
    report_.warnings = std::move(choice.notes);
    model_.space = options_.space;
    model_.base = options_.base;
    model_.poseSpace = std::move(choice.space);
    model_.interpolation.kernel = options_.kernel == kAutomaticKernel ? "cubic" : options_.kernel;
    if (options_.kernel != kAutomaticKernel) model_.interpolation.radius = options_.radius;
    warnOfUnusedRadius();
    model_.interpolation.ridge = std::min(options_.ridge, kSteady);
    model_.interpolation.polynomial = options_.polynomial;
    model_.fade = options_.fade;

    const Eigen::VectorXd rest = model_.poseSpace.coordinates(character_.skeleton, restPose(character_));
    std::vector<Eigen::VectorXd> columns = {rest};
    double size = 0;
    for (const Example& example : outline_.examples) {
      columns.push_back(model_.poseSpace.coordinates(character_.skeleton, example.pose));
      size = std::max(size, (columns.back() - rest).norm());
    }
    model_.names = {"rest"};
    model_.interpolation.confidence = {1};
    std::vector<Eigen::VectorXd> kept = {rest};
    std::vector<std::string> resting;
    for (std::size_t k = 0; k < outline_.examples.size(); ++k) {
      const Example& example = outline_.examples[k];
      if (example.confidence == 0) continue;  // as if it were not there
      if ((columns[k + 1] - rest).norm() <= 1e-6 * size) {
        resting.push_back(example.name);
        continue;
      }
      used_.push_back(k);
      kept.push_back(columns[k + 1]);
      model_.names.push_back(example.name);
      model_.interpolation.confidence.push_back(example.confidence);
    }
    warnOfResting(resting);
    SINEW_CHECK(!used_.empty(), kWhere,
                "every example is at the rest pose or has the confidence 0; add one that moves a joint");
    model_.poses.resize(rest.size(), static_cast<Index>(kept.size()));
    for (std::size_t k = 0; k < kept.size(); ++k) model_.poses.col(static_cast<Index>(k)) = kept[k];
    // With fewer examples than coordinates a polynomial is undetermined, and cubes of distances overshoot.
    if (options_.kernel == kAutomaticKernel && model_.poses.cols() < model_.poses.rows() + 2)
      model_.interpolation.kernel = "linear";
    allPoses_ = model_.poses;
    allNames_ = model_.names;
  }

  void warnOfUnusedRadius() {
    if (!(options_.radius > 0)) return;
    if (options_.kernel == kAutomaticKernel) {
      report_.warnings.push_back(
          fmt::format("the radius {:g} is not used, because the kernel is chosen automatically; "
                      "name the kernel as well (--kernel gaussian)",
                      options_.radius));
    } else if (!rbfKernel(options_.kernel).usesRadius) {
      report_.warnings.push_back(fmt::format(
          "the radius {:g} is not used, because the kernel {} has none; leave it out, or choose another kernel "
          "(--kernel gaussian)",
          options_.radius, options_.kernel));
    }
  }

  void warnOfResting(const std::vector<std::string>& names) {
    if (names.empty()) return;
    report_.warnings.push_back(
        fmt::format("{} {} at the rest pose, where corrections are zero; {} ignored (to change the rest shape, edit "
                    "the mesh itself)",
                    quotedNames(names), names.size() == 1 ? "is" : "are", names.size() == 1 ? "it is" : "they are"));
  }

  /// As few shapes where examples are many, or where it was asked for.
  [[nodiscard]] bool wantsFewShapes() const {
    const bool fewCentres = options_.centres > 0 && toSize(options_.centres) < used_.size();
    return options_.rank > 0 || fewCentres || (options_.rank == kAutomaticCount && used_.size() > kFewExamples);
  }

  void gather() {
    checkCounts();
    GatherOptions gathering{options_.space, options_.leastDelta * diagonal_, wantsFewShapes(),
                            options_.memory * kMegabyte};
    Corrections corrections = gatherCorrections(character_, reader_, used_, gathering, partProgress(progress_, 0, 0.3));
    model_.vertices = corrections.vertices;
    if (corrections.singular > 0 && model_.space == DeltaSpace::Inverse) {
      report_.warnings.push_back(
          fmt::format("{} singular at some example (folded flat by the skinning): the remainder of the corrections "
                      "there is added after skinning; the frame space needs no such layer",
                      counted(toSize(corrections.singular), "vertex is", "vertices are")));
    }
    if (!gathering.lowRank || corrections.vertices.empty()) {
      if (gathering.lowRank) {
        corrections.deltas.assign(used_.size() + 1, Points(3, 0));
        if (corrections.layered) corrections.layer = corrections.deltas;
      }
      model_.deltas = std::move(corrections.deltas);
      model_.layer = std::move(corrections.layer);
    } else {
      // A clip may begin far from rest: its frames are close to each other all the same.
      model_.restGap = used_.size() <= kFewExamples;
      many_.emplace(corrections, options_, diagonal_, model_);
      warnOfOutliers();
    }
    report_.repeats =
        warningsOfDuplicates(model_, samePoses(model_), {.diagonal = diagonal_, .refuse = !options_.allowRepeats});
    report_.warnings.insert(report_.warnings.end(), report_.repeats.begin(), report_.repeats.end());
  }

  void checkCounts() const {
    const auto examples = static_cast<int>(used_.size());
    SINEW_CHECK(options_.rank <= examples, kWhere,
                fmt::format("rank {} is asked for, but there {} {}; ask for at most as many", options_.rank,
                            used_.size() == 1 ? "is" : "are", counted(used_.size(), "example", "examples")));
    SINEW_CHECK(options_.centres <= examples, kWhere,
                fmt::format("{} asked for, but there {} {}; ask for at most as many",
                            counted(toSize(std::max(options_.centres, 0)), "centre is", "centres are"),
                            used_.size() == 1 ? "is" : "are", counted(used_.size(), "example", "examples")));
  }

  void warnOfOutliers() {
    std::vector<std::string> names;
    for (const Index k : many_->outliers()) names.push_back(model_.names[toSize(k)]);
    if (names.empty()) return;
    report_.warnings.push_back(fmt::format(
        "{} {} the examples around {}, which are predicted better without: {} almost nothing; check {}, or "
        "set a confidence in the examples file",
        quotedNames(names), names.size() == 1 ? "contradicts" : "contradict", names.size() == 1 ? "it" : "them",
        names.size() == 1 ? "it counts" : "they count", names.size() == 1 ? "this shape" : "these shapes"));
  }

  /// Applies --ridge to the corrections before they are interpolated, so that it acts the same way for every kernel,
  /// polynomial and mixture.
  void smooth() {
    products_ = productsOf(model_);
    if (options_.ridge <= kLeastRidgeAsked) return;
    ridge_.emplace(allOfModel_ = withoutDeltas(model_), products_, options_.ridge);
    if (many_) return many_->smooth(options_.ridge, products_);
    sculpted_ = {model_.deltas, model_.layer};
    std::vector<Index> all(model_.exampleCount() - 1);
    std::iota(all.begin(), all.end(), Index{1});
    const Eigen::MatrixXd smoother = ridgeSmoother(model_, all, products_, options_.ridge);
    const auto mix = [&](const std::vector<Points>& from, std::vector<Points>& to) {
      for (std::size_t i = 1; i < to.size(); ++i) {
        to[i].setZero();
        for (std::size_t j = 1; j < from.size(); ++j)
          to[i] += smoother(static_cast<Index>(i) - 1, static_cast<Index>(j) - 1) * from[j];
      }
    };
    mix(sculpted_.deltas, model_.deltas);
    mix(sculpted_.layer, model_.layer);
  }

  /// Named by the user, or by the errors of left-out examples.
  void chooseInterpolation() {
    const double examples = static_cast<double>(model_.exampleCount());
    const auto affordable = static_cast<int>(std::min(1e6, kMostGroupWork / (2 * std::pow(examples, 3))));
    if (options_.kernel != kAutomaticKernel) {
      if (options_.weighted)
        groupVertices(character_, std::max(kLeastGroups, std::min(options_.mostGroups, affordable)), false, model_);
      return;
    }
    const double many = std::max(1.0, examples / kFewPerGroup);
    const int groups = std::min(affordable, static_cast<int>(options_.mostMixedGroups / (many * many)));
    groupVertices(character_, std::max(kLeastGroups, groups), true, model_);
    report_.trials = chooseTerms({options_.weighted}, model_, partProgress(progress_, 0.3, 0.5));
    // Like all errors of the report, of all vertices: those without corrections have none.
    const double corrected =
        static_cast<double>(model_.vertices.size()) / static_cast<double>(character_.mesh.vertexCount());
    for (PoseSpaceTrial& trial : report_.trials) trial.leaveOneOut *= std::sqrt(corrected);
  }

  [[nodiscard]] Index mostCentres() const { return model_.weighted() ? kMostGroupedCentres : kMostCentres; }

  void score(const PoseSpaceDeformer& deformer) {
    const PoseSpaceModel& model = deformer.model();
    const bool interpolates = !many_ || many_->interpolates();
    std::optional<LeftOutWeights> leftOut;
    if (interpolates) leftOut.emplace(model, deformer.weights());
    LeftOutPlayer player;
    player.deltas = sculpted_.deltas.empty() ? &model.deltas : &sculpted_.deltas;
    player.layer = sculpted_.deltas.empty() ? &model.layer : &sculpted_.layer;
    player.weights = [&](std::size_t k) -> Eigen::MatrixXd {
      if (!interpolates) return many_->leftOut(k + 1);
      Eigen::MatrixXd weights = leftOut->at(k + 1);
      if (ridge_) weights = ridge_->ofSculpted(k + 1, std::move(weights));
      return many_ ? Eigen::MatrixXd(many_->sculpted() * weights) : weights;
    };
    const VertexSquares squares = scoreExamples(character_, deformer, player, reader_, used_, diagonal_, report_,
                                                partProgress(progress_, 0.6, 1));
    for (std::size_t k = 0; k < used_.size(); ++k) nearestExample(k + 1, report_.examples[k]);
    if (used_.size() > 1) {
      for (std::string& warning : warningsOfRegions(character_, squares.before, squares.leftOut))
        report_.warnings.push_back(std::move(warning));
    }
  }

  /// Among all examples, also those that are no centres.
  void nearestExample(std::size_t k, PoseSpaceExample& row) const {
    Eigen::VectorXd distances = (allPoses_.colwise() - allPoses_.col(static_cast<Index>(k))).colwise().norm();
    distances[static_cast<Index>(k)] = std::numeric_limits<double>::infinity();
    Index best = 0;
    row.nearest = distances.minCoeff(&best);
    row.nearestName = allNames_[toSize(best)];
  }

  void finishReport(const PoseSpaceDeformer& deformer) {
    const PoseSpaceModel& model = deformer.model();
    const PoseSpaceWeights& weights = deformer.weights();
    report_.space = options_.space;
    report_.diagonal = diagonal_;
    report_.kernel = mainKernel(model, report_.trials);
    report_.radius = weights.interpolator().radius();
    report_.groups = weights.groupCount();
    report_.rank = many_ ? many_->rank() : static_cast<Index>(used_.size());
    report_.centres = static_cast<Index>(model.exampleCount()) - 1;
    const Index groups = std::min(weights.groupCount(), weights.exampleCount() > kLargeSystem ? 1 : kConditions);
    for (Index g = 0; g < groups; ++g) {
      for (Index t = 0; t < weights.termCount(); ++t) {
        if (weights.share(g, t) > 0)
          report_.condition = std::max(report_.condition, weights.interpolator(g, t).condition());
      }
    }
    report_.touched = static_cast<Index>(model.vertices.size());
    const PoseSpaceWeights plain(withoutDeltas(model));
    report_.coverage = coverageOf(model, plain);
    report_.next = whereToSculpt(character_, model, plain, productsOf(model), kHints);
    const std::vector<std::string> warnings =
        findWarnings(model, report_, diagonal_, many_ && options_.kernel == kAutomaticKernel);
    report_.warnings.insert(report_.warnings.end(), warnings.begin(), warnings.end());
  }

  const Character& character_;
  const ExampleSet& outline_;
  const PoseSpaceOptions& options_;
  const Progress& progress_;
  DeformerPtr base_;
  ExampleReader reader_;
  double diagonal_ = 1;
  std::vector<std::size_t> used_;  // the examples that are not at rest
  PoseSpaceModel model_;
  Eigen::MatrixXd allPoses_;  // of all used examples and rest
  std::vector<std::string> allNames_;
  std::optional<ManyExamples> many_;
  /// Where a ridge smooths: corrections as they were sculpted, if each has its own shape.
  struct {
    std::vector<Points> deltas;
    std::vector<Points> layer;
  } sculpted_;
  Eigen::MatrixXd products_;  // of the corrections of examples
  PoseSpaceModel allOfModel_;
  std::optional<LeftOutRidge> ridge_;
  PoseSpaceReport report_;
};

}  // namespace
}  // namespace sinew::pose_space

namespace sinew {

std::string PoseSpaceReport::sentence() const {
  return fmt::format("{}, {} corrected: rms {:.3g} % before, {:.3g} % after, {:.3g} % leave-one-out",
                     counted(examples.size(), "example", "examples"), counted(toSize(touched), "vertex", "vertices"),
                     before.rmsPercent, after.rmsPercent, leaveOneOut.rmsPercent);
}

std::vector<std::string> poseSpaceKernelNames() {
  std::vector<std::string> names = {kAutomaticKernel};
  for (const RbfKernelRow& row : rbfKernels()) names.emplace_back(row.name);
  return names;
}

PoseSpaceResult learnPoseSpace(const Character& character, ExampleSource& examples, const PoseSpaceOptions& options,
                               const Progress& progress) {
  pose_space::checkOutline(character, examples.outline());
  return pose_space::Learner(character, examples, options, progress).run();
}

PoseSpaceResult learnPoseSpace(const Character& character, const ExampleSet& set, const PoseSpaceOptions& options,
                               const Progress& progress) {
  ExamplesInMemory examples(set);
  return learnPoseSpace(character, examples, options, progress);
}

}  // namespace sinew
