// From a document and the options of an export to what the file holds: before anything is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/skin.h"
#include "sinew/io/formats.h"
#include "sinew/learn/pose_space_morphs.h"

namespace sinew::studio::exporting {

struct ExportOptions {
  std::string extension = ".glb";
  int influences = 0;  ///< per vertex at most; 0: all
  WeightFormat weights = WeightFormat::Float;
  double framesPerSecond = 30;  ///< least rate of baked keys
  bool skin = true;
  bool helpers = true;
  bool correctives = true;
  MorphMethod method = MorphMethod::Auto;
  int morphs = 0;  ///< learned morph targets per mesh at most; 0: those of the document, or automatic
  bool quantize = false;
  bool normals = true;
  std::vector<std::uint32_t> withoutClips;
  bool poses = true;
  bool examples = false;
};

/// Where a clip of the file comes from.
struct ClipSource {
  enum class Kind { Document, Poses, Examples };
  Kind kind = Kind::Document;
  std::size_t clip = 0;  ///< of the document
  std::string name;      ///< in the file
};

struct Prepared {
  CharacterFile file;
  WriteOptions writing;
  std::vector<ClipSource> clips;  ///< of the file, in its order
  std::vector<std::string> left;  ///< what is left out as asked, and what it costs, a sentence each
  std::vector<Pose> examples;     ///< poses of the document that the clip of the examples visits
  /// Of the learned corrections. If the document's targets are kept: only their number, method and the trade.
  PoseSpaceExportReport refit;
  bool keptMorphs = false;  ///< the document's morph targets of learned corrections are in the file as they are
  bool animated = true;     ///< the file has a skin that plays clips
};

/// Whether files of an extension hold a skin and clips.
bool holdsSkin(const std::string& extension);
/// Whether morph targets can be fitted to the learned corrections for the file: the document has the whole model.
bool refitsMorphs(const CharacterFile& file);
/// Index of the clip that visits the examples, which is made again; -1: there is none.
int examplesClipOf(const CharacterFile& file);
/// The poses of the examples of the learned corrections, without the rest pose, on this character.
std::vector<Pose> examplePoses(const Character& character, const PoseSpaceModel& model);

/// Throws as fitting and baking do, and BadInput for options out of range.
Prepared prepare(const CharacterFile& document, const ExportOptions& options, const sinew::Progress& progress);

}  // namespace sinew::studio::exporting
