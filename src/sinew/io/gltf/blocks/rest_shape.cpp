// SINEW_rest_shape: the rest shape that examples were made on, in a file whose own was moved by a fit
// (docs/formats.md).
#include <fmt/format.h>

#include "sinew/base/check.h"
#include "sinew/io/gltf/blocks/rows.h"

namespace sinew::gltf {
namespace {

constexpr const char* kRestShapeBlock = "SINEW_rest_shape";
constexpr std::size_t kRestShapeVersion = 1;
constexpr const char* kRestShapeWhere = "extensions.SINEW_rest_shape";
constexpr const char* kRestShapeRemedy = "fit the character again";

class RestShapeReader : private BlockReader {
 public:
  explicit RestShapeReader(const Reading& reading) : BlockReader(reading, kRestShapeWhere, kRestShapeRemedy) {}

  /// Throws Outdated or Error.
  [[nodiscard]] Points points(const Json& block) const {
    if (!block.is_object()) refuseBlock(where() + " is not an object");
    const std::size_t version = requiredCount(block, "version", where());
    if (version != kRestShapeVersion)
      throw Outdated{fmt::format("it has version {}, not {}", version, kRestShapeVersion)};
    const auto count = toSize(reading().character.mesh.vertexCount());
    const std::size_t columns = columnsOf(block, "points", where());
    if (columns != count) throw Outdated{fmt::format("it has {} vertices, the file {}", columns, count)};
    return numbers(block, "points", where(), 3, count);
  }
};

class RestShapeWriter : private BlockWriter {
 public:
  explicit RestShapeWriter(Store& store) : BlockWriter(store) {}

  Json json(const Points& points) { return Json{{"version", kRestShapeVersion}, {"points", numbers(points)}}; }
};

void readRestShape(Reading& reading, const Json& block, CharacterFile& file) {
  try {
    file.examplesRest = RestShapeReader(reading).points(block);
  } catch (const Outdated& outdated) {
    reading.problems.push_back(
        fmt::format("{} no longer matches the file: {}; examples are matched to the current rest shape instead.",
                    kRestShapeBlock, outdated.why));
  }
}

bool hasRestShape(const CharacterFile& file) {
  return file.examplesRest.cols() > 0;
}

void validateRestShape(const CharacterFile& file) {
  const Index count = file.character.mesh.vertexCount();
  SINEW_CHECK(
      !hasRestShape(file) || file.examplesRest.cols() == count, "",
      fmt::format("the rest shape of the examples has {} vertices, the mesh {}", file.examplesRest.cols(), count));
}

bool writeRestShape(const BlockTarget& target) {
  Json& root = target.document.json;
  const Points& points = target.file.examplesRest;
  const bool had = findBlock(root, kRestShapeBlock) != nullptr;
  if (target.before != nullptr && had == hasRestShape(target.file)) {
    const Points& before = target.before->examplesRest;
    if (before.cols() == points.cols() && before == points) return false;
  }
  eraseBlock(root, kRestShapeBlock);
  if (points.cols() == 0) return had;
  RestShapeWriter writer(target.store);
  const std::vector<std::uint32_t>& vertices = target.places.vertices;
  Json block = writer.json(vertices.empty() ? points : Points(points(Eigen::all, vertices)));
  putBlock(root, kRestShapeBlock, std::move(block));
  return true;
}

}  // namespace

const BlockRow kRestShapeRow{kRestShapeBlock, readRestShape, hasRestShape, validateRestShape, writeRestShape};

}  // namespace sinew::gltf
