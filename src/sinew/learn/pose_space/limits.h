// Where few exact sculpts end and many examples begin (docs/methods/many_examples.md).
#pragma once

#include <cstddef>

#include "sinew/base/types.h"

namespace sinew::pose_space {

/// Up to this many examples are the sculpts of a rigger: by default each is matched exactly, with shapes of its own.
inline constexpr std::size_t kFewExamples = 32;
/// By default at most this many examples are centres: a model with N of them costs N^3 when it is loaded.
inline constexpr Index kMostCentres = 1024;
/// The same where groups of vertices have systems of their own.
inline constexpr Index kMostGroupedCentres = 256;
/// What a rank cuts off may be this share of the leave-one-out error.
inline constexpr double kCutShare = 0.05;

}  // namespace sinew::pose_space
