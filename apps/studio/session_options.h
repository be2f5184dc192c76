// Where a session finds and keeps its files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace sinew::studio {

struct SessionOptions {
  std::filesystem::path root;   ///< files are opened and saved below it only
  std::filesystem::path state;  ///< journals
  std::filesystem::path uploads;
  bool testHooks = false;
  std::function<void(const std::string&)> log;  ///< a sentence about something refused
  int samplesVertices = 0;                      ///< of built-in characters; 0: their own number
};

}  // namespace sinew::studio
