#include "studio/document/journal.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/error.h"
#include "sinew/io/durable.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "studio/document/blob.h"
#include "studio/document/state_folder.h"
#include "studio/untrusted_json.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecords = "journal";
constexpr const char* kAbout = "about.json";
constexpr const char* kBase = "base.glb";
constexpr const char* kAboutTexts[] = {"title", "path", "kind", "content", "from", "sample", "rest", "base"};
constexpr const char* kBaseName = "base";  ///< of `about`: the content hash of kBase

bool isStep(const JournalRecord& record) {
  return record.op == "edit" || record.op == "undo" || record.op == "redo" || record.op == "jump";
}

std::string nameOf(std::string_view bytes) {
  return contentName({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::string packed(const CharacterFile& file) {
  return std::move(gltfToMemory(kBase, file).files.front().second);
}

RecordFile::Bytes packed(const std::string& op, Json body) {
  body["op"] = op;
  return Json::to_cbor(body);
}

bool parse(std::span<const std::uint8_t> bytes, JournalRecord& record) {
  record.body = keptFromCbor(bytes);
  if (!record.body.is_object() || !record.body.contains("op") || !record.body["op"].is_string()) return false;
  record.op = record.body["op"].get<std::string>();
  return true;
}

/// The text of a member, also if it has another type.
std::string textIn(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Whether its members are as the studio writes them; otherwise they are not used.
bool isAbout(const Json& json) {
  const auto isText = [&](const char* name) { return !json.contains(name) || json[name].is_string(); };
  const auto isTextList = [&](const char* name) {
    return !json.contains(name) ||
           (json[name].is_array() &&
            std::all_of(json[name].begin(), json[name].end(), [](const Json& one) { return one.is_string(); }));
  };
  return json.is_object() && json.contains("title") && json.contains("path") &&
         (!json.contains("slot") || json["slot"].is_number_integer()) && isTextList("meshes") && isTextList("beside") &&
         std::all_of(std::begin(kAboutTexts), std::end(kAboutTexts), isText);
}

/// The files of shapes that a record names, wherever it does.
void addShapes(const Json& json, std::set<std::string>& named) {
  if (json.is_string() && json.get_ref<const std::string&>().starts_with(kShapePrefix)) named.insert(json);
  if (!json.is_structured()) return;
  for (const Json& one : json) addShapes(one, named);
}

void requireInside(const std::string& name) {
  if (name.find('/') != std::string::npos || name.find("..") != std::string::npos)
    throw Error(ErrorCode::BadInput, fmt::format("the journal names a file outside of its folder ('{}')", name));
}

/// A file of the journal, checked against its content hash if that is known.
CharacterFile readKept(const fs::path& path, const std::string& content) {
  const std::string bytes = readFile(path);
  if (!content.empty() && nameOf(bytes) != content)
    throw Error(ErrorCode::Unreadable, "was changed outside of the studio", path.string());
  try {
    return readGltfFromMemory(bytes, path.parent_path(), path.stem().string());
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), path.string());
  }
}

}  // namespace

Journal::Journal(fs::path folder, const Json& wanted) : folder_(std::move(folder)), file_(folder_ / kRecords) {
  claimPrivateFolder(folder_);
  readAbout(wanted);
  if (about_.is_null()) return;
  replay([](const JournalRecord&) { return true; });
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder_, fault)) {
    if (entry.path().filename().string().starts_with("snapshot")) ++snapshots_;
  }
}

Journal::~Journal() {
  std::error_code ignored;
  if (passing_) fs::remove_all(folder_, ignored);
}

void Journal::readAbout(const Json& wanted) {
  std::error_code fault;
  if (!fs::exists(folder_ / kAbout, fault)) return;
  about_ = aboutOf(folder_);
  if (!about_.is_null()) return;
  aboutDamaged_ = true;
  aboutWaits_ = true;
  about_ = wanted;
}

void Journal::count(const JournalRecord& record) {
  if (isStep(record)) ++steps_;
  if (record.op == "edit") addShapes(record.body, named_);
  if (record.op == "saving" || record.op == "saved")
    saves_.push_back({record.op == "saved", textIn(record.body, "path"), textIn(record.body, "content"), steps_});
}

void Journal::replay(const std::function<bool(const JournalRecord&)>& use) {
  steps_ = 0;
  saves_.clear();
  named_.clear();
  file_.read([&](std::span<const std::uint8_t> bytes) {
    JournalRecord record;
    if (!parse(bytes, record) || !use(record)) return false;
    count(record);
    return true;
  });
  damaged_ = damaged_ || file_.tail() == RecordFile::Tail::Damaged;
}

std::string Journal::damage() const {
  std::string sentence;
  if (damaged_) {
    sentence = fmt::format("The record of your work is damaged after step {}. Everything up to there is here.", steps_);
    if (!aside_.empty()) sentence += fmt::format(" The damaged record is kept as {}.", aside_.string());
  } else if (aboutDamaged_) {
    sentence = "The description of your unsaved work was damaged. All its steps are here.";
  }
  return sentence;
}

void Journal::mend() {
  if (aboutWaits_ && !about_.is_null()) rename(about_);
  if (file_.tail() != RecordFile::Tail::Damaged) return file_.mend();
  const fs::path aside = damagedName(folder_);
  file_.setAside(aside);
  file_.mend();
  aside_ = aside;
}

void Journal::clear() {
  file_.forget();
  // The description is removed first and written last: a folder without one counts as new.
  fs::remove(folder_ / kAbout);
  for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
  about_ = nullptr;
  aboutDamaged_ = false;
  aboutWaits_ = false;
  damaged_ = false;
  waiting_.clear();
  steps_ = 0;
  saves_.clear();
  snapshots_ = 0;
  named_.clear();
  shapes_.clear();
}

void Journal::begin(const Json& about, const CharacterFile& base) {
  begin(about, packed(base));
}

void Journal::begin(Json about, std::string_view base) {
  clear();
  writePrivateFile(folder_ / kBase, base);
  about[kBaseName] = nameOf(base);
  rename(about);
}

void Journal::rename(const Json& about) {
  writeAbout(folder_, about);
  about_ = about;
  aboutWaits_ = false;
}

void Journal::moveTo(const fs::path& folder, bool keepReplaced) {
  if (folder == folder_) return;
  const auto refuse = [&](const std::error_code& fault) {
    throw Error(ErrorCode::Unwritable, fmt::format("cannot be moved ({})", fault.message()), folder_.string());
  };
  std::error_code fault;
  std::error_code ignored;
  // Existing content is moved aside first, and restored on failure.
  fs::path before;
  if (fs::exists(folder, ignored)) {
    before = keepReplaced ? damagedName(folder) : passingFolder(folder, 0);
    if (!keepReplaced) fs::remove_all(before, ignored);
    fs::rename(folder, before, fault);
    if (fault) refuse(fault);
  }
  fs::rename(folder_, folder, fault);
  if (fault) {
    if (!before.empty()) fs::rename(before, folder, ignored);
    refuse(fault);
  }
  if (const int code = syncFolder(folder.parent_path()); code != 0) {
    fs::rename(folder, folder_, ignored);
    if (!before.empty()) fs::rename(before, folder, ignored);
    refuse({code, std::generic_category()});
  }
  folder_ = folder;
  file_.moved(folder / kRecords);
  passing_ = false;
  if (!before.empty() && !keepReplaced) fs::remove_all(before, ignored);
}

CharacterFile Journal::base() const {
  return readKept(folder_ / kBase, textIn(about_, kBaseName));
}

void Journal::append(const std::string& op, Json body) {
  JournalRecord record{op, std::move(body)};
  std::vector<RecordFile::Bytes> all = waiting_;
  all.push_back(packed(op, record.body));
  saves_.reserve(saves_.size() + 1);  // from here on only the disk can fail
  mend();
  file_.append(all);
  waiting_.clear();
  count(record);
}

bool Journal::note(const std::string& op, const Json& body) {
  RecordFile::Bytes bytes = packed(op, body);
  count({op, body});
  waiting_.push_back(std::move(bytes));
  try {
    mend();
    file_.append(waiting_);
  } catch (const Error&) {
    return false;
  }
  waiting_.clear();
  return true;
}

std::string Journal::snapshot(const CharacterFile& file) {
  const std::string bytes = packed(file);
  std::string name;
  do name = fmt::format("snapshot{}-{}.glb", snapshots_++, nameOf(bytes));
  while (fs::exists(folder_ / name));
  writePrivateFile(folder_ / name, bytes);
  return name;
}

CharacterFile Journal::load(const std::string& name) const {
  requireInside(name);
  // Older ones do not store a content hash.
  const std::size_t dash = name.find('-');
  const std::string content =
      dash == std::string::npos ? std::string() : fs::path(name).stem().string().substr(dash + 1);
  return readKept(folder_ / name, content);
}

ExampleShapePtr Journal::store(PackedShape packed) {
  auto& known = shapes_[packed.shape.file];
  if (auto there = known.lock()) return there;
  const fs::path path = folder_ / packed.shape.file;
  // A crash while it was written leaves no file of that name, but another program may have changed it.
  std::error_code fault;
  if (!fs::exists(path, fault) || readFile(path) != packed.bytes) writePrivateFile(path, packed.bytes);
  auto shape = std::make_shared<const ExampleShape>(std::move(packed.shape));
  known = shape;
  return shape;
}

void Journal::removeUnused() {
  // Records that could not be read may name any of them.
  if (damaged_ || hasDamaged(folder_)) return;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder_, fault)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kShapePrefix) && !named_.contains(name)) fs::remove(entry.path(), fault);
  }
}

ExampleShapePtr Journal::shape(const std::string& file) const {
  requireInside(file);
  auto& known = shapes_[file];
  if (auto there = known.lock()) return there;
  const fs::path path = folder_ / file;
  const std::string bytes = readFile(path);
  if (!file.starts_with(kShapePrefix) || fs::path(file).stem().string().substr(kShapePrefix.size()) != nameOf(bytes))
    throw Error(ErrorCode::Unreadable, "was changed outside of the studio", path.string());
  auto shape = std::make_shared<ExampleShape>(unpackShape(bytes));
  shape->file = file;
  known = shape;
  return shape;
}

Json aboutOf(const fs::path& folder) {
  std::error_code fault;
  if (!fs::is_regular_file(folder / kAbout, fault)) return nullptr;
  try {
    Json about = keptFromText(readFile(folder / kAbout));
    return isAbout(about) ? about : Json();
  } catch (const Error&) {
    return nullptr;  // empty or unreadable
  }
}

void writeAbout(const fs::path& folder, const Json& about) {
  writePrivateFile(folder / kAbout, about.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string journalName(const Json& about) {
  // Dropped files are in a different folder each time.
  std::string key = about.value("from", about.value("path", "")) + "|" + about.value("title", "");
  if (about.contains("slot")) key += fmt::format("|{}", wholeOr<int>(about, "slot", 0));
  return contentName(Bytes(key.begin(), key.end()));
}

Restored restore(Journal& journal) {
  Restored restored;
  Document& document = restored.document;
  document.title = textIn(journal.about(), "title");
  document.path = textIn(journal.about(), "path");
  document.file = journal.base();
  document.views.assign(1, restPose(document.file.character));
  replay(journal, restored);
  return restored;
}

namespace {

/// Throws if the step does not fit, and changes nothing.
void replayOne(const JournalRecord& record, const Snapshots& snapshots, Restored& restored) {
  Document& document = restored.document;
  if (record.op == "edit") {
    Edit edit = editFromJson(record.body.at("edit"));
    applyEdit(edit, true, snapshots, document);
    restored.history.push(std::move(edit));
  } else if (record.op == "undo") {
    if (const Edit* edit = restored.history.next(false)) applyEdit(*edit, false, snapshots, document);
    restored.history.undo();
  } else if (record.op == "redo") {
    if (const Edit* edit = restored.history.next(true)) applyEdit(*edit, true, snapshots, document);
    restored.history.redo();
  } else if (record.op == "jump") {
    const auto steps = record.body.at("steps").get<std::ptrdiff_t>();
    document = jumped(document, restored.history, steps, snapshots);
    for (std::ptrdiff_t i = 0; i < std::abs(steps); ++i) steps > 0 ? restored.history.redo() : restored.history.undo();
  }
  if (isStep(record)) restored.saved = false;
  if (record.op == "saved") restored.saved = true;
}

}  // namespace

void replay(Journal& journal, Restored& restored) {
  journal.replay([&](const JournalRecord& record) {
    try {
      replayOne(record, journal, restored);
      return true;
    } catch (const Error&) {
      return false;
    } catch (const Json::exception&) {
      return false;
    }
  });
}

}  // namespace sinew::studio
