// Files that end early, before the importer sees them: it fills what is missing of a PLY with its last line, reads a
// header without an end forever, and takes an STL that ends between two facets for a whole one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/error.h"
#include "sinew/io/assimp/scene.h"
#include "sinew/io/text/text_formats.h"

namespace sinew::assimp {
namespace {

[[noreturn]] void refuseCut(const std::string& what) {
  throw Error(ErrorCode::Unreadable, what + ": it is truncated or damaged; copy or export it again");
}

struct PlyType {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array kPlyTypes = {
    PlyType{"char", 1},  PlyType{"uchar", 1},   PlyType{"int8", 1},   PlyType{"uint8", 1},
    PlyType{"short", 2}, PlyType{"ushort", 2},  PlyType{"int16", 2},  PlyType{"uint16", 2},
    PlyType{"int", 4},   PlyType{"uint", 4},    PlyType{"int32", 4},  PlyType{"uint32", 4},
    PlyType{"float", 4}, PlyType{"float32", 4}, PlyType{"double", 8}, PlyType{"float64", 8}};

std::size_t plyBytes(std::string_view type) {
  const auto* const found =
      std::find_if(kPlyTypes.begin(), kPlyTypes.end(), [&](const PlyType& row) { return row.name == type; });
  if (found == kPlyTypes.end())
    refuseCut(fmt::format("has the unknown number type '{}' in its header", text::printable(type)));
  return found->bytes;
}

struct PlyProperty {
  std::size_t countBytes = 0;  ///< of the length of a list; 0: a single number
  std::size_t bytes = 0;       ///< of a number
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

/// PLY: a header of lines, then every element of every kind with its properties, as words or as bytes.
class PlyWalk {
 public:
  explicit PlyWalk(std::string_view bytes) : bytes_(bytes) {}

  void run() {
    readHeader();
    for (const PlyElement& element : elements_) {
      for (std::uint64_t i = 0; i < element.count && !element.properties.empty(); ++i) {
        for (const PlyProperty& property : element.properties) {
          if (pass(property)) continue;
          refuseCut(
              fmt::format("declares {} elements '{}' but has {}", element.count, text::printable(element.name), i));
        }
      }
    }
  }

 private:
  std::string_view line() {
    if (at_ >= bytes_.size()) refuseCut("has a header without an end");
    const std::size_t end = std::min(bytes_.find_first_of("\r\n", at_), bytes_.size());
    const std::string_view line = bytes_.substr(at_, end - at_);
    at_ = end;
    if (at_ < bytes_.size()) at_ += bytes_.substr(at_, 2) == "\r\n" ? 2 : 1;
    return line;
  }

  void readHeader() {
    constexpr std::size_t kMostKinds = 1000;
    if (text::TextTokens(line()).next() != "ply")
      throw Error(ErrorCode::Unreadable, "does not begin like a PLY file; check that its extension matches its format");
    while (true) {
      text::TextTokens words(line());
      const std::string_view word = words.next();
      if (word == "end_header") return;
      if (word == "format") {
        const std::string_view format = words.next();
        text_ = format == "ascii";
        bigEndian_ = format == "binary_big_endian";
      } else if (word == "element") {
        PlyElement element{std::string(words.next()), 0, {}};
        const auto count = text::parseInteger(words.next());
        if (!count || *count < 0 || elements_.size() >= kMostKinds)
          refuseCut(fmt::format("does not declare how many elements '{}' it has", text::printable(element.name)));
        element.count = static_cast<std::uint64_t>(*count);
        elements_.push_back(std::move(element));
      } else if (word == "property") {
        addProperty(words);
      }
    }
  }

  void addProperty(text::TextTokens& words) {
    constexpr std::size_t kMostProperties = 1000;
    if (elements_.empty() || elements_.back().properties.size() >= kMostProperties)
      refuseCut("has a property in its header that belongs to no element");
    const std::string_view type = words.next();
    PlyProperty property;
    if (type == "list") {
      property.countBytes = plyBytes(words.next());
      property.bytes = plyBytes(words.next());
    } else {
      property.bytes = plyBytes(type);
    }
    elements_.back().properties.push_back(property);
  }

  /// False where the file ends before the property does.
  bool pass(const PlyProperty& property) {
    std::uint64_t count = 1;
    if (property.countBytes > 0 && !readCount(property, count)) return false;
    if (!text_) {
      if (count > (bytes_.size() - at_) / property.bytes) return false;
      at_ += count * property.bytes;
      return true;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (word().empty()) return false;
    }
    return true;
  }

  bool readCount(const PlyProperty& property, std::uint64_t& count) {
    if (text_) {
      const auto told = text::parseInteger(word());
      if (!told || *told < 0) return false;
      count = static_cast<std::uint64_t>(*told);
      return true;
    }
    if (bytes_.size() - at_ < property.countBytes) return false;
    count = 0;
    for (std::size_t k = 0; k < property.countBytes; ++k) {
      const std::size_t from = bigEndian_ ? k : property.countBytes - 1 - k;
      count = count << 8 | static_cast<unsigned char>(bytes_[at_ + from]);
    }
    at_ += property.countBytes;
    return true;
  }

  std::string_view word() {
    constexpr std::string_view kBlanks = " \t\r\n\v\f";
    const std::size_t begin = bytes_.find_first_not_of(kBlanks, at_);
    if (begin == std::string_view::npos) return {};
    at_ = std::min(bytes_.find_first_of(kBlanks, begin), bytes_.size());
    return bytes_.substr(begin, at_ - begin);
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool text_ = true;
  bool bigEndian_ = false;
  std::vector<PlyElement> elements_;
};

/// STL: words that end in `endsolid`, or 80 bytes, a number of facets, and 50 bytes for each.
void walkStl(std::string_view bytes) {
  constexpr std::size_t kHeader = 84;
  constexpr std::size_t kFacet = 50;
  std::uint32_t facets = 0;
  if (bytes.size() >= kHeader) std::memcpy(&facets, bytes.data() + kHeader - sizeof facets, sizeof facets);
  const bool binary = bytes.size() >= kHeader && bytes.size() >= kHeader + kFacet * std::uint64_t{facets};
  const bool text = bytes.starts_with("solid");
  if (text && bytes.find("endsolid") != std::string_view::npos) return;
  if (text && !(binary && bytes.find('\0') != std::string_view::npos)) refuseCut("has no 'endsolid' at its end");
  if (!binary) {
    refuseCut(fmt::format("has {} bytes where {} facets need {}", bytes.size(), facets,
                          kHeader + kFacet * std::uint64_t{facets}));
  }
}

}  // namespace

void checkNotCutOff(std::string_view extension, std::string_view bytes) {
  if (extension == ".ply") PlyWalk(bytes).run();
  if (extension == ".stl") walkStl(bytes);
}

}  // namespace sinew::assimp
