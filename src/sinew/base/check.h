// Checks at the door of public functions: always on, also in release.
#pragma once

#include "sinew/base/error.h"
#include "sinew/base/types.h"

/// Throws Error(BadInput, message, where) unless the condition holds. The message is only built on failure.
#define SINEW_CHECK(condition, where, message)                                                \
  do {                                                                                        \
    if (!(condition)) throw ::sinew::Error(::sinew::ErrorCode::BadInput, (message), (where)); \
  } while (false)

namespace sinew {

/// The first column with a NaN or infinity, or -1.
Index firstNonFinite(const ConstPointsRef& points);

/// Throws unless every coordinate is finite; the message names `what` and the first bad column.
void checkFinite(const ConstPointsRef& points, const char* where, const char* what);

}  // namespace sinew
