// Which requests are allowed. Plain functions, so that each rule has its own test.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sinew::studio {

struct HttpRules {
  std::uint16_t port = 0;
  std::string token;
};

struct RequestFacts {
  std::string_view method;
  std::string_view target;
  std::string_view host;
  std::string_view origin;  ///< empty where there is none
  std::string_view token;   ///< of the header X-Sinew-Token
  bool upgrade = false;
};

struct Refusal {
  unsigned status = 0;  ///< 0: allowed
  std::string reason;
};

/// Host must be the loopback with our port (protects against DNS rebinding). An Origin must be ours, and an upgrade
/// must have one. Data and changes need the token. Targets must not contain "..".
Refusal refusalOf(const HttpRules& rules, const RequestFacts& facts);

/// Splits and decodes a target. Returns an empty path if it has a part ".." or a byte 0.
void splitTarget(std::string_view target, std::string& path, std::map<std::string, std::string>& query);

/// Compares in constant time.
bool sameSecret(std::string_view a, std::string_view b);

/// A sentence for the log: without control characters, and of limited length.
std::string printable(std::string_view sentence);

std::string typeOfFile(std::string_view extension);

/// Sent with every answer.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSafetyHeaders{{
    {"Content-Security-Policy",
     "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self' blob:; "
     "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
}};

}  // namespace sinew::studio
