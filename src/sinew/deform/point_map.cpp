#include "sinew/deform/point_map.h"

#include <utility>

#include "sinew/base/check.h"

namespace sinew {

PointMap posedMap(DeformerPtr deformer, PosedJoints joints) {
  SINEW_CHECK(deformer != nullptr, "posed map", "no operator is given; for no deformation, pass an empty stack");
  struct Memory {
    DeformerPtr deformer;
    PosedJoints joints;
    DeformScratch scratch;
  };
  auto memory = std::make_shared<Memory>(Memory{std::move(deformer), std::move(joints), {}});
  return [memory](const Points& rest, Points& moved) {
    moved.resize(3, rest.cols());
    memory->deformer->deform(rest, memory->joints, memory->scratch, moved);
  };
}

}  // namespace sinew
