// Budgets as people write them, and what a skin costs. Playback is estimated from the number of operations, with the
// constants of docs/benchmarks.md, so that no choice depends on the clock of a machine:
//   nanoseconds = a + b (mean joints per vertex - 1) + c (mean displacements per vertex)
#include "sinew/learn/skin_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "sinew/base/error.h"
#include "sinew/base/text.h"

namespace sinew::skin_budget {
namespace {

// Packed linear blend of one joint, of each further joint, and a displacement of a morph target: docs/benchmarks.md,
// "Influences" (0.25 ns for one joint, 0.82 for four) and "Pose-space deformation" (0.71 ns for seven displacements).
constexpr double kVertexNanoseconds = 0.25;
constexpr double kJointNanoseconds = 0.19;
constexpr double kDeltaNanoseconds = 0.11;

enum class Resource { Influences, Helpers, Morphs, Bytes, Nanoseconds };

struct ResourceWord {
  std::string_view word;
  Resource resource;
  double unit = 1;
};

constexpr ResourceWord kWords[] = {
    {"influences", Resource::Influences},
    {"influence", Resource::Influences},
    {"joints per vertex", Resource::Influences},
    {"bones per vertex", Resource::Influences},
    {"helpers", Resource::Helpers},
    {"helper", Resource::Helpers},
    {"helper joints", Resource::Helpers},
    {"helper joint", Resource::Helpers},
    {"joints", Resource::Helpers},
    {"joint", Resource::Helpers},
    {"morphs", Resource::Morphs},
    {"morph", Resource::Morphs},
    {"morph targets", Resource::Morphs},
    {"morph target", Resource::Morphs},
    {"blend shapes", Resource::Morphs},
    {"bytes", Resource::Bytes},
    {"byte", Resource::Bytes},
    {"b", Resource::Bytes},
    {"kb", Resource::Bytes, 1e3},
    {"mb", Resource::Bytes, 1e6},
    {"gb", Resource::Bytes, 1e9},
    {"nanoseconds", Resource::Nanoseconds},
    {"nanosecond", Resource::Nanoseconds},
    {"ns", Resource::Nanoseconds},
    {"ns per vertex", Resource::Nanoseconds},
};

constexpr std::string_view kExample = "influences 4, helpers 8, morphs 16, bytes 500k";
constexpr double kMostCount = 1e6;
constexpr double kMostBytes = 1e15;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The words of an item; = and : separate like blanks.
std::vector<std::string> wordsOf(std::string_view item) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : item) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '=' && c != ':') {
      word += c;
      continue;
    }
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// "500kB": the number, and what follows it.
struct Amount {
  double value = 0;
  std::string unit;
};

std::optional<Amount> amountOf(const std::string& word) {
  if (word.find_first_of("0123456789") > 1) return std::nullopt;  // "-3" and ".5" are numbers, "inf" is none
  Amount amount;
  const char* const end = word.data() + word.size();
  const auto [stop, fault] = std::from_chars(word.data(), end, amount.value);
  if (fault != std::errc()) return std::nullopt;
  amount.unit.assign(stop, end);
  return amount;
}

class BudgetReader {
 public:
  explicit BudgetReader(const char* where) : where_(where) {}

  SkinBudget read(std::string_view text) {
    bool any = false;
    while (!text.empty()) {
      const std::size_t end = text.find_first_of(",;\n");
      const std::string_view item = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      const std::vector<std::string> words = wordsOf(item);
      if (words.empty()) continue;
      divided_ = hasDigitAt(item, item.size() - 1) && hasDigitAt(text, 0);
      readItem(words);
      joined_ = divided_;
      any = true;
    }
    if (!any) refuse(fmt::format("limits nothing; write for example \"{}\"", kExample));
    return budget_;
  }

 private:
  void readItem(const std::vector<std::string>& words) {
    std::optional<Amount> amount;
    std::string phrase;
    for (const std::string& word : words) {
      const std::optional<Amount> found = amountOf(word);
      if (found && amount) refuse(fmt::format("'{}' has two numbers; separate limits by commas", joined(words)));
      if (found) amount = found;
      const std::string name = found ? lower(found->unit) : lower(word);
      if (!name.empty()) phrase += (phrase.empty() ? "" : " ") + name;
    }
    if (!amount) refuse(fmt::format("'{}' has no number; write for example \"{}\"", joined(words), kExample));
    const auto [row, unit] = rowOf(phrase, joined(words));
    const double value = amount->value * unit * row.unit;
    if (!seen_.insert(row.resource).second) refuse(fmt::format("'{}' limits the same a second time", joined(words)));
    set(row.resource, value, joined(words));
  }

  struct Found {
    ResourceWord row;
    double unit = 1;
  };

  static bool hasDigitAt(std::string_view text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  }

  /// A phrase may have k or M on its own: "k bytes", "bytes k"; or units of bytes with the word: "bytes kb".
  Found rowOf(std::string phrase, const std::string& item) const {
    Found found;
    for (const auto& [letter, unit] : {std::pair{'k', 1e3}, std::pair{'m', 1e6}}) {
      if (found.unit != 1) break;  // one letter only
      const std::string first = fmt::format("{} ", letter);
      const std::string last = fmt::format(" {}", letter);
      if (phrase.starts_with(first)) {
        phrase.erase(0, first.size());
        found.unit = unit;
      } else if (phrase.ends_with(last)) {
        phrase.erase(phrase.size() - last.size());
        found.unit = unit;
      }
    }
    const std::size_t blank = phrase.find(' ');
    if (found.unit == 1 && blank != std::string::npos && isBytes(phrase.substr(0, blank)) &&
        isBytes(phrase.substr(blank + 1))) {
      phrase = phrase.starts_with("byte") ? phrase.substr(blank + 1) : phrase.substr(0, blank);
    }
    std::vector<std::string> names;
    for (const ResourceWord& row : kWords) {
      if (row.word == phrase) {
        found.row = row;
        return found;
      }
      if (row.word.size() > 2) names.emplace_back(row.word);
    }
    if (phrase == "bones" || phrase == "bone") {
      refuse(fmt::format("'{}' may mean bones per vertex or added helper joints; write influences or helpers", item));
    }
    const bool nameless = phrase.empty() || phrase == "k" || phrase == "m";
    if (nameless && (divided_ || joined_))
      refuse(
          fmt::format("'{}' is part of a number with a comma; write numbers without separators, such as 10000", item));
    if (nameless) refuse(fmt::format("'{}' does not say what it limits; write for example \"{}\"", item, kExample));
    const std::string near = nearestName(phrase, names);
    refuse(fmt::format(
        "there is no limit '{}'; {}", phrase,
        near.empty() ? "choose influences, helpers, morphs, bytes or ns" : fmt::format("did you mean '{}'?", near)));
  }

  static bool isBytes(std::string_view word) {
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [&](const ResourceWord& row) { return row.resource == Resource::Bytes && row.word == word; });
  }

  void set(Resource resource, double value, const std::string& item) {
    if (!std::isfinite(value) || value < 0)
      refuse(fmt::format("'{}' is not a limit; it must be a number of 0 or more", item));
    if (resource == Resource::Nanoseconds) {
      if (!(value > 0)) refuse(fmt::format("'{}' leaves no time to play; it must be more than 0", item));
      budget_.nanoseconds = value;
      return;
    }
    const double rounded = std::round(value);
    if (std::abs(value - rounded) > 1e-6 || value > (resource == Resource::Bytes ? kMostBytes : kMostCount))
      refuse(fmt::format("'{}' is not a whole number, or too large", item));
    if (resource == Resource::Bytes) {
      budget_.bytes = static_cast<std::size_t>(rounded);
      return;
    }
    const int count = static_cast<int>(rounded);
    if (resource == Resource::Influences && count < 1)
      refuse(fmt::format("'{}' leaves no joint to a vertex; it must be 1 or more", item));
    (resource == Resource::Influences ? budget_.influences
     : resource == Resource::Helpers  ? budget_.helpers
                                      : budget_.morphs) = count;
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  [[noreturn]] void refuse(const std::string& sentence) const { throw Error(ErrorCode::BadInput, sentence, where_); }

  const char* where_;
  bool divided_ = false;  ///< between digits by the comma after the item that is read
  bool joined_ = false;   ///< the same of the comma before it
  SkinBudget budget_;
  std::set<Resource> seen_;
};

/// "500 kB", "1.2 MB"
std::string bytesOf(std::size_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 10000) return counted(bytes, "byte", "bytes");
  return bytes < 10000000 ? fmt::format("{:.6g} kB", value / 1e3) : fmt::format("{:.6g} MB", value / 1e6);
}

std::string countOf(int count, const char* one, const char* many) {
  return counted(toSize(count), one, many);
}

std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// Per vertex: whether a skin moves it.
std::vector<char> skinnedVertices(const Character& character) {
  std::vector<char> skinned(toSize(character.mesh.vertexCount()), 1);
  for (const MeshPart& part : character.mesh.parts) {
    if (!part.skinned) std::fill_n(skinned.begin() + part.firstVertex, part.vertexCount, 0);
  }
  return skinned;
}

}  // namespace
}  // namespace sinew::skin_budget

namespace sinew {

SkinBudget parseSkinBudget(std::string_view text, const char* where) {
  return skin_budget::BudgetReader(where).read(text);
}

std::string SkinBudget::text() const {
  std::vector<std::string> parts;
  if (influences) parts.push_back(skin_budget::countOf(*influences, "influence", "influences"));
  if (helpers) parts.push_back(skin_budget::countOf(*helpers, "helper joint", "helper joints"));
  if (morphs) parts.push_back(skin_budget::countOf(*morphs, "morph target", "morph targets"));
  if (bytes) parts.push_back(skin_budget::bytesOf(*bytes));
  if (nanoseconds) parts.push_back(fmt::format("{:g} ns per vertex", *nanoseconds));
  return parts.empty() ? "no limits" : skin_budget::listed(parts);
}

std::string SkinCost::text() const {
  return skin_budget::listed({skin_budget::countOf(influences, "influence", "influences"),
                              skin_budget::countOf(helpers, "helper joint", "helper joints"),
                              skin_budget::countOf(morphs, "morph target", "morph targets"),
                              skin_budget::bytesOf(bytes), fmt::format("{:.3g} ns per vertex", nanoseconds)});
}

bool isWithin(const SkinCost& cost, const SkinBudget& budget) {
  const auto keeps = [](const auto& limit, auto value) { return !limit || value <= *limit; };
  return keeps(budget.influences, cost.influences) && keeps(budget.helpers, cost.helpers) &&
         keeps(budget.morphs, cost.morphs) && keeps(budget.bytes, cost.bytes) &&
         keeps(budget.nanoseconds, cost.nanoseconds);
}

SkinCost skinCost(const Character& before, const Character& learned) {
  SkinCost cost;
  const std::vector<char> skinned = skin_budget::skinnedVertices(learned);
  for (Index v = 0; v < learned.skin.weights.vertexCount(); ++v) {
    if (skinned[toSize(v)] != 0)
      cost.influences = std::max(cost.influences, static_cast<int>(learned.skin.weights[v].size()));
  }
  cost.helpers = static_cast<int>(learned.helpers.size()) - static_cast<int>(before.helpers.size());
  const std::size_t added = learned.morphs.size() - before.morphs.size();
  std::map<int, int> ofMesh;
  for (std::size_t m = before.morphs.size(); m < learned.morphs.size(); ++m)
    cost.morphs = std::max(cost.morphs, ++ofMesh[learned.morphs[m].mesh]);
  cost.nanoseconds = playbackNanoseconds(learned, added);
  return cost;
}

double playbackNanoseconds(const Character& character, std::size_t added) {
  const std::vector<char> skinned = skin_budget::skinnedVertices(character);
  double vertices = 0;
  double joints = 0;
  for (Index v = 0; v < character.skin.weights.vertexCount(); ++v) {
    if (skinned[toSize(v)] == 0) continue;
    vertices += 1;
    joints += static_cast<double>(character.skin.weights[v].size());
  }
  if (vertices == 0) return 0;
  double deltas = 0;
  for (std::size_t m = character.morphs.size() - added; m < character.morphs.size(); ++m) {
    for (const auto& delta : character.morphs[m].deltas.colwise()) deltas += delta.isZero(0) ? 0 : 1;
  }
  return skin_budget::kVertexNanoseconds + skin_budget::kJointNanoseconds * (joints / vertices - 1) +
         skin_budget::kDeltaNanoseconds * deltas / vertices;
}

}  // namespace sinew
