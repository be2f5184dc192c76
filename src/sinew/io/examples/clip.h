// Clips that examples are posed by, and when their frames are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/io/examples.h"
#include "sinew/io/examples/shapes.h"

namespace sinew::examples {

/// A clip in the joints of the character.
struct FoundClip {
  Clip clip;
  std::string shown;         ///< for messages: its name in quotes, or its index
  std::vector<double> keys;  ///< seconds, ascending, at least one
};

/// Throws NotFound for a clip that is not there, and BadInput for one without keys or that moves no joint of the
/// character.
FoundClip findClip(const ClipSource& source, const Character& character, const FileRules& rules,
                   std::vector<std::string>& notes);

/// Times of all keys of a clip, ascending, each once.
std::vector<double> keyTimes(const Clip& clip);

/// "'walk'", or the index of a clip without a name.
std::string shownName(const Clip& clip, std::size_t index);

/// When each frame is: at the times of the meshes, moved to the first key if the first frame is before it or the last
/// more than half a frame after the last key; of meshes without times, at the keys if there are as many, else evenly
/// from the first key to the last, at the places of their numbers where some are missing, with a warning. Throws
/// BadInput if the clip is shorter than the meshes, or if `framesPerSecond` is given for meshes that have times.
std::vector<double> frameTimes(const FoundClip& clip, const ShapeList& shapes, const std::filesystem::path& meshes,
                               double framesPerSecond, std::vector<std::string>& notes,
                               std::vector<std::string>& warnings);

}  // namespace sinew::examples
