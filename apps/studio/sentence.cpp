#include "studio/sentence.h"

#include <string_view>

namespace sinew::studio {
namespace {

constexpr std::string_view kSmall = "abcdefghijklmnopqrstuvwxyz";

bool isSmall(char c) {
  return kSmall.find(c) != std::string_view::npos;
}

}  // namespace

std::string asSentence(std::string text) {
  const std::size_t end = text.find_first_not_of(kSmall);
  if (end != 0 && end != std::string::npos && text[end] == ' ') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string withoutFlags(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = text.compare(i, 2, "--") == 0 && i + 2 < text.size() && isSmall(text[i + 2]) &&
                        (i == 0 || text[i - 1] == ' ' || text[i - 1] == '(');
    if (!begins) {
      plain += text[i++];
      continue;
    }
    std::size_t end = i + 2;
    while (end < text.size() && (isSmall(text[end]) || text[end] == '-')) ++end;
    plain += '\'' + text.substr(i + 2, end - i - 2) + '\'';
    i = end;
  }
  return plain;
}

}  // namespace sinew::studio
