// Shared code of the text formats: tokens, numbers, and sentences about what plain meshes cannot store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sinew/io/formats.h"

namespace sinew::text {

/// Bytes [begin, end) of the text.
struct TextSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Words of one logical line: separated by blanks, by line breaks and the backslashes before them; `#` at the start of
/// a word ends the line.
class TextTokens {
 public:
  explicit TextTokens(std::string_view line) : next_(line.data()), end_(line.data() + line.size()) {}
  /// Empty at the end of the line.
  std::string_view next();
  /// Everything that is left, without blanks at both ends.
  std::string_view restOfLine();

 private:
  const char* next_;
  const char* end_;
};

/// Whether the last character, blanks and carriage returns aside, is a backslash.
bool endsInBackslash(std::string_view line);

/// The whole token as a number. Overflow and "inf" give infinity, "nan" gives NaN; nothing if it is not a number.
std::optional<double> parseDouble(std::string_view token);
/// Out of range gives the nearest end of the range.
std::optional<std::int64_t> parseInteger(std::string_view token);

/// "x y z", each with as many digits as bring it back.
void appendVec3(std::string& text, const Vec3& value);

/// For messages: at most 40 characters, and '?' for what is not printable.
std::string printable(std::string_view token);

/// The message for a mesh with vertices and no faces.
std::string noFaces(Index vertices);

/// Throws Unreadable if the text contains zero bytes (it is binary) or has 4 GB or more.
void checkIsText(std::string_view text, const std::string& where);

/// The mesh to write: the rest pose in world space, each mesh once per instance, with learned corrections. All of it,
/// or only the skinned parts if there are any and unskinned ones are not requested.
Mesh meshToWrite(const CharacterFile& file, const WriteOptions& options);

/// A sentence for each thing that `format`, a plain mesh format, cannot store.
void tellWhatPlainMeshesLose(const CharacterFile& file, std::string_view format, const WriteOptions& options,
                             LostList& lost);

}  // namespace sinew::text
