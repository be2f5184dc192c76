// What the commands that learn from examples have in common: what they read, and where they write.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "example_inputs.h"
#include "sinew/base/error.h"
#include "sinew/base/fields.h"
#include "sinew/character/compare.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/posing.h"
#include "sinew/io/examples.h"
#include "sinew/io/formats.h"

namespace sinew::cli {

class Arguments;
class Console;

/// The word of --mirror for: learn the given examples only.
inline constexpr const char* kNoMirror = "off";

/// Which of the examples are learned.
struct ExampleShares {
  int pick = 0;
  double holdOut = 0;
};

template <class Visitor>
void visitFields(ExampleShares& o, Visitor&& visit) {
  visit(o.pick, {.name = "pick",
                 .help = "learn only this many examples, those that cover the poses best; 0: all",
                 .least = 0,
                 .most = 100000});
  visit(o.holdOut, {.name = "hold-out",
                    .help = "share of the examples that is not learned but measured; 0: none",
                    .least = 0,
                    .most = 0.99});
}

/// The words of a learning command that name files.
struct LearnFiles {
  std::string character;
  ExampleInputs inputs;
  ExampleShares shares;
  std::string mirror = kNoMirror;  ///< or the name of a MirrorAxis
  std::string output;
  std::string report;

  void declareInputs(Arguments& arguments);
  void declareMirror(Arguments& arguments);
  void declareReport(Arguments& arguments, const std::string& help);

  /// Throws unless the examples are named once and all outputs can be written, the character (if requested) as glTF:
  /// `what` names its contents.
  void checkWords(const std::string& what) const;
};

/// The character without earlier pose-space corrections, which were made for another skin or other examples. `aim` ends
/// the error for a character without a skin: "to correct". `hadPoseSpace` is set if there were some.
CharacterFile readLearner(const LearnFiles& files, const std::string& aim, const Console& console,
                          bool* hadPoseSpace = nullptr);

/// Examples of a learning command. Refers to the character they were read for.
struct LearnSet {
  std::unique_ptr<ExampleFiles> files;
  std::unique_ptr<ExampleSource> learned;  ///< mirrored ones too, without those held out
  std::unique_ptr<ExampleSource> heldOut;  ///< or null
  std::unique_ptr<ExampleSet> mirrored;    ///< what `learned` refers to, with --mirror
  std::vector<std::string> notes;          ///< how sculpts were matched, picked and mirrored; also printed
  std::vector<std::string> warnings = {};  ///< likely mistakes; also printed
};

LearnSet readLearnSet(const LearnFiles& files, const CharacterFile& file, const Console& console);

/// Errors at examples that were held out.
struct HeldOut {
  SequenceError plain;  ///< of the character as it was read, without corrections
  SequenceError learned;
  std::vector<std::string> names;

  /// One line for display.
  [[nodiscard]] std::string sentence() const;
};

/// Adds the sentence to the notes of the page, and warns if what was learned is worse than plain skinning.
void noteHeldOut(const HeldOut& heldOut, const Console& console, LearnSet& read);

/// Measures a learned character where examples were held out. `before`: the character that was read.
std::optional<HeldOut> measureHeldOut(const LearnSet& read, const Character& before, const Character& learned,
                                      const Playback& playback);

/// Adds `frames` where sequences were read, and `heldOut` where examples were held out.
void addSources(const LearnSet& read, const std::optional<HeldOut>& heldOut, nlohmann::ordered_json& json);

/// Describes the run of a learning command for its report.
template <class ReportInput>
void describeRun(const LearnFiles& files, const LearnSet& read, const std::string& commandLine, ReportInput& input) {
  input.characterFile = files.character;
  input.examplesFile = files.inputs.name();
  input.outputFile = files.output;
  input.commandLine = commandLine;
  input.warnings = read.warnings;
  input.notes = read.notes;
}

/// Runs work whose complaints are about a file, and names it in them.
template <class Work>
auto blaming(const std::string& file, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const Error& error) {
    std::error_code ignored;
    const bool isFile = std::filesystem::is_regular_file(error.where(), ignored);  // one that was read meanwhile
    throw Error(error.code(), error.message(), isFile ? error.where() : file);
  }
}

}  // namespace sinew::cli
