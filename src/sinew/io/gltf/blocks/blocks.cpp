#include <algorithm>
#include <array>

#include "sinew/io/gltf/blocks/rows.h"

namespace sinew::gltf {

std::span<const BlockRow> blocks() {
  static const std::array rows = {kHelperJointsRow, kPosesRow, kPoseSpaceRow, kReducedModelRow, kRestShapeRow};
  return rows;
}

void readBlocks(Reading& reading, CharacterFile& file, std::span<const BlockRow> rows) {
  for (const BlockRow& row : rows) {
    if (const Json* const block = findBlock(reading.document.json, row.name)) row.read(reading, *block, file);
  }
  file.character = std::move(reading.character);
  // Blocks of other programs and of later versions count as well; those that were left out do not.
  const Json* const extensions = find(reading.document.json, "extensions");
  if (extensions == nullptr) return;
  for (const auto& item : extensions->items()) {
    const std::string& extension = item.key();
    if (!extension.starts_with("SINEW_")) continue;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const BlockRow& r) { return r.name == extension; });
    if (row == rows.end() || row->present(file)) file.blocks.push_back(extension);
  }
}

bool writeBlocks(const BlockTarget& target, std::span<const BlockRow> rows) {
  bool changed = false;
  for (const BlockRow& row : rows) changed = row.write(target) || changed;
  return changed;
}

}  // namespace sinew::gltf
