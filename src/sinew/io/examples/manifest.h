// Examples files up to their shapes.
#pragma once

#include <filesystem>

#include "sinew/io/examples/plan.h"

namespace sinew::examples {

/// Adds the examples of a file to a plan. Errors name the file, the entry and the remedy.
void readManifest(const std::filesystem::path& manifest, Plan& plan);

}  // namespace sinew::examples
