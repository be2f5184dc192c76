// Hand-written files of poses and examples (docs/formats.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/character/example_set.h"
#include "sinew/io/formats.h"

namespace sinew {

/// A pose file (.json), or `CLIP@SECONDS`, or "rest". Errors name the file, the joint and the nearest name. A time
/// outside its clip is clamped; `warnings` gets a sentence.
Pose readPose(std::string_view fileOrClip, const Character& character, std::vector<std::string>* warnings = nullptr);

/// The text of a pose file: only the joints that differ from rest.
std::string poseToText(const Character& character, const Pose& pose);

/// Writes it. Atomic.
void writePose(const std::filesystem::path& path, const Character& character, const Pose& pose);

struct ExamplesFile {
  ExampleSet set;  ///< in the character's vertex order
  /// Per example: the sculpt with all instances of its meshes, as in its file; 3 x 0 if the file has only the first
  /// instances.
  std::vector<Points> placed = {};
  std::vector<std::string> notes = {};  ///< how each mesh was matched: scale, axes, mirror, what is unmatched
  std::vector<std::string> warnings =
      {};                  ///< what is probably not meant in a sculpt; with `force` also what contradicts
  std::size_t frames = 0;  ///< of sequences among the examples
};

struct ReadExamplesOptions {
  bool force = false;      ///< sculpts that contradict their pose are taken all the same, with a warning
  Progress progress = {};  ///< called for every mesh
  FileRules rules = {};    ///< also where files referenced by the manifest may be
};

/// Reads examples.json and its meshes and poses, and matches every mesh to the character (character/correspondence).
ExamplesFile readExamples(const std::filesystem::path& manifest, const Character& character,
                          const ReadExamplesOptions& options = {});
/// The same for a character whose rest shape a fit may have moved: meshes are matched to the original one.
ExamplesFile readExamples(const std::filesystem::path& manifest, const CharacterFile& file,
                          const ReadExamplesOptions& options = {});

/// Writes `manifest` (examples.json or heldout.json), a pose and an OBJ per example and the rest mesh into one folder.
/// `mesh` gives the faces; the points of each example replace its own. Returns the files written. `into` takes the
/// files, which are in place when it commits; null: as soon as all are written.
std::vector<std::filesystem::path> writeExamples(const std::filesystem::path& manifest, const Character& character,
                                                 const ExampleSet& set, OutputFiles* into = nullptr,
                                                 const Progress& progress = {});

}  // namespace sinew
