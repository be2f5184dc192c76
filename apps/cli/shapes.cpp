#include "shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "console.h"
#include "sinew/base/error.h"
#include "sinew/io/poses.h"

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

std::vector<std::string> furtherPlaces(const Mesh& mesh, const std::string& done) {
  std::vector<std::string> sentences;
  int last = -1;
  for (const MeshPart& part : mesh.parts) {
    if (part.instances <= 1 || part.mesh == last) continue;
    last = part.mesh;
    sentences.push_back(fmt::format("'{}' has {} instances; only the first is {}", part.name, part.instances, done));
  }
  return sentences;
}

Pose poseOf(const std::string& word, const Character& character, const std::string& file, const Console& console) {
  try {
    std::vector<std::string> warnings;
    Pose pose = readPose(word, character, &warnings);
    console.warn(warnings);
    return pose;
  } catch (const Error& error) {
    // A clip name is not a file: the error is about the character.
    const bool isClip =
        error.code() == ErrorCode::NotFound && word.find('@') != std::string::npos && !std::filesystem::exists(word);
    if (!isClip && !error.where().empty()) throw;
    throw Error(error.code(), error.message(), file);
  }
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

}  // namespace sinew::cli
