// What is opened, made ready beside the worker: read, checked, kept in a journal, and turned into what the page
// fetches. The worker only takes it over.
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

/// How the page names samples and what was sent by it.
inline constexpr std::string_view kSamplePrefix = "sample:";
inline constexpr std::string_view kUploadPrefix = "upload:";

/// Named stages of opening, with bytes and seconds: "read 12.4 MB 0.1 s · parse 0.3 s · neighbours".
class Stages {
 public:
  explicit Stages(const Progress& progress) : progress_(progress) {}
  /// The stage before has ended. Throws Error(Cancelled) where that is wanted, as at() does.
  void begin(const std::string& name, double fraction, std::uintmax_t bytes = 0);
  /// Within a stage.
  void at(double fraction) const;
  /// For readers: each time they ask, the stage stands at `fraction`. Refers to this object.
  [[nodiscard]] Progress asking(double fraction) const;

 private:
  const Progress& progress_;
  std::string words_;
  std::chrono::steady_clock::time_point since_;
};

/// What shall be opened: a file, a folder of meshes, or a sample.
struct OpenRequest {
  std::string what;                 ///< as the page names it
  std::filesystem::path path;       ///< where that lies; empty for samples
  std::vector<std::string> skip;    ///< meshes of a folder that are left out, by file name
  std::filesystem::path resume;     ///< the journal to go on with; empty: begin anew
  Json about = nullptr;             ///< of that journal, where its own description is damaged
  std::filesystem::path folder;     ///< where a new journal is made, before it takes the place of another
  std::int64_t sampleVertices = 0;  ///< 0: as many as the sample has
  int slot = 0;                     ///< several studios may show one sample
  FileRules rules = {};
  std::span<const ModeRow> modes;
};

/// A document with all that takes long to make.
struct Opened {
  std::unique_ptr<Journal> journal;  ///< null where meshes do not fit
  Restored restored;
  DrawnCharacter drawn;
  DescribedMesh described;
  std::vector<std::shared_ptr<const void>> prepared;  ///< by the modes, one each
  std::vector<std::string> verdictNames;              ///< of each mesh of a folder
  std::vector<std::string> verdicts;                  ///< what is wrong with it; empty: it fits
  std::string warning;                                ///< what of the journal could not be read, for people
  bool keepReplaced = false;  ///< the journal that was there cannot be read: it is kept beside the new one
};

/// The journal of a document that is saved under another name.
struct SavedPlace {
  Json about = nullptr;          ///< null: it stays where it is
  std::filesystem::path folder;  ///< where it goes
  std::unique_ptr<FolderLock> lock;
};

/// Where the unsaved steps of something that was opened are kept.
std::filesystem::path journalFolder(const SessionOptions& options, const Json& about);

/// Takes away what a studio that was killed in the middle of a save left beside the file.
void clearTemporary(const std::filesystem::path& path);

/// Reads, checks and prepares. Of a damaged journal everything before the damage is there; where that is nothing at all
/// the document begins anew. Meshes of a folder that do not fit are told in the verdicts; nothing is opened then.
/// Throws as readCharacter does, and Cancelled.
Opened openDocument(const OpenRequest& request, BlobStore& blobs, const Progress& progress);

/// The same for a character that is at hand.
Opened openCharacter(const Json& about, const CharacterFile& file, const std::filesystem::path& folder,
                     BlobStore& blobs, std::span<const ModeRow> modes);

}  // namespace sinew::studio
