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

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/base/progress.h"
#include "sinew/base/text.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space/deltas.h"
#include "sinew/learn/pose_space/groups.h"
#include "sinew/learn/pose_space/report.h"
#include "sinew/learn/pose_space/ridge.h"
#include "sinew/learn/pose_space/terms.h"

namespace sinew::pose_space {
namespace {

constexpr const char* kWhere = "pose-space deformation";
constexpr Index kPoseSpaceGrain = 1024;
constexpr std::size_t kHints = 3;
constexpr const char* kAutomatic = "auto";
/// Ridges up to this are rounding, not a wish.
constexpr double kLeastRidgeAsked = 1e-6;
/// More than this on the diagonal of an interpolation changes it instead of steadying it.
constexpr double kSteady = 1e-4;
/// Kernel auto: beyond this many examples groups become fewer, since each costs the cube of the examples.
constexpr double kFewExamples = 48;
constexpr int kLeastGroups = 24;

void checkExamples(const Character& character, const ExampleSet& set) {
  SINEW_CHECK(character.hasSkin(), kWhere,
              "the character has no skin to correct; bind it to a skeleton first (sinew bind)");
  SINEW_CHECK(!set.examples.empty(), kWhere, "there is no example to learn from; add one to the examples");
  const auto joints = toSize(character.skeleton.size());
  for (const Example& example : set.examples) {
    SINEW_CHECK(example.points.cols() == character.mesh.vertexCount(), kWhere,
                fmt::format("the example '{}' has {} vertices, the character {}; it must be a sculpt of this mesh",
                            example.name, example.points.cols(), character.mesh.vertexCount()));
    SINEW_CHECK(example.points.allFinite(), kWhere,
                fmt::format("the example '{}' has a position that is not a finite number", example.name));
    SINEW_CHECK(example.pose.local.size() == joints && example.pose.morphWeights.size() == character.morphs.size(),
                kWhere,
                fmt::format("the pose of the example '{}' is for {} joints and {} morph targets, the character has {} "
                            "and {}",
                            example.name, example.pose.local.size(), example.pose.morphWeights.size(), joints,
                            character.morphs.size()));
    SINEW_CHECK(example.mask.empty() || static_cast<Index>(example.mask.size()) == example.points.cols(), kWhere,
                fmt::format("the mask of the example '{}' has {} entries for {} vertices", example.name,
                            example.mask.size(), example.points.cols()));
    SINEW_CHECK(
        std::isfinite(example.confidence) && example.confidence >= 0, kWhere,
        fmt::format("the example '{}' has the confidence {}; it must be 0 or more", example.name, example.confidence));
  }
}

/// The kernel of the term with the largest share.
std::string mainKernel(const PoseSpaceModel& model, const std::vector<PoseSpaceTrial>& trials) {
  if (model.terms.empty()) return model.interpolation.kernel;
  const auto best =
      std::max_element(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.share < b.share; });
  return best->kernel;
}

/// Distances of shapes to the sculpts, one example after the other. Vertices that a sculpt does not cover count as
/// matched.
class AllDistances {
 public:
  AllDistances(const Character& character, std::size_t examples)
      : vertices_(character.mesh.vertexCount()),
        all_(vertices_ * static_cast<Index>(examples)),
        squares_(Eigen::VectorXd::Zero(vertices_)) {}

  ShapeError add(const Example& example, const Points& shape, double diagonal) {
    Eigen::VectorXd distances = vertexDistances(example.points, shape);
    for (std::size_t v = 0; v < example.mask.size(); ++v) {
      if (example.mask[v] == 0) distances[static_cast<Index>(v)] = 0;
    }
    all_.segment(vertices_ * added_++, vertices_) = distances;
    squares_ += distances.cwiseAbs2();
    return errorOfDistances(std::move(distances), diagonal);
  }

  /// Per vertex, summed over the examples.
  [[nodiscard]] const Eigen::VectorXd& squares() const { return squares_; }

  [[nodiscard]] ShapeError total(double diagonal) {
    ShapeError error = errorOfDistances(std::move(all_), diagonal);
    if (error.maxVertex >= 0) error.maxVertex %= vertices_;
    return error;
  }

 private:
  Index vertices_;
  Index added_ = 0;
  Eigen::VectorXd all_;
  Eigen::VectorXd squares_;
};

class Learner {
 public:
  Learner(const Character& character, const ExampleSet& set, const PoseSpaceOptions& options, const Progress& progress)
      : character_(character),
        set_(set),
        options_(options),
        progress_(progress),
        base_(makeSkinDeformer(options.base, character.skin)),
        frames_(character, *base_, options.space, options.regularisation) {
    restPoints_ = posePoints(character, restPose(character), base_);
    diagonal_ = boundingBox(restPoints_).diagonal();
    SINEW_CHECK(diagonal_ > 0, kWhere, "all vertices of the character are at one point");
  }

  PoseSpaceResult run() {
    const auto start = std::chrono::steady_clock::now();
    setUpPoses();
    gatherDeltas();
    smoothDeltas();
    chooseInterpolation();
    auto model = std::make_shared<const PoseSpaceModel>(std::move(model_));
    scoreExamples(model);
    finishReport(*model);
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {std::move(model), std::move(report_)};
  }

 private:
  void setUpPoses() {
    PoseSpaceChoice choice = choosePoseSpace(character_, set_, options_.coordinates);
    SINEW_CHECK(!choice.space.drivers.empty(), kWhere,
                "no example rotates a joint, so nothing can drive corrections; check the poses of the examples, or "
                "list the drivers");
    report_.warnings = std::move(choice.notes);
    model_.space = options_.space;
    model_.base = options_.base;
    model_.poseSpace = std::move(choice.space);
    model_.interpolation.kernel = options_.kernel == kAutomatic ? "cubic" : options_.kernel;
    model_.interpolation.radius = options_.radius;
    model_.interpolation.ridge = std::min(options_.ridge, kSteady);
    model_.interpolation.polynomial = options_.polynomial;
    model_.fade = options_.fade;

    const Eigen::VectorXd rest = model_.poseSpace.coordinates(character_.skeleton, restPose(character_));
    std::vector<Eigen::VectorXd> columns = {rest};
    double size = 0;
    for (const Example& example : set_.examples) {
      columns.push_back(model_.poseSpace.coordinates(character_.skeleton, example.pose));
      size = std::max(size, (columns.back() - rest).norm());
    }
    model_.names = {"rest"};
    model_.interpolation.confidence = {1};
    std::vector<Eigen::VectorXd> kept = {rest};
    for (std::size_t k = 0; k < set_.examples.size(); ++k) {
      if (set_.examples[k].confidence == 0) continue;  // as if it were not there
      if ((columns[k + 1] - rest).norm() <= 1e-6 * size) {
        report_.warnings.push_back(
            fmt::format("'{}' is at the rest pose, where corrections are zero; it is ignored (to change the rest "
                        "shape, edit the mesh itself)",
                        set_.examples[k].name));
        continue;
      }
      used_.push_back(k);
      kept.push_back(columns[k + 1]);
      model_.names.push_back(set_.examples[k].name);
      model_.interpolation.confidence.push_back(set_.examples[k].confidence);
    }
    SINEW_CHECK(!used_.empty(), kWhere,
                "every example is at the rest pose or has the confidence 0; add one that moves a joint");
    model_.poses.resize(rest.size(), static_cast<Index>(kept.size()));
    for (std::size_t k = 0; k < kept.size(); ++k) model_.poses.col(static_cast<Index>(k)) = kept[k];
  }

  /// Named by the user, or by the errors of left-out examples.
  void chooseInterpolation() {
    if (options_.kernel != kAutomatic) {
      if (options_.weighted) groupVertices(character_, options_.mostGroups, false, model_);
      return;
    }
    // With fewer examples than coordinates a polynomial is undetermined, and cubes of distances overshoot.
    if (model_.poses.cols() < model_.poses.rows() + 2) model_.interpolation.kernel = "linear";
    const double many = std::max(1.0, static_cast<double>(model_.exampleCount()) / kFewExamples);
    groupVertices(character_, std::max(kLeastGroups, static_cast<int>(options_.mostMixedGroups / (many * many))), true,
                  model_);
    report_.trials = chooseTerms({options_.weighted}, model_, partProgress(progress_, 0.3, 0.6));
  }

  /// Applies --ridge to the corrections before they are interpolated, so that it acts the same way for every kernel,
  /// polynomial and mixture.
  void smoothDeltas() {
    if (options_.ridge <= kLeastRidgeAsked) return;
    sculpted_ = {model_.deltas, model_.layer};
    products_ = productsOf(model_);
    std::vector<Index> all(model_.exampleCount() - 1);
    std::iota(all.begin(), all.end(), Index{1});
    const Eigen::MatrixXd smoother = ridgeSmoother(model_, all, products_, options_.ridge);
    const auto smooth = [&](const std::vector<Points>& from, std::vector<Points>& to) {
      for (std::size_t i = 1; i < to.size(); ++i) {
        to[i].setZero();
        for (std::size_t j = 1; j < from.size(); ++j)
          to[i] += smoother(static_cast<Index>(i) - 1, static_cast<Index>(j) - 1) * from[j];
      }
    };
    smooth(sculpted_.deltas, model_.deltas);
    smooth(sculpted_.layer, model_.layer);
  }

  /// Weights of smoothed corrections as weights of those that were sculpted, smoothed without example k.
  [[nodiscard]] Eigen::MatrixXd ofSculpted(std::size_t k, Eigen::MatrixXd weights) const {
    if (sculpted_.deltas.empty()) return weights;
    std::vector<Index> others;
    for (Index j = 1; j < weights.rows(); ++j) {
      if (j != static_cast<Index>(k)) others.push_back(j);
    }
    if (others.empty()) return weights;
    const Eigen::MatrixXd smoother = ridgeSmoother(model_, others, products_, options_.ridge);
    const Eigen::MatrixXd kept = weights(others, Eigen::all);
    weights(others, Eigen::all) = smoother.transpose() * kept;
    weights.row(static_cast<Index>(k)).setZero();
    return weights;
  }

  /// Sets the pose of an example; returns the points by plain skinning.
  void setExample(const Example& example) {
    poseJoints(character_, example.pose, joints_);
    applyMorphs(character_, example.pose.morphWeights, morphed_);
    skinned_.resize(3, morphed_.cols());
    base_->deform(morphed_, joints_, scratch_, skinned_);
    frames_.setPose(morphed_, joints_);
  }

  /// The correction of an example, in world space.
  Points corrections(const Example& example) const {
    Points world = example.points - skinned_;
    for (std::size_t v = 0; v < example.mask.size(); ++v) world.col(static_cast<Index>(v)) *= example.mask[v];
    return world;
  }

  void gatherDeltas() {
    const Index vertices = character_.mesh.vertexCount();
    std::vector<Points> deltas(used_.size() + 1);
    std::vector<Points> layers(used_.size() + 1);
    std::vector<char> touched(toSize(vertices), 0);
    std::vector<char> singular(touched.size(), 0);
    for (std::size_t k = 0; k < used_.size(); ++k) {
      const Example& example = set_.examples[used_[k]];
      sinew::report(progress_, {0.3 * static_cast<double>(k) / static_cast<double>(used_.size()), "corrections"});
      setExample(example);
      const Points world = corrections(example);
      Points& delta = deltas[k + 1];
      Points& layer = layers[k + 1];
      delta.resize(3, vertices);
      layer.resize(3, vertices);
      parallelFor(vertices, kPoseSpaceGrain, [&](Index v) {
        const auto place = toSize(v);
        const DeltaFrames::Stored stored = frames_.store(v, world.col(v));
        delta.col(v) = stored.delta;
        layer.col(v) = stored.layer;
        if (world.col(v).norm() <= options_.leastDelta * diagonal_) return;
        touched[place] = 1;
        if (stored.singular) singular[place] = 1;
      });
    }
    const auto singulars = static_cast<Index>(std::count(singular.begin(), singular.end(), 1));
    keepTouched(touched, deltas, layers, singulars > 0 || model_.space == DeltaSpace::Layered);
    if (singulars > 0 && model_.space == DeltaSpace::Inverse) {
      report_.warnings.push_back(
          fmt::format("{} vertices are singular at some example (folded flat by the skinning): the remainder of their "
                      "corrections is added after skinning; the frame space needs no such layer",
                      singulars));
    }
  }

  void keepTouched(const std::vector<char>& touched, const std::vector<Points>& deltas,
                   const std::vector<Points>& layers, bool layered) {
    for (std::size_t v = 0; v < touched.size(); ++v) {
      if (touched[v] != 0) model_.vertices.push_back(static_cast<std::uint32_t>(v));
    }
    const auto kept = static_cast<Index>(model_.vertices.size());
    const auto compact = [&](const Points& all) {
      if (all.cols() == 0) return Points(Points::Zero(3, kept));
      Points few(3, kept);
      for (Index i = 0; i < kept; ++i) few.col(i) = all.col(model_.vertices[toSize(i)]);
      return few;
    };
    for (const Points& delta : deltas) model_.deltas.push_back(compact(delta));
    if (!layered) return;
    for (const Points& layer : layers) model_.layer.push_back(compact(layer));
  }

  /// Errors of the model, and of the models that leave out the example.
  void scoreExamples(const std::shared_ptr<const PoseSpaceModel>& model) {
    const PoseSpaceDeformer deformer(character_, model, base_);
    const LeftOutWeights leftOutWeights(*model, deformer.weights());
    report_.examples.resize(used_.size());
    AllDistances before(character_, used_.size()), after(character_, used_.size()), leftOut(character_, used_.size());
    for (std::size_t k = 0; k < used_.size(); ++k) {
      const Example& example = set_.examples[used_[k]];
      sinew::report(progress_, {0.6 + 0.4 * static_cast<double>(k) / static_cast<double>(used_.size()), "errors"});
      setExample(example);
      Points moved(3, morphed_.cols());
      deformer.deform(morphed_, joints_, scratch_, moved);
      PoseSpaceExample& row = report_.examples[k];
      row.name = example.name;
      row.before = before.add(example, skinned_, diagonal_);
      row.after = after.add(example, moved, diagonal_);
      row.leaveOneOut =
          leftOut.add(example, leaveOneOut(*model, ofSculpted(k + 1, leftOutWeights.at(k + 1))), diagonal_);
      nearestExample(*model, k + 1, row);
    }
    if (used_.size() > 1) {
      for (std::string& warning : warningsOfRegions(character_, before.squares(), leftOut.squares()))
        report_.warnings.push_back(std::move(warning));
    }
    report_.before = before.total(diagonal_);
    report_.after = after.total(diagonal_);
    report_.leaveOneOut = leftOut.total(diagonal_);
  }

  /// The example at hand as the others predict it.
  Points leaveOneOut(const PoseSpaceModel& model, const Eigen::MatrixXd& weights) const {
    Points moved = skinned_;
    const std::vector<Points>& deltas = sculpted_.deltas.empty() ? model.deltas : sculpted_.deltas;
    const std::vector<Points>& layers = sculpted_.deltas.empty() ? model.layer : sculpted_.layer;
    parallelFor(static_cast<Index>(model.vertices.size()), kPoseSpaceGrain, [&](Index i) {
      const auto place = toSize(i);
      const Index group = model.weighted() ? static_cast<Index>(model.groupOf[place]) : 0;
      Vec3 delta = Vec3::Zero();
      Vec3 layer = Vec3::Zero();
      for (std::size_t j = 1; j < model.exampleCount(); ++j) {
        const double weight = weights(static_cast<Index>(j), group);
        delta += weight * deltas[j].col(i);
        if (!layers.empty()) layer += weight * layers[j].col(i);
      }
      const auto v = static_cast<Index>(model.vertices[place]);
      moved.col(v) += frames_.world(v, delta, layer);
    });
    return moved;
  }

  static void nearestExample(const PoseSpaceModel& model, std::size_t k, PoseSpaceExample& row) {
    row.nearest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < model.exampleCount(); ++j) {
      if (j == k) continue;
      const double distance = (model.poses.col(static_cast<Index>(j)) - model.poses.col(static_cast<Index>(k))).norm();
      if (distance >= row.nearest) continue;
      row.nearest = distance;
      row.nearestName = model.names[j];
    }
  }

  void finishReport(const PoseSpaceModel& model) {
    const PoseSpaceWeights weights(model);
    report_.space = options_.space;
    report_.diagonal = diagonal_;
    report_.kernel = mainKernel(model, report_.trials);
    report_.radius = weights.interpolator().radius();
    report_.groups = weights.groupCount();
    for (Index g = 0; g < weights.groupCount(); ++g) {
      for (Index t = 0; t < weights.termCount(); ++t) {
        if (weights.share(g, t) > 0)
          report_.condition = std::max(report_.condition, weights.interpolator(g, t).condition());
      }
    }
    report_.touched = static_cast<Index>(model.vertices.size());
    report_.coverage = coverageOf(model);
    report_.next = whereToSculpt(character_, model, kHints);
    const std::vector<std::string> warnings = findWarnings(model, report_, diagonal_);
    report_.warnings.insert(report_.warnings.end(), warnings.begin(), warnings.end());
  }

  const Character& character_;
  const ExampleSet& set_;
  const PoseSpaceOptions& options_;
  const Progress& progress_;
  DeformerPtr base_;
  DeltaFrames frames_;
  Points restPoints_;
  double diagonal_ = 1;
  std::vector<std::size_t> used_;  // the examples that are not at rest
  PoseSpaceModel model_;
  /// Where a ridge smooths: corrections as they were sculpted, and their products (examples x examples).
  struct {
    std::vector<Points> deltas;
    std::vector<Points> layer;
  } sculpted_;
  Eigen::MatrixXd products_;
  PoseSpaceReport report_;
  PosedJoints joints_;
  DeformScratch scratch_;
  Points morphed_;
  Points skinned_;
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
  std::vector<std::string> names = {pose_space::kAutomatic};
  for (const RbfKernelRow& row : rbfKernels()) names.emplace_back(row.name);
  return names;
}

PoseSpaceResult learnPoseSpace(const Character& character, ExampleSource& examples, const PoseSpaceOptions& options,
                               const Progress& progress) {
  return learnPoseSpace(character, readAll(examples), options, progress);
}

PoseSpaceResult learnPoseSpace(const Character& character, const ExampleSet& set, const PoseSpaceOptions& options,
                               const Progress& progress) {
  pose_space::checkExamples(character, set);
  return pose_space::Learner(character, set, options, progress).run();
}

}  // namespace sinew
