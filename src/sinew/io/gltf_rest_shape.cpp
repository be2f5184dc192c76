#include "sinew/io/gltf_rest_shape.h"

#include <fmt/format.h>

#include "sinew/io/gltf_block.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kVersion = 1;
constexpr const char* kWhere = "extensions.SINEW_rest_shape";
constexpr const char* kRemedy = "fit the character again";

class RestShapeReader : private BlockReader {
 public:
  explicit RestShapeReader(const Reading& reading) : BlockReader(reading, kWhere, kRemedy) {}

  /// Throws Outdated or Error.
  [[nodiscard]] Points points(const Json& block) const {
    if (!block.is_object()) refuseBlock(where() + " is not an object");
    const std::size_t version = requiredCount(block, "version", where());
    if (version != kVersion) throw Outdated{fmt::format("it has version {}, not {}", version, kVersion)};
    const auto count = static_cast<std::size_t>(reading().character.mesh.vertexCount());
    const std::size_t columns = columnsOf(block, "points", where());
    if (columns != count) throw Outdated{fmt::format("it has {} vertices, the file {}", columns, count)};
    return numbers(block, "points", where(), 3, count);
  }
};

class RestShapeWriter : private BlockWriter {
 public:
  explicit RestShapeWriter(Store& store) : BlockWriter(store) {}

  Json json(const Points& points) { return Json{{"version", kVersion}, {"points", numbers(points)}}; }
};

}  // namespace

Points readRestShape(const Reading& reading, std::vector<std::string>& problems) {
  const Json* block = findBlock(reading.document.json, kRestShapeBlock);
  if (block == nullptr) return Points(3, 0);
  try {
    return RestShapeReader(reading).points(*block);
  } catch (const Outdated& outdated) {
    problems.push_back(
        fmt::format("{} no longer matches the file: {}; examples are matched to the current rest shape instead.",
                    kRestShapeBlock, outdated.why));
    return Points(3, 0);
  }
}

void writeRestShape(GltfDocument& document, Store& store, const Points& points,
                    const std::vector<std::uint32_t>& fileVertices) {
  eraseBlock(document.json, kRestShapeBlock);
  if (points.cols() == 0) return;
  RestShapeWriter writer(store);
  Json block = writer.json(fileVertices.empty() ? points : Points(points(Eigen::all, fileVertices)));
  putBlock(document.json, kRestShapeBlock, std::move(block));
}

}  // namespace sinew::gltf
