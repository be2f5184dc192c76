// The triage: each technique on top of the one before, with its remaining error, its cost, and its leave-one-out error
// (which shows a fit that only memorises).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/base/check.h"
#include "sinew/base/error.h"
#include "sinew/base/progress.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/fit.h"
#include "sinew/learn/fit/advice.h"
#include "sinew/learn/fit/leave_one_out.h"
#include "sinew/learn/fit/multi_weight.h"
#include "sinew/learn/fit/report.h"
#include "sinew/learn/fit/setup.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space_morphs.h"

namespace sinew::fit {
namespace {

constexpr Index kExplainSampledPoints = 600;  // that tell the error of all where examples are left out
constexpr std::size_t kFloat = 4;
constexpr std::size_t kMatrix = 16 * kFloat;

/// glTF stores joints and weights in groups of four.
std::size_t weightBytes(const Character& character, int influences, WeightFormat format) {
  const auto groups = toSize((influences + 3) / 4);
  const std::size_t index = character.skin.bindings.size() > 256 ? 2 : 1;
  const std::size_t weight = format == WeightFormat::Bits8 ? 1 : format == WeightFormat::Bits16 ? 2 : kFloat;
  return toSize(character.mesh.vertexCount()) * 4 * groups * (index + weight);
}

/// Keys of helper joints, and a matrix per skin and helper.
std::size_t helperBytes(const Character& character) {
  std::size_t bytes = 0;
  for (const Binding& binding : character.skin.bindings) {
    if (isHelper(character.helpers, binding.joint)) bytes += kMatrix;
  }
  for (const Clip& clip : character.clips) {
    for (const ClipChannel& channel : clip.channels) {
      if (channel.path == ClipPath::Weights || !isHelper(character.helpers, channel.joint)) continue;
      bytes += kFloat * (channel.times.size() + toSize(channel.values.size()));
    }
  }
  return bytes;
}

FitStage stageOf(std::string name, ExampleErrors errors) {
  FitStage stage;
  stage.name = std::move(name);
  stage.total = errors.total;
  stage.examples = std::move(errors.examples);
  return stage;
}

/// The root joint of a skin: the first that is below no other of it.
std::uint32_t rootBinding(const Character& character) {
  std::vector<int> bindingOf(toSize(character.skeleton.size()), -1);
  for (std::size_t b = character.skin.bindings.size(); b-- > 0;)
    bindingOf[toSize(character.skin.bindings[b].joint)] = static_cast<int>(b);
  for (const int joint : character.skeleton.order()) {
    if (bindingOf[toSize(joint)] >= 0) return static_cast<std::uint32_t>(bindingOf[toSize(joint)]);
  }
  return 0;
}

/// The weights of `fitted`, and with weight 0 the other joints that the character's own weights name.
std::vector<std::vector<Influence>> withOwnJoints(const FitProblem& problem,
                                                  std::vector<std::vector<Influence>> fitted) {
  for (std::size_t p = 0; p < fitted.size(); ++p) {
    for (const Influence& own : problem.prior[p]) {
      const bool there = std::any_of(fitted[p].begin(), fitted[p].end(),
                                     [&](const Influence& influence) { return influence.binding == own.binding; });
      if (!there) fitted[p].push_back({own.binding, 0});
    }
  }
  return fitted;
}

class Explainer {
 public:
  Explainer(const Character& character, const ExampleSet& set, const FitOptions& options, const Progress& progress)
      : character_(character), set_(set), options_(options), progress_(progress) {
    for (const Example& example : set.examples) explanation_.examples.push_back(example.name);
  }

  FitExplanation run() {
    const FitProblem problem = makeFitProblem(character_, set_);
    diagonal_ = problem.diagonal;
    FitStage original = stageOf("original", skinErrors(character_, set_, problem));
    original.leaveOneOut = original.total.rms;  // it learned nothing
    explanation_.stages.push_back(std::move(original));

    FitOptions weights = options_;
    weights.helpers = FitHelpers::None;
    weights.rest = false;
    const FitResult plain = fitSkin(character_, set_, weights, partProgress(progress_, 0, 0.2));
    addStage("weights", plain, weights);
    compareMultiWeight(problem, plain.character);

    FitOptions helpers = weights;
    helpers.helpers = options_.helpers == FitHelpers::None ? FitHelpers::All : options_.helpers;
    const FitResult extended = fitSkin(character_, set_, helpers, partProgress(progress_, 0.25, 0.6));
    addStage("helper joints", extended, weights);

    FitOptions rest = helpers;  // the choice of helper joints again, so that its left-out error covers that too
    rest.rest = true;
    const FitResult moved = fitSkin(character_, set_, rest, partProgress(progress_, 0.6, 0.8));
    addStage("rest shape", moved, rest);
    addCorrectives(moved.character, partProgress(progress_, 0.8, 1));
    explanation_.advice = fitAdvice(explanation_, extended.report.helpers, diagonal_, why_);
    report(progress_, {1, "done"});
    return std::move(explanation_);
  }

 private:
  void addStage(const char* name, const FitResult& result, const FitOptions& options) {
    const Character& fitted = result.character;
    const ExampleSet set = withHelperPoses(fitted, set_);
    const FitProblem problem = makeFitProblem(asBefore(fitted), set);
    FitStage stage = stageOf(name, skinErrors(fitted, set, problem));
    stage.leaveOneOut = result.report.leaveOneOut.rms;
    const std::size_t before = weightBytes(character_, character_.skin.weights.maxInfluences(), WeightFormat::Float);
    const std::size_t after = weightBytes(fitted, options.maxInfluences, options.quantize);
    stage.bytes = (after > before ? after - before : 0) + helperBytes(fitted) - helperBytes(character_);
    stage.joints = fitted.skeleton.size() - character_.skeleton.size();
    explanation_.stages.push_back(std::move(stage));
  }

  /// A fitted character with the original's weights and rest shape: where every fit starts.
  [[nodiscard]] Character asBefore(const Character& fitted) const {
    Character start = fitted;
    start.mesh.points = character_.mesh.points;
    start.mesh.normals = character_.mesh.normals;
    start.skin.weights = character_.skin.weights.widened(fitted.skin.bindings.size());
    return start;
  }

  void compareMultiWeight(const FitProblem& problem, const Character& fitted) {
    report(progress_, {0.2, "multi-weight enveloping"});
    std::vector<std::vector<Influence>> columns;
    for (const std::uint32_t v : problem.firstVertex) {
      const auto column = fitted.skin.weights[v];
      columns.emplace_back(column.begin(), column.end());
    }
    columns = withOwnJoints(problem, std::move(columns));
    std::vector<Affine> roots;
    const std::uint32_t root = rootBinding(character_);
    for (const auto& joints : problem.worldFromRest) roots.push_back(joints[root]);
    const MultiWeightModel model = fitMultiWeight(problem, columns, roots);

    ErrorCollector errors(fittedVertices(problem), set_.examples.size(), problem.diagonal);
    Points shape;
    for (std::size_t e = 0; e < set_.examples.size(); ++e) {
      const Points moved = playMultiWeight(model, problem.worldFromRest[e], roots[e]);
      shape = set_.examples[e].points;
      for (Index v = 0; v < shape.cols(); ++v) {
        const std::uint32_t point = problem.pointOfVertex[toSize(v)];
        if (point != kNotFitted) shape.col(v) = moved.col(point);
      }
      errors.add(set_.examples[e], shape);
    }
    FitStage& stage = explanation_.multiWeight;
    stage = stageOf("multi-weight enveloping", errors.finish());
    stage.leaveOneOut = multiWeightLeaveOneOut(problem, columns, roots);
    for (const auto point : problem.pointOfVertex) {
      if (point != kNotFitted) stage.bytes += model.bindings[point].size() * 12 * kFloat;
    }
  }

  [[nodiscard]] double multiWeightLeaveOneOut(const FitProblem& problem,
                                              const std::vector<std::vector<Influence>>& columns,
                                              const std::vector<Affine>& roots) const {
    FitProblem carrying = problem;  // the columns ride along as the prior, so that they are sampled with the points
    carrying.prior = columns;
    const FitProblem few = sampledProblem(carrying, kExplainSampledPoints);
    return leaveOneOut(few, set_.examples.size(), few.prior, roots);
  }

  /// Pose-space correctives on the fitted skin, as morph targets of the file.
  void addCorrectives(const Character& fitted, const Progress& progress) {
    const ExampleSet set = withHelperPoses(fitted, set_);
    try {
      const PoseSpaceResult learned = learnPoseSpace(fitted, set, {}, partProgress(progress, 0, 0.5));
      const FitProblem problem = makeFitProblem(fitted, set);
      ErrorCollector errors(fittedVertices(problem), set.examples.size(), diagonal_);
      CharacterPoser poser(fitted, std::make_shared<PoseSpaceDeformer>(fitted, learned.model));
      for (const Example& example : set.examples) errors.add(example, poser.pose(example.pose));
      FitStage stage = stageOf("pose-space correctives", errors.finish());
      stage.leaveOneOut = learned.report.leaveOneOut.rms;
      const PoseSpaceExport exported =
          exportPoseSpace(fitted, learned.model, set, {.leaveOneOut = learned.report.leaveOneOut.rms, .normals = false},
                          partProgress(progress, 0.5, 1));
      stage.morphs = exported.report.morphs;
      stage.bytes = explanation_.stages.back().bytes + exported.report.bytes;
      stage.joints = explanation_.stages.back().joints;
      explanation_.stages.push_back(std::move(stage));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::BadInput) throw;
      why_ = error.what();
    }
  }

  const Character& character_;
  const ExampleSet& set_;
  const FitOptions& options_;
  const Progress& progress_;
  double diagonal_ = 1;
  std::string why_;  // pose-space correctives could not be learned
  FitExplanation explanation_;
};

}  // namespace
}  // namespace sinew::fit

namespace sinew {

FitExplanation explainFit(const Character& character, const ExampleSet& set, const FitOptions& options,
                          const Progress& progress) {
  return fit::Explainer(character, set, options, progress).run();
}

}  // namespace sinew
