// A black box for the tests, as a user's own program would be: reads points from its input until that is closed, writes
// moved points. `sinew_test_box MODE`, with the mode `echo`, `arm`, `arm-float`, `arm-smooth`, or a fault.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "learn/black_boxes.h"

namespace {

using namespace sinew;

/// The stack of the check values at (90, 40).
PointMap armMap() {
  const test::ExactArm arm;
  return posedMap(test::armStack(arm), test::ExactArm::bent(90, 40));
}

PointMap mapNamed(const std::string& mode) {
  if (mode == "arm") return armMap();
  if (mode == "arm-float") return test::inFloat(armMap());
  if (mode == "arm-smooth") return test::smoothed(armMap(), 1, 0.5);
  return [](const Points& rest, Points& moved) { moved = rest; };
}

bool readAll(void* data, std::size_t bytes) {
  return std::fread(data, 1, bytes, stdin) == bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "echo";
  const PointMap map = mapNamed(mode);
  std::uint32_t count = 0;
  for (int call = 1; readAll(&count, sizeof count); ++call) {
    Points rest(3, count);
    if (!readAll(rest.data(), static_cast<std::size_t>(rest.size()) * sizeof(double))) return 1;
    Points moved;
    map(rest, moved);
    if (mode == "crash" && call == 3) std::abort();
    if (mode == "short" && call == 2) count -= 1;
    if (mode == "nan" && call == 2) moved(1, 4) = std::numeric_limits<double>::quiet_NaN();
    std::fwrite(&count, 1, sizeof count, stdout);
    const std::size_t bytes = static_cast<std::size_t>(moved.size()) * sizeof(double);
    std::fwrite(moved.data(), 1, mode == "half" ? bytes / 2 : bytes, stdout);
    std::fflush(stdout);
    if (mode == "once") return 0;
  }
  return 0;
}
