#include "studio/modes/export/unkept.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/deform/example_errors.h"

namespace sinew::studio::exporting {
namespace {

/// Examples count as met up to this rms, in percent of the diagonal: it is hardly visible.
constexpr double kSeen = 0.02;

}  // namespace

UnkeptWork unkeptWork(const Document& document) {
  UnkeptWork work;
  if (document.file.reduced || !document.file.character.hasSkin()) return work;
  work.examples = exampleSet(document);
  const std::optional<ExampleState>& sculpt = document.examples.list.sculpt;
  if (!sculpt) return work;
  work.sculpt = true;
  work.examples.examples.push_back({.name = "the sculpt in progress",
                                    .pose = poseInFile(document.file, sculpt->pose),
                                    .points = document.examples.shapeOf(*sculpt).points,
                                    .mask = document.examples.shapeOf(*sculpt).mask});
  return work;
}

std::vector<std::string> unkeptSentences(const CharacterFile& file, const UnkeptWork& work) {
  std::vector<std::string> sentences;
  if (work.examples.examples.empty()) return sentences;
  ExamplesInMemory source(work.examples);
  const SequenceError error = errorOfExamples(file.character, file.playback(), source);
  const std::size_t examples = error.perFrame.size() - (work.sculpt ? 1 : 0);
  std::size_t missed = 0;
  std::size_t worst = 0;
  for (std::size_t k = 0; k < examples; ++k) {
    if (!(error.perFrame[k].rmsPercent > kSeen)) continue;
    ++missed;
    if (missed == 1 || error.perFrame[k].rmsPercent > error.perFrame[worst].rmsPercent) worst = k;
  }
  if (missed > 0) {
    sentences.push_back(
        fmt::format("The character does not play {}: {} is {:.2g} % of the diagonal away (rms). Keep the model in "
                    "Correct, or a fit in "
                    "Fit, to have {} in the file.",
                    missed == 1 ? "an example" : fmt::format("{} of {} examples", missed, examples),
                    work.examples.examples[worst].name, error.perFrame[worst].rmsPercent, missed == 1 ? "it" : "them"));
  }
  if (work.sculpt && error.perFrame.back().rmsPercent > kSeen)
    sentences.emplace_back(
        "The sculpt in progress is not an example: save it as one in Correct, and keep the model, to have it in the "
        "file.");
  return sentences;
}

}  // namespace sinew::studio::exporting
