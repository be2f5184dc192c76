// The threshold that all tools that edit weights share.
#pragma once

namespace sinew {

/// What a tool leaves below this is no weight: nobody sees it, and it costs an influence. Tools that change a column
/// drop it and scale the rest back.
inline constexpr double kLeastWeight = 1e-4;

}  // namespace sinew
