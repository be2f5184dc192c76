// Progress of a step as a stretch of the whole call's.
#pragma once

#include "sinew/base/progress.h"

namespace sinew {

/// Reports 0..1 of a step as from..to of the whole. Keeps a reference to `progress`.
inline Progress partProgress(const Progress& progress, double from, double to) {
  if (!progress) return {};
  return [&progress, from, to](const ProgressState& state) {
    return progress({from + (to - from) * state.fraction, state.stage, state.value});
  };
}

}  // namespace sinew
