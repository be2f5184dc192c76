// Opening, off the worker's thread: the file is read, checked, stored in a journal, and converted to the blobs that the
// page fetches. The worker only takes the result.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/manipulate/drag_surface.h"
#include "studio/document/blob.h"
#include "studio/document/journal.h"
#include "studio/document/state_folder.h"
#include "studio/session/describe.h"
#include "studio/session/options.h"

namespace sinew::studio {

/// Prefixes of the page's names for samples and uploaded files.
inline constexpr std::string_view kSamplePrefix = "sample:";
inline constexpr std::string_view kUploadPrefix = "upload:";

/// Named stages of opening, with bytes and seconds: "read 12.4 MB 0.1 s · parse 0.3 s · neighbours".
class Stages {
 public:
  explicit Stages(const Progress& progress) : progress_(progress) {}
  /// Ends the previous stage. Throws Error(Cancelled) if the job was cancelled, as at() does.
  void begin(const std::string& name, double fraction, std::uintmax_t bytes = 0);
  /// Progress within a stage.
  void at(double fraction) const;
  /// For readers: reports `fraction` of the stage at each call. Refers to this object.
  [[nodiscard]] Progress asking(double fraction) const;

 private:
  const Progress& progress_;
  std::string words_;
  std::chrono::steady_clock::time_point since_;
};

/// What to open: a file, a folder of meshes, or a sample.
struct OpenRequest {
  std::string what;                 ///< the page's name
  std::filesystem::path path;       ///< its location; empty for samples
  std::vector<std::string> skip;    ///< file names of meshes of a folder to leave out
  std::filesystem::path resume;     ///< the journal to continue; empty: start a new one
  Json about = nullptr;             ///< of that journal, if its own description is damaged
  std::filesystem::path folder;     ///< where a new journal is created, before it replaces another
  std::int64_t sampleVertices = 0;  ///< 0: the default of the sample
  int slot = 0;                     ///< distinguishes studios that show the same sample
  FileRules rules = {};
  std::span<const ModeRow> modes;
};

/// A document with everything that is slow to compute.
struct Opened {
  std::unique_ptr<Journal> journal;  ///< null if meshes do not fit
  Restored restored;
  DrawnCharacter drawn;
  DescribedMesh described;
  std::vector<std::shared_ptr<const void>> prepared;  ///< one per mode
  std::vector<std::string> verdictNames;              ///< of each mesh of a folder
  std::vector<std::string> verdicts;                  ///< why it does not fit; empty: it fits
  std::string warning;                                ///< which part of the journal could not be read, for the user
  bool keepReplaced = false;  ///< the existing journal cannot be read: it is kept beside the new one
};

/// The journal of a document that is saved under another name.
struct SavedPlace {
  Json about = nullptr;          ///< null: it is not moved
  std::filesystem::path folder;  ///< its new folder
  std::unique_ptr<FolderLock> lock;
};

/// The folder of the journal for this description.
std::filesystem::path journalFolder(const SessionOptions& options, const Json& about);

/// Removes temporary files that a studio killed during a save left beside the file.
void clearTemporary(const std::filesystem::path& path);

/// Reads, checks and prepares. A damaged journal is replayed up to the damage; if nothing of it can be read, the
/// document starts again from its file. If meshes of a folder do not fit, the verdicts name them and nothing is opened.
/// Throws as readCharacter does, and Cancelled.
Opened openDocument(const OpenRequest& request, BlobStore& blobs, const Progress& progress);

/// The same for a character in memory.
Opened openCharacter(const Json& about, const CharacterFile& file, const std::filesystem::path& folder,
                     BlobStore& blobs, std::span<const ModeRow> modes);

}  // namespace sinew::studio
