// How the examples of a pose space come and go along paths between them.
#pragma once

#include <span>
#include <vector>

#include "page.h"
#include "sinew/base/progress.h"
#include "sinew/deform/pose_space.h"

namespace sinew::cli {

/// For each of the examples a chart of all weights along the straight path from rest to it and on to the next, with
/// their sum and the fade. If the model has groups of vertices, the largest group is shown.
std::vector<PageLineChart> activationCharts(const PoseSpaceModel& model, std::span<const std::size_t> examples,
                                            const Progress& progress = {});

}  // namespace sinew::cli
