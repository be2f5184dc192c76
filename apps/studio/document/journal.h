// The journal of a document: what it began with and every step since, on disk before the page hears of it. Killing the
// studio at any moment loses nothing that was committed; what could not be kept was never committed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "studio/document/edit_json.h"
#include "studio/document/record_file.h"

namespace sinew::studio {

/// One record: {"op": "edit", "edit": ...}, {"op": "undo"}, {"op": "redo"}, several at once as {"op": "jump", "steps":
/// how many to redo, negative: to undo}, and before and after a file is written
/// {"op": "saving" or "saved", "path", "content": name of the file's bytes}.
struct JournalRecord {
  std::string op;
  Json body;
};

/// A save that the journal knows of.
struct SaveMark {
  bool done = false;  ///< false: it was about to be written
  std::string path;
  std::string content;
  std::size_t steps = 0;  ///< before it
};

/// A folder with `about.json`, `base.glb` (what was opened), `journal` (records) and snapshots of whole characters.
class Journal final : public Snapshots {
 public:
  /// Opens or makes the folder (0700), and reads its records, which changes nothing on disk. Where the description of
  /// what it is about is damaged, `wanted` takes its place. Throws Unwritable where the folder cannot be one's own, and
  /// Unreadable where its records cannot be read.
  explicit Journal(std::filesystem::path folder, const Json& wanted = nullptr);
  ~Journal() override;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// What was opened: {"title", "path", "kind", "content", ...}; null where the folder is new.
  [[nodiscard]] const Json& about() const { return about_; }
  /// Forgets everything and begins with this.
  void begin(const Json& about, const CharacterFile& base);
  /// The same with the bytes of a .glb.
  void begin(Json about, std::string_view base);
  /// The document lies elsewhere from now on.
  void rename(const Json& about);
  /// Its folder goes with it, unless it has moved to another by then.
  void makePassing() { passing_ = true; }
  /// Goes on in another folder. What is there is lost, or kept as NAME.damaged-N. Throws Unwritable; then both are what
  /// they were.
  void moveTo(const std::filesystem::path& folder, bool keepReplaced = false);
  /// Throws Unreadable where it is not what the journal began with.
  [[nodiscard]] CharacterFile base() const;

  [[nodiscard]] std::size_t size() const { return file_.count(); }  ///< records
  [[nodiscard]] std::size_t steps() const { return steps_; }        ///< edits, undos, redos and jumps
  [[nodiscard]] const std::vector<SaveMark>& saves() const { return saves_; }
  /// Reads the records again, one at a time. One that `use` refuses (false), and all after it, counts as damaged.
  void replay(const std::function<bool(const JournalRecord&)>& use);

  /// What of it cannot be read, a sentence; empty where all is well.
  [[nodiscard]] std::string damage() const;
  /// Puts a damaged journal in order: what is whole stays, and the damaged file is kept as NAME.damaged-N. append()
  /// does it, too. Throws Unwritable.
  void mend();

  /// Written and flushed to disk before it returns. Throws Unwritable; then it is neither on disk nor in memory.
  void append(const std::string& op, Json body = Json::object());
  /// The same for what is good to know but no step (saves): where the disk has no room for it now, it goes with the
  /// next append. False: it waits.
  bool note(const std::string& op, const Json& body);
  /// Keeps a character as a file beside the journal, and returns its name.
  std::string snapshot(const CharacterFile& file);
  /// Throws Unreadable where it is not what was kept.
  [[nodiscard]] CharacterFile load(const std::string& name) const override;

 private:
  void clear();
  void readAbout(const Json& wanted);
  void count(const JournalRecord& record);

  std::filesystem::path folder_;
  Json about_;
  bool aboutDamaged_ = false;
  bool aboutWaits_ = false;  ///< to be written again
  RecordFile file_;
  std::filesystem::path aside_;  ///< where a damaged file was put
  bool damaged_ = false;
  std::vector<RecordFile::Bytes> waiting_;  ///< notes that found no room
  std::size_t steps_ = 0;
  std::vector<SaveMark> saves_;
  bool passing_ = false;
  std::uint32_t snapshots_ = 0;
};

/// What a journal's folder says of itself, without its records; null where it is none, or damaged.
Json aboutOf(const std::filesystem::path& folder);
/// Throws Unwritable.
void writeAbout(const std::filesystem::path& folder, const Json& about);

/// The name of the folder for what is described so.
std::string journalName(const Json& about);

/// The document and history that a journal leads to.
struct Restored {
  Document document;
  History history;
  bool saved = true;  ///< nothing has changed since it was opened or saved
};
Restored restore(Journal& journal);
/// The steps alone, onto the document that the journal began with. A step that does not fit it is damage.
void replay(Journal& journal, Restored& restored);

}  // namespace sinew::studio
