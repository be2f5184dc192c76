// `sinew learn` against `fit` and `psd` with the same budget, a line per character, seed and budget.
//   bench_learn [--seeds N] [--first-seed N] [--training N] [--budget TEXT]... [CHARACTER...]
//   bench_learn --table FILE [--quick]   writes its part of docs/benchmarks.md
// CHARACTER is a file or sample:NAME. Samples have their own examples and held-out shapes; other characters get those
// of generalise.h (dual-quaternion shapes at random poses). All errors are of morph targets and linear blend, at shapes
// that were not learned, in percent of the diagonal.
#include <cstdio>
#include <filesystem>
#include <vector>

#include "generalise.h"
#include "process_usage.h"
#include "section.h"
#include "seeded_words.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/morph_driven_skin.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/budgeted_skin.h"
#include "sinew/learn/pose_space_character.h"
#include "sinew/samples/samples.h"

namespace {

using namespace sinew;
using namespace sinew::bench;

struct Words : SeededWords {
  std::vector<std::string> budgets;
};

Words wordsOf(const std::vector<std::string>& list) {
  Words words;
  words.training = 12;
  readWords("bench_learn", list, words, [&](const std::string& option, const NextWord& value) {
    if (option != "--budget") return false;
    words.budgets.push_back(value());
    return true;
  });
  if (words.budgets.empty()) {
    words.budgets = {"4 influences, 8 helpers, 16 morphs"};
    if (!words.quick)
      words.budgets.insert(words.budgets.end(),
                           {"4 influences, 4 helpers, 6 morphs", "4 influences, 8 helpers, 16 morphs, 500 kB"});
  }
  if (words.characters.empty()) words.characters = usualCharacters({"CesiumMan"});
  return words;
}

struct Task {
  std::string name;
  CharacterFile file;
  ExampleSet examples;
  ExampleSet heldOut;
};

Task taskOf(const std::string& word, int seed, int training) {
  Task task;
  task.name = sampleName(word);
  if (!task.name.empty()) {
    Sample sample = makeSample(task.name);
    task.file.character = std::move(sample.character);
    task.examples = std::move(sample.examples);
    task.heldOut = std::move(sample.heldOut);
    return task;
  }
  task.name = fmt::format("{}, seed {}", std::filesystem::path(word).stem().string(), seed);
  task.file = readCharacter(word);
  GeneraliseSettings settings;
  Lcg random = seeded(static_cast<std::uint32_t>(seed));
  task.examples = randomExamples(task.file.character, training, settings, random);
  task.heldOut = randomExamples(task.file.character, 12, settings, random);
  return task;
}

double percentOf(const CorrectedCharacter& skin, const ExampleSet& heldOut) {
  ExamplesInMemory source(heldOut);
  return errorOfExamples(skin.character, playedByMorphs(skin), source).total.rmsPercent;
}

std::size_t bytesOf(const CharacterFile& source, const BudgetedSkin& skin) {
  CharacterFile file = source;
  file.character = skin.corrected.character;
  file.poseSpace = skin.corrected.poseSpace;
  file.poseSpaceMorphs = skin.corrected.morphs;
  const WriteOptions options{.weights = skin.weights, .quantizedMorphs = skin.quantizedMorphs};
  return gltfToMemory("skin.glb", file, options).files.front().second.size();
}

/// psd with morph targets by hand; a missing count means its default.
CorrectedCharacter correctedBy(const Character& character, const ExampleSet& set, const SkinBudget& budget) {
  if (budget.morphs && *budget.morphs < 1) return {character, nullptr, {}};
  return learnPoseSpaceCharacter(character, set, {}, {.maxMorphs = budget.morphs.value_or(32)}).corrected();
}

std::string lineOf(const Task& task, const std::string& text) {
  const SkinBudget budget = parseSkinBudget(text);
  const Character& character = task.file.character;
  const int influences = budget.influences.value_or(4);
  Character plain = character;
  plain.skin.weights = plain.skin.weights.limited(influences);
  const Character fitted =
      fitSkin(character, task.examples,
              {.maxInfluences = influences, .helpers = FitHelpers::All, .maxHelpers = budget.helpers.value_or(-1)})
          .character;
  const double alone = percentOf({plain, nullptr, {}}, task.heldOut);
  const double fit = percentOf({fitted, nullptr, {}}, task.heldOut);
  const double psd = percentOf(correctedBy(plain, task.examples, budget), task.heldOut);
  const double both = percentOf(correctedBy(fitted, withHelperPoses(fitted, task.examples), budget), task.heldOut);

  const double start = processorSeconds();
  ExamplesInMemory source(task.examples);
  const std::size_t before = bytesOf(task.file, {.corrected = {character, nullptr, {}}});
  const auto size = [&](const BudgetedSkin& skin) {
    const std::size_t bytes = bytesOf(task.file, skin);
    return bytes > before ? bytes - before : 0;
  };
  const BudgetedSkinResult learned = learnBudgetedSkin(character, source, nullptr, size, {.budget = budget});
  const double seconds = processorSeconds() - start;
  CorrectedCharacter skin = learned.skin.corrected;
  // A file without drivers plays clips alone, so its morph targets are not measured.
  const double best = percentOf(skin, task.heldOut);
  std::string chosen;
  for (const SkinChoice& choice : learned.report.choices) {
    if (choice.chosen) chosen = choice.name;
  }
  return fmt::format("| {} | {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | **{:.4f}** | {} | {} | {:.0f} |\n", task.name,
                     budget.text(), alone, psd, fit, both, best, chosen, learned.report.used.text(), seconds);
}

void run(const Words& words) {
  std::string text =
      "## Skins within a budget\n\n"
      "`sinew learn` against `psd --max-morphs`, `fit --helpers all --max-helpers` and both one after the other with "
      "the same counts (the three ignore bytes). Errors in percent of the diagonal, as morph targets and linear blend "
      "play, at shapes that were not learned: the held-out shapes of the samples, and dual-quaternion shapes at "
      "random poses. `bench/bench_learn --table docs/benchmarks.md`\n\n"
      "| character | budget | plain | psd | fit | fit, psd | learn | chosen | used | CPU, s |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  if (words.table.empty()) std::printf("%s", text.c_str());
  for (const std::string& word : words.characters) {
    const bool sample = word.starts_with("sample:");
    for (int seed = words.firstSeed; seed < words.firstSeed + (sample ? 1 : words.seeds); ++seed) {
      const Task task = taskOf(word, seed, words.training);
      for (const std::string& budget : words.budgets) {
        const std::string line = lineOf(task, budget);
        text += line;
        if (words.table.empty()) std::printf("%s", line.c_str());
        std::fflush(stdout);
      }
    }
  }
  if (!words.table.empty()) replaceSection(words.table, text);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(wordsOf({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
