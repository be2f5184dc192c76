// Reads a tree of files and finds violations of the rules.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::layering {

struct SourceFile {
  std::string path;  ///< from the top, with slashes
  std::string text;
};

/// Every text file under `top` that is not in an ignored folder, by path.
std::vector<SourceFile> readTree(const std::filesystem::path& top);

/// A sentence: which file and line breaks which rule.
using Findings = std::vector<std::string>;

/// Files of src/sinew include only modules to their left, and nothing outside src/sinew.
Findings checkLayers(const std::vector<SourceFile>& files);
/// Third-party libraries are used only where they are allowed.
Findings checkFences(const std::vector<SourceFile>& files);
/// A mode of the studio includes its context, the document, the messages and the library: no other mode, no network, no
/// session.
Findings checkModes(const std::vector<SourceFile>& files);
/// Headers in the folder of a capability are included by that capability alone, are in its namespace, and no public
/// header includes them.
Findings checkPrivateHeaders(const std::vector<SourceFile>& files);
/// sinew.h includes every public header.
Findings checkUmbrella(const std::vector<SourceFile>& files);
/// Of an installed tree: no private header in include/.
Findings checkInstalled(const std::vector<SourceFile>& files);
/// Headers included by other modules expose no third-party header except Eigen, directly or through other headers.
Findings checkPublicHeaders(const std::vector<SourceFile>& files);
/// The library neither prints nor ends the process.
Findings checkCalls(const std::vector<SourceFile>& files);
Findings checkPhrases(const std::vector<SourceFile>& files);
Findings checkSizes(const std::vector<SourceFile>& files);
/// No source that is too short to be read for itself.
Findings checkSplinters(const std::vector<SourceFile>& files);
/// Every header begins with a comment that states its purpose, and has #pragma once.
Findings checkHeaderForm(const std::vector<SourceFile>& files);

}  // namespace sinew::layering
