// The layering rules (docs/architecture.md) as tables: the one place to change them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace sinew::layering {

/// A module includes itself and modules of a lower rank. Modules of the same rank never include each other.
struct ModuleRow {
  std::string_view name;
  int rank;
};

inline constexpr ModuleRow kModules[] = {
    {"base", 0},       {"play", 0}, {"math", 1}, {"character", 2}, {"deform", 3},  {"learn", 4},
    {"manipulate", 4}, {"pack", 4}, {"io", 4},   {"samples", 4},   {"picture", 4},
};

/// The one header outside the modules: it includes them all, and none of them includes it.
inline constexpr std::string_view kUmbrella = "src/sinew/sinew.h";

/// Headers deeper than sinew/MODULE/NAME.h are private to the capability NAME: its folder and its NAME.cpp. `user`, a
/// path or the beginning of some, may include those of `folder` besides.
struct PrivateUserRow {
  std::string_view folder;
  std::string_view user;
};

inline constexpr PrivateUserRow kPrivateUsers[] = {
    // A decomposition prepares the same examples and fills the same model.
    {"sinew/learn/reduced_model/", "src/sinew/learn/decompose"},
    // A single sculpt is matched as examples are.
    {"sinew/io/examples/", "src/sinew/io/sculpts.cpp"},
    // What several formats share.
    {"sinew/io/text/", "src/sinew/io/"},
    {"sinew/io/files/", "src/sinew/io/"},
    // The built-in characters are built from bodies.
    {"sinew/samples/characters/", "src/sinew/samples/samples.cpp"},
    {"sinew/samples/body/", "src/sinew/samples/"},
    // The packed layout is shared by what packs and what plays.
    {"sinew/play/packing/", "src/sinew/play/"},
    {"sinew/play/kernels/", "src/sinew/play/"},
    // Tests and benchmarks reach every step.
    {"sinew/", "tests/"},
    {"sinew/", "bench/"},
};

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
    {"Boost", "boost/", {"apps/studio/net/"}},
    {"GoogleTest", "gtest/", {"tests/"}},
    {"Google Benchmark", "benchmark/", {"bench/"}},
};

/// Files of a folder below `under` (a mode of the studio) include, of what is written in quotes, only what begins with
/// one of `allowed` and what lies in the same folder.
struct ModeRule {
  std::string_view under;
  std::string_view from;  ///< includes are written from this folder
  std::vector<std::string_view> allowed;
};

inline const ModeRule kModes{
    "apps/studio/modes/",
    "apps/",
    {"sinew/", "studio/modes/mode.h", "studio/modes/checks.h", "studio/modes/option_field.h", "studio/messages.h",
     "studio/bounds.h", "studio/document/document.h", "studio/document/edit_json.h", "studio/document/examples.h",
     "studio/document/frame.h", "studio/document/blob.h"}};

/// Code that must not appear in files whose path begins with `under`; each is searched as a whole word outside line
/// comments.
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

/// Text that must not appear in any file, except under the paths in `allowed`. The words are split in two so that this
/// table does not break its own rule.
struct PhraseRow {
  std::string_view phrase;
  std::vector<std::string_view> allowed;
  std::string_view reason;
};

inline const PhraseRow kPhrases[] = {
    {"TO"
     "DO",
     {},
     "finish the work instead of noting it"},
    {"FIX"
     "ME",
     {},
     "finish the work instead of noting it"},
    {"HA"
     "CK",
     {},
     "describe what it does and why"},
    {"/wo"
     "rk",
     {},
     "machine-specific path"},
    {"/ro"
     "ot",
     {},
     "machine-specific path"},
    {"/ho"
     "me",
     {},
     "machine-specific path"},
    {"sha"
     "red/data",
     {".ci/run"},
     "tests find data only through SINEW_DATA_DIR"},
    {"registry."
     "npmjs",
     {},
     "a lock file names versions and hashes, not hosts"},
    {"\"reso"
     "lved\":",
     {},
     "a lock file names versions and hashes, not hosts"},
    {".cho"
     "ices = \"",
     {},
     "a choice is an enum with a table of names (sinew/base/choice.h)"},
};

/// The maximum number of lines of a file whose path begins with `under` and ends with `ending`; the first match counts.
struct SizeRow {
  std::string_view under;
  std::string_view ending;
  int lines;
};

inline constexpr SizeRow kSizes[] = {
    {"web/src/protocol/messages.ts", ".ts", 1000},  // generated
    {"web/src/protocol/commands.ts", ".ts", 1000},  // generated
    {"apps/studio/messages.h", ".h", 450},          // generated
    {"apps/studio/document_info.h", ".h", 800},     // generated
    {"apps/studio/commands.h", ".h", 1200},         // generated
    {"apps/studio/events.h", ".h", 450},            // generated
    {"apps/studio/answers.h", ".h", 600},           // generated
    {"src/", "_inl.h", 450},
    {"src/", ".h", 200},
    {"src/", ".cpp", 450},
    {"apps/", ".h", 200},
    {"apps/", ".cpp", 450},
    {"web/src/", ".ts", 450},
    {"web/src/", ".tsx", 450},
    {"tests/", ".h", 250},
    {"tests/", ".cpp", 600},
    {"bench/", ".h", 450},
    {"bench/", ".cpp", 450},
    {"examples/", ".cpp", 80},
};

/// A source and its header have at least this many lines together: less belongs to something else.
inline constexpr int kLeastLines = 25;
/// Shorter files: lists, and what must be apart.
inline constexpr std::string_view kShortFiles[] = {
    "src/sinew/io/gltf/blocks/rows.h", "apps/studio/modes/modes.cpp", "src/sinew/play/kernels/targets.h",
    "src/sinew/play/packing/refuse.h",  // play has no header of errors: it shares none with base
    "src/sinew/io/no_assimp.cpp",       // takes the place of assimp.cpp
};

/// Headers with this ending are included more than once (by Highway, for each instruction set).
inline constexpr std::string_view kIncludedRepeatedly = "_inl.h";

/// Folders without project sources.
inline constexpr std::string_view kIgnoredFolders[] = {".git", "build", "out", "node_modules"};

}  // namespace sinew::layering
