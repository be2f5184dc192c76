// Point caches: shapes of one mesh over time, without its faces. Blender and Maya read and write both kinds.
#pragma once

#include <filesystem>
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

/// Sizes are checked against the file before anything is allocated. Throws Unreadable for a file of another kind, one
/// that is truncated or too long, without frames or points, or with a value that is not finite; errors name the file.
PointCache readPointCache(const std::filesystem::path& path, const Progress& progress = {});

/// In single precision, as the formats require. `times` may be empty: then 24 frames are one second. Throws BadInput
/// for sizes that differ, and Unwritable for times that a .pc2 cannot store, because its frames are evenly spaced.
/// Written completely or not at all. `into` takes the file, which is in place when it commits; null: immediately.
void writePointCache(const std::filesystem::path& path, const PointCache& cache, OutputFiles* into = nullptr,
                     const Progress& progress = {});

}  // namespace sinew
