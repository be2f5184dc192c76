// A record is u32 length, u32 sum of its bytes, then CBOR. Records are appended and flushed (fdatasync); a crash can
// only leave a record at the end that is too short or whose sum is wrong.
#include "journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sinew/base/error.h"
#include "sinew/io/files.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecords = "journal";
constexpr const char* kAbout = "about.json";
constexpr const char* kBase = "base.glb";

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

void Journal::begin(const Json& about, const CharacterFile& base) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  // The description goes first and comes last: a folder without one counts as new.
  fs::remove(folder_ / kAbout);
  for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
  records_.clear();
  snapshots_ = 0;
  writeCharacter(folder_ / kBase, base);
  writeFile(folder_ / kAbout, about.dump(2));
  about_ = about;
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

Restored restore(const Journal& journal) {
  Restored restored;
  Document& document = restored.document;
  document.title = journal.about().value("title", "");
  document.path = journal.about().value("path", "");
  document.file = journal.base();
  document.views.assign(1, restPose(document.file.character));
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
    restored.saved = record.op == "saved";
  }
  return restored;
}

fs::path stateFolder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return fs::path(state) / "sinew" / "studio";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".local" / "state" / "sinew" / "studio";
  return fs::temp_directory_path() / "sinew-studio";
}

}  // namespace sinew::studio
