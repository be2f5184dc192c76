// The options of a fit as its steps see them.
#pragma once

#include <optional>

#include "sinew/learn/fit.h"
#include "sinew/learn/fit/alternation.h"

namespace sinew::fit {

/// Throws NotFound for a locked joint that does not exist (and suggests the nearest name), BadInput for other values
/// out of range.
AlternationOptions alternationOf(const Character& character, const FitOptions& options);

/// The strength of the pull to the own weights in natural units; nothing for "auto". Throws BadInput for anything but
/// auto or a number of 0 or more.
std::optional<double> priorOf(const FitOptions& options);

}  // namespace sinew::fit
