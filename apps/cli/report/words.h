// Numbers, names and closing words as reports write them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "report/page.h"

namespace sinew::cli {

/// "0.195 %", "2.4e-05 %"
std::string percentText(double percent);
/// "123.5 kB"
std::string bytesText(std::size_t bytes);
/// The last part of a path.
std::string fileName(const std::string& path);

/// The end of every report: the command line, the files by what they are (empty names are left out), and notes.
void tellOrigin(Page& page, const std::string& commandLine, std::span<const std::pair<std::string, std::string>> files,
                std::span<const std::string> notes);

}  // namespace sinew::cli
