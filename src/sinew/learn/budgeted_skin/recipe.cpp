#include "sinew/learn/budgeted_skin/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinew/base/text.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/learn/helper_joints.h"
#include "sinew/learn/pose_space_morphs.h"

namespace sinew::budgeted_skin {
namespace {

/// Compact weights: keys per second at least, and how far off between them, in diagonals.
constexpr double kFewFrames = 10;
constexpr double kFewKeys = 1e-4;
/// And at how many poses the weights are interpolated, at least; else twice as many as examples.
constexpr std::size_t kLeastCentres = 48;

/// The shapes of other examples, which it refers to, with poses of its own.
class ReposedExamples final : public ExampleSource {
 public:
  ReposedExamples(ExampleSource& shapes, ExampleSet outline) : ExampleSource(std::move(outline)), shapes_(shapes) {}
  void read(std::size_t k, Example& example) override {
    shapes_.read(k, example);
    example.pose = outline().examples.at(k).pose;
  }

 private:
  ExampleSource& shapes_;
};

/// Sets displacements to zero that no example weighs to `least`, so that targets are sparse.
void dropSmall(const PoseSpaceModel& model, const PoseSpaceMorphs& morphs, double least, Character& character) {
  if (!(least > 0)) return;
  const PoseSpaceMorphWeights weights(model, morphs);
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(morphs.weightCount());
  for (const auto& pose : model.poses.colwise()) largest = largest.cwiseMax(weights.evaluate(pose).cwiseAbs());
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    MorphTarget& morph = character.morphs[toSize(morphs.morphs[m])];
    const double weight = largest[morphs.knotOf[m]];
    for (Index v = 0; v < morph.deltas.cols(); ++v) {
      if (weight * morph.deltas.col(v).norm() >= least) continue;
      morph.deltas.col(v).setZero();
      if (morph.normalDeltas.cols() > 0) morph.normalDeltas.col(v).setZero();
    }
  }
}

}  // namespace

std::string SkinStem::name() const {
  if (!fitted) return "plain skin";
  std::string text = "fitted weights";
  if (helpers != FitHelpers::None) {
    text += helpers == FitHelpers::Half ? ", half joints" : ", helper joints";
    if (mostHelpers >= 0) text += fmt::format(" (at most {})", mostHelpers);
  }
  return text + (rest ? ", rest shape" : "");
}

std::string SkinRecipe::name() const {
  std::string text = stem.name();
  if (morphs > 0) {
    text +=
        fmt::format(" + {}{}", counted(toSize(morphs), "morph target", "morph targets"), compact ? ", few keys" : "");
  }
  return text;
}

const ExampleSet& SkinMaker::set() {
  if (!set_) set_ = readAll(examples_);
  return *set_;
}

const Character& SkinMaker::skin(const SkinStem& stem, const Progress& progress) {
  const auto found = skins_.find(stem);
  if (found != skins_.end()) return found->second;
  return skins_.emplace(stem, fit(stem, progress)).first->second;
}

Character SkinMaker::fit(const SkinStem& stem, const Progress& progress) {
  if (!stem.fitted) {
    Character plain = character_;
    plain.skin.weights = plain.skin.weights.limited(stem.influences);
    return plain;
  }
  FitOptions options;
  options.maxInfluences = stem.influences;
  if (stem.rest) {  // weights and rest in alternation, on the joints that are there
    SkinStem below = stem;
    below.rest = false;
    const Character& start = skin(below, partProgress(progress, 0, 0.6));
    options.rest = true;
    return fitSkin(start, withHelperPoses(start, set()), options, partProgress(progress, 0.6, 1)).character;
  }
  options.helpers = stem.helpers;
  options.maxHelpers = stem.mostHelpers;
  return fitSkin(character_, set(), options, progress).character;
}

SkinMaker::Correctives& SkinMaker::correctives(const SkinStem& stem, const Progress& progress) {
  const auto found = correctives_.find(stem);
  if (found != correctives_.end()) return found->second;
  const Character& base = skin(stem, partProgress(progress, 0, 0.5));
  Correctives made;
  if (base.helpers.size() > character_.helpers.size())
    made.source = std::make_unique<ReposedExamples>(examples_, withHelperPoses(base, examples_.outline()));
  PoseSpaceOptions options;
  options.allowRepeats = allowRepeats_;
  ExampleSource& source = made.source ? *made.source : examples_;
  made.learned = learnPoseSpace(base, source, options, partProgress(progress, 0.5, 1));
  return correctives_.emplace(stem, std::move(made)).first->second;
}

MadeSkin SkinMaker::make(const SkinRecipe& recipe, const MorphForm& form, const Progress& progress) {
  const Character& base = skin(recipe.stem, partProgress(progress, 0, 0.3));
  MadeSkin made;
  made.movedRest = recipe.stem.rest;
  made.corrected.character = base;
  if (recipe.morphs < 1) return made;
  Correctives& correctives = this->correctives(recipe.stem, partProgress(progress, 0.3, 0.5));
  if (correctives.learned.report.touched == 0) return made;
  PoseSpaceExportOptions options;
  options.maxMorphs = recipe.morphs;
  options.askedError = form.askedError;
  options.leaveOneOut = correctives.learned.report.leaveOneOut.rms;
  options.normals = form.normals;
  options.quantize = form.quantize;
  options.examplesClip = false;
  if (recipe.compact) {
    options.framesPerSecond = kFewFrames;
    options.bakeTolerance = kFewKeys;
    options.mostCentres = static_cast<int>(std::max<std::size_t>(kLeastCentres, 2 * examples_.size()));
  }
  ExampleSource& source = correctives.source ? *correctives.source : examples_;
  PoseSpaceExport exported =
      exportPoseSpace(base, correctives.learned.model, source, options, partProgress(progress, 0.5, 1));
  if (exported.morphs.empty()) return made;
  dropSmall(*correctives.learned.model, exported.morphs, form.least, exported.character);
  made.corrected = {std::move(exported.character), correctives.learned.model, std::move(exported.morphs)};
  return made;
}

}  // namespace sinew::budgeted_skin
