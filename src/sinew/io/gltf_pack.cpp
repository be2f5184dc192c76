// From a document to files: one .glb with one buffer, or a .gltf with its .bin and images beside it. Nothing is ever
// written outside the output's folder.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <system_error>

#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf_store.h"
#include "sinew/io/gltf_uri.h"

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
    std::string content;
    appendChunk(content, 0x4E4F534A, json, ' ');
    if (!document_.buffers.empty()) appendChunk(content, 0x004E4942, document_.buffers.front(), '\0');
    for (const GlbChunk& chunk : document_.chunks) appendChunk(content, chunk.type, chunk.bytes, '\0');
    std::string bytes = "glTF";
    appendWord(bytes, 2);
    appendWord(bytes, content.size() + 12);
    if (content.size() > std::numeric_limits<std::uint32_t>::max() - 12) {
      throw Error(ErrorCode::Unwritable, "would be larger than the 4 GiB that a .glb can hold; write a .gltf instead");
    }
    files_.files.emplace(files_.files.begin(), path_, bytes + content);
    return std::move(files_);
  }

  GltfFiles text() {
    copyImages();
    const std::string stem = path_.stem().string();
    eachElement(document_.json, "buffers", [&](Json& buffer, std::size_t i) {
      if (isDataUri(optionalText(buffer, "uri", "buffers"))) {
        buffer["uri"] = "data:application/octet-stream;base64," + encodeBase64(document_.buffers[i]);
        return;
      }
      const std::string name = i == 0 ? stem + ".bin" : fmt::format("{}_{}.bin", stem, i);
      buffer["uri"] = encodePercent(name);
      files_.files.emplace_back(path_.parent_path() / name, std::move(document_.buffers[i]));
    });
    if (!document_.chunks.empty()) {
      files_.lost.push_back(
          fmt::format("{} chunks of unknown kind were left out: only a .glb can hold them.", document_.chunks.size()));
    }
    files_.files.emplace(files_.files.begin(), path_, dumpJson(document_.json, 2) + "\n");
    return std::move(files_);
  }

 private:
  /// The bytes of an image that stands outside the buffers; nothing where it has none, or they cannot be found (which
  /// is told).
  std::optional<std::string> imageBytes(const Json& image, std::size_t index) {
    const Json* uri = find(image, "uri");
    if (uri == nullptr || !uri->is_string()) return std::nullopt;
    const auto text = uri->get<std::string>();
    const std::string where = fmt::format("images[{}].uri", index);
    try {
      if (isDataUri(text)) return decodeDataUri(text, where);
      if (const auto file = resolveUri(text, document_.folder, document_.root)) return readFile(*file);
    } catch (const Error&) {
      // Told below: a picture that cannot be read is no reason not to write the character.
    }
    if (text.find("://") == std::string::npos) {
      files_.lost.push_back(
          fmt::format("Image {} ('{}') cannot be read and was not taken along.", index, text.substr(0, 80)));
    }
    return std::nullopt;
  }

  void embedImages() {
    // Adding buffer views moves the members of the root, so images are looked up anew each time.
    const std::size_t count = listOf(document_.json, "images", "").size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto bytes = imageBytes(document_.json["images"][i], i);
      if (!bytes) continue;
      const std::string mime = mimeOf(document_.json["images"][i], *bytes);
      if (mime.empty()) {
        files_.lost.push_back(fmt::format("Image {} is of no known kind and was not put into the file.", i));
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
        files_.lost.push_back(fmt::format("Extras of buffer {} were left out: a .glb has one buffer.", b));
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

  /// Adds a file beside the output and returns its name. Another file of that name is not overwritten.
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

  GltfDocument document_;
  fs::path path_;
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
