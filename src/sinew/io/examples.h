// Examples in files, read when they are needed: sculpts, and the frames of simulations and scans.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/example_source.h"
#include "sinew/io/formats.h"

namespace sinew {

namespace examples {
struct Plan;
struct Shape;
}  // namespace examples

/// A clip of the character, or of another file: its joints move those of the same name.
struct ClipSource {
  std::string name = {};            ///< name or index; empty: the only one
  std::filesystem::path file = {};  ///< empty: the character's own
};

/// As people type it: CLIP, FILE or FILE:CLIP. A clip of the character comes first.
ClipSource clipSource(std::string_view text, const Character& character);

/// Meshes at the frames of a clip (docs/formats.md: when each frame is).
struct SequenceFiles {
  ClipSource clip = {};
  /// A point cache (.pc2, .mdd), a folder of meshes in natural order, or a file with a clip that animates its shape.
  std::filesystem::path meshes = {};
  std::filesystem::path rest = {};  ///< their own rest mesh; empty: `rest` of a folder, or none
  double framesPerSecond = 0;       ///< of a .pc2 or a folder; 0: 24 of a .pc2, a folder is spread over the clip
};

struct OpenExamplesOptions {
  bool force = false;  ///< shapes that contradict their pose are taken all the same, with a warning
  std::string unlessForced = "or continue anyway with --force";  ///< ends the sentence about such a shape
  FileRules rules = {};                                          ///< also where files referenced by the manifest may be
  double memory = 512;    ///< megabytes of shapes that are kept; others are read again when they are needed
  std::string name = {};  ///< sequences: names of frames begin with it; empty: those of the files
};

/// Refers to the character that it was opened for.
class ExampleFiles final : public ExampleSource {
 public:
  ExampleFiles(examples::Plan plan, double memory);
  ~ExampleFiles() override;

  /// Throws BadInput if a shape does not fit the character or contradicts its pose, and the readers' errors.
  void read(std::size_t k, Example& example) override;
  /// Reads all shapes once, so that what is wrong is known before work begins.
  void check(const Progress& progress = {});

  /// Of the example read last: its shape with all instances of its meshes, as in its file; 3 x 0 if the file has only
  /// the first instances.
  [[nodiscard]] const Points& placed() const { return placed_; }
  /// Whether all shapes that were read have all instances of their meshes.
  [[nodiscard]] bool allPlaced() const { return allPlaced_; }
  /// Frames of sequences among the examples.
  [[nodiscard]] std::size_t frames() const;
  /// How meshes were matched: scale, axes, mirror, what is unmatched; when frames are.
  [[nodiscard]] const std::vector<std::string>& notes() const;
  /// What is probably not meant; of shapes that were read so far.
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// Per example: rms distance of plain skinning to it in scene units; 0 before it was read.
  [[nodiscard]] std::span<const double> plainErrors() const { return plainErrors_; }

 private:
  struct Kept {
    Example example;
    Points placed;
  };
  void load(std::size_t k, Example& example);
  void inspect(std::size_t k, const examples::Shape& sculpt, const Example& example, const Points& posed);

  std::unique_ptr<examples::Plan> plan_;
  std::vector<std::unique_ptr<Kept>> kept_;
  double room_;  ///< bytes
  std::vector<bool> checked_;
  std::vector<double> plainErrors_;
  std::size_t moreWarnings_ = 0;
  Points placed_{3, 0};
  bool allPlaced_ = true;
};

/// Reads examples.json, its poses and rest meshes, but no shapes. Throws as readExamples (io/poses.h).
std::unique_ptr<ExampleFiles> openExamples(const std::filesystem::path& manifest, const CharacterFile& file,
                                           const OpenExamplesOptions& options = {});
std::unique_ptr<ExampleFiles> openExamples(const std::filesystem::path& manifest, const Character& character,
                                           const OpenExamplesOptions& options = {});

/// The frames of one sequence. Throws NotFound for a clip or meshes that are not there, and BadInput for a clip that is
/// shorter than its meshes.
std::unique_ptr<ExampleFiles> openSequence(const SequenceFiles& sequence, const CharacterFile& file,
                                           const OpenExamplesOptions& options = {});

}  // namespace sinew
