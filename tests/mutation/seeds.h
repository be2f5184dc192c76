// Small sound files of every kind that the command reads, made by code, and commands that read them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::test {

/// A file to be spoiled, and what to run on it: "@" stands for the spoiled file, "%" for an output.
struct Seed {
  std::string name;  ///< of the file: its extension tells the format
  std::string content;
  std::vector<std::vector<std::string>> commands;
};

/// Writes into `folder` what the commands need beside the spoiled file, and returns the seeds.
std::vector<Seed> makeSeeds(const std::filesystem::path& folder);

/// Formats that are read through a library, as text and bytes.
std::vector<Seed> foreignSeeds();

}  // namespace sinew::test
