// One guard for JSON and CBOR from untrusted sources, checked before the text is parsed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinew {

enum class Notation { Json, Cbor };

struct NestingLimits {
  std::size_t depth = 256;      ///< levels: copying, printing and reading CBOR are recursive
  std::size_t members = 16384;  ///< of one object: members are found one after the other
};

/// Throws Error(Unreadable) at `where` if the text is nested deeper, or has an object with more members, than the
/// limits allow. Invalid JSON or CBOR passes as far as a parser would follow it: the parser rejects the rest. Comments
/// are skipped, so that a quote in one cannot hide what follows. Runs in linear time, without recursion.
void checkNesting(std::string_view text, Notation notation, const std::string& where = {},
                  const NestingLimits& limits = {});

}  // namespace sinew
