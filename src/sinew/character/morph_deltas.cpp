#include "sinew/character/morph_deltas.h"

namespace sinew {
namespace {

/// Of the JSON that describes a sparse accessor, about: small targets are not worth it.
constexpr std::size_t kSparseJson = 200;

}  // namespace

DeltaBytes deltaBytes(std::size_t vertices, std::size_t moved, bool fractions) {
  const std::size_t dense = fractions ? 8 : 12;  // 16-bit vertex data is aligned to 4 bytes
  const std::size_t packed = fractions ? 6 : 12;
  const std::size_t index = vertices <= 65536 ? 2 : 4;
  return {vertices * dense, moved * (packed + index) + kSparseJson};
}

std::size_t morphBytes(const MorphTarget& morph, bool fractions) {
  std::size_t bytes = 0;
  for (const Points* deltas : {&morph.deltas, &morph.normalDeltas}) {
    if (deltas->cols() == 0) continue;
    const auto moved = toSize((deltas->array() != 0).colwise().any().count());
    bytes += deltaBytes(toSize(deltas->cols()), moved, fractions && areFractions16(*deltas)).least();
  }
  return bytes;
}

bool areFractions16(const ConstPointsRef& deltas) {
  return (deltas.array().abs() <= 1).all() && toFractions16(deltas) == deltas;
}

Points toFractions16(const ConstPointsRef& deltas) {
  return (deltas.array() * kDeltaSteps).round() / kDeltaSteps;
}

}  // namespace sinew
