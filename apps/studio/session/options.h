// Where a session finds and keeps its files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sinew/io/file_rules.h"

namespace sinew::studio {

struct SessionOptions {
  std::filesystem::path root;   ///< files are opened and saved below it only
  std::filesystem::path state;  ///< journals
  std::filesystem::path uploads;
  bool testHooks = false;
  std::function<void(const std::string&)> log;  ///< a sentence about something refused
  int samplesVertices = 0;                      ///< of built-in characters; 0: their own number
  FileRules rules = {};                         ///< of foreign formats; `root` is set for each file
};

/// How a file is read: what it names must lie below the root too, or, where a page sent it, among what pages sent.
FileRules rulesFor(const SessionOptions& options, const std::filesystem::path& path);

}  // namespace sinew::studio
