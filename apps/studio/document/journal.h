// The journal of a document: its initial state and every step since, on disk before the page is notified. Killing the
// studio at any moment loses nothing that was committed; a step that could not be written is not committed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "studio/document/edit_json.h"
#include "studio/document/record_file.h"

namespace sinew::studio {

/// One record: {"op": "edit", "edit": ...}, {"op": "undo"}, {"op": "redo"}, several at once as {"op": "jump", "steps":
/// how many to redo, negative: to undo}, and before and after a file is written
/// {"op": "saving" or "saved", "path", "content": content hash of the file}.
struct JournalRecord {
  std::string op;
  Json body;
};

/// A save that the journal recorded.
struct SaveMark {
  bool done = false;  ///< false: only its start was recorded
  std::string path;
  std::string content;
  std::size_t steps = 0;  ///< before the save
};

/// A folder with `about.json`, `base.glb` (what was opened), `journal` (records), snapshots of whole characters and the
/// shapes of examples.
class Journal final : public Snapshots {
 public:
  /// Opens or creates the folder (0700), and reads its records, which changes nothing on disk. If its description is
  /// damaged, `wanted` replaces it. Throws Unwritable if the folder cannot be private, and Unreadable if its records
  /// cannot be read.
  explicit Journal(std::filesystem::path folder, const Json& wanted = nullptr);
  ~Journal() override;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// What was opened: {"title", "path", "kind", "content", ...}; null if the folder is new.
  [[nodiscard]] const Json& about() const { return about_; }
  /// Discards everything and starts with this.
  void begin(const Json& about, const CharacterFile& base);
  /// The same with the bytes of a .glb.
  void begin(Json about, std::string_view base);
  /// The document has a new path.
  void rename(const Json& about);
  /// The folder is removed by the destructor, unless the journal has moved by then.
  void makePassing() { passing_ = true; }
  /// Moves to another folder. Existing content there is lost, or kept as NAME.damaged-N. Throws Unwritable; then both
  /// are unchanged.
  void moveTo(const std::filesystem::path& folder, bool keepReplaced = false);
  /// Throws Unreadable if it is not the initial state of the journal.
  [[nodiscard]] CharacterFile base() const;

  [[nodiscard]] std::size_t size() const { return file_.count(); }  ///< records
  [[nodiscard]] std::size_t steps() const { return steps_; }        ///< edits, undos, redos and jumps
  [[nodiscard]] const std::vector<SaveMark>& saves() const { return saves_; }
  /// Reads the records again, one at a time. A record that `use` refuses (false) and all later ones count as damaged.
  void replay(const std::function<bool(const JournalRecord&)>& use);

  /// A sentence about what cannot be read; empty if it is intact.
  [[nodiscard]] std::string damage() const;
  /// Repairs a damaged journal: complete records stay, and the damaged file is kept as NAME.damaged-N. append() does so
  /// too. Throws Unwritable.
  void mend();

  /// Written and flushed to disk before it returns. Throws Unwritable; then it is stored neither on disk nor in memory.
  void append(const std::string& op, Json body = Json::object());
  /// The same for notes that are not steps (saves): if the disk is full, it is written with the next append. False: it
  /// is pending.
  bool note(const std::string& op, const Json& body);
  /// Stores a character as a file beside the journal and returns its name.
  std::string snapshot(const CharacterFile& file);
  /// Throws Unreadable if it is not what was stored.
  [[nodiscard]] CharacterFile load(const std::string& name) const override;
  /// Stores a shape as a file beside the journal, unless it is there already. Throws Unwritable.
  ExampleShapePtr store(PackedShape packed);
  /// Removes shapes of steps that were not committed: no record names them. Not while a step is made. If records are
  /// damaged, all shapes stay.
  void removeUnused();
  [[nodiscard]] ExampleShapePtr shape(const std::string& file) const override;

 private:
  void clear();
  void readAbout(const Json& wanted);
  void count(const JournalRecord& record);

  std::filesystem::path folder_;
  Json about_;
  bool aboutDamaged_ = false;
  bool aboutWaits_ = false;  ///< must be written again
  RecordFile file_;
  std::filesystem::path aside_;  ///< where a damaged file was moved
  bool damaged_ = false;
  std::vector<RecordFile::Bytes> waiting_;  ///< notes that could not be written yet
  std::size_t steps_ = 0;
  std::vector<SaveMark> saves_;
  bool passing_ = false;
  std::uint32_t snapshots_ = 0;
  std::set<std::string> named_;                                              ///< files of shapes, by all records
  mutable std::map<std::string, std::weak_ptr<const ExampleShape>> shapes_;  ///< those in use
};

/// The description of a journal's folder, without its records; null if it is missing or damaged.
Json aboutOf(const std::filesystem::path& folder);
/// Throws Unwritable.
void writeAbout(const std::filesystem::path& folder, const Json& about);

/// The name of the folder for this description.
std::string journalName(const Json& about);

/// The document and history that result from a journal.
struct Restored {
  Document document;
  History history;
  bool saved = true;  ///< nothing has changed since it was opened or saved
};
Restored restore(Journal& journal);
/// Applies only the steps, to the initial document of the journal. A step that does not fit it is damage.
void replay(Journal& journal, Restored& restored);

}  // namespace sinew::studio
