// Reads a tree of files and finds what breaks the rules.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::house {

struct SourceFile {
  std::string path;  ///< from the top, with slashes
  std::string text;
};

/// Every text file under `top` that is not in an ignored folder, by path.
std::vector<SourceFile> readTree(const std::filesystem::path& top);

/// A sentence: which file and line breaks which rule.
using Findings = std::vector<std::string>;

/// Files of src/sinew include only rooms to their left, and nothing outside of src/sinew.
Findings checkLayers(const std::vector<SourceFile>& files);
/// Third-party libraries stay behind their fences.
Findings checkFences(const std::vector<SourceFile>& files);
/// A mode of the studio sees its context, the document, the messages and the library: no other mode, no network, no
/// session.
Findings checkModes(const std::vector<SourceFile>& files);
/// Headers that other rooms include show no third party but Eigen, also through other headers.
Findings checkPublicHeaders(const std::vector<SourceFile>& files);
/// The library neither prints nor ends the process.
Findings checkCalls(const std::vector<SourceFile>& files);
Findings checkPhrases(const std::vector<SourceFile>& files);
Findings checkSizes(const std::vector<SourceFile>& files);
/// Every header begins with a comment that says what it is for, and is read once.
Findings checkHeaderForm(const std::vector<SourceFile>& files);

}  // namespace sinew::house
