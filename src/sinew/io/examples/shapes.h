// Where shapes come from: mesh files, point caches, clips.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/mesh.h"
#include "sinew/io/file_rules.h"

namespace sinew::examples {

/// A mesh in world space, in its rest pose where it has a skeleton.
struct Shape {
  Points points;
  Faces faces;  ///< none in a point cache
};

/// Shapes of one input, read one at a time.
class ShapeList {
 public:
  ShapeList() = default;
  virtual ~ShapeList() = default;
  ShapeList(const ShapeList&) = delete;
  ShapeList& operator=(const ShapeList&) = delete;

  [[nodiscard]] virtual std::size_t size() const = 0;
  virtual Shape read(std::size_t frame) = 0;
  /// The file that a frame is in.
  [[nodiscard]] virtual std::filesystem::path file(std::size_t frame) const = 0;
  /// Which of a file with several, for messages: "frame 12"; empty if it has one.
  [[nodiscard]] virtual std::string part(std::size_t frame) const = 0;
  /// Seconds, one per frame; empty if the input has no times.
  [[nodiscard]] virtual std::vector<double> times() const { return {}; }
  /// Whether a number of frames per second is open: it has none, or kPointCacheFrames is assumed.
  [[nodiscard]] virtual bool takesRate() const { return false; }
};

/// One shape per file.
std::shared_ptr<ShapeList> meshFiles(std::vector<std::filesystem::path> files, FileRules rules);

/// A point cache, the meshes of a folder, or the keys of the clip that animates the shape of a file. Throws NotFound,
/// and BadInput for a file with a single shape.
std::shared_ptr<ShapeList> openShapes(const std::filesystem::path& path, const FileRules& rules,
                                      std::vector<std::string>& notes);

}  // namespace sinew::examples
