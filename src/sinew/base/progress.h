// Progress of long work as a callback, so that the library never prints.
#pragma once

#include <functional>
#include <string_view>

namespace sinew {

struct ProgressState {
  double fraction = 0;     ///< 0 to 1 of the whole call
  std::string_view stage;  ///< what is being done, in a few words
  double value = 0;        ///< a number worth showing (an error, a cost), if there is one
};

/// Returns false to cancel. An empty callback means: no one listens.
using Progress = std::function<bool(const ProgressState&)>;

/// Reports, and throws Error(Cancelled) if the callback requests it.
void report(const Progress& progress, const ProgressState& state);

/// Reports 0..1 of a step as from..to of the whole call. Keeps a reference to `progress`.
inline Progress partProgress(const Progress& progress, double from, double to) {
  if (!progress) return {};
  return [&progress, from, to](const ProgressState& state) {
    return progress({from + (to - from) * state.fraction, state.stage, state.value});
  };
}

}  // namespace sinew
