// From bytes to a document: the chunks of a .glb (glTF 2.0, section 4), the buffers of a .gltf, and the checks that
// everything later relies on.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf/container/document.h"
#include "sinew/io/uri.h"

namespace sinew::gltf {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMagic = "glTF";
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;
constexpr std::uint32_t kBinChunk = 0x004E4942;
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;

struct UnreadableExtension {
  std::string_view name;
  std::string_view remedy;
};

/// Extensions without which the geometry of a file cannot be had.
constexpr std::array kUnreadable = {
    UnreadableExtension{"KHR_draco_mesh_compression", "export it without Draco compression"},
    UnreadableExtension{"EXT_meshopt_compression", "export it without meshopt compression"},
    UnreadableExtension{"KHR_meshopt_compression", "export it without meshopt compression"},
};

std::uint32_t wordAt(std::string_view bytes, std::size_t offset) {
  std::uint32_t word = 0;
  for (std::size_t k = 4; k-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[offset + k]);
  return word;
}

struct GlbParts {
  std::string_view json;
  std::optional<std::string_view> binary;
};

/// The whole header and every chunk header are checked against the bytes that are there.
GlbParts splitGlb(std::string_view bytes, GltfDocument& document) {
  if (bytes.size() < kHeaderBytes + kChunkHeaderBytes) {
    refuse(fmt::format("has {} bytes, too few for a .glb: it is truncated; copy or export it again", bytes.size()));
  }
  const std::uint32_t version = wordAt(bytes, 4);
  if (version != 2) refuse(fmt::format("is a .glb of version {}; export it as glTF 2.0", version));
  const std::size_t length = wordAt(bytes, 8);
  if (length > bytes.size()) {
    refuse(
        fmt::format("should have {} bytes but has {}: it is truncated; copy or export it again", length, bytes.size()));
  }
  if (length < bytes.size()) {
    document.complaints.push_back(fmt::format(
        "The file has {} bytes after the end given in its header; they are ignored.", bytes.size() - length));
  }
  GlbParts parts;
  std::size_t offset = kHeaderBytes;
  for (std::size_t chunk = 0; offset < length; ++chunk) {
    if (length - offset < kChunkHeaderBytes) refuse("its last chunk is truncated; copy or export it again");
    const std::size_t size = wordAt(bytes, offset);
    const std::uint32_t type = wordAt(bytes, offset + 4);
    offset += kChunkHeaderBytes;
    if (size > length - offset) {
      refuse(fmt::format("chunk {} should have {} bytes but only {} are left; copy or export it again", chunk, size,
                         length - offset));
    }
    const std::string_view content = bytes.substr(offset, size);
    if (chunk == 0 && type != kJsonChunk) refuse("its first chunk is not JSON; copy or export it again");
    if (chunk == 0) {
      parts.json = content;
    } else if (chunk == 1 && type == kBinChunk) {
      parts.binary = content;
    } else {
      document.chunks.push_back({type, std::string(content)});
    }
    // Chunks start at multiples of 4; a last chunk that is not padded is let pass.
    offset += std::min(size + (4 - size % 4) % 4, length - offset);
  }
  return parts;
}

std::string loadUri(const std::string& uri, const GltfDocument& document, const std::string& where,
                    const NamedFiles* beside) {
  if (isDataUri(uri)) return decodeDataUri(uri, where);
  if (leavesFolderTree(uri)) {
    refuse(fmt::format("{} is '{}', not a path relative to the file; put the data next to the file", where, uri));
  }
  if (beside != nullptr) {
    const fs::path wanted = document.folder / decodePercent(uri);
    for (const auto& [name, content] : *beside) {
      if (name == wanted) return content;
    }
  }
  const auto path = resolveUri(uri, document.folder, document.root);
  if (!path) {
    throw Error(ErrorCode::NotFound,
                fmt::format("{} refers to '{}', which does not exist; put it next to the file", where, uri));
  }
  return readFile(*path);
}

void loadBuffers(GltfDocument& document, const std::optional<std::string_view>& binary, const NamedFiles* beside) {
  const Json& buffers = listOf(document.json, "buffers", "");
  bool binaryUsed = false;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string where = fmt::format("buffers[{}]", i);
    const std::size_t length = requiredCount(buffers[i], "byteLength", where);
    std::string bytes;
    if (find(buffers[i], "uri") != nullptr) {
      bytes = loadUri(optionalText(buffers[i], "uri", where), document, where + ".uri", beside);
    } else if (i == 0 && binary) {
      bytes = *binary;
      binaryUsed = true;
    } else {
      refuse(fmt::format("{} has no uri and no data; export the file again", where));
    }
    if (bytes.size() < length) {
      refuse(fmt::format("{}.byteLength is {}, but there are only {} bytes; copy or export it again", where, length,
                         bytes.size()));
    }
    bytes.resize(length);
    document.buffers.push_back(std::move(bytes));
  }
  if (binary && !binaryUsed) document.chunks.insert(document.chunks.begin(), {kBinChunk, std::string(*binary)});
}

void checkVersion(const Json& root) {
  const Json* asset = find(root, "asset");
  if (asset == nullptr || !asset->is_object()) {
    refuse("has no asset.version, so this is not a glTF 2.0 file; check the path");
  }
  const std::string version = optionalText(*asset, "version", "asset");
  if (version.substr(0, 2) != "2.") {
    refuse(fmt::format("asset.version is '{}'; export the file as glTF 2.0", version));
  }
}

void checkExtensions(const Json& root) {
  for (const Json& required : listOf(root, "extensionsRequired", "")) {
    for (const UnreadableExtension& row : kUnreadable) {
      if (required.get<std::string>() == row.name) {
        refuse(fmt::format("needs the extension {}, which Sinew cannot read; {}", row.name, row.remedy));
      }
    }
  }
}

void checkBufferViews(const GltfDocument& document) {
  const Json& views = listOf(document.json, "bufferViews", "");
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::string where = fmt::format("bufferViews[{}]", i);
    requiredCount(views[i], "buffer", where);
    const std::size_t buffer = *optionalIndex(views[i], "buffer", document.buffers.size(), where);
    const std::size_t offset = optionalCount(views[i], "byteOffset", where, 0);
    const std::size_t length = requiredCount(views[i], "byteLength", where);
    const std::size_t size = document.buffers[buffer].size();
    if (offset > size || length > size - offset) {
      refuse(fmt::format("{} covers {} bytes from {}, but its buffer has {}; export the file again", where, length,
                         offset, size));
    }
  }
}

}  // namespace

GltfDocument openDocument(const std::string& bytes, const fs::path& folder, const fs::path& root,
                          const NamedFiles* beside) {
  GltfDocument document;
  document.folder = folder;
  document.root = root;
  std::string_view content = bytes;
  std::optional<std::string_view> binary;
  if (content.substr(0, kMagic.size()) == kMagic) {
    const GlbParts parts = splitGlb(content, document);
    content = parts.json;
    // Some exporters pad with zeros where spaces are due.
    while (!content.empty() && content.back() == '\0') content.remove_suffix(1);
    binary = parts.binary;
  } else if (content.substr(0, 3) == "\xEF\xBB\xBF") {
    content.remove_prefix(3);
  }
  document.json = parseJson(content);
  checkVersion(document.json);
  checkLists(document.json);
  checkExtensions(document.json);
  loadBuffers(document, binary, beside);
  checkBufferViews(document);
  return document;
}

}  // namespace sinew::gltf
