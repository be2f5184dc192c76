// What the page shows of results, as records of the protocol.
#pragma once

#include <vector>

#include "studio/modes/fit/learned_skin.h"

namespace sinew::studio::fit {

wire::FitResult resultOf(const LearnedSkin& learned, std::uint32_t number);
wire::FitTriage triageOf(const FitExplanation& explanation);
std::vector<wire::FitChoice> choicesOf(const BudgetedSkinReport& report);

/// What the job reports when it has succeeded.
std::string sentenceOf(const LearnedSkin& learned);

/// ErrorsBefore and ErrorsAfter of an example.
Bytes errorsBlob(const LearnedSkin& learned, std::size_t example);

}  // namespace sinew::studio::fit
