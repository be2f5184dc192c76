#include "studio/net/http_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::studio {
namespace {

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hexDigit(text[i + 1]) >= 0 && hexDigit(text[i + 2]) >= 0) {
      out += static_cast<char>(16 * hexDigit(text[i + 1]) + hexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool climbs(std::string_view path) {
  if (path.find('\0') != std::string_view::npos || path.find('\\') != std::string_view::npos) return true;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}

bool isOurs(std::string_view host, std::uint16_t port) {
  return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
}

/// The page itself needs no token: it contains no user data.
bool isPage(std::string_view path) {
  return path == "/" || path == "/index.html" || path == "/favicon.svg" || path.starts_with("/assets/") ||
         path.starts_with("/samples/");
}

}  // namespace

Refusal refusalOf(const HttpRules& rules, const RequestFacts& facts) {
  if (!isOurs(facts.host, rules.port)) return {403, fmt::format("the host '{}' is not this studio", facts.host)};
  constexpr std::string_view kScheme = "http://";
  const bool ourOrigin = facts.origin.starts_with(kScheme) && isOurs(facts.origin.substr(kScheme.size()), rules.port);
  if (!facts.origin.empty() && !ourOrigin)
    return {403, fmt::format("the origin '{}' is not this studio", facts.origin)};
  std::string path;
  std::map<std::string, std::string> query;
  splitTarget(facts.target, path, query);
  if (path.empty()) return {400, "the path is not allowed"};
  if (facts.upgrade) {
    if (!ourOrigin) return {403, "a connection must send its origin"};
    return path == "/ws" ? Refusal{} : Refusal{404, "connections are at /ws"};
  }
  const bool reads = facts.method == "GET" || facts.method == "HEAD";
  if (!reads && facts.method != "POST") return {405, fmt::format("the method {} is not known here", facts.method)};
  if (reads && isPage(path)) return {};
  if (!sameSecret(facts.token, rules.token)) return {401, "the token is missing or wrong"};
  return {};
}

void splitTarget(std::string_view target, std::string& path, std::map<std::string, std::string>& query) {
  const std::size_t mark = std::min(target.find('?'), target.size());
  path = decoded(target.substr(0, mark));
  if (!path.starts_with('/') || climbs(path)) path.clear();
  query.clear();
  for (std::size_t at = mark + 1; at < target.size();) {
    const std::size_t end = std::min(target.find('&', at), target.size());
    const std::string_view pair = target.substr(at, end - at);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    query[decoded(pair.substr(0, equals))] = decoded(pair.substr(std::min(equals + 1, pair.size())));
    at = end + 1;
  }
}

bool sameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

std::string printable(std::string_view sentence) {
  constexpr std::size_t kMost = 400;
  std::string words(sentence.substr(0, kMost));
  for (char& c : words) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return sentence.size() > kMost ? words + "..." : words;
}

std::string typeOfFile(std::string_view extension) {
  struct Row {
    std::string_view extension;
    std::string_view type;
  };
  static constexpr Row kRows[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".woff2", "font/woff2"},
      {".json", "application/json"},
      {".map", "application/json"},
  };
  for (const Row& row : kRows) {
    if (row.extension == extension) return std::string(row.type);
  }
  return "application/octet-stream";
}

}  // namespace sinew::studio
