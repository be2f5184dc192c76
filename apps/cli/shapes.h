// Shapes and errors in the output of commands.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sinew/base/text.h"
#include "sinew/character/character.h"
#include "sinew/character/compare.h"

namespace sinew::cli {

class Console;

/// Columns of the skinned parts; of all parts if none is skinned or `all` is set.
Points skinnedColumns(const Mesh& mesh, const ConstPointsRef& points, bool all = false);

/// The error block of every command: rms, rmsPercent, p95, max, maxVertex.
nlohmann::ordered_json errorBlock(const ShapeError& error);
/// "rms 0.0123 (0.45 %), p95 0.03, max 0.05 at vertex 12"
std::string errorText(const ShapeError& error);

/// A sentence for each mesh with several instances, of which only the first is `done`: "learned", "measured".
std::vector<std::string> furtherPlaces(const Mesh& mesh, const std::string& done);

/// readPose, whose complaints about the character name its file; what it warns of is reported.
Pose poseOf(const std::string& word, const Character& character, const std::string& file, const Console& console);

}  // namespace sinew::cli
