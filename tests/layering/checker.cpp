#include "checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "rules.h"

namespace sinew::layering {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "src/sinew/";

struct Include {
  int line;
  std::string target;
  bool angled;
};

bool isCode(const SourceFile& file) {
  return file.path.ends_with(".h") || file.path.ends_with(".cpp");
}

bool beginsWithAny(std::string_view path, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return path.starts_with(p); });
}

/// Calls visit(line number from 1, line).
template <class Visit>
void forEachLine(const std::string& text, const Visit& visit) {
  std::istringstream stream(text);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) visit(number, line);
}

std::vector<Include> includesOf(const SourceFile& file) {
  std::vector<Include> includes;
  forEachLine(file.text, [&](int number, const std::string& line) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') return;
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) return;
    const auto open = line.find_first_of("<\"", word);
    if (open == std::string::npos) return;
    const bool angled = line[open] == '<';
    const auto close = line.find(angled ? '>' : '"', open + 1);
    if (close == std::string::npos) return;
    includes.push_back({number, line.substr(open + 1, close - open - 1), angled});
  });
  return includes;
}

/// "deform" for src/sinew/deform/stack.h and for sinew/deform/stack.h; empty otherwise.
std::string_view moduleOf(std::string_view path) {
  if (path.starts_with("src/")) path.remove_prefix(4);
  if (!path.starts_with("sinew/")) return {};
  path.remove_prefix(6);
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

/// "sinew/learn/fit" for sinew/learn/fit/problem.h; empty for public headers and for whatever is not of the library.
std::string_view capabilityOf(std::string_view target) {
  if (!target.starts_with("sinew/")) return {};
  const auto module = target.find('/', 6);
  const auto name = module == std::string_view::npos ? module : target.find('/', module + 1);
  return name == std::string_view::npos ? std::string_view{} : target.substr(0, name);
}

const ModuleRow* findModule(std::string_view name) {
  const auto row =
      std::find_if(std::begin(kModules), std::end(kModules), [&](const ModuleRow& r) { return r.name == name; });
  return row == std::end(kModules) ? nullptr : row;
}

bool isWordLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether `word` occurs as a whole word: no letter, digit or underscore next to its outer letters.
bool hasWord(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    // A path must begin at its slash: "net/work" is not an absolute path.
    const bool startsFresh = at == 0 || !(isWordLetter(text[at - 1]) || (word[0] == '/' && text[at - 1] == '.'));
    const bool endsFresh = end == text.size() || !isWordLetter(text[end]) || !isWordLetter(word.back());
    if (startsFresh && endsFresh) return true;
  }
  return false;
}

bool isThirdParty(const Include& include) {
  if (!include.angled) return false;
  // Of C's headers only what a C interface needs.
  const bool ofC = include.target == "stddef.h" || include.target == "stdint.h";
  const bool standard = ofC || include.target.find_first_of("./") == std::string::npos;
  return !standard && !include.target.starts_with("Eigen/");
}

}  // namespace

std::vector<SourceFile> readTree(const fs::path& top) {
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(top); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory()) {
      if (std::find(std::begin(kIgnoredFolders), std::end(kIgnoredFolders), name) != std::end(kIgnoredFolders)) {
        entry.disable_recursion_pending();
      }
      continue;
    }
    if (!entry->is_regular_file()) continue;
    std::ifstream stream(entry->path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (text.find('\0') != std::string::npos) continue;
    files.push_back({entry->path().lexically_relative(top).generic_string(), std::move(text)});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

Findings checkLayers(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!isCode(file) || !file.path.starts_with(kLibrary) || file.path == kUmbrella) continue;
    const ModuleRow* module = findModule(moduleOf(file.path));
    if (module == nullptr) {
      findings.push_back(fmt::format("{}: is in no module of the table", file.path));
      continue;
    }
    for (const Include& include : includesOf(file)) {
      if (include.angled) continue;
      const ModuleRow* other = findModule(moduleOf(include.target));
      if (other == nullptr) {
        findings.push_back(
            fmt::format("{}:{}: \"{}\" is not written as sinew/MODULE/FILE", file.path, include.line, include.target));
      } else if (other != module && other->rank >= module->rank) {
        findings.push_back(fmt::format("{}:{}: {} must not include {} (\"{}\")", file.path, include.line, module->name,
                                       other->name, include.target));
      }
    }
  }
  return findings;
}

Findings checkPrivateHeaders(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!isCode(file)) continue;
    const std::string_view path = file.path;
    if (path.starts_with(kLibrary) && path.ends_with(".h") && !capabilityOf(path.substr(4)).empty() &&
        file.text.find("\nnamespace sinew {") != std::string::npos) {
      findings.push_back(fmt::format("{}: a private header must use the namespace of its capability", path));
    }
    for (const Include& include : includesOf(file)) {
      const std::string_view capability = capabilityOf(include.target);
      if (include.angled || capability.empty()) continue;
      const bool isPublicHeader =
          path.starts_with(kLibrary) && path.ends_with(".h") && capabilityOf(path.substr(4)).empty();
      const bool own =
          path.starts_with(fmt::format("src/{}/", capability)) || path == fmt::format("src/{}.cpp", capability);
      const bool allowed =
          own || std::any_of(std::begin(kPrivateUsers), std::end(kPrivateUsers), [&](const PrivateUserRow& row) {
            return include.target.starts_with(row.folder) && path.starts_with(row.user);
          });
      if (isPublicHeader || !allowed) {
        findings.push_back(
            fmt::format("{}:{}: \"{}\" is private to {}", path, include.line, include.target, capability));
      }
    }
  }
  return findings;
}

Findings checkUmbrella(const std::vector<SourceFile>& files) {
  Findings findings;
  std::set<std::string> included;
  for (const SourceFile& file : files) {
    if (file.path != kUmbrella) continue;
    for (const Include& include : includesOf(file)) included.insert(include.target);
  }
  for (const SourceFile& file : files) {
    if (!file.path.starts_with(kLibrary) || !file.path.ends_with(".h") || file.path == kUmbrella) continue;
    const std::string target = file.path.substr(4);
    if (capabilityOf(target).empty() && !included.contains(target)) {
      findings.push_back(fmt::format("{}: {} does not include it", file.path, kUmbrella));
    }
  }
  return findings;
}

Findings checkInstalled(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    const auto at = file.path.find("include/sinew/");
    if (!file.path.ends_with(".h") || (at != 0 && (at == std::string::npos || file.path[at - 1] != '/'))) continue;
    if (capabilityOf(std::string_view(file.path).substr(at + 8)).empty()) continue;
    findings.push_back(fmt::format("{}: a private header is installed", file.path));
  }
  return findings;
}

Findings checkFences(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!isCode(file)) continue;
    for (const Include& include : includesOf(file)) {
      for (const FenceRow& fence : kFences) {
        if (!include.angled || !include.target.starts_with(fence.include)) continue;
        if (beginsWithAny(file.path, fence.allowed)) continue;
        findings.push_back(fmt::format("{}:{}: {} is not allowed here", file.path, include.line, fence.library));
      }
    }
  }
  return findings;
}

Findings checkModes(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!isCode(file) || !file.path.starts_with(kModes.under)) continue;
    const auto slash = file.path.find('/', kModes.under.size());
    if (slash == std::string::npos) continue;  // the interface and the table of modes
    const std::string own = file.path.substr(kModes.from.size(), slash + 1 - kModes.from.size());
    for (const Include& include : includesOf(file)) {
      if (include.angled || include.target.starts_with(own) || beginsWithAny(include.target, kModes.allowed)) continue;
      findings.push_back(fmt::format("{}:{}: a mode must not include \"{}\"", file.path, include.line, include.target));
    }
  }
  return findings;
}

Findings checkPublicHeaders(const std::vector<SourceFile>& files) {
  // Per header of the library ("sinew/io/gltf.h"): does it expose a third-party header, directly or through another
  // header?
  std::map<std::string, std::vector<Include>> headers;
  for (const SourceFile& file : files) {
    if (file.path.starts_with(kLibrary) && file.path.ends_with(".h")) headers[file.path.substr(4)] = includesOf(file);
  }
  std::set<std::string> exposing;
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [name, includes] : headers) {
      const bool exposes = std::any_of(includes.begin(), includes.end(), [&](const Include& include) {
        return isThirdParty(include) || exposing.contains(include.target);
      });
      if (exposes) grew = exposing.insert(name).second || grew;
    }
  }
  Findings findings;
  for (const SourceFile& file : files) {
    if (!isCode(file)) continue;
    for (const Include& include : includesOf(file)) {
      if (!exposing.contains(include.target)) continue;
      const std::string module(moduleOf(include.target));
      if (file.path.starts_with(fmt::format("src/sinew/{}/", module))) continue;
      if (file.path.starts_with(fmt::format("tests/{}/", module))) continue;
      findings.push_back(fmt::format("{}:{}: \"{}\" exposes a third-party header, so only {} may include it", file.path,
                                     include.line, include.target, module));
    }
  }
  return findings;
}

Findings checkCalls(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!isCode(file)) continue;
    forEachLine(file.text, [&](int number, const std::string& line) {
      const std::string_view code = std::string_view(line).substr(0, line.find("//"));
      for (const CallRow& call : kCalls) {
        if (!file.path.starts_with(call.under) || !hasWord(code, call.word)) continue;
        findings.push_back(fmt::format("{}:{}: {} ({})", file.path, number, call.word, call.reason));
      }
    });
  }
  return findings;
}

Findings checkPhrases(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    forEachLine(file.text, [&](int number, const std::string& line) {
      for (const PhraseRow& phrase : kPhrases) {
        if (!hasWord(line, phrase.phrase) || beginsWithAny(file.path, phrase.allowed)) continue;
        findings.push_back(fmt::format("{}:{}: {} ({})", file.path, number, phrase.phrase, phrase.reason));
      }
    });
  }
  return findings;
}

Findings checkSizes(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    for (const SizeRow& size : kSizes) {
      if (!file.path.starts_with(size.under) || !file.path.ends_with(size.ending)) continue;
      const auto lines = std::count(file.text.begin(), file.text.end(), '\n');
      if (lines > size.lines) {
        findings.push_back(fmt::format("{}: {} lines, at most {} are allowed: split it", file.path, lines, size.lines));
      }
      break;
    }
  }
  return findings;
}

Findings checkSplinters(const std::vector<SourceFile>& files) {
  std::map<std::string, std::ptrdiff_t> lines;  // of a source and its header, by their path without the ending
  for (const SourceFile& file : files) {
    const bool ours = file.path.starts_with(kLibrary) || file.path.starts_with("apps/");
    if (!ours || !isCode(file) ||
        std::find(std::begin(kShortFiles), std::end(kShortFiles), file.path) != std::end(kShortFiles))
      continue;
    lines[file.path.substr(0, file.path.rfind('.'))] += std::count(file.text.begin(), file.text.end(), '\n');
  }
  Findings findings;
  for (const auto& [name, count] : lines) {
    if (count < kLeastLines)
      findings.push_back(fmt::format("{}: {} lines: join it with what it belongs to", name, count));
  }
  return findings;
}

Findings checkHeaderForm(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with("src/") || !file.path.ends_with(".h")) continue;
    if (!file.text.starts_with("//")) {
      findings.push_back(fmt::format("{}: does not begin with a comment that states its purpose", file.path));
    }
    if (!file.path.ends_with(kIncludedRepeatedly) && file.text.find("\n#pragma once\n") == std::string::npos) {
      findings.push_back(fmt::format("{}: lacks #pragma once", file.path));
    }
  }
  return findings;
}

}  // namespace sinew::layering
