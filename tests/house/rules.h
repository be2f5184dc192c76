// The rules of the house (docs/architecture.md) as tables: the one place to change them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace sinew::house {

/// A room includes itself and rooms of a lower rank. Rooms of the same rank never include each other.
struct RoomRow {
  std::string_view name;
  int rank;
};

inline constexpr RoomRow kRooms[] = {
    {"base", 0},       {"play", 0}, {"math", 1}, {"character", 2}, {"deform", 3},  {"learn", 4},
    {"manipulate", 4}, {"pack", 4}, {"io", 4},   {"samples", 4},   {"picture", 4},
};

/// The one header outside of the rooms: it includes them all, and none of them includes it.
inline constexpr std::string_view kUmbrella = "src/sinew/sinew.h";

/// A library whose headers begin with `include` is used only under the paths that begin with one of `allowed`.
struct FenceRow {
  std::string_view library;
  std::string_view include;
  std::vector<std::string_view> allowed;
};

inline const FenceRow kFences[] = {
    {"tinygltf", "tiny_gltf", {}},
    {"Assimp", "assimp/", {"src/sinew/io/"}},
    {"nlohmann JSON", "nlohmann/", {"src/sinew/io/", "apps/", "tests/", "cmake/precompiled_files.h"}},
    {"TBB", "tbb/", {"src/sinew/base/parallel.cpp"}},
    {"TBB", "oneapi/tbb", {"src/sinew/base/parallel.cpp"}},
    {"parallel algorithms", "execution", {}},
    {"OpenMP", "omp.h", {}},
    {"Highway", "hwy/", {"src/sinew/play/"}},
    {"libpng", "png.h", {"src/sinew/picture/", "tests/picture/"}},
    {"CLI11", "CLI/", {"apps/cli/"}},
    {"Boost", "boost/", {"apps/studio/server.cpp"}},
    {"GoogleTest", "gtest/", {"tests/"}},
    {"Google Benchmark", "benchmark/", {"bench/"}},
};

/// Words of code that may not stand in files that begin with `under`; each is looked for as a whole word outside of
/// line comments.
struct CallRow {
  std::string_view word;
  std::string_view under;
  std::string_view reason;
};

inline constexpr CallRow kCalls[] = {
    {"std::cout", "src/sinew/", "the library never prints"},
    {"std::cerr", "src/sinew/", "the library never prints"},
    {"std::clog", "src/sinew/", "the library never prints"},
    {"printf", "src/sinew/", "the library never prints"},
    {"fprintf", "src/sinew/", "the library never prints"},
    {"std::puts", "src/sinew/", "the library never prints"},
    {"fmt::print", "src/sinew/", "the library never prints"},
    {"std::exit", "src/sinew/", "the library never ends the process"},
    {"std::abort", "src/sinew/", "the library never ends the process"},
    {"std::rand", "src/sinew/", "random numbers come from base/random with an explicit seed"},
    {"std::random_device", "src/sinew/", "random numbers come from base/random with an explicit seed"},
};

/// Text that may not stand in any file but those that begin with one of `allowed`. The words are written in two parts
/// so that this table does not break its own rule.
struct PhraseRow {
  std::string_view phrase;
  std::vector<std::string_view> allowed;
  std::string_view reason;
};

inline const PhraseRow kPhrases[] = {
    {"TO"
     "DO",
     {},
     "unfinished work is finished, not noted"},
    {"FIX"
     "ME",
     {},
     "unfinished work is finished, not noted"},
    {"HA"
     "CK",
     {},
     "say what it does and why"},
    {"/wo"
     "rk",
     {},
     "paths of one machine mean nothing on another"},
    {"/ro"
     "ot",
     {},
     "paths of one machine mean nothing on another"},
    {"/ho"
     "me",
     {},
     "paths of one machine mean nothing on another"},
    {"sha"
     "red/data",
     {".ci/run"},
     "tests find data by SINEW_DATA_DIR alone"},
    {"registry."
     "npmjs",
     {},
     "a lock file names versions and hashes, not hosts"},
    {"\"reso"
     "lved\":",
     {},
     "a lock file names versions and hashes, not hosts"},
};

/// The most lines of a file that begins with `under` and ends with `ending`; the first row that fits counts.
struct SizeRow {
  std::string_view under;
  std::string_view ending;
  int lines;
};

inline constexpr SizeRow kSizes[] = {
    {"apps/studio/messages.h", ".h", 400},  // a table, made from protocol.json
    {"src/", "_inl.h", 600},
    {"src/", ".h", 200},
    {"src/", ".cpp", 600},
    {"apps/", ".h", 200},
    {"apps/", ".cpp", 600},
    {"tests/", ".h", 200},
    {"tests/", ".cpp", 600},
    {"bench/", ".cpp", 600},
    {"examples/", ".cpp", 80},
};

/// Headers with this ending are sources that are read more than once (by Highway, for each kind of processor).
inline constexpr std::string_view kReadRepeatedly = "_inl.h";

/// Folders that hold nothing of the project itself.
inline constexpr std::string_view kIgnoredFolders[] = {".git", "build", "out", "node_modules"};

}  // namespace sinew::house
