// A character as bytes between two processes of one program; not a file format. Private to io.
#pragma once

#include <string>
#include <string_view>

#include "sinew/io/formats.h"

namespace sinew::foreign {

/// The character and the problems of a file without a source of its own, bit for bit.
std::string characterToBytes(const CharacterFile& file);

/// The bytes may come from a crashed process: every length, index and number is checked. Throws Error(BadInput) for
/// anything that characterToBytes() does not write.
CharacterFile characterFromBytes(std::string_view bytes);

}  // namespace sinew::foreign
