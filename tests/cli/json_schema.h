// The part of JSON Schema that docs/schemas/cli uses.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sinew::test {

/// What breaks the schema in the file, a line each with the place in the value; empty where it holds. Throws for a
/// keyword that is not known here, so that no rule is passed over.
std::vector<std::string> schemaFaults(const nlohmann::json& value, const std::filesystem::path& schemaFile);

}  // namespace sinew::test
