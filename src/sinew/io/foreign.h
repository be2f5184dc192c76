// Formats with a third-party importer, read by another process with limits of time, memory and output.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "sinew/io/formats.h"

namespace sinew {

struct ForeignLimits {
  double seconds = 0;
  std::uint64_t memory = 0;  ///< bytes of address space of the reading process
  std::uint64_t output = 0;  ///< bytes of the character that it may hand over
};

/// What a file of so many bytes may take: far more than any honest one does, and too little to do harm.
ForeignLimits foreignLimits(std::uintmax_t fileBytes, const ForeignRules& rules);

/// Reads a file of a foreign format according to `options`: in a separate process, or in this one if requested. If that
/// process fails (a crash, too much time, memory or output, an invalid result, no result), throws Error(Unreadable)
/// with one sentence. The process is killed when `options.progress` cancels, and when this process ends.
CharacterFile readForeign(const std::filesystem::path& path, const ReadOptions& options);

/// For the beginning of main(): where the arguments are those of readForeign(), reads the file, hands it over and gives
/// the exit code; otherwise nothing.
std::optional<int> runForeignReader(int argc, const char* const* argv);

}  // namespace sinew
