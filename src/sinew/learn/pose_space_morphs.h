// Pose-space deformation for engines that only morph before linear blend skinning, as glTF does.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/compare.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/pose_space.h"

namespace sinew {

/// Where the weights of morph targets come from.
enum class MorphMethod {
  Auto,  ///< knots where they keep the asked error, otherwise the better one with as many targets
  Svd,   ///< few shapes that all corrections are mixed from; a weight is a mixture of the weights of the examples
  Knots  ///< a target per pose, whose weight is 1 there: for engines whose own interpolators compute the weights
};
constexpr auto choiceRows(MorphMethod) {
  return choiceTable<MorphMethod>(
      {{MorphMethod::Auto, "auto"}, {MorphMethod::Svd, "svd"}, {MorphMethod::Knots, "knots"}});
}

struct PoseSpaceExportOptions {
  MorphMethod method = MorphMethod::Auto;
  int maxMorphs = 32;      ///< morph targets of a mesh at most
  double askedError = 0;   ///< rms that the refit may leave, in diagonals; 0: from the model's own error
  double leaveOneOut = 0;  ///< the model's own error where it has no example (rms, scene units); 0: not known
  bool normals = true;     ///< morph targets store normals too, for shading
  /// Displacements and normals of morph targets are multiples of 1/32767 up to 1, for WriteOptions::quantizedMorphs.
  /// Weights take up the scale.
  bool quantize = false;
  double framesPerSecond = 30;    ///< the least density of baked keys
  int mostCentres = 600;          ///< poses by which weights of mixed shapes are interpolated; fewer are less data
  double bakeTolerance = 2e-5;    ///< how far linear keys may be from the weights' curves, in diagonals
  bool examplesClip = true;       ///< add a clip that visits every example, one per second
  std::string clip = "examples";  ///< its name; where another clip has it, a number is added
};

template <class Visitor>
void visitFields(PoseSpaceExportOptions& o, Visitor&& visit) {
  visit(o.method,
        {.name = "morphs", .help = "morph targets: few shapes that are mixed (svd), or one per pose (knots)"});
  visit(o.maxMorphs, {.name = "max-morphs", .help = "maximum morph targets per mesh", .least = 1, .most = 1024});
  visit(o.askedError, {.name = "morph-error",
                       .help = "allowed rms error of the morph targets; 0: from the error of the model",
                       .unit = "diagonals",
                       .least = 0,
                       .most = 1});
  visit(o.normals, {.name = "morph-normals", .help = "store normals in morph targets; off halves their size"});
  visit(o.quantize, {.name = "quantize-morphs", .help = "store morph targets in 16 bits (KHR_mesh_quantization)"});
  visit(o.framesPerSecond,
        {.name = "frames-per-second", .help = "minimum rate of baked keys", .least = 1, .most = 1000});
  visit(o.examplesClip, {.name = "examples-clip", .help = "add a clip that visits every example, one per second"});
}

/// What a number of morph targets leaves.
struct PoseSpaceTrade {
  int morphs = 0;         ///< per mesh
  std::size_t bytes = 0;  ///< of their displacements in the file
  double rms = 0;         ///< against the model over the sampled poses, scene units
  double heldOut = 0;     ///< the same at poses that were not fitted
  MorphMethod method = MorphMethod::Knots;
};

struct PoseSpaceExportReport {
  int morphs = 0;                           ///< added to each mesh that is corrected
  MorphMethod method = MorphMethod::Knots;  ///< never Auto
  std::size_t bytes = 0;                    ///< of their displacements and baked weights in the file
  double asked = 0;                         ///< requested rms against the model, scene units
  double reached = 0;                       ///< over the sampled poses
  std::vector<PoseSpaceTrade> trade;        ///< by rising number of morph targets, the chosen method first
  SequenceError error;                      ///< what the file plays against the example meshes; a frame per example
  SequenceError model;                      ///< what the file plays against the model, over baked frames of all clips
  std::vector<std::string> warnings;        ///< a sentence each
  double seconds = 0;

  /// One line for display.
  [[nodiscard]] std::string sentence() const;
};

struct PoseSpaceExport {
  Character character;  ///< with the morph targets at the end, weights baked into every clip, the examples' clip
  PoseSpaceMorphs morphs;
  PoseSpaceExportReport report;
};

/// Refits a model of any space to morph targets (docs/methods/pose_space.md) and puts them into a copy of the
/// character. The character must not have the morph targets of an earlier export any more (removePoseSpaceMorphs).
/// The number of morph targets is the smallest that keeps the asked error, at most `maxMorphs`.
/// Throws BadInput for a character without a skin and sizes that do not fit.
PoseSpaceExport exportPoseSpace(const Character& character, std::shared_ptr<const PoseSpaceModel> model,
                                ExampleSource& examples, const PoseSpaceExportOptions& options = {},
                                const Progress& progress = {});
PoseSpaceExport exportPoseSpace(const Character& character, std::shared_ptr<const PoseSpaceModel> model,
                                const ExampleSet& set, const PoseSpaceExportOptions& options = {},
                                const Progress& progress = {});

/// Bakes the weights of morph targets that the character has into one of its clips, as exportPoseSpace does by the
/// default options. Nothing where the clip moves no driver.
void bakePoseSpaceMorphs(const Character& character, const PoseSpaceModel& model, const PoseSpaceMorphs& morphs,
                         double framesPerSecond, Clip& clip);

}  // namespace sinew
