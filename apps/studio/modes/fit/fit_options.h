// The options of a fit as the page shows them, and what the page asks for, checked.
#pragma once

#include <vector>

#include "sinew/learn/fit.h"
#include "sinew/learn/skin_budget.h"
#include "studio/modes/mode.h"

namespace sinew::studio::fit {

/// Those that the page shows, in the order of the library.
std::vector<wire::FitField> shownFields();

/// Throw a CommandFault that names the option, its value and its range. `document`: its locks stay; without `weights`
/// all joints are locked.
FitOptions optionsOf(const wire::FitStartCommand& asked, const Document& document);
FitOptions optionsOf(const wire::FitExplainCommand& asked, const Document& document);

SkinBudget budgetOf(const wire::FitLearnCommand& asked);

}  // namespace sinew::studio::fit
