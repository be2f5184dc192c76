#include "sinew/io/uri.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <system_error>

#include "sinew/base/error.h"
#include "sinew/io/file_rules.h"

namespace sinew {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 255;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}();

[[noreturn]] void refuseUri(const std::string& fault) {
  throw Error(ErrorCode::Unreadable, fault);
}

std::string decodeBase64(std::string_view text, const std::string& where) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  if (text.size() % 4 == 1)
    refuseUri(fmt::format("{} has base64 data of a wrong length; export the file again", where));
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::uint8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) {
      refuseUri(fmt::format("{} has byte {} in its base64 data, which is not a base64 digit; export the file again",
                            where, static_cast<unsigned>(static_cast<unsigned char>(c))));
    }
    bits = bits << 6 | digit;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<char>(bits >> held & 0xffu));
    }
  }
  return bytes;
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool isDataUri(std::string_view uri) {
  return uri.substr(0, 5) == "data:";
}

std::string decodeDataUri(std::string_view uri, const std::string& where) {
  const auto comma = uri.find(',');
  if (comma == std::string_view::npos)
    refuseUri(fmt::format("{} is a data URI without data; export the file again", where));
  constexpr std::string_view kMarker = ";base64";
  const std::string_view head = uri.substr(0, comma);
  const bool base64 = head.size() >= kMarker.size() && head.substr(head.size() - kMarker.size()) == kMarker;
  return base64 ? decodeBase64(uri.substr(comma + 1), where) : decodePercent(uri.substr(comma + 1));
}

std::string encodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) {
      text.push_back(k <= count ? kAlphabet[bits >> (18 - 6 * static_cast<int>(k)) & 63u] : '=');
    }
  }
  return text;
}

std::string decodePercent(std::string_view uri) {
  std::string plain;
  plain.reserve(uri.size());
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() && hexDigit(uri[i + 1]) >= 0 && hexDigit(uri[i + 2]) >= 0) {
      plain.push_back(static_cast<char>(hexDigit(uri[i + 1]) * 16 + hexDigit(uri[i + 2])));
      i += 2;
    } else {
      plain.push_back(uri[i]);
    }
  }
  return plain;
}

std::string encodePercent(std::string_view name) {
  std::string uri;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 127 || std::isalnum(byte) != 0 || std::string_view("-_.~").find(c) != std::string_view::npos) {
      uri.push_back(c);
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(byte));
    }
  }
  return uri;
}

bool leavesFolderTree(std::string_view uri) {
  if (uri.empty() || uri.front() == '/' || uri.front() == '\\') return true;
  // "https:", "file:" and "C:": a colon before the first slash.
  const auto colon = uri.find(':');
  return colon != std::string_view::npos && colon < uri.find('/');
}

std::optional<fs::path> resolveUri(std::string_view uri, const fs::path& folder, const fs::path& root) {
  if (leavesFolderTree(uri)) return std::nullopt;
  // Some exporters do not encode names: a name that exists literally is used literally.
  for (const std::string& name : {decodePercent(uri), std::string(uri)}) {
    std::error_code fault;
    if (name.find('\0') != std::string::npos || leavesFolderTree(name)) continue;
    const fs::path path = folder / name;
    if (!fs::is_regular_file(path, fault)) continue;
    checkInside(path, {.root = root});
    return path;
  }
  return std::nullopt;
}

}  // namespace sinew
