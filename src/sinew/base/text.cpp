#include "sinew/base/text.h"

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

}  // namespace sinew
