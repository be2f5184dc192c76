// Reading and writing files. A format is one file next to this one and one row in the table.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"
#include "sinew/deform/posing.h"
#include "sinew/deform/reduced_model.h"
#include "sinew/io/file_rules.h"

namespace sinew {

class OutputFiles;

/// What a reader keeps of a file so that its writer can put back all that Sinew does not understand. Each format has
/// its own.
class SourceDocument {
 public:
  virtual ~SourceDocument() = default;
};

struct ReadOptions {
  /// Faults in values (NaN, weights that are negative or sum to 0) are listed in `problems` and repaired, instead of
  /// rejected. Faults in structure (sizes, indices, cycles) are always rejected.
  bool tolerant = false;
  Progress progress = {};  ///< called while the file is read
  FileRules rules = {};    ///< foreign formats, and where referenced files may be
  /// Accept a mesh without faces: for sculpts, which use the character's faces. Otherwise a mesh format without faces
  /// is rejected, because a truncated file looks like that.
  bool facesOptional = false;
};

/// A pose that someone saved under a name.
struct SavedPose {
  std::string name;
  Pose pose;
};

struct CharacterFile {
  Character character;
  std::shared_ptr<const SourceDocument> source;          ///< null for characters made by code
  std::string format;                                    ///< name of the registry row it came from
  std::vector<std::string> problems;                     ///< what is wrong with the file, a sentence each
  std::vector<std::string> blocks;                       ///< Sinew's own extensions found in it
  std::shared_ptr<const PoseSpaceModel> poseSpace = {};  ///< learned corrections, or null
  PoseSpaceMorphs poseSpaceMorphs = {};                  ///< those of the morph targets that imitate them
  std::shared_ptr<const ReducedModel> reduced = {};      ///< a reduced model of the mesh, or null
  /// The rest shape that examples were made on (3 x V), where a fit has moved the rest points since; else 3 x 0.
  Points examplesRest{3, 0};
  std::vector<SavedPose> poses = {};  ///< saved under names; of glTF only

  /// How the character plays: with its corrections if it has learned any.
  [[nodiscard]] Playback playback() const;
};

/// The operator of the learned corrections, which must be there.
DeformerPtr correctionsOf(const CharacterFile& file);

struct WriteOptions {
  bool includeUnskinned = true;                ///< mesh formats: also parts that no skin moves
  WeightFormat weights = WeightFormat::Float;  ///< of weights that differ from the source's; others stay as they are
  /// Displacements of morph targets that are multiples of 1/32767 up to 1 are stored in 16 bits (glTF only).
  bool quantizedMorphs = false;
  OutputFiles* into = nullptr;  ///< takes the files, which are in place when it commits; null: immediately
  Progress progress = {};       ///< called while files are written
};

/// What the format cannot store, one sentence per loss.
using LostList = std::vector<std::string>;

enum class FormatKind {
  Own,      ///< read by Sinew itself
  Foreign,  ///< read through a library that is not ours, in a process of its own
  Rare      ///< the same, and only on request (ForeignRules::rareFormats)
};

struct FormatRow {
  std::string_view name;                                                    ///< "glTF binary"
  std::span<const std::string_view> extensions;                             ///< with the dot, in lower case
  CharacterFile (*read)(const std::filesystem::path&, const ReadOptions&);  ///< null: cannot
  LostList (*write)(const std::filesystem::path&, const CharacterFile&, const WriteOptions&);  ///< null: cannot
  FormatKind kind = FormatKind::Own;
};

std::span<const FormatRow> formats();

/// Whether files of a row are read by these rules.
bool isReadable(const FormatRow& row, const FileRules& rules);

/// By extension. Errors name the file and the remedy (the extensions that can be read).
CharacterFile readCharacter(const std::filesystem::path& path, const ReadOptions& options = {});

/// By extension; atomic: written to a temporary name next to the target and renamed. Throws Unwritable and leaves no
/// file.
LostList writeCharacter(const std::filesystem::path& path, const CharacterFile& file, const WriteOptions& options = {});
/// The same for a character that was made by code, and for one with learned corrections.
LostList writeCharacter(const std::filesystem::path& path, const Character& character,
                        const WriteOptions& options = {});
LostList writeCharacter(const std::filesystem::path& path, const CorrectedCharacter& character,
                        const WriteOptions& options = {});

/// Throws the error that writeCharacter would for an extension or a folder that cannot be written: for commands with
/// long work.
void checkWritable(const std::filesystem::path& path);

/// Readable meshes of a folder in natural order (2 before 10), but for the one named `rest`; hidden and temporary files
/// are passed over, and of several formats the commonest is taken. A single file gives itself. Throws if there is none.
std::vector<std::filesystem::path> meshSequence(const std::filesystem::path& fileOrFolder, const FileRules& rules = {});

/// The mesh named `rest` of a folder: the shape that the sequence departs from, not one of its poses.
std::optional<std::filesystem::path> restOfSequence(const std::filesystem::path& folder, const FileRules& rules = {});

}  // namespace sinew
