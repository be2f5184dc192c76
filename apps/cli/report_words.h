// Numbers and names as reports write them.
#pragma once

#include <cstddef>
#include <string>

#include "sinew/base/types.h"

namespace sinew::cli {

/// "0.195 %", "2.4e-05 %"
std::string percentText(double percent);
/// "1 example", "4 examples"
std::string countText(Index count, const char* one, const char* many);
/// "123.5 kB"
std::string bytesText(std::size_t bytes);
/// The last part of a path.
std::string fileName(const std::string& path);
/// At most `most` characters of UTF-8, the last of them an ellipsis where something was cut.
std::string shortened(const std::string& name, std::size_t most);

}  // namespace sinew::cli
