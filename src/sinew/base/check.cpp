#include "sinew/base/check.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

Index firstNonFinite(const ConstPointsRef& points) {
  // x * 0 is 0 for finite x and NaN otherwise, so one sum per column block is enough; the search runs only on failure.
  constexpr Index kBlock = 4096;
  for (Index begin = 0; begin < points.cols(); begin += kBlock) {
    const Index count = std::min(kBlock, points.cols() - begin);
    const double sum = (points.middleCols(begin, count).array() * 0.0).sum();
    if (sum == 0.0) continue;
    for (Index v = begin; v < begin + count; ++v) {
      if (!points.col(v).allFinite()) return v;
    }
  }
  return -1;
}

void checkFinite(const ConstPointsRef& points, const char* where, const char* what) {
  const Index bad = firstNonFinite(points);
  SINEW_CHECK(bad < 0, where,
              fmt::format("{} has a value that is not a finite number at vertex {} ({}, {}, {})", what, bad,
                          points(0, bad), points(1, bad), points(2, bad)));
}

}  // namespace sinew
