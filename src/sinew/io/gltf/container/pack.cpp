// From a document to files: one .glb with one buffer, or a .gltf with its .bin and images next to it. Nothing is ever
// written outside the output's folder.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <system_error>

#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf/container/store.h"
#include "sinew/io/uri.h"

namespace sinew::gltf {
namespace fs = std::filesystem;
namespace {

struct MimeRow {
  std::string_view start;  ///< the first bytes of such files
  std::string_view mime;
};
constexpr std::array kMimes = {MimeRow{"\x89PNG", "image/png"}, MimeRow{"\xFF\xD8\xFF", "image/jpeg"},
                               MimeRow{"RIFF", "image/webp"}, MimeRow{"\xABKTX 20", "image/ktx2"},
                               MimeRow{"DDS ", "image/vnd-ms.dds"}};

void appendWord(std::string& bytes, std::size_t word) {
  for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<char>(word >> (8 * k) & 0xffu));
}

std::size_t chunkSize(std::string_view content) {
  return 8 + (content.size() + 3) / 4 * 4;
}

void appendChunk(std::string& bytes, std::uint32_t type, std::string_view content, char padding) {
  const std::size_t size = (content.size() + 3) / 4 * 4;
  appendWord(bytes, size);
  appendWord(bytes, type);
  bytes.append(content);
  bytes.append(size - content.size(), padding);
}

std::string mimeOf(const Json& image, std::string_view bytes) {
  std::string mime = optionalText(image, "mimeType", "images");
  for (const MimeRow& row : kMimes) {
    if (mime.empty() && bytes.substr(0, row.start.size()) == row.start) mime = row.mime;
  }
  return mime;
}

/// Elements of `list` in a document that may lack it.
template <class Act>
void eachElement(Json& root, const char* list, const Act& act) {
  const auto found = root.find(list);
  if (found == root.end() || !found->is_array()) return;
  for (std::size_t i = 0; i < found->size(); ++i) act((*found)[i], i);
}

class Packer {
 public:
  Packer(GltfDocument document, const fs::path& path) : document_(std::move(document)), path_(path) {}

  GltfFiles binary() {
    embedImages();
    mergeBuffers();
    const std::string json = dumpJson(document_.json, -1);
    std::size_t size = 12 + chunkSize(json);
    if (!document_.buffers.empty()) size += chunkSize(document_.buffers.front());
    for (const GlbChunk& chunk : document_.chunks) size += chunkSize(chunk.bytes);
    if (size > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorCode::Unwritable, "would exceed the 4 GiB limit of a .glb; write a .gltf instead");
    }
    std::string head = "glTF";
    appendWord(head, 2);
    appendWord(head, size);
    appendChunk(head, 0x4E4F534A, json, ' ');
    // The buffer of a large character is moved, not copied, where it has room for its header.
    std::string bytes;
    if (!document_.buffers.empty()) {
      bytes = std::move(document_.buffers.front());
      document_.buffers.clear();
      bytes.append((4 - bytes.size() % 4) % 4, '\0');
      appendWord(head, bytes.size());
      appendWord(head, 0x004E4942);
    }
    bytes.insert(0, head);
    for (const GlbChunk& chunk : document_.chunks) appendChunk(bytes, chunk.type, chunk.bytes, '\0');
    files_.files.emplace(files_.files.begin(), path_, std::move(bytes));
    return std::move(files_);
  }

  GltfFiles text() {
    copyImages();
    readReplaced();
    eachElement(document_.json, "buffers", [&](Json& buffer, std::size_t i) {
      if (isDataUri(optionalText(buffer, "uri", "buffers"))) {
        buffer["uri"] = "data:application/octet-stream;base64," + encodeBase64(document_.buffers[i]);
        return;
      }
      buffer["uri"] = encodePercent(placeBuffer(i));
    });
    findOutdated();
    if (!document_.chunks.empty()) {
      files_.lost.push_back(fmt::format("{} chunks of unknown kind were dropped: only a .glb can contain them.",
                                        document_.chunks.size()));
    }
    files_.files.emplace(files_.files.begin(), path_, dumpJson(document_.json, 2) + "\n");
    return std::move(files_);
  }

 private:
  /// The bytes of an image outside the buffers; nothing if it has none, or they cannot be found (which is reported).
  std::optional<std::string> imageBytes(const Json& image, std::size_t index) {
    const Json* uri = find(image, "uri");
    if (uri == nullptr || !uri->is_string()) return std::nullopt;
    const auto text = uri->get<std::string>();
    const std::string where = fmt::format("images[{}].uri", index);
    try {
      if (isDataUri(text)) return decodeDataUri(text, where);
      if (const auto file = resolveUri(text, document_.folder, document_.root)) return readFile(*file);
    } catch (const Error&) {
      // Reported below: an unreadable image does not prevent writing the character.
    }
    if (text.find("://") == std::string::npos) {
      files_.lost.push_back(
          fmt::format("Image {} ('{}') cannot be read and was not copied.", index, text.substr(0, 80)));
    }
    return std::nullopt;
  }

  void embedImages() {
    // Adding buffer views moves the members of the root, so images are looked up again each time.
    const std::size_t count = listOf(document_.json, "images", "").size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto bytes = imageBytes(document_.json["images"][i], i);
      if (!bytes) continue;
      const std::string mime = mimeOf(document_.json["images"][i], *bytes);
      if (mime.empty()) {
        files_.lost.push_back(fmt::format("Image {} has an unknown type and was not embedded.", i));
        continue;
      }
      const std::size_t view = Store(document_).addView(*bytes, Usage::Other);
      Json& image = document_.json["images"][i];
      image.erase("uri");
      image["bufferView"] = view;
      image["mimeType"] = mime;
    }
  }

  void mergeBuffers() {
    if (document_.buffers.empty()) return;
    std::vector<std::size_t> starts;
    std::string merged = std::move(document_.buffers.front());
    starts.push_back(0);
    for (std::size_t b = 1; b < document_.buffers.size(); ++b) {
      merged.append((4 - merged.size() % 4) % 4, '\0');
      starts.push_back(merged.size());
      merged += document_.buffers[b];
    }
    const auto move = [&](Json& object) {
      const auto buffer = object.find("buffer");
      if (buffer == object.end() || !buffer->is_number()) return;
      const std::size_t start = starts[indexOf(*buffer, starts.size(), "bufferViews")];
      *buffer = 0;
      if (start > 0) object["byteOffset"] = start + optionalCount(object, "byteOffset", "bufferViews", 0);
    };
    eachElement(document_.json, "bufferViews", [&](Json& view, std::size_t) {
      move(view);
      const auto extensions = view.find("extensions");
      if (extensions == view.end() || !extensions->is_object()) return;
      for (auto& item : extensions->items()) {
        if (item.value().is_object()) move(item.value());
      }
    });
    Json& buffers = document_.json["buffers"];
    for (std::size_t b = 1; b < buffers.size(); ++b) {
      if (find(buffers[b], "extras") != nullptr || find(buffers[b], "extensions") != nullptr) {
        files_.lost.push_back(fmt::format("Extras of buffer {} were dropped: a .glb has one buffer.", b));
      }
    }
    while (buffers.size() > 1) buffers.erase(buffers.size() - 1);
    buffers[0].erase("uri");
    if (starts.size() > 1) buffers[0]["byteLength"] = merged.size();
    document_.buffers = {std::move(merged)};
  }

  /// True where the document is written to the folder that it came from: its images stay where they are.
  [[nodiscard]] bool sameFolder() const {
    const auto real = [](const fs::path& folder) {
      std::error_code fault;
      return fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, fault);
    };
    return real(document_.folder) == real(path_.parent_path());
  }

  void copyImages() {
    if (sameFolder()) return;
    eachElement(document_.json, "images", [&](Json& image, std::size_t i) {
      if (isDataUri(optionalText(image, "uri", "images"))) return;
      auto bytes = imageBytes(image, i);
      if (!bytes) return;
      const fs::path name = fs::path(decodePercent(optionalText(image, "uri", "images"))).filename();
      image["uri"] = encodePercent(placeFile(name.string(), std::move(*bytes)));
    });
  }

  /// Adds a file next to the output and returns its name. Another file of that name is not overwritten.
  std::string placeFile(const std::string& wanted, std::string bytes) {
    const std::string stem = path_.stem().string();
    for (std::size_t attempt = 0;; ++attempt) {
      std::string name = wanted;
      if (attempt == 1) name = fmt::format("{}_{}", stem, wanted);
      if (attempt > 1) name = fmt::format("{}_{}_{}", stem, attempt, wanted);
      const fs::path target = path_.parent_path() / name;
      const auto planned = std::find_if(files_.files.begin(), files_.files.end(),
                                        [&](const auto& file) { return file.first == target; });
      if (planned != files_.files.end()) {
        if (planned->second == bytes) return name;
        continue;
      }
      std::error_code fault;
      if (fs::exists(target, fault)) {
        if (fs::is_regular_file(target, fault) && fs::file_size(target, fault) == bytes.size() &&
            readFile(target) == bytes) {
          return name;
        }
        continue;
      }
      files_.files.emplace_back(target, std::move(bytes));
      return name;
    }
  }

  /// Names of the buffers of the .gltf that this one replaces.
  void readReplaced() {
    for (const std::string& uri : bufferUris(path_)) replaced_.push_back(decodePercent(uri));
  }

  /// URIs of the buffers of a .gltf; none if it is not such a file.
  static std::vector<std::string> bufferUris(const fs::path& path) {
    std::vector<std::string> uris;
    std::error_code fault;
    if (!fs::is_regular_file(path, fault)) return uris;
    try {
      const Json root = parseJson(readFile(path));
      for (const Json& buffer : listOf(root, "buffers", "")) {
        const std::string uri = buffer.is_object() ? optionalText(buffer, "uri", "buffers") : std::string();
        if (!uri.empty() && !isDataUri(uri)) uris.push_back(uri);
      }
    } catch (const Error&) {
      // No .gltf: it refers to nothing.
    }
    return uris;
  }

  /// The names that buffer `i` may get: arm.bin, arm-2.bin, arm-3.bin; arm_1.bin, arm_1-2.bin.
  [[nodiscard]] std::string bufferName(std::size_t i, std::size_t attempt) const {
    const std::string stem = path_.stem().string();
    const std::string base = i == 0 ? stem : fmt::format("{}_{}", stem, i);
    return attempt == 1 ? base + ".bin" : fmt::format("{}-{}.bin", base, attempt);
  }

  /// Adds a buffer next to the .gltf and returns its name. A name that the previous .gltf uses keeps its content, so
  /// that both are complete at any moment; and other files are not overwritten.
  std::string placeBuffer(std::size_t i) {
    for (std::size_t attempt = 1;; ++attempt) {
      std::string name = bufferName(i, attempt);
      const fs::path target = path_.parent_path() / name;
      const std::string& bytes = document_.buffers[i];
      const bool planned =
          std::any_of(files_.files.begin(), files_.files.end(), [&](const auto& file) { return file.first == target; });
      std::error_code fault;
      const bool there = fs::exists(fs::symlink_status(target, fault));
      if (planned || (there && !holds(target, bytes))) continue;
      if (!there) files_.files.emplace_back(target, std::move(document_.buffers[i]));
      used_.push_back(name);
      return name;
    }
  }

  static bool holds(const fs::path& path, const std::string& bytes) {
    std::error_code fault;
    return fs::is_regular_file(path, fault) && fs::file_size(path, fault) == bytes.size() &&
           (bytes.empty() || readFile(path) == bytes);
  }

  /// Buffers of the .gltf of before that are under a name of ours, and that no other .gltf of the folder uses.
  void findOutdated() {
    const fs::path folder = path_.parent_path().empty() ? fs::path(".") : path_.parent_path();
    std::vector<std::string> outdated;
    for (std::size_t i = 0; i < replaced_.size(); ++i) {
      const bool used = std::find(used_.begin(), used_.end(), replaced_[i]) != used_.end();
      if (!used && isOwnName(replaced_[i], i)) outdated.push_back(replaced_[i]);
    }
    if (outdated.empty()) return;
    std::error_code fault;
    for (const auto& entry : fs::directory_iterator(folder, fault)) {
      if (entry.path().extension() != ".gltf" || entry.path().filename() == path_.filename()) continue;
      for (const std::string& uri : bufferUris(entry.path())) std::erase(outdated, decodePercent(uri));
    }
    for (const std::string& name : outdated) files_.outdated.push_back(path_.parent_path() / name);
  }

  [[nodiscard]] bool isOwnName(const std::string& name, std::size_t i) const {
    const std::string first = bufferName(i, 1);
    if (name == first) return true;
    const std::string begins = first.substr(0, first.size() - 4) + "-";
    if (!name.starts_with(begins) || !name.ends_with(".bin") || name.size() <= begins.size() + 4) return false;
    return name.find_first_not_of("0123456789", begins.size()) == name.size() - 4;
  }

  GltfDocument document_;
  fs::path path_;
  std::vector<std::string> replaced_;  // buffers of the .gltf of before
  std::vector<std::string> used_;      // of the new one
  GltfFiles files_;
};

}  // namespace

GltfFiles packDocument(GltfDocument document, const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  Packer packer(std::move(document), path);
  return extension == ".glb" ? packer.binary() : packer.text();
}

}  // namespace sinew::gltf
