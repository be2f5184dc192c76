// The threshold that all tools that edit weights share.
#pragma once

namespace sinew {

/// Tools that change a column drop weights below this and normalise the others: such weights are invisible and cost an
/// influence.
inline constexpr double kLeastWeight = 1e-4;

}  // namespace sinew
