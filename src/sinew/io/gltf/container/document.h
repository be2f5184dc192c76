// The source of a glTF file: its JSON and its bytes, so that everything that Sinew does not interpret is written back
// unchanged. Private to the glTF files; for the reasons see docs/decisions/0002-glTF-as-json.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/io/gltf/container/json.h"

namespace sinew::gltf {

/// A chunk of a .glb other than its JSON and its buffer, kept for writing back.
struct GlbChunk {
  std::uint32_t type = 0;
  std::string bytes;
};

/// Invariant: the lists of `json` have passed gltf::checkLists, and every buffer view is inside its buffer.
class GltfDocument final : public SourceDocument {
 public:
  Json json;
  std::vector<std::string> buffers;     ///< per buffers[i], byteLength bytes each
  std::vector<GlbChunk> chunks;         ///< further chunks of a .glb, in order
  std::filesystem::path folder;         ///< against which URIs are resolved
  std::filesystem::path root;           ///< referenced files must be below it (FileRules); empty: anywhere
  std::string name;                     ///< of the character: the file's name without extension
  bool tolerant = false;                ///< how it was read, so that it can be read again the same way
  std::vector<std::string> complaints;  ///< about the container, a sentence each
};

using NamedFiles = std::vector<std::pair<std::filesystem::path, std::string>>;

/// Splits a .glb or parses a .gltf and loads its buffers; checks the extensions and buffer views. `beside` contains
/// files of its folder that are not on disk yet; null: none.
GltfDocument openDocument(const std::string& bytes, const std::filesystem::path& folder,
                          const std::filesystem::path& root = {}, const NamedFiles* beside = nullptr);

/// The contents of a document, with everything that Sinew has learned.
CharacterFile characterOf(std::shared_ptr<GltfDocument> document, const ReadOptions& options);

/// A fresh document for a character and its learned corrections without a glTF source.
GltfDocument buildDocument(const CharacterFile& file, const WriteOptions& options, LostList& lost);

/// A copy of the source in which only what differs from `file` is written again, or nothing if the character has other
/// vertices or fewer joints than the source.
std::optional<GltfDocument> patchDocument(const GltfDocument& source, const CharacterFile& file,
                                          const WriteOptions& options, LostList& lost);

/// The document as files next to `path`.
GltfFiles packDocument(GltfDocument document, const std::filesystem::path& path);

}  // namespace sinew::gltf
