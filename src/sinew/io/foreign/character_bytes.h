// A character as bytes between two processes of one program: no format for files. Not for use outside this room.
#pragma once

#include <string>
#include <string_view>

#include "sinew/io/formats.h"

namespace sinew::foreign {

/// The character and the problems of a file without a source of its own, bit for bit.
std::string characterToBytes(const CharacterFile& file);

/// Bytes that may have come from a process gone mad: every length, index and number is checked. Throws Error(BadInput)
/// for anything that characterToBytes() does not write.
CharacterFile characterFromBytes(std::string_view bytes);

}  // namespace sinew::foreign
