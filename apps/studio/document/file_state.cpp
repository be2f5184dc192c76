#include "studio/document/file_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/uri.h"
#include "studio/document/blob.h"
#include "studio/untrusted_json.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

std::string bytesName(std::string_view bytes) {
  return contentName({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

/// Names, sizes and times of a folder's files: reading all meshes would be too slow.
std::string listed(const fs::path& folder) {
  std::vector<std::string> lines;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, fault)) {
    if (!entry.is_regular_file(fault)) continue;
    lines.push_back(fmt::format("{}|{}|{}\n", entry.path().filename().string(), entry.file_size(fault),
                                entry.last_write_time(fault).time_since_epoch().count()));
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

std::string readOrNothing(const fs::path& path) {
  std::error_code fault;
  if (!fs::is_regular_file(path, fault) || fs::file_size(path, fault) == 0) return {};
  return readFile(path);
}

/// Of a .gltf with its buffers, as `bytesOf` finds them; of other files only their bytes.
template <class BytesOf>
std::string named(const fs::path& path, std::string_view bytes, const BytesOf& bytesOf) {
  std::string names = bytesName(bytes);
  if (path.extension() != ".gltf") return names;
  const Json json = keptFromText(bytes);
  const Json buffers = json.is_object() ? json.value("buffers", Json::array()) : Json::array();
  for (const Json& buffer : buffers) {
    const Json uri = buffer.is_object() ? buffer.value("uri", Json()) : Json();
    if (!uri.is_string() || isDataUri(uri.get<std::string>())) continue;
    const std::string content = bytesOf(path.parent_path() / decodePercent(uri.get<std::string>()));
    if (!content.empty()) names += bytesName(content);
  }
  return names.size() == bytesName({}).size() ? names : bytesName(names);
}

}  // namespace

FileState fileState(const Journal& journal, const fs::path& path, const std::string& content) {
  const bool own = path == journal.about().value("path", "");
  std::string expected = own ? journal.about().value("content", "") : std::string();
  FileState state;
  std::size_t savedAt = 0;
  for (const SaveMark& mark : journal.saves()) {
    // A copy under another name does not describe this file.
    if (path.empty() || mark.path != path.string()) continue;
    if (!mark.done && (mark.content != content || content.empty())) continue;
    expected = mark.content;
    savedAt = mark.steps;
    state.savedUntold = !mark.done;
  }
  state.unsaved = journal.steps() - savedAt;
  state.changed = !path.empty() && !expected.empty() && !content.empty() && content != expected;
  return state;
}

std::string contentOf(const GltfFiles& packed) {
  const auto& [path, bytes] = packed.files.front();
  return named(path, bytes, [&](const fs::path& wanted) {
    for (const auto& [target, content] : packed.files) {
      if (target == wanted) return content;
    }
    return readOrNothing(wanted);
  });
}

std::string contentOf(const fs::path& path) {
  std::error_code fault;
  if (fs::is_directory(path, fault)) return bytesName(listed(path));
  const std::string bytes = readOrNothing(path);
  return bytes.empty() ? std::string() : named(path, bytes, readOrNothing);
}

}  // namespace sinew::studio
