#include "mutate.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace sinew::test {
namespace {

std::size_t below(Random& random, std::size_t count) {
  return count == 0 ? 0 : static_cast<std::size_t>(random() % count);
}

/// Numbers that programs trip over.
std::string oddNumber(Random& random) {
  static const std::array<const char*, 22> kNumbers = {
      "0",           "-1",    "1",     "2",          "99",
      "255",         "256",   "65536", "2147483647", "2147483648",
      "4294967295",  "1e308", "-1e9",  "1e-320",     "18446744073709551615",
      "1e999",       "nan",   "-inf",  "0.5",        "1000000000",
      "-2147483648", "3.0"};
  return kNumbers[below(random, kNumbers.size())];
}

/// Begin and length of a number in a text that begins at or behind a random place; length 0: there is none.
std::pair<std::size_t, std::size_t> someNumber(const std::string& text, Random& random) {
  const std::size_t from = below(random, text.size());
  const std::size_t begin = text.find_first_of("0123456789", from);
  if (begin == std::string::npos) return {0, 0};
  const std::size_t end = text.find_first_not_of("0123456789.eE+-", begin);
  return {begin, std::min(end, text.size()) - begin};
}

std::string randomBytes(Random& random, std::size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

void mutateOnce(std::string& text, Random& random) {
  const std::size_t at = below(random, text.size());
  const std::size_t span = 1 + below(random, below(random, 3) == 0 ? text.size() : 16);
  switch (below(random, 12)) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
      return;
    case 1:
      if (!text.empty()) text[at] = static_cast<char>(random());
      return;
    case 2:
      text.erase(at, span);
      return;
    case 3:
      text.insert(at, text.substr(at, span));
      return;
    case 4:
      text.insert(at, randomBytes(random, 1 + below(random, 12)));
      return;
    case 5:
      text.resize(at);
      return;
    case 6:
    case 7:
    case 8: {
      const auto [begin, length] = someNumber(text, random);
      if (length > 0) text.replace(begin, length, oddNumber(random));
      return;
    }
    case 9: {
      // A binary number: 4 bytes at any place.
      if (text.size() < 4) return;
      static constexpr std::array<std::uint32_t, 6> kWords = {0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00000, 0x00010000};
      const std::uint32_t word = kWords[below(random, kWords.size())];
      std::memcpy(text.data() + below(random, text.size() - 3), &word, sizeof word);
      return;
    }
    case 10: {
      const std::string other = text.substr(below(random, text.size()), span);
      text.replace(at, std::min(span, text.size() - at), other);
      return;
    }
    default: {
      static constexpr std::array<const char*, 6> kOpening = {"[", "{\"a\":", "<a>", "{", "\x1b[31m", "\n"};
      std::string many;
      const std::string piece = kOpening[below(random, kOpening.size())];
      const std::size_t count = below(random, 8) == 0 ? 20000 : 1 + below(random, 5);
      for (std::size_t i = 0; i < count; ++i) many += piece;
      text.insert(at, many);
      return;
    }
  }
}

void mutateText(std::string& text, Random& random) {
  const std::size_t faults = below(random, 5) < 3 ? 1 : 2 + below(random, 3);
  for (std::size_t f = 0; f < faults; ++f) mutateOnce(text, random);
}

/// Changes the JSON of a .glb and puts the lengths right.
void mutateGlbJson(std::string& glb, Random& random) {
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, sizeof length);
  std::string json = glb.substr(20, length);
  mutateText(json, random);
  json.resize((json.size() + 3) / 4 * 4, ' ');
  glb.replace(20, length, json);
  length = static_cast<std::uint32_t>(json.size());
  std::memcpy(glb.data() + 12, &length, sizeof length);
  const auto total = static_cast<std::uint32_t>(glb.size());
  std::memcpy(glb.data() + 8, &total, sizeof total);
}

}  // namespace

std::string mutated(const Seed& seed, Random& random) {
  std::string content = seed.content;
  if (content.starts_with("glTF") && below(random, 3) > 0) {
    mutateGlbJson(content, random);
  } else {
    mutateText(content, random);
  }
  return content;
}

}  // namespace sinew::test
