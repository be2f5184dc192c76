// Shared code of Sinew's own root extensions: checked members, arrays in buffer views, and their position in a
// document; and the table of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/io/gltf/container/store.h"
#include "sinew/io/gltf/read/read.h"

namespace sinew::gltf {

/// Where the vertices and the morph targets of a character are in the document that is written.
struct WrittenPlaces {
  std::vector<std::vector<int>> targets;  ///< per mesh of the file: the character's morph targets, in order
  std::vector<std::uint32_t> vertices;    ///< the character's vertex of each file vertex; empty: they are the same
  bool moved = false;                     ///< some morph target has another index than in the source
};

/// The document that a block is written into.
struct BlockTarget {
  GltfDocument& document;
  Store& store;
  const CharacterFile& file;
  const WrittenPlaces& places;
  const CharacterFile* before = nullptr;  ///< content of the source; null: the document is new
};

/// One of Sinew's own extensions of the root. A block is one file beside this one and one row in blocks.cpp; nothing
/// else names it.
struct BlockRow {
  const char* name;
  /// Reads the block, after the character. A block that no longer fits the document is dropped and reported as a
  /// problem; a damaged one is refused.
  void (*read)(Reading& reading, const Json& block, CharacterFile& file);
  /// Whether the character or its file has something for the block.
  bool (*present)(const CharacterFile& file);
  /// Throws if the content is not valid.
  void (*validate)(const CharacterFile& file);
  /// Updates the block from the file, or removes it. Returns whether the document changed.
  bool (*write)(const BlockTarget& target);
};

/// All of them, in the order in which they are read and written.
std::span<const BlockRow> blocks();

/// Reads every block of the document into `file`, whose character is the reading's afterwards.
void readBlocks(Reading& reading, CharacterFile& file, std::span<const BlockRow> rows = blocks());
/// Returns whether the document changed.
bool writeBlocks(const BlockTarget& target, std::span<const BlockRow> rows = blocks());

/// Thrown by readers of blocks: the block is valid, but the rest of the file no longer matches it.
struct Outdated {
  std::string why;
};

/// The block in the extensions of the root, or null.
const Json* findBlock(const Json& root, const char* name);

/// Puts a block into the document and names it in extensionsUsed. Call it after the block's data were stored.
void putBlock(Json& root, const char* name, Json block);
/// Takes it out; nothing happens where there is none.
void eraseBlock(Json& root, const char* name);

/// Names an extension in extensionsUsed, or takes its name out.
void setExtensionUsed(Json& root, const char* name, bool used);

/// Members of a block. Missing, wrong or non-finite values are rejected with their position and the remedy.
class BlockReader {
 public:
  /// `where` is the block's name in errors, `remedy` the end of their sentences ("learn the character again").
  BlockReader(const Reading& reading, std::string where, std::string remedy)
      : reading_(reading), where_(std::move(where)), remedy_(std::move(remedy)) {}

 protected:
  /// Throws Unreadable: the fault and the remedy.
  [[noreturn]] void refuseBlock(const std::string& fault) const;
  [[nodiscard]] std::string placeOf(const char* key) const { return where_ + "." + key; }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const Reading& reading() const { return reading_; }

  const Json& required(const Json& object, const char* key, const std::string& where) const;
  const Json& requiredObject(const Json& object, const char* key, const std::string& where) const;
  std::string requiredText(const Json& object, const char* key, const std::string& where) const;
  double requiredNumber(const Json& object, const char* key, const std::string& where) const;
  bool requiredFlag(const Json& object, const char* key, const std::string& where) const;
  std::vector<double> requiredNumbers(const Json& object, const char* key, std::size_t count,
                                      const std::string& where) const;
  std::vector<std::string> requiredTexts(const Json& object, const char* key, const std::string& where) const;

  /// Arrays in buffer views: sizes are checked against the bytes that are there before anything is allocated.
  [[nodiscard]] Eigen::MatrixXd numbers(const Json& object, const char* key, const std::string& where, std::size_t rows,
                                        std::size_t columns) const;
  [[nodiscard]] std::vector<std::uint32_t> indices(const Json& object, const char* key, const std::string& where) const;
  /// Columns and rows that an array claims to have.
  [[nodiscard]] std::size_t columnsOf(const Json& object, const char* key, const std::string& where) const;
  [[nodiscard]] std::size_t rowsOf(const Json& object, const char* key, const std::string& where) const;

  /// A joint by its node if that still has the name, otherwise by name; throws Outdated if it is missing.
  [[nodiscard]] int jointOf(const Json& object, const char* key, const std::string& name, const char* what,
                            const std::string& where) const;

 private:
  struct Array {
    const char* bytes = nullptr;  ///< null: nothing
    std::size_t rows = 0;
    std::size_t columns = 0;
  };
  /// An array whose buffer view has exactly the required bytes.
  [[nodiscard]] Array open(const Json& object, const char* key, const std::string& where, const char* type,
                           std::size_t size) const;

  const Reading& reading_;
  std::string where_;
  std::string remedy_;
};

/// Arrays of a block: numbers as they are, in 64 bits, so that reading restores them bit for bit.
class BlockWriter {
 public:
  explicit BlockWriter(Store& store) : store_(store) {}

 protected:
  Json numbers(const Eigen::Ref<const Eigen::MatrixXd>& matrix);
  Json indices(const std::vector<std::uint32_t>& list);

 private:
  Json array(const char* type, std::string_view bytes, Index rows, Index columns);

  Store& store_;
};

}  // namespace sinew::gltf
