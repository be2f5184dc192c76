// Words for left and right in names. They settle ties between joints at the same position and name mirrored examples;
// where positions suffice, nothing depends on them.
#include <algorithm>
#include <cctype>
#include <utility>

#include "sinew/character/mirror.h"

namespace sinew::mirror {
namespace {

struct SideWords {
  std::string_view left;
  std::string_view right;
};

constexpr SideWords kSideWords[] = {
    {"left", "right"},    {"lft", "rgt"},         {"lf", "rt"},         {"lt", "rt"},
    {"l", "r"},           {"links", "rechts"},    {"gauche", "droite"}, {"izquierda", "derecha"},
    {"izq", "der"},       {"sinistra", "destra"}, {"sx", "dx"},         {"esquerda", "direita"},
    {"vanster", "hoger"}, {"levy", "pravy"},      {"lewa", "prawa"},    {"hidari", "migi"},
};
/// Found anywhere in a name, since these scripts do not part words.
constexpr SideWords kSideSigns[] = {{"左", "右"}};

bool isLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool isUpper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}
char upper(char c) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

/// The end of the word that begins at `begin`: "LeftArm" is two words, and so are "LArm" and "lArm".
std::size_t wordEnd(std::string_view name, std::size_t begin) {
  std::size_t end = begin + 1;
  if (isUpper(name[begin])) {
    while (end < name.size() && isUpper(name[end])) ++end;
    const bool nextBegins = end < name.size() && isLetter(name[end]);
    if (end - begin > 1) return nextBegins ? end - 1 : end;
  }
  while (end < name.size() && isLetter(name[end]) && !isUpper(name[end])) ++end;
  return end;
}

std::string_view otherWord(std::string_view word) {
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(), lower);
  for (const SideWords& row : kSideWords) {
    if (small == row.left) return row.right;
    if (small == row.right) return row.left;
  }
  return {};
}

/// In the capitals of `like`: all, the first, or none.
std::string inCapitalsOf(std::string_view like, std::string_view word) {
  std::string written(word);
  const bool all = std::all_of(like.begin(), like.end(), isUpper);
  if (all) std::transform(written.begin(), written.end(), written.begin(), upper);
  if (isUpper(like.front())) written.front() = upper(written.front());
  return written;
}

}  // namespace
}  // namespace sinew::mirror

namespace sinew {

std::optional<std::string> otherSide(std::string_view name) {
  std::string swapped;
  bool any = false;
  std::size_t at = 0;
  while (at < name.size()) {
    if (mirror::isLetter(name[at])) {
      const std::size_t end = mirror::wordEnd(name, at);
      const std::string_view word = name.substr(at, end - at);
      const std::string_view other = mirror::otherWord(word);
      swapped += other.empty() ? std::string(word) : mirror::inCapitalsOf(word, other);
      any = any || !other.empty();
      at = end;
      continue;
    }
    std::string_view sign = name.substr(at, 1);
    std::string_view written = sign;
    for (const mirror::SideWords& row : mirror::kSideSigns) {
      for (const auto& [from, to] : {std::pair{row.left, row.right}, std::pair{row.right, row.left}}) {
        if (!name.substr(at).starts_with(from)) continue;
        sign = from;
        written = to;
        any = true;
      }
    }
    swapped += written;
    at += sign.size();
  }
  return any ? std::optional(swapped) : std::nullopt;
}

}  // namespace sinew
