// What reports on examples have in common: which of them have pictures, and what their poses are.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/page.h"
#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_set.h"

namespace sinew::cli {

/// More examples or frames than this are drawn as a curve instead of rows.
inline constexpr std::size_t kMostRows = 30;

/// Rows with pictures: all, or the `most` of the largest values, in their order. Of more than kMostRows no neighbours.
std::vector<std::size_t> shownRows(std::span<const double> values, std::size_t most);

/// The example of each name, in order; examples that no row names (those at rest) are passed over. Throws for a name
/// that is not there.
std::vector<const Example*> examplesNamed(const ExampleSet& set, std::span<const std::string> names);

/// "elbow 90°, wrist 12° and 3 more", the largest first.
std::string largestParts(std::vector<std::pair<double, std::string>> parts);

/// The joints that a pose rotates most, as largestParts.
std::string turnedJoints(const Character& character, const Pose& pose);

/// A paragraph where some rows have no pictures: "6 of 20 examples are shown: `which`."
void tellShown(Page& page, std::size_t shown, std::size_t all, const std::string& which);

/// Errors of examples or frames, a row of the table and a name of the chart for each. Up to kMostRows as bars and the
/// whole table; above as curves over their numbers, with the worst named and only those in the table. What is worst is
/// reported by the chart's last series, the one that matters most. `what` is "example" or "frame".
void tellErrors(Page& page, const PageBarChart& chart, const PageTable& table, const std::string& what);

}  // namespace sinew::cli
