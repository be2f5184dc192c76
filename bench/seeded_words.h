// The command line of benchmarks that score learned skins: characters, seeds, and the file of their table.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sinew/base/check.h"

namespace sinew::bench {

struct SeededWords {
  int seeds = 1;
  int firstSeed = 1;
  int training = 8;
  std::string table;
  bool quick = false;
  std::vector<std::string> characters;
};

/// Gives the value that follows an option.
using NextWord = std::function<const std::string&()>;

/// Reads the common options into `words`. Others go to `readOther(option, value)`, which returns whether it knows them.
template <class ReadOther>
void readWords(const std::string& program, const std::vector<std::string>& list, SeededWords& words,
               const ReadOther& readOther) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string& option = list[i];
    const NextWord value = [&]() -> const std::string& {
      SINEW_CHECK(i + 1 < list.size(), program, option + " needs a value");
      return list[++i];
    };
    if (option == "--seeds") {
      words.seeds = std::stoi(value());
    } else if (option == "--first-seed") {
      words.firstSeed = std::stoi(value());
    } else if (option == "--training") {
      words.training = std::stoi(value());
    } else if (option == "--table") {
      words.table = value();
    } else if (option == "--quick") {
      words.quick = true;
    } else if (!readOther(option, value)) {
      SINEW_CHECK(!option.starts_with("-"), program, "unknown option " + option);
      words.characters.push_back(option);
    }
  }
}

/// The samples biped and limb, and those of `names` that are in $SINEW_DATA_DIR/gltf.
inline std::vector<std::string> usualCharacters(const std::vector<std::string>& names) {
  std::vector<std::string> characters = {"sample:biped", "sample:limb"};
  const char* data = std::getenv("SINEW_DATA_DIR");
  if (data == nullptr) return characters;
  for (const std::string& name : names) {
    const auto path = std::filesystem::path(data) / "gltf" / (name + ".glb");
    if (std::filesystem::exists(path)) characters.push_back(path.string());
  }
  return characters;
}

/// "biped" for "sample:biped", nothing for a file.
inline std::string sampleName(const std::string& word) {
  const std::string prefix = "sample:";
  return word.starts_with(prefix) ? word.substr(prefix.size()) : "";
}

}  // namespace sinew::bench
