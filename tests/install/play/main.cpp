// A bar of four vertices on two joints, one of which moves up; a shape pulls a vertex forward.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "sinew/play/correctives.h"

int main() {
  using namespace sinew::play;
  const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
  const std::vector<std::uint32_t> joints = {0, 1, 0, 1, 0, 1, 0, 1};
  const std::vector<float> weights = {1, 0, 0.5f, 0.5f, 0.25f, 0.75f, 0, 1};
  const std::vector<float> forward = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
  const std::span<const float> shapes[] = {forward};
  const PackedCorrectives character({.positions = positions, .jointCount = 2, .joints = joints, .weights = weights},
                                    {.before = shapes});

  std::vector<float> matrices = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,   // stays
                                 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 4, 0, 1};  // goes up by 4
  const std::vector<float> shapeWeights = {0.5f};
  std::vector<float> moved(positions.size());
  character.play(matrices, {.weights = shapeWeights}, {.positions = moved, .order = VertexOrder::Original});

  const std::vector<float> expected = {0, 0, 0, 1, 2, 0, 2, 3, 0, 3, 4, 1};
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (std::abs(moved[i] - expected[i]) > 1e-4f) {
      std::printf("number %zu is %g, not %g\n", i, static_cast<double>(moved[i]), static_cast<double>(expected[i]));
      return 1;
    }
  }
  return 0;
}
