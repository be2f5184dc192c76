// The options of a fit as its steps see them.
#pragma once

#include "sinew/learn/fit.h"
#include "sinew/learn/fit_alternation.h"

namespace sinew {

/// Throws NotFound for a locked joint that does not exist (and suggests the nearest name), BadInput for other values
/// out of range.
AlternationOptions alternationOf(const Character& character, const FitOptions& options);

}  // namespace sinew
