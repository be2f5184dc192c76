// The part of JSON Schema that docs/schemas/cli uses.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sinew::test {

/// Violations of the schema in the file, one line each with the position in the value; empty if there are none. Throws
/// for an unknown keyword, so that no rule is skipped.
std::vector<std::string> schemaFaults(const nlohmann::json& value, const std::filesystem::path& schemaFile);

}  // namespace sinew::test
