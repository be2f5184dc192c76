// A record is u32 length, u32 sum of its bytes, then CBOR. Records are appended and flushed (fdatasync); a crash can
// only leave a record at the end that is too short or whose sum is wrong.
#include "journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "blob.h"
#include "sinew/base/error.h"
#include "sinew/io/files.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecords = "journal";
constexpr const char* kAbout = "about.json";
constexpr const char* kBase = "base.glb";
constexpr const char* kPassing = ".new-";

std::uint32_t sumOf(const std::uint8_t* bytes, std::size_t count) {
  std::uint32_t sum = 2166136261u;
  for (std::size_t i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * 16777619u;
  return sum;
}

void writeWhole(int descriptor, const std::vector<std::uint8_t>& bytes, const fs::path& path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      throw Error(ErrorCode::Unwritable, fmt::format("cannot be written ({})", std::strerror(errno)), path.string());
    done += static_cast<std::size_t>(wrote);
  }
}

bool isStep(const JournalRecord& record) {
  return record.op == "edit" || record.op == "undo" || record.op == "redo";
}

/// Names, sizes and times of a folder's files: meshes are too many to be read for this.
std::vector<std::uint8_t> listed(const fs::path& folder) {
  std::vector<std::string> lines;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, fault)) {
    if (!entry.is_regular_file(fault)) continue;
    lines.push_back(fmt::format("{}|{}|{}\n", entry.path().filename().string(), entry.file_size(fault),
                                entry.last_write_time(fault).time_since_epoch().count()));
  }
  std::sort(lines.begin(), lines.end());
  std::vector<std::uint8_t> bytes;
  for (const std::string& line : lines) bytes.insert(bytes.end(), line.begin(), line.end());
  return bytes;
}

}  // namespace

Journal::Journal(fs::path folder) : folder_(std::move(folder)) {
  std::error_code fault;
  fs::create_directories(folder_, fault);
  if (fault)
    throw Error(ErrorCode::Unwritable, fmt::format("cannot be made ({}); choose another with --state", fault.message()),
                folder_.string());
  if (fs::exists(folder_ / kAbout)) {
    about_ = Json::parse(readFile(folder_ / kAbout), nullptr, false);
    if (about_.is_discarded()) about_ = nullptr;
  }
  if (!about_.is_null()) readRecords();
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
  std::error_code ignored;
  if (passing_) fs::remove_all(folder_, ignored);
}

void Journal::readRecords() {
  const fs::path path = folder_ / kRecords;
  if (!fs::exists(path) || fs::file_size(path) == 0) return;
  const std::string bytes = readFile(path);
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t at = 0;
  while (bytes.size() - at >= 8) {
    std::uint32_t length = 0;
    std::uint32_t sum = 0;
    std::memcpy(&length, data + at, 4);
    std::memcpy(&sum, data + at + 4, 4);
    if (length > bytes.size() - at - 8 || sumOf(data + at + 8, length) != sum) break;
    Json record = Json::from_cbor(data + at + 8, data + at + 8 + length, true, false);
    if (!record.is_object() || !record.contains("op") || !record["op"].is_string()) break;
    records_.push_back({record["op"].get<std::string>(), std::move(record)});
    at += 8 + length;
  }
  if (at < bytes.size()) fs::resize_file(path, at);
  while (fs::exists(folder_ / fmt::format("snapshot{}.glb", snapshots_))) ++snapshots_;
}

void Journal::openForAppending() {
  if (descriptor_ >= 0) return;
  const fs::path path = folder_ / kRecords;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor_ < 0)
    throw Error(ErrorCode::Unwritable, fmt::format("cannot be opened ({})", std::strerror(errno)), path.string());
}

void Journal::clear() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  // The description goes first and comes last: a folder without one counts as new.
  fs::remove(folder_ / kAbout);
  for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
  about_ = nullptr;
  records_.clear();
  snapshots_ = 0;
}

void Journal::begin(const Json& about, const CharacterFile& base) {
  clear();
  writeCharacter(folder_ / kBase, base);
  rename(about);
}

void Journal::begin(const Json& about, std::string_view base) {
  clear();
  writeFile(folder_ / kBase, base);
  rename(about);
}

void Journal::rename(const Json& about) {
  writeFile(folder_ / kAbout, about.dump(2, ' ', false, Json::error_handler_t::replace));
  about_ = about;
}

void Journal::moveTo(const fs::path& folder) {
  if (folder == folder_) return;
  std::error_code fault;
  // As in clear(): half of a folder must not count as one.
  fs::remove(folder / kAbout, fault);
  fs::remove_all(folder, fault);
  fs::rename(folder_, folder, fault);
  if (fault) throw Error(ErrorCode::Unwritable, fmt::format("cannot be moved ({})", fault.message()), folder_.string());
  folder_ = folder;
  passing_ = false;
}

CharacterFile Journal::base() const {
  return readCharacter(folder_ / kBase);
}

void Journal::append(const std::string& op, Json body) {
  openForAppending();
  body["op"] = op;
  const std::vector<std::uint8_t> packed = Json::to_cbor(body);
  std::vector<std::uint8_t> record(8);
  const auto length = static_cast<std::uint32_t>(packed.size());
  const std::uint32_t sum = sumOf(packed.data(), packed.size());
  std::memcpy(record.data(), &length, 4);
  std::memcpy(record.data() + 4, &sum, 4);
  record.insert(record.end(), packed.begin(), packed.end());
  writeWhole(descriptor_, record, folder_ / kRecords);
  ::fdatasync(descriptor_);
  records_.push_back({op, std::move(body)});
}

std::string Journal::snapshot(const CharacterFile& file) {
  std::string name = fmt::format("snapshot{}.glb", snapshots_++);
  writeCharacter(folder_ / name, file);
  return name;
}

CharacterFile Journal::load(const std::string& name) const {
  if (name.find('/') != std::string::npos || name.find("..") != std::string::npos)
    throw Error(ErrorCode::BadInput, fmt::format("the journal names a snapshot outside of its folder ('{}')", name));
  return readCharacter(folder_ / name);
}

Json aboutOf(const fs::path& folder) {
  std::error_code fault;
  if (!fs::is_regular_file(folder / kAbout, fault)) return nullptr;
  Json about = Json::parse(readFile(folder / kAbout), nullptr, false);
  return about.is_object() ? about : Json();
}

std::string journalName(const Json& about) {
  // What was dropped lies in another folder every time.
  std::string key = about.value("from", about.value("path", "")) + "|" + about.value("title", "");
  if (about.contains("slot")) key += fmt::format("|{}", about.value("slot", 0));
  return contentName(Bytes(key.begin(), key.end()));
}

Restored restore(const Journal& journal) {
  Restored restored;
  Document& document = restored.document;
  document.title = journal.about().value("title", "");
  document.path = journal.about().value("path", "");
  document.file = journal.base();
  document.views.assign(1, restPose(document.file.character));
  replay(journal, restored);
  return restored;
}

void replay(const Journal& journal, Restored& restored) {
  Document& document = restored.document;
  for (const JournalRecord& record : journal.records()) {
    if (record.op == "edit") {
      Edit edit = editFromJson(record.body.at("edit"));
      applyEdit(edit, true, journal, document);
      restored.history.push(std::move(edit));
    } else if (record.op == "undo") {
      if (const Edit* edit = restored.history.undo()) applyEdit(*edit, false, journal, document);
    } else if (record.op == "redo") {
      if (const Edit* edit = restored.history.redo()) applyEdit(*edit, true, journal, document);
    }
    if (isStep(record)) restored.saved = false;
    if (record.op == "saved") restored.saved = true;
  }
}

FileState fileState(const Journal& journal, const std::string& content) {
  const std::string path = journal.about().value("path", "");
  std::string expected = journal.about().value("content", "");
  FileState state;
  bool writing = false;
  for (const JournalRecord& record : journal.records()) {
    if (isStep(record)) {
      ++state.unsaved;
      continue;
    }
    // A copy under another name says nothing of this file.
    if (path.empty() || record.body.value("path", "") != path) continue;
    const std::string written = record.body.value("content", "");
    if (record.op == "saved" || (record.op == "saving" && written == content && !content.empty())) {
      expected = written;
      state.unsaved = 0;
      writing = record.op == "saving";
    }
  }
  state.savedUntold = writing;
  state.changed = !path.empty() && !expected.empty() && !content.empty() && content != expected;
  return state;
}

std::string contentOf(const std::vector<std::pair<fs::path, std::string>>& files) {
  std::string names;
  for (const auto& [path, bytes] : files)
    names += contentName({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return files.size() == 1 ? names : contentName({reinterpret_cast<const std::uint8_t*>(names.data()), names.size()});
}

std::string contentOf(const fs::path& path) {
  std::error_code fault;
  if (fs::is_directory(path, fault)) return contentName(listed(path));
  if (!fs::is_regular_file(path, fault) || fs::file_size(path, fault) == 0) return {};
  std::vector<std::pair<fs::path, std::string>> files;
  files.emplace_back(path, readFile(path));
  if (path.extension() == ".gltf") {
    const Json json = Json::parse(files.front().second, nullptr, false);
    const Json buffers = json.is_object() ? json.value("buffers", Json::array()) : Json::array();
    for (const Json& buffer : buffers) {
      const Json uri = buffer.is_object() ? buffer.value("uri", Json()) : Json();
      if (!uri.is_string() || uri.get<std::string>().starts_with("data:")) continue;
      const fs::path beside = path.parent_path() / uri.get<std::string>();
      if (fs::is_regular_file(beside, fault) && fs::file_size(beside, fault) > 0)
        files.emplace_back(beside, readFile(beside));
    }
  }
  return contentOf(files);
}

FolderLock::FolderLock(const fs::path& folder, const std::string& name) {
  const fs::path path = folder.string() + ".lock";
  std::error_code fault;
  fs::create_directories(folder.parent_path(), fault);
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0)
    throw Error(ErrorCode::Unwritable,
                fmt::format("cannot be opened ({}); choose another folder with --state", std::strerror(errno)),
                path.string());
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw Error(ErrorCode::BadInput, "is open in another studio; close it there first", name);
  }
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

void clearPassing(const fs::path& state) {
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(state, fault)) {
    const std::string name = entry.path().filename().string();
    const std::size_t mark = name.find(kPassing);
    if (mark == std::string::npos) continue;
    const pid_t owner = std::atoi(name.c_str() + mark + std::strlen(kPassing));
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), fault);
  }
}

fs::path passingFolder(const fs::path& folder, std::uint32_t number) {
  return fmt::format("{}{}{}-{}", folder.string(), kPassing, ::getpid(), number);
}

fs::path stateFolder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return fs::path(state) / "sinew" / "studio";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".local" / "state" / "sinew" / "studio";
  return fs::temp_directory_path() / "sinew-studio";
}

}  // namespace sinew::studio
