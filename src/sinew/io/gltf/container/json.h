// Checked access to the members of a glTF document: a value of the wrong kind is rejected with its position in the
// file.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sinew::gltf {

/// Members keep the order in which the file has them.
using Json = nlohmann::ordered_json;

/// Throws Error(Unreadable): for faults in the structure of a file.
[[noreturn]] void refuse(const std::string& message);

/// The member, or null if the object has none (or is not an object).
const Json* find(const Json& object, const char* key);

/// The array under `key`, or an empty one where it is missing. `where` names the object ("nodes[3]"), empty for the
/// root.
const Json& listOf(const Json& object, const char* key, const std::string& where);

/// The same, and every element must be an object.
const Json& objectsOf(const Json& object, const char* key, const std::string& where);

/// A whole number that is not negative; 3.0 counts as 3.
std::size_t countOf(const Json& value, const std::string& where);
std::size_t requiredCount(const Json& object, const char* key, const std::string& where);
std::size_t optionalCount(const Json& object, const char* key, const std::string& where, std::size_t otherwise);

/// A number below `limit`: an index into a list with that many elements.
std::size_t indexOf(const Json& value, std::size_t limit, const std::string& where);
std::optional<std::size_t> optionalIndex(const Json& object, const char* key, std::size_t limit,
                                         const std::string& where);

double numberOf(const Json& value, const std::string& where);
/// Exactly `count` numbers, or nothing if the member is missing.
std::optional<std::vector<double>> optionalNumbers(const Json& object, const char* key, std::size_t count,
                                                   const std::string& where);
/// Empty where missing.
std::string optionalText(const Json& object, const char* key, const std::string& where);
bool optionalFlag(const Json& object, const char* key, const std::string& where);

/// Parses JSON text; rejects text that is not an object, is nested deeper than 256 levels or has an object with more
/// than 16,384 members (writing is recursive, and members are searched linearly).
Json parseJson(std::string_view text);

/// Text of a document; bytes that are not UTF-8 are replaced. `indent` < 0: one line.
std::string dumpJson(const Json& json, int indent);

/// Rejects indices of the standard's members that name nothing, also of those that are only kept for writing back
/// (materials, textures, cameras): later code may rely on it.
void checkReferences(const Json& root);

/// Rejects lists of the root that are not arrays of objects, so that later code may rely on it.
void checkLists(const Json& root);

}  // namespace sinew::gltf
