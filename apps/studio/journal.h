// The journal of a document: what it began with and every step since, on disk before the page hears of it. Killing the
// studio at any moment loses nothing that was committed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "edit_json.h"

namespace sinew::studio {

/// One record: {"op": "edit", "edit": ...}, {"op": "undo"}, {"op": "redo"}, {"op": "saved", "content": name of the
/// file's bytes}.
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
  /// What was opened: {"title", "path", "kind", ...}; null where the folder is new.
  [[nodiscard]] const Json& about() const { return about_; }
  /// Forgets everything and begins with this.
  void begin(const Json& about, const CharacterFile& base);
  [[nodiscard]] CharacterFile base() const;
  [[nodiscard]] const std::vector<JournalRecord>& records() const { return records_; }

  /// Written and flushed to disk before it returns. Throws Unwritable.
  void append(const std::string& op, Json body = Json::object());
  /// Keeps a character as a file beside the journal, and returns its name.
  std::string snapshot(const CharacterFile& file);
  [[nodiscard]] CharacterFile load(const std::string& name) const override;

 private:
  void readRecords();
  void openForAppending();

  std::filesystem::path folder_;
  Json about_;
  std::vector<JournalRecord> records_;
  int descriptor_ = -1;
  std::uint32_t snapshots_ = 0;
};

/// The document and history that a journal leads to.
struct Restored {
  Document document;
  History history;
  bool saved = true;  ///< nothing has changed since it was opened or saved
};
Restored restore(const Journal& journal);

/// Where journals lie: $XDG_STATE_HOME/sinew/studio, or ~/.local/state/sinew/studio, or a folder of the temporary ones.
std::filesystem::path stateFolder();

}  // namespace sinew::studio
