#include "studio/modes/export/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/character/examples_clip.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/helper_joints.h"
#include "studio/document/examples.h"
#include "studio/modes/export/kept_morphs.h"

namespace sinew::studio::exporting {
namespace {

constexpr int kAutomaticMorphs = 32;  ///< of an automatic number
/// Asked of a refit with a given number of targets: less than it can reach, so that it takes them all.
constexpr double kLeastError = 1e-9;

/// The examples of a model as the model itself plays them.
class ModelExamples final : public ExampleSource {
 public:
  ModelExamples(const Character& character, const std::shared_ptr<const PoseSpaceModel>& model,
                const std::vector<Pose>& poses)
      : ExampleSource(outlineOf(*model, poses)),
        poser_(character, std::make_shared<PoseSpaceDeformer>(character, model)) {}

  void read(std::size_t k, Example& example) override {
    example = outline().examples.at(k);
    example.points = poser_.pose(example.pose);
  }

 private:
  static ExampleSet outlineOf(const PoseSpaceModel& model, const std::vector<Pose>& poses) {
    ExampleSet set;
    for (std::size_t k = 0; k < poses.size(); ++k)
      set.examples.push_back({.name = model.names[k + 1], .pose = poses[k], .points = Points(3, 0), .mask = {}});
    return set;
  }

  CharacterPoser poser_;
};

void check(const ExportOptions& options) {
  if (!(options.framesPerSecond >= 1 && options.framesPerSecond <= 1000)) {
    throw Error(ErrorCode::BadInput, fmt::format("{} keys per second; it must be 1 to 1000", options.framesPerSecond));
  }
}

/// The binding that takes the weights of a helper joint: that of the joint it follows, or of the nearest joint above.
std::uint32_t heirOf(const Character& character, const HelperJoint& helper, std::size_t binding) {
  const std::vector<Binding>& bindings = character.skin.bindings;
  const auto of = [&](int joint) {
    return std::find_if(bindings.begin(), bindings.end(), [&](const Binding& other) {
      return other.joint == joint && other.skin == bindings[binding].skin;
    });
  };
  for (int joint = helper.source; joint >= 0; joint = character.skeleton[joint].parent) {
    const auto found = of(joint);
    if (found != bindings.end()) return static_cast<std::uint32_t>(found - bindings.begin());
  }
  return static_cast<std::uint32_t>(binding);
}

/// Gives the weights of helper joints to the joints that they follow, and takes out their rules and keys.
void foldHelpers(Character& character) {
  std::map<std::uint32_t, std::uint32_t> heirs;
  for (std::size_t b = 0; b < character.skin.bindings.size(); ++b) {
    for (const HelperJoint& helper : character.helpers) {
      if (helper.joint == character.skin.bindings[b].joint)
        heirs[static_cast<std::uint32_t>(b)] = heirOf(character, helper, b);
    }
  }
  const SkinWeights& weights = character.skin.weights;
  std::vector<std::vector<Influence>> columns(toSize(weights.vertexCount()));
  for (Index v = 0; v < weights.vertexCount(); ++v) {
    std::map<std::uint32_t, double> sums;
    for (const Influence& influence : weights[v]) {
      const auto heir = heirs.find(influence.binding);
      sums[heir == heirs.end() ? influence.binding : heir->second] += influence.weight;
    }
    for (const auto& [binding, weight] : sums) columns[toSize(v)].push_back({binding, weight});
  }
  character.skin.weights = SkinWeights::fromColumns(weights.bindingCount(), columns);
  for (Clip& clip : character.clips) {
    std::erase_if(clip.channels, [&](const ClipChannel& channel) {
      return channel.path != ClipPath::Weights && isHelper(character.helpers, channel.joint);
    });
  }
  character.helpers.clear();
}

class Preparation {
 public:
  Preparation(const CharacterFile& document, const ExportOptions& options, const sinew::Progress& progress)
      : document_(document), options_(options), progress_(progress) {
    made_.keptMorphs =
        holdsSkin(options.extension) && options.skin && document.character.hasSkin() && keepsMorphs(document, options);
    made_.file = document;
    made_.writing = {.includeUnskinned = true, .weights = options.weights, .quantizedMorphs = options.quantize};
  }

  Prepared run() {
    report(progress_, {0, "preparing"});
    Character& character = made_.file.character;
    if (!holdsSkin(options_.extension)) {
      made_.animated = false;
    } else if (!options_.skin || !character.hasSkin()) {
      made_.animated = false;
      if (character.hasSkin()) dropSkin();
    } else {
      chooseClips();
      dropOldMorphs();
      addPoses();
      if (!options_.helpers && !character.helpers.empty()) dropHelpers();
      if (options_.influences > 0) character.skin.weights = character.skin.weights.limited(options_.influences);
      if (!character.helpers.empty()) bakeHelpers(character, options_.framesPerSecond);
      made_.keptMorphs ? keep() : refit();
    }
    return std::move(made_);
  }

 private:
  /// The mesh as it rests in the scene.
  void dropSkin() {
    CharacterFile& file = made_.file;
    Character still;
    still.name = file.character.name;
    still.mesh = restMesh(document_.character, instancesOf(document_), document_.playback());
    for (MeshPart& part : still.mesh.parts) {
      part.skinned = false;
      part.node = -1;
      part.instances = 1;
    }
    file.character = std::move(still);
    file.poseSpace = nullptr;
    file.poseSpaceMorphs = {};
    file.examplesRest = Points(3, 0);
    file.poses.clear();
    made_.left.emplace_back(
        "The skin, its joints, morph targets and clips are left out: the file holds the rest shape.");
  }

  void chooseClips() {
    const int visits = examplesClipOf(document_);
    std::vector<Clip> kept;
    std::vector<std::string> without;
    for (std::size_t c = 0; c < document_.character.clips.size(); ++c) {
      if (static_cast<int>(c) == visits && refitsMorphs(document_) && !(made_.keptMorphs && options_.examples))
        continue;
      const Clip& clip = document_.character.clips[c];
      if (std::find(options_.withoutClips.begin(), options_.withoutClips.end(), c) != options_.withoutClips.end()) {
        without.push_back(clip.name.empty() ? fmt::format("clip {}", c) : clip.name);
        continue;
      }
      kept.push_back(clip);
      made_.clips.push_back({ClipSource::Kind::Document, c, clip.name});
    }
    made_.file.character.clips = std::move(kept);
    if (!without.empty())
      made_.left.push_back(fmt::format("{} left out: {}.", without.size() == 1 ? "A clip is" : "Clips are",
                                       fmt::format("{}", joined(without))));
  }

  static std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  /// Takes out the morph targets that imitate learned corrections, where they are fitted again or not wanted.
  void dropOldMorphs() {
    CharacterFile& file = made_.file;
    if (file.poseSpace && !options_.correctives) {
      made_.left.emplace_back("The learned corrections are left out: the file plays plain skinning.");
    } else if (made_.keptMorphs || !refitsMorphs(document_)) {
      return;
    }
    PoseSpaceMorphs old = file.poseSpaceMorphs;
    old.clip.clear();  // chooseClips has left it out
    removePoseSpaceMorphs(old, file.character);
    for (SavedPose& saved : file.poses) saved.pose = poseOfExample(document_, saved.pose);
    file.poseSpaceMorphs = {};
    if (!options_.correctives) file.poseSpace = nullptr;
  }

  /// Saved poses as a clip, because no other program reads the block that holds them.
  void addPoses() {
    CharacterFile& file = made_.file;
    if (!options_.poses) {
      if (!file.poses.empty())
        made_.left.push_back(
            fmt::format("{} left out.", file.poses.size() == 1 ? "The saved pose is" : "The saved poses are"));
      file.poses.clear();
    }
    if (file.poses.empty()) return;
    ExampleSet set;
    for (const SavedPose& saved : file.poses)
      set.examples.push_back({.name = saved.name, .pose = saved.pose, .points = Points(3, 0), .mask = {}});
    addClip(ClipSource::Kind::Poses, examplesClip(file.character, set, freeClipName(file.character, "poses")));
  }

  void addClip(ClipSource::Kind kind, Clip clip) {
    if (clip.channels.empty()) return;  // its poses are all at rest
    made_.clips.push_back({kind, 0, clip.name});
    made_.file.character.clips.push_back(std::move(clip));
  }

  void dropHelpers() {
    Character& character = made_.file.character;
    made_.left.push_back(
        fmt::format("{} left out: the joints that they follow take their weights. Their nodes stay, unused.",
                    character.helpers.size() == 1 ? "A helper joint is" : "Helper joints are"));
    foldHelpers(character);
  }

  /// The document's own morph targets. What other numbers of them would leave is computed beside it.
  void keep() {
    CharacterFile& file = made_.file;
    if (refitsMorphs(document_)) {
      if (!options_.normals) dropKeptNormals(file);
      chooseExamplesClip();
    }
    bakeKeptMorphs(file, options_.framesPerSecond, file.character.clips);
    if (refitsMorphs(document_)) made_.refit.trade = tradeOf(file);
    const LearnedMorphs kept = learnedMorphsOf(document_).value();
    made_.refit.morphs = kept.morphs;
    made_.refit.method = kept.method;
  }

  /// One that the document has was chosen with the other clips.
  void chooseExamplesClip() {
    CharacterFile& file = made_.file;
    if (examplesClipOf(file) >= 0) return;
    file.poseSpaceMorphs.clip.clear();
    if (!options_.examples) return;
    made_.examples = examplePoses(document_.character, *document_.poseSpace);
    const std::vector<Pose> poses = examplePoses(file.character, *file.poseSpace);
    const ModelExamples examples(file.character, file.poseSpace, poses);
    file.poseSpaceMorphs.clip = freeClipName(file.character, "examples");
    addClip(ClipSource::Kind::Examples, examplesClip(file.character, examples.outline(), file.poseSpaceMorphs.clip));
  }

  std::vector<PoseSpaceTrade> tradeOf(const CharacterFile& file) {
    PoseSpaceMorphs old = file.poseSpaceMorphs;
    old.clip.clear();
    Character character = file.character;
    removePoseSpaceMorphs(old, character);
    PoseSpaceExportOptions exporting = fitting();
    exporting.maxMorphs = kAutomaticMorphs;
    exporting.askedError = 0;
    exporting.examplesClip = false;
    return fittedTo(character, exporting).report.trade;
  }

  [[nodiscard]] PoseSpaceExportOptions fitting() const {
    PoseSpaceExportOptions exporting;
    exporting.method = options_.method;
    exporting.maxMorphs = options_.morphs;
    if (const auto learned = learnedMorphsOf(document_); learned && options_.morphs == 0) {
      // Only their storage changes.
      exporting.maxMorphs = learned->morphs;
      if (options_.method == MorphMethod::Auto) exporting.method = learned->method;
    }
    exporting.askedError = kLeastError;
    if (exporting.maxMorphs == 0) {
      exporting.maxMorphs = kAutomaticMorphs;
      exporting.askedError = 0;
    }
    exporting.normals = options_.normals;
    exporting.quantize = options_.quantize;
    exporting.framesPerSecond = options_.framesPerSecond;
    exporting.examplesClip = options_.examples;
    return exporting;
  }

  PoseSpaceExport fittedTo(const Character& character, const PoseSpaceExportOptions& exporting) {
    const std::shared_ptr<const PoseSpaceModel>& model = made_.file.poseSpace;
    const std::vector<Pose> poses = examplePoses(character, *model);
    ModelExamples examples(character, model, poses);
    return exportPoseSpace(character, model, examples, exporting, partProgress(progress_, 0.05, 0.95));
  }

  void refit() {
    CharacterFile& file = made_.file;
    if (!file.poseSpace || !refitsMorphs(document_)) return;
    made_.examples = examplePoses(document_.character, *document_.poseSpace);
    PoseSpaceExport exported = fittedTo(file.character, fitting());
    file.character = std::move(exported.character);
    file.poseSpaceMorphs = std::move(exported.morphs);
    if (!file.poseSpaceMorphs.clip.empty())
      made_.clips.push_back({ClipSource::Kind::Examples, 0, file.poseSpaceMorphs.clip});
    for (SavedPose& saved : file.poses) saved.pose = poseOn(file.character, saved.pose);
    made_.refit = std::move(exported.report);
  }

  const CharacterFile& document_;
  const ExportOptions& options_;
  const sinew::Progress& progress_;
  Prepared made_;
};

}  // namespace

bool holdsSkin(const std::string& extension) {
  return extension == ".glb" || extension == ".gltf";
}

bool refitsMorphs(const CharacterFile& file) {
  return file.poseSpace && !file.poseSpace->inMorphs;
}

int examplesClipOf(const CharacterFile& file) {
  const std::string& name = file.poseSpaceMorphs.clip;
  const std::vector<Clip>& clips = file.character.clips;
  const auto found = std::find_if(clips.begin(), clips.end(), [&](const Clip& clip) { return clip.name == name; });
  return name.empty() || found == clips.end() ? -1 : static_cast<int>(found - clips.begin());
}

std::vector<Pose> examplePoses(const Character& character, const PoseSpaceModel& model) {
  std::vector<Pose> poses;
  for (Index k = 1; k < model.poses.cols(); ++k) {
    poses.push_back(restPose(character));
    model.poseSpace.apply(character.skeleton, model.poses.col(k), poses.back());
  }
  return poses;
}

Prepared prepare(const CharacterFile& document, const ExportOptions& options, const sinew::Progress& progress) {
  check(options);
  return Preparation(document, options, progress).run();
}

}  // namespace sinew::studio::exporting
