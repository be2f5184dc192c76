// What the commands that learn from examples have in common: what they read, and where they write.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sinew/base/error.h"
#include "sinew/character/example_set.h"
#include "sinew/io/formats.h"

namespace sinew::cli {

class Arguments;
class Console;

/// The word of --mirror for: learn the given examples only.
inline constexpr const char* kNoMirror = "off";

/// The words of a learning command that name files.
struct LearnFiles {
  std::string character;
  std::string examples;
  std::string mirror = kNoMirror;  ///< or the name of a MirrorAxis
  std::string output;
  std::string report;
  bool force = false;

  void declareInputs(Arguments& arguments);
  void declareMirror(Arguments& arguments);
  void declareReport(Arguments& arguments, const std::string& help);

  /// Throws unless all outputs can be written, the character (if requested) as glTF: `what` names its contents.
  void checkOutputs(const std::string& what) const;
};

/// The character without earlier pose-space corrections, which were made for another skin or other examples. `aim` ends
/// the error for a character without a skin: "to correct". `hadPoseSpace` is set if there were some.
CharacterFile readLearner(const LearnFiles& files, const std::string& aim, const Console& console,
                          bool* hadPoseSpace = nullptr);

struct LearnSet {
  ExampleSet set;
  std::vector<std::string> notes;          ///< how sculpts were matched and mirrored; also printed
  std::vector<std::string> warnings = {};  ///< likely mistakes; also printed
};

LearnSet readLearnSet(const LearnFiles& files, const CharacterFile& file, const Console& console);

/// Describes the run of a learning command for its report.
template <class ReportInput>
void describeRun(const LearnFiles& files, const LearnSet& read, const std::string& commandLine, ReportInput& input) {
  input.characterFile = files.character;
  input.examplesFile = files.examples;
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
    throw Error(error.code(), error.message(), file);
  }
}

}  // namespace sinew::cli
