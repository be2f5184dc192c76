#include "studio/modes/fit/learned_skin.h"

#include <algorithm>
#include <utility>

#include "sinew/base/error.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/deform/rest_in_world.h"
#include "sinew/io/gltf.h"

namespace sinew::studio::fit {
namespace {

constexpr double kLearned = 0.95;  // of the work; the rest is measuring
constexpr double kSimple = 0.2;    // of it for the fit of the weights alone, where more is asked for
/// Rounding of weights and bind matrices in files moves nothing that counts; in diagonals.
constexpr double kStill = 1e-5;

/// The points that the page shows: morph targets that imitate corrections, and a linear blend.
class ShownPoser {
 public:
  ShownPoser(const LearnSource& source, const Character& character, const DrawnCharacter& drawn)
      : source_(source), character_(character), drawn_(drawn), poser_(character) {}
  const Points& pose(const Pose& pose) {
    return poser_.pose(drawnPose(character_, drawn_, poseFor(source_, character_, pose)));
  }

 private:
  const LearnSource& source_;
  const Character& character_;
  const DrawnCharacter& drawn_;
  CharacterPoser poser_;
};

Eigen::VectorXd errorsOf(const Example& example, const Points& points) {
  Eigen::VectorXd errors = vertexDistances(example.points, points);
  for (std::size_t v = 0; v < example.mask.size(); ++v) {
    if (example.mask[v] == 0) errors[static_cast<Index>(v)] = 0;
  }
  return errors;
}

SequenceError measured(const LearnSource& source, const Character& character, const DrawnCharacter& drawn,
                       double diagonal) {
  const auto& examples = source.examples.examples;
  ShownPoser poser(source, character, drawn);
  SequenceErrors errors(character.mesh.vertexCount(), examples.size(), diagonal);
  for (const Example& example : examples) errors.add(example.points, poser.pose(example.pose), example.mask);
  return errors.result();
}

/// Measures, and prepares what is drawn.
LearnedSkinPtr finished(LearnedSkin learned, const sinew::Progress& progress) {
  report(progress, {kLearned, "errors"});
  if (learned.source.corrected)
    learned.warnings.emplace_back(
        "the corrections of the character were learned for its old skin: they are dropped, and errors before are "
        "measured without them");
  Document after;
  after.file = learned.file;
  learned.drawn = drawnCharacter(after);
  learned.drawn.space = learned.source.space;
  const Character& before = learned.source.file.character;
  learned.diagonal = boundingBox(posePoints(before, restPose(before))).diagonal();
  learned.before = measured(learned.source, before, {}, learned.diagonal);
  report(progress, {(kLearned + 1) / 2, "errors"});
  learned.after = measured(learned.source, learned.file.character, learned.drawn, learned.diagonal);
  return std::make_shared<const LearnedSkin>(std::move(learned));
}

/// The rest shape that examples were made on, once the rest has moved.
Points examplesRest(const CharacterFile& before, const Character& after, bool moves) {
  const Points& rest = before.character.mesh.points;
  const Points madeOn =
      sameRestInWorld(before.character, after, before.examplesRest.cols() > 0 ? before.examplesRest : rest);
  const bool moved = (madeOn - rest).cwiseAbs().maxCoeff() > kStill * boundingBox(rest).diagonal();
  return moves || before.examplesRest.cols() > 0 || moved ? madeOn : Points(3, 0);
}

/// Whether some weights are not locked.
bool canChangeWeights(const Character& character, const FitOptions& options) {
  return options.locks.size() < toSize(character.skeleton.size());
}

CharacterFile fileOf(const CharacterFile& before, const BudgetedSkin& skin) {
  CharacterFile file = before;
  file.examplesRest = examplesRest(before, skin.corrected.character, skin.movedRest);
  file.character = skin.corrected.character;
  file.poseSpace = skin.corrected.poseSpace;
  file.poseSpaceMorphs = skin.corrected.morphs;
  return file;
}

/// Of the file as the studio saves it.
std::size_t bytesOf(const CharacterFile& file) {
  std::size_t bytes = 0;
  for (const auto& [path, content] : gltfToMemory("learned.glb", file).files) bytes += content.size();
  return bytes;
}

}  // namespace

LearnSource sourceOf(const Document& document, const PageSpace& space) {
  LearnSource source{.file = document.file, .dropped = document.file.poseSpaceMorphs, .examples = {}, .space = space};
  source.corrected = document.file.poseSpace != nullptr;
  removePoseSpaceMorphs(source.dropped, source.file.character);
  source.file.poseSpaceMorphs = {};
  source.file.poseSpace = nullptr;
  source.examples = exampleSet(document);
  for (Example& example : source.examples.examples) example.pose = poseFor(source, source.file.character, example.pose);
  return source;
}

Pose poseFor(const LearnSource& source, const Character& character, const Pose& pose) {
  Pose kept{pose.local, {}};
  const std::vector<int>& dropped = source.dropped.morphs;
  const std::size_t own = source.file.character.morphs.size();
  for (std::size_t m = 0; m < pose.morphWeights.size(); ++m) {
    // A pose without the dropped targets is one already.
    const bool gone = pose.morphWeights.size() > own &&
                      std::find(dropped.begin(), dropped.end(), static_cast<int>(m)) != dropped.end();
    if (!gone) kept.morphWeights.push_back(pose.morphWeights[m]);
  }
  Pose moved = poseOn(character, kept);
  applyHelpers(character.skeleton, character.helpers, moved);
  return moved;
}

Eigen::VectorXd LearnedSkin::errorsBefore(std::size_t example) const {
  const Example& wanted = source.examples.examples.at(example);
  const DrawnCharacter plain;
  return errorsOf(wanted, ShownPoser(source, source.file.character, plain).pose(wanted.pose));
}

Eigen::VectorXd LearnedSkin::errorsAfter(std::size_t example) const {
  const Example& wanted = source.examples.examples.at(example);
  return errorsOf(wanted, ShownPoser(source, file.character, drawn).pose(wanted.pose));
}

LearnedSkinPtr fitted(LearnSource source, const FitOptions& options, const sinew::Progress& progress) {
  const Character& character = source.file.character;
  LearnedSkin learned;
  std::optional<FitResult> result;
  FitOptions simple = options;
  simple.helpers = FitHelpers::None;
  simple.rest = false;
  const bool more = options.helpers != FitHelpers::None || options.rest;
  const double simplest = more && canChangeWeights(character, options) ? kSimple : 0;
  if (simplest > 0) result = fitSkin(character, source.examples, simple, partProgress(progress, 0, simplest));
  bool cancelled = false;
  try {
    result = fitSkin(character, source.examples, options, partProgress(progress, simplest, kLearned));
  } catch (const Error& error) {
    cancelled = error.code() == ErrorCode::Cancelled && result.has_value();
    if (!cancelled) throw;
    result->report.warnings.emplace_back(
        "cancelled: this is the fit of the weights alone, without helper joints and with the old rest shape");
  }
  learned.file = source.file;
  learned.file.examplesRest = examplesRest(source.file, result->character, options.rest && !cancelled);
  learned.file.character = std::move(result->character);
  learned.warnings = result->report.warnings;
  learned.fit = std::move(result->report);
  learned.source = std::move(source);
  return finished(std::move(learned), cancelled ? sinew::Progress() : progress);
}

LearnedSkinPtr learnedWithin(LearnSource source, const BudgetedSkinOptions& options, const sinew::Progress& progress) {
  const std::size_t before = options.budget.bytes ? bytesOf(source.file) : 0;
  const auto size = [&](const BudgetedSkin& skin) {
    const std::size_t bytes = bytesOf(fileOf(source.file, skin));
    return bytes > before ? bytes - before : 0;
  };
  ExamplesInMemory examples(source.examples);
  BudgetedSkinResult result =
      learnBudgetedSkin(source.file.character, examples, nullptr, size, options, partProgress(progress, 0, kLearned));
  LearnedSkin learned;
  learned.file = fileOf(source.file, result.skin);
  learned.warnings = result.report.warnings;
  learned.warnings.insert(learned.warnings.end(), result.report.notes.begin(), result.report.notes.end());
  learned.budget = std::move(result.report);
  learned.source = std::move(source);
  return finished(std::move(learned), progress);
}

CharacterFile keptFile(const LearnedSkin& learned, const CharacterFile& document) {
  CharacterFile file = learned.file;
  file.poses = document.poses;
  for (SavedPose& saved : file.poses) saved.pose = poseFor(learned.source, file.character, saved.pose);
  return file;
}

wire::FitFrame learnedFrame(const LearnedSkin& learned, Document& shown, const Pose& pose) {
  shown.views = {poseFor(learned.source, learned.file.character, pose)};
  wire::Frame frame = frameOf(shown, learned.drawn, 0);
  return {.palette = std::move(frame.palette),
          .targets = std::move(frame.targets),
          .targetWeights = std::move(frame.targetWeights)};
}

}  // namespace sinew::studio::fit
