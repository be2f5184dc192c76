#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace sinew {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Edit distance in half steps: 2 per insertion, deletion, change or exchange of two neighbours, 1 for a change of case
/// only.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = 2 * i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? 1 : 2;
      row[j] = std::min({last[j] + 2, row[j - 1] + 2, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 2);
    }
  }
  return row[b.size()];
}

/// Consumes a run of digits; returns it without leading zeros.
std::string_view takeNumber(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && isDigit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

/// The character that a text begins with, as UTF-8 (RFC 3629); empty if it begins with something else.
std::string_view firstCharacter(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return text.substr(0, 1);
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return {};
  }
  // Longer than needed, halves of a pair, beyond the last character.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) || (first == 0xF0 && byte(1) < 0x90) ||
      (first == 0xF4 && byte(1) > 0x8F)) {
    return {};
  }
  return text.substr(0, length);
}

unsigned codeOf(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(character[i])); };
  if (character.size() == 1) return byte(0);
  unsigned code = byte(0) & (0x7Fu >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3Fu);
  return code;
}

/// Control characters, line and paragraph separators, and those that change the text direction.
bool steers(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string nearestName(std::string_view wanted, std::span<const std::string> candidates) {
  std::string best;
  std::size_t bestDistance = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.empty()) continue;
    const std::size_t distance = editDistance(wanted, candidate);
    // Half steps: half of the letters differ. A part of a name is near all the same.
    const std::size_t half = std::max(wanted.size(), candidate.size());
    if (distance > half || (distance == half && candidate.find(wanted) == std::string::npos)) continue;
    if (best.empty() || distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

std::string counted(std::size_t number, std::string_view one, std::string_view many) {
  return std::to_string(number).append(" ").append(number == 1 ? one : many);
}

std::string quotedNames(std::span<const std::string> names) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) text += (i > 0 ? ", '" : "'") + names[i] + "'";
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

bool naturalLess(std::string_view a, std::string_view b) {
  std::string_view restA = a;
  std::string_view restB = b;
  while (!restA.empty() && !restB.empty()) {
    if (isDigit(restA.front()) && isDigit(restB.front())) {
      const std::string_view numberA = takeNumber(restA);
      const std::string_view numberB = takeNumber(restB);
      if (numberA.size() != numberB.size()) return numberA.size() < numberB.size();
      if (numberA != numberB) return numberA < numberB;
    } else {
      if (restA.front() != restB.front()) return restA.front() < restB.front();
      restA.remove_prefix(1);
      restB.remove_prefix(1);
    }
  }
  if (restA.empty() != restB.empty()) return restA.empty();
  return a < b;
}

std::string tamed(std::string_view text, bool keepLines) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = firstCharacter(text.substr(at));
    if (character.empty()) {
      shown.push_back('?');
      ++at;
      continue;
    }
    const bool kept = keepLines && (character == "\n" || character == "\t");
    if (kept || !steers(codeOf(character))) {
      shown += character;
    } else {
      shown.push_back('?');
    }
    at += character.size();
  }
  return shown;
}

std::string shortened(std::string_view text, std::size_t most, bool keepEnd) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size();) {
    starts.push_back(at);
    at += std::max<std::size_t>(1, firstCharacter(text.substr(at)).size());
  }
  if (starts.size() <= most) return std::string(text);
  const std::size_t kept = most == 0 ? 0 : most - 1;
  const std::size_t before = keepEnd ? 0 : kept - kept / 2;
  const std::size_t behind = kept - before;
  std::string shown(text.substr(0, starts[before]));
  if (most > 0) shown += "\u2026";
  if (behind > 0) shown += text.substr(starts[starts.size() - behind]);
  return shown;
}

}  // namespace sinew
