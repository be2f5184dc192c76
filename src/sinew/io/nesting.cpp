#include "sinew/io/nesting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sinew/base/error.h"

namespace sinew {
namespace {

/// The lists and objects that are open, with the members of each.
class Levels {
 public:
  Levels(const NestingLimits& limits, const std::string& where) : limits_(limits), where_(where) {}

  void open(bool isObject, std::uint64_t left) {
    open_.push_back({isObject, 0, left});
    if (open_.size() > limits_.depth) refuse(fmt::format("is nested deeper than {} levels", limits_.depth));
  }
  void close() {
    if (!open_.empty()) open_.pop_back();
  }
  void member() {
    if (!open_.empty() && ++open_.back().members > limits_.members)
      refuse(fmt::format("has an object with more than {} members", limits_.members));
  }
  [[nodiscard]] bool any() const { return !open_.empty(); }

  /// For formats with declared lengths: an item of the innermost list or object has been seen.
  static constexpr std::uint64_t kUntilBreak = UINT64_MAX;
  void item() {
    Level& top = open_.back();
    // Keys and values alternate, so every second item is a new member.
    if (top.isObject && (top.items++ & 1u) == 0) member();
    if (top.left != kUntilBreak) --top.left;
  }
  /// Ends all that have got their last item.
  void closeFull() {
    while (any() && open_.back().left == 0) close();
  }
  [[nodiscard]] bool isEndless() const { return any() && open_.back().left == kUntilBreak; }

 private:
  struct Level {
    bool isObject = false;
    std::size_t members = 0;
    std::uint64_t left = 0;
    std::uint64_t items = 0;
  };

  [[noreturn]] void refuse(const std::string& fault) const {
    throw Error(ErrorCode::Unreadable, fault + "; the file is damaged", where_);
  }

  NestingLimits limits_;
  const std::string& where_;
  std::vector<Level> open_;
};

/// The end of the text in quotes, or of the comment, that begins at `at`.
std::size_t skip(std::string_view text, std::size_t at) {
  if (text[at] == '"') {
    for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    return at;
  }
  const std::string_view begin = text.substr(at, 2);
  if (begin == "//") return std::min(text.find('\n', at), text.size());
  if (begin == "/*") {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  return at;
}

void walkJson(std::string_view text, Levels& levels) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
      case '/':
        i = skip(text, i);
        break;
      case '{':
      case '[':
        levels.open(text[i] == '{', 0);
        break;
      case '}':
      case ']':
        levels.close();
        break;
      case ':':
        levels.member();
        break;
      default:
        break;
    }
  }
}

/// RFC 8949, section 3: a byte with the major type and the argument, or how many bytes of it follow.
struct CborHead {
  unsigned major = 0;
  unsigned info = 0;
  std::uint64_t argument = 0;
};

/// False at the end of the bytes, and for invalid CBOR.
bool readHead(std::string_view bytes, std::size_t& at, CborHead& head) {
  if (at >= bytes.size()) return false;
  const unsigned first = static_cast<unsigned char>(bytes[at++]);
  head = {first >> 5u, first & 31u, first & 31u};
  if (head.info < 24 || head.info == 31) return true;
  if (head.info > 27) return false;
  const std::size_t count = std::size_t{1} << (head.info - 24);
  if (bytes.size() - at < count) return false;
  head.argument = 0;
  for (std::size_t k = 0; k < count; ++k) head.argument = head.argument << 8 | static_cast<unsigned char>(bytes[at++]);
  return true;
}

void walkCbor(std::string_view bytes, Levels& levels) {
  CborHead head;
  std::size_t at = 0;
  do {
    if (!readHead(bytes, at, head)) return;
    const bool endless = head.info == 31;
    if (head.major == 7 && endless) {  // a break: ends a list without a length
      if (!levels.isEndless()) return;
      levels.close();
      levels.closeFull();
      continue;
    }
    if (levels.any()) levels.item();
    const bool isText = head.major == 2 || head.major == 3;
    if (isText && !endless) {
      if (head.argument > bytes.size() - at) return;
      at += head.argument;
    } else if (isText || head.major == 4 || head.major == 5) {
      // Texts of indefinite length contain pieces, which a parser reads by recursion as well. A map has two items per
      // member.
      const bool isObject = head.major == 5;
      const std::uint64_t most = Levels::kUntilBreak - 1;
      const std::uint64_t items = isObject ? (head.argument > most / 2 ? most : 2 * head.argument) : head.argument;
      levels.open(isObject, endless ? Levels::kUntilBreak : std::min(items, most));
    } else if (head.major == 6) {
      levels.open(false, 1);  // a tag: one item follows
    }
    levels.closeFull();
  } while (levels.any());
}

}  // namespace

void checkNesting(std::string_view text, Notation notation, const std::string& where, const NestingLimits& limits) {
  Levels levels(limits, where);
  notation == Notation::Json ? walkJson(text, levels) : walkCbor(text, levels);
}

}  // namespace sinew
