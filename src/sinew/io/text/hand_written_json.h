// Hand-written JSON: every fault is one Error that names the file, the position and the remedy.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/character/character.h"

namespace sinew::text {

/// Keys stay in the order of the file, so that messages name the first fault.
using HandJson = nlohmann::ordered_json;

/// Comments are allowed, duplicate keys are rejected. `where` is the file. `wanted` names what the file should be if it
/// is not JSON at all, such as a .glb: "a pose file".
HandJson parseHandJson(std::string_view text, const std::string& where, std::string_view wanted);

/// Throws BadInput at `where`.
[[noreturn]] void refuseJson(const std::string& where, const std::string& sentence);

/// Throws if `value` is not an object, or has a key that is not among `known` (the nearest one is suggested). `what`
/// names the object: "the pose", "example 2".
void checkObject(const HandJson& value, std::initializer_list<std::string_view> known, const std::string& what,
                 const std::string& where);

/// A finite number; a list of `count` finite numbers.
double numberOf(const HandJson& value, const std::string& what, const std::string& where);
std::vector<double> numbersOf(const HandJson& value, std::size_t count, const std::string& what,
                              const std::string& where);

/// A pose object: {"clip", "time"} where it starts, else the rest pose; then {"joints"} and {"morphs"}.
/// `warnings` gets a sentence for a time outside its clip.
Pose poseFromJson(const HandJson& value, const Character& character, const std::string& where,
                  std::vector<std::string>* warnings = nullptr);

}  // namespace sinew::text
