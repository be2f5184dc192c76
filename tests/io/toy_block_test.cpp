// A block is one file with its reader, its check and its writer, and one row: this file is a whole block, and its row
// joins the table of the library's own.
#include <gtest/gtest.h>

#include "sinew/base/check.h"
#include "sinew/io/gltf.h"
#include "sinew/io/gltf/blocks/block.h"
#include "sinew/io/gltf/container/document.h"
#include "sinew/samples/samples.h"

namespace sinew::gltf {
namespace {

constexpr const char* kToyBlock = "SINEW_toy";

/// The toy stores a nickname for the character.
void readToy(Reading& reading, const Json& block, CharacterFile& /*file*/) {
  reading.character.name = block.at("nickname").get<std::string>();
}

bool hasToy(const CharacterFile& file) {
  return !file.character.name.empty();
}

void validateToy(const CharacterFile& file) {
  SINEW_CHECK(file.character.name.size() < 100, "", "the nickname has 100 letters or more; take a shorter one");
}

bool writeToy(const BlockTarget& target) {
  putBlock(target.document.json, kToyBlock, Json{{"version", 1}, {"nickname", target.file.character.name}});
  return true;
}

constexpr BlockRow kToyRow{kToyBlock, readToy, hasToy, validateToy, writeToy};

std::vector<BlockRow> rowsWithToy() {
  std::vector<BlockRow> rows(blocks().begin(), blocks().end());
  rows.push_back(kToyRow);
  return rows;
}

CharacterFile readAgain(const std::string& bytes, std::span<const BlockRow> rows) {
  const GltfDocument document = openDocument(bytes, {});
  CharacterFile file;
  Reading reading = readDocument(document, file.problems);
  readBlocks(reading, file, rows);
  return file;
}

/// A sample as a .glb with the toy's block in it.
std::string bytesWithToy(const std::string& nickname, const std::vector<BlockRow>& rows) {
  CharacterFile file;
  file.character = makeSample("arm").character;
  GltfDocument document = openDocument(gltfToMemory("arm.glb", file).files.front().second, {});
  Store store(document);
  file.character.name = nickname;
  EXPECT_TRUE(writeBlocks({document, store, file, {}}, rows));
  return packDocument(std::move(document), "arm.glb").files.front().second;
}

TEST(ToyBlock, IsReadAndWrittenByItsRow) {
  const std::vector<BlockRow> rows = rowsWithToy();
  const CharacterFile back = readAgain(bytesWithToy("Popeye", rows), rows);
  EXPECT_EQ(back.character.name, "Popeye");
  EXPECT_EQ(back.blocks, std::vector<std::string>{kToyBlock});
  CharacterFile wrong;
  wrong.character.name = std::string(100, 'x');
  EXPECT_THROW(kToyRow.validate(wrong), Error);
}

TEST(ToyBlock, WithoutItsRowComesBackUnchanged) {
  const std::vector<BlockRow> rows = rowsWithToy();
  const CharacterFile unknown = readGltfFromMemory(bytesWithToy("Popeye", rows), {}, "arm");
  EXPECT_EQ(unknown.character.name, "arm");
  EXPECT_EQ(unknown.blocks, std::vector<std::string>{kToyBlock});
  const std::string written = gltfToMemory("arm.glb", unknown).files.front().second;
  EXPECT_EQ(readAgain(written, rows).character.name, "Popeye");
}

}  // namespace
}  // namespace sinew::gltf
