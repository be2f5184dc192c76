#include "shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace sinew::cli {

Points skinnedColumns(const Mesh& mesh, const ConstPointsRef& points, bool all) {
  const bool anySkinned =
      std::any_of(mesh.parts.begin(), mesh.parts.end(), [](const MeshPart& part) { return part.skinned; });
  if (all || !anySkinned) return points;
  Points columns(3, points.cols());
  Index count = 0;
  for (const MeshPart& part : mesh.parts) {
    if (!part.skinned) continue;
    columns.middleCols(count, part.vertexCount) = points.middleCols(part.firstVertex, part.vertexCount);
    count += part.vertexCount;
  }
  return columns.leftCols(count);
}

nlohmann::ordered_json errorBlock(const ShapeError& error) {
  return {{"rms", error.rms},
          {"rmsPercent", error.rmsPercent},
          {"p95", error.p95},
          {"max", error.max},
          {"maxVertex", error.maxVertex}};
}

std::string errorText(const ShapeError& error) {
  return fmt::format("rms {:.6g} ({:.4g} %), p95 {:.6g}, max {:.6g} at vertex {}", error.rms, error.rmsPercent,
                     error.p95, error.max, error.maxVertex);
}

std::string counted(std::size_t number, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

bool isGltf(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".glb" || extension == ".gltf";
}

}  // namespace sinew::cli
