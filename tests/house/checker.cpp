#include "checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "rules.h"

namespace sinew::house {

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

/// "deform" for src/sinew/deform/stack.h and for sinew/deform/stack.h; empty for all else.
std::string_view roomOf(std::string_view path) {
  if (path.starts_with("src/")) path.remove_prefix(4);
  if (!path.starts_with("sinew/")) return {};
  path.remove_prefix(6);
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

const RoomRow* findRoom(std::string_view name) {
  const auto row = std::find_if(std::begin(kRooms), std::end(kRooms), [&](const RoomRow& r) { return r.name == name; });
  return row == std::end(kRooms) ? nullptr : row;
}

bool isWordLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The first place where `word` stands with no letter, digit or underscore against its own outer letters.
bool hasWord(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    // A path must begin at its slash: "net/work" is no path of a machine.
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
    const RoomRow* room = findRoom(roomOf(file.path));
    if (room == nullptr) {
      findings.push_back(fmt::format("{}: stands in no room of the table", file.path));
      continue;
    }
    for (const Include& include : includesOf(file)) {
      if (include.angled) continue;
      const RoomRow* other = findRoom(roomOf(include.target));
      if (other == nullptr) {
        findings.push_back(fmt::format("{}:{}: \"{}\" is not written from the top as sinew/ROOM/FILE", file.path,
                                       include.line, include.target));
      } else if (other != room && other->rank >= room->rank) {
        findings.push_back(fmt::format("{}:{}: {} must not include {} (\"{}\")", file.path, include.line, room->name,
                                       other->name, include.target));
      }
    }
  }
  return findings;
}

Findings checkFences(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    // The list of headers that are compiled once only saves time; each file still includes what it uses.
    if (!isCode(file)) continue;
    for (const Include& include : includesOf(file)) {
      for (const FenceRow& fence : kFences) {
        if (!include.angled || !include.target.starts_with(fence.include)) continue;
        if (beginsWithAny(file.path, fence.allowed)) continue;
        findings.push_back(fmt::format("{}:{}: {} stands outside its fence", file.path, include.line, fence.library));
      }
    }
  }
  return findings;
}

Findings checkPublicHeaders(const std::vector<SourceFile>& files) {
  // Per header of the library ("sinew/io/gltf.h"): does it show a third party, itself or through a header it includes?
  std::map<std::string, std::vector<Include>> headers;
  for (const SourceFile& file : files) {
    if (file.path.starts_with(kLibrary) && file.path.ends_with(".h")) headers[file.path.substr(4)] = includesOf(file);
  }
  std::set<std::string> showing;
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [name, includes] : headers) {
      const bool shows = std::any_of(includes.begin(), includes.end(), [&](const Include& include) {
        return isThirdParty(include) || showing.contains(include.target);
      });
      if (shows) grew = showing.insert(name).second || grew;
    }
  }
  Findings findings;
  for (const SourceFile& file : files) {
    if (!isCode(file)) continue;
    for (const Include& include : includesOf(file)) {
      if (!showing.contains(include.target)) continue;
      const std::string room(roomOf(include.target));
      if (file.path.starts_with(fmt::format("src/sinew/{}/", room))) continue;
      if (file.path.starts_with(fmt::format("tests/{}/", room))) continue;
      findings.push_back(fmt::format("{}:{}: \"{}\" shows a third-party header, so only {} may include it", file.path,
                                     include.line, include.target, room));
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
        findings.push_back(fmt::format("{}: {} lines, {} at most: split it", file.path, lines, size.lines));
      }
      break;
    }
  }
  return findings;
}

Findings checkHeaderForm(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with("src/") || !file.path.ends_with(".h")) continue;
    if (!file.text.starts_with("//")) {
      findings.push_back(fmt::format("{}: does not open with a comment that says what it is for", file.path));
    }
    if (!file.path.ends_with(kReadRepeatedly) && file.text.find("\n#pragma once\n") == std::string::npos) {
      findings.push_back(fmt::format("{}: lacks #pragma once", file.path));
    }
  }
  return findings;
}

}  // namespace sinew::house
