// What each fitting technique would do for a skin, as a table, as bars on a page and as a picture.
#pragma once

#include <string>

#include "report/page.h"
#include "sinew/learn/fit.h"
#include "sinew/picture/image.h"

namespace sinew::cli {

/// For a terminal: a row per example, a column per stage, then joints, morph targets and bytes.
std::string triageText(const FitExplanation& explanation);

/// For each example the error of the original skin, parted into what each stage takes away and what is left. A stage
/// that makes an example worse takes nothing away there.
PageBarChart triageBars(const FitExplanation& explanation);

/// The same as a picture of its own.
picture::Image triageChart(const FitExplanation& explanation, const std::string& title);

/// The same on a page, with the table of what each stage costs and the advice.
void tellTriage(Page& page, const FitExplanation& explanation);

}  // namespace sinew::cli
