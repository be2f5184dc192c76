// Random numbers with explicit seeds, the same on every machine.
#pragma once

#include <cstdint>

#include "sinew/base/types.h"

namespace sinew {

/// x = (1664525 x + 1013904223) mod 2^32 before each draw. Small and documented, so that test data can be made
/// elsewhere too.
class Lcg {
 public:
  explicit Lcg(std::uint32_t seed) : state_(seed) {}

  /// Uniform in [0, 1).
  double uniform() {
    state_ = 1664525u * state_ + 1013904223u;
    return state_ / 4294967296.0;
  }
  /// Uniform in [-1, 1).
  double symmetric() { return 2.0 * uniform() - 1.0; }
  /// Three symmetric draws: x, y, z in this order.
  Vec3 vector() {
    const double x = symmetric();
    const double y = symmetric();
    const double z = symmetric();
    return {x, y, z};
  }

 private:
  std::uint32_t state_;
};

}  // namespace sinew
