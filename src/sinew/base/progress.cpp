#include "sinew/base/progress.h"

#include <string>

#include "sinew/base/error.h"

namespace sinew {

void report(const Progress& progress, const ProgressState& state) {
  if (progress && !progress(state)) throw Error(ErrorCode::Cancelled, "cancelled while: " + std::string(state.stage));
}

}  // namespace sinew
