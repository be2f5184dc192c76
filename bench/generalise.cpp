// Scores of learned skins at new poses (generalise.h), a line per character and seed.
//   bench_generalise [--seeds N] [--first-seed N] [--training N] [--joints N] [--degrees D] [--only WORD]
//   [CHARACTER...] bench_generalise --table FILE [--quick]   writes its part of docs/benchmarks.md, with 8 and 24
//   training poses
// CHARACTER is a file or sample:NAME. Without one: the samples biped and limb, and the characters of
// $SINEW_DATA_DIR/gltf if that is set.
#include "generalise.h"

#include <cstdio>
#include <filesystem>

#include "section.h"
#include "seeded_words.h"
#include "sinew/io/formats.h"
#include "sinew/samples/samples.h"

namespace {

using namespace sinew;
using namespace sinew::bench;

struct Words : SeededWords {
  GeneraliseSettings settings;
  std::string only;
};

Words wordsOf(const std::vector<std::string>& list) {
  Words words;
  words.seeds = 3;
  readWords("bench_generalise", list, words, [&](const std::string& option, const NextWord& value) {
    if (option == "--joints") {
      words.settings.joints = std::stoi(value());
    } else if (option == "--degrees") {
      words.settings.degrees = std::stod(value());
    } else if (option == "--only") {
      words.only = value();
    } else {
      return false;
    }
    return true;
  });
  words.settings.training = words.training;
  if (words.characters.empty())
    words.characters = usualCharacters({"CesiumMan", "Fox", "RiggedFigure", "RiggedSimple"});
  return words;
}

struct NamedCharacter {
  std::string name;
  Character character;
};

NamedCharacter load(const std::string& word) {
  const std::string sample = sampleName(word);
  if (!sample.empty()) return {sample, makeSample(sample).character};
  return {std::filesystem::path(word).stem().string(), readCharacter(word).character};
}

std::vector<GeneraliseRow> rowsOf(const std::string& only) {
  std::vector<GeneraliseRow> rows = generaliseRows();
  std::erase_if(rows, [&](const GeneraliseRow& row) { return row.name.find(only) == std::string::npos; });
  return rows;
}

void print(const Words& words) {
  const std::vector<GeneraliseRow> rows = rowsOf(words.only);
  std::printf("%-14s %4s", "", "seed");
  for (const GeneraliseRow& row : rows) std::printf(" %18s", row.name.c_str());
  std::printf("\n");
  std::vector<double> sums(rows.size(), 0), worst(rows.size(), 0);
  int count = 0;
  for (const std::string& word : words.characters) {
    const NamedCharacter named = load(word);
    for (int seed = words.firstSeed; seed < words.firstSeed + words.seeds; ++seed, ++count) {
      const std::vector<double> scores =
          generaliseScores(named.character, static_cast<std::uint32_t>(seed), rows, words.settings);
      std::printf("%-14s %4d", named.name.c_str(), seed);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        std::printf(" %18.3f", scores[r]);
        sums[r] += scores[r];
        worst[r] = std::max(worst[r], scores[r]);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
  std::printf("%-19s", "mean");
  for (const double sum : sums) std::printf(" %18.3f", sum / std::max(count, 1));
  std::printf("\n%-19s", "worst");
  for (const double score : worst) std::printf(" %18.3f", score);
  std::printf("\n");
}

/// A row per character, three seeds in each cell.
std::string tableOf(const Words& words, int training) {
  const std::vector<GeneraliseRow> rows = rowsOf(words.only);
  GeneraliseSettings settings = words.settings;
  settings.training = training;
  std::string text = fmt::format("\n{} training poses:\n\n| character |", training);
  std::string rule = "|---|";
  for (const GeneraliseRow& row : rows) {
    text += fmt::format(" {} |", row.name);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  std::vector<double> sums(rows.size(), 0), worst(rows.size(), 0);
  int count = 0;
  for (const std::string& word : words.characters) {
    const NamedCharacter named = load(word);
    std::vector<std::string> cells(rows.size());
    for (int seed = words.firstSeed; seed < words.firstSeed + words.seeds; ++seed, ++count) {
      const std::vector<double> scores =
          generaliseScores(named.character, static_cast<std::uint32_t>(seed), rows, settings);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        cells[r] += fmt::format("{}{:.2f}", cells[r].empty() ? "" : " / ", scores[r]);
        sums[r] += scores[r];
        worst[r] = std::max(worst[r], scores[r]);
      }
    }
    text += fmt::format("| {} |", named.name);
    for (const std::string& cell : cells) text += fmt::format(" {} |", cell);
    text += "\n";
  }
  text += "| mean, worst |";
  for (std::size_t r = 0; r < rows.size(); ++r)
    text += fmt::format(" **{:.2f}**, {:.2f} |", sums[r] / std::max(count, 1), worst[r]);
  return text + "\n";
}

void writeTable(const Words& words) {
  std::string text =
      "## At new poses, on any character\n\n"
      "Held-out rms / held-out rms of the plain skin, default options; below 1 is better than the plain skin. The "
      "ground truth "
      "is the dual-quaternion shape; each pose rotates 6 random joints of the skin by Euler angles within 45 degrees; "
      "8 "
      "poses are held out; three seeds in each cell. `bench/bench_generalise --table docs/benchmarks.md`\n";
  text += tableOf(words, 8);
  if (!words.quick) text += tableOf(words, 24);
  replaceSection(words.table, text);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Words words = wordsOf({argv + 1, argv + argc});
    if (words.table.empty()) {
      print(words);
    } else {
      writeTable(words);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
