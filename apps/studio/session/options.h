// The folders and modes of a session.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "sinew/io/file_rules.h"
#include "studio/modes/mode.h"

namespace sinew::studio {

struct SessionOptions {
  std::filesystem::path root;   ///< files are opened and saved only below it
  std::filesystem::path state;  ///< journals
  std::filesystem::path uploads;
  bool testHooks = false;
  std::function<void(const std::string&)> log;     ///< logs a sentence about a refused request
  std::filesystem::path samplePictures = {};       ///< a .png for each built-in character; empty: none
  int samplesVertices = 0;                         ///< of built-in characters; 0: the default
  FileRules rules = {};                            ///< of foreign formats; `root` is set for each file
  std::span<const ModeRow> modes = studioModes();  ///< must outlive the session
};

}  // namespace sinew::studio
