// The journal of a document: what it began with and every step since, on disk before the page hears of it. Killing the
// studio at any moment loses nothing that was committed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edit_json.h"

namespace sinew::studio {

/// One record: {"op": "edit", "edit": ...}, {"op": "undo"}, {"op": "redo"}, and before and after a file is written
/// {"op": "saving" or "saved", "path", "content": name of the file's bytes}.
struct JournalRecord {
  std::string op;
  Json body;
};

/// A folder with `base` (what was opened), `journal` (records) and snapshots of whole characters.
class Journal final : public Snapshots {
 public:
  /// Opens or makes the folder. A record that was cut off by a crash, and all after it, is dropped.
  explicit Journal(std::filesystem::path folder);
  ~Journal() override;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// What was opened: {"title", "path", "kind", "content", ...}; null where the folder is new.
  [[nodiscard]] const Json& about() const { return about_; }
  /// Forgets everything and begins with this.
  void begin(const Json& about, const CharacterFile& base);
  /// The same with the bytes of a .glb.
  void begin(const Json& about, std::string_view base);
  /// The document lies elsewhere from now on.
  void rename(const Json& about);
  /// Its folder goes with it, unless it has moved to another by then.
  void makePassing() { passing_ = true; }
  /// Goes on in another folder; what is there is lost.
  void moveTo(const std::filesystem::path& folder);
  [[nodiscard]] CharacterFile base() const;
  [[nodiscard]] const std::vector<JournalRecord>& records() const { return records_; }

  /// Written and flushed to disk before it returns. Throws Unwritable.
  void append(const std::string& op, Json body = Json::object());
  /// Keeps a character as a file beside the journal, and returns its name.
  std::string snapshot(const CharacterFile& file);
  [[nodiscard]] CharacterFile load(const std::string& name) const override;

 private:
  void clear();
  void readRecords();
  void openForAppending();

  std::filesystem::path folder_;
  Json about_;
  std::vector<JournalRecord> records_;
  int descriptor_ = -1;
  bool passing_ = false;
  std::uint32_t snapshots_ = 0;
};

/// What a journal's folder says of itself, without its records; null where it is none.
Json aboutOf(const std::filesystem::path& folder);

/// The name of the folder for what is described so.
std::string journalName(const Json& about);

/// The document and history that a journal leads to.
struct Restored {
  Document document;
  History history;
  bool saved = true;  ///< nothing has changed since it was opened or saved
};
Restored restore(const Journal& journal);
/// The steps alone, onto the document that the journal began with.
void replay(const Journal& journal, Restored& restored);

/// How the file that a journal belongs to stands to it.
struct FileState {
  bool changed = false;      ///< it is neither what was opened nor what was saved last: someone else wrote it
  std::size_t unsaved = 0;   ///< steps since what it holds, or since it was saved last
  bool savedUntold = false;  ///< it was saved, and the studio ended before it could say so
};
/// `content` is the name of the file's bytes now; empty where it has none or is gone.
FileState fileState(const Journal& journal, const std::string& content);

/// The name of a file's bytes, those of the buffers of a .gltf too; of a folder, of what is in it. Empty where there is
/// nothing.
std::string contentOf(const std::filesystem::path& path);
/// The same of files before they are written, the .gltf first.
std::string contentOf(const std::vector<std::pair<std::filesystem::path, std::string>>& files);

/// Only one studio may write to a journal.
class FolderLock {
 public:
  /// Throws where another has it; `name` is for people.
  FolderLock(const std::filesystem::path& folder, const std::string& name);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// A place beside `folder` for a journal that will take its place; `number` tells those of one studio apart.
std::filesystem::path passingFolder(const std::filesystem::path& folder, std::uint32_t number);

/// Takes away what studios that were killed left behind: journals that had not taken their place yet.
void clearPassing(const std::filesystem::path& state);

/// Where journals lie: $XDG_STATE_HOME/sinew/studio, or ~/.local/state/sinew/studio, or a folder of the temporary ones.
std::filesystem::path stateFolder();

}  // namespace sinew::studio
