// Shapes and errors as the commands speak of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/character/compare.h"

namespace sinew::cli {

/// Columns of the skinned parts; of all parts where none is skinned or `all` is asked for.
Points skinnedColumns(const Mesh& mesh, const ConstPointsRef& points, bool all = false);

/// The error block of every command: rms, rmsPercent, p95, max, maxVertex.
nlohmann::ordered_json errorBlock(const ShapeError& error);
/// "rms 0.0123 (0.45 %), p95 0.03, max 0.05 at vertex 12"
std::string errorText(const ShapeError& error);

/// Whether a file name ends as glTF's do.
bool isGltf(const std::string& path);

/// Number of things with the right word: "1 joint", "2 joints".
std::string counted(std::size_t number, const std::string& one, const std::string& many);

}  // namespace sinew::cli
