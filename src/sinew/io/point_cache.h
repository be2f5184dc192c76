// Point caches: shapes of one mesh over time, without its faces. Blender and Maya read and write both kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/base/types.h"

namespace sinew {

class OutputFiles;

/// A .pc2 counts in frames: they are taken as this many per second.
inline constexpr double kPointCacheFrames = 24;

struct PointCache {
  std::vector<Points> frames;  ///< all with the same number of points
  std::vector<double> times;   ///< seconds, one per frame
};

/// By extension: .pc2 and .mdd.
bool isPointCache(const std::filesystem::path& path);

/// Whether it counts in frames (.pc2) instead of seconds.
bool countsFrames(const std::filesystem::path& path);

/// A cache whose frames are read one at a time, so that memory does not grow with their number. Sizes are checked
/// against the file before anything is allocated. Throws Unreadable for a file of another kind, one that is truncated
/// or too long, without frames or points, or with a value that is not finite; errors name the file.
class PointCacheFile {
 public:
  explicit PointCacheFile(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] Index pointCount() const { return points_; }
  [[nodiscard]] const std::vector<double>& times() const { return times_; }  ///< seconds, one per frame
  void read(std::size_t frame, Points& points);

 private:
  void readHeader(std::uintmax_t bytes);

  std::filesystem::path path_;
  std::ifstream stream_;
  Index points_ = 0;
  std::size_t start_ = 0;  ///< of the first frame, bytes
  std::vector<double> times_;
};

/// All frames. Throws as PointCacheFile.
PointCache readPointCache(const std::filesystem::path& path, const Progress& progress = {});

/// In single precision, as the formats require. `times` may be empty: then 24 frames are one second. Throws BadInput
/// for sizes that differ, and Unwritable for times that a .pc2 cannot store, because its frames are evenly spaced.
/// Written completely or not at all. `into` takes the file, which is in place when it commits; null: immediately.
void writePointCache(const std::filesystem::path& path, const PointCache& cache, OutputFiles* into = nullptr,
                     const Progress& progress = {});

}  // namespace sinew
