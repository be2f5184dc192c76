// Sections of docs/benchmarks.md: each program rewrites its own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "sinew/base/check.h"

namespace sinew::bench {

/// Puts a section ("## Heading\n...") in the place of the one with the same heading, or at the end of the file.
inline void replaceSection(const std::string& file, const std::string& section) {
  std::string text;
  {
    std::ifstream in(file);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::size_t begin = std::min(text.size(), text.find(section.substr(0, section.find('\n') + 1)));
  const std::size_t end = std::min(text.size(), text.find("\n## ", begin));
  std::string before = text.substr(0, begin);
  std::string after = text.substr(end);
  while (before.ends_with("\n")) before.pop_back();
  while (after.starts_with("\n")) after.erase(0, 1);
  std::ofstream out(file);
  out << before << (before.empty() ? "" : "\n\n") << section << (after.empty() ? "" : "\n") << after;
  SINEW_CHECK(out.good(), "benchmark", fmt::format("cannot write {}", file));
}

}  // namespace sinew::bench
