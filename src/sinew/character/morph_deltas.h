// Sizes of morph targets in files, for those who write them and those who decide how many there are.
#pragma once

#include <cstddef>

#include "sinew/character/character.h"

namespace sinew {

/// 16-bit fractions are whole multiples of 1 / kDeltaSteps.
inline constexpr double kDeltaSteps = 32767;

/// Bytes of one displacement per vertex, in both forms of storage.
struct DeltaBytes {
  std::size_t dense = 0;   ///< one after the other
  std::size_t sparse = 0;  ///< indices and displacements of the vertices that move
  [[nodiscard]] std::size_t least() const { return sparse < dense ? sparse : dense; }
};

/// `moved` of `vertices` have a displacement other than zero; `fractions`: in 16 bits.
DeltaBytes deltaBytes(std::size_t vertices, std::size_t moved, bool fractions);
/// What a file stores of a target. `fractions`: in 16 bits where its numbers are fractions.
std::size_t morphBytes(const MorphTarget& morph, bool fractions);

/// Whether all numbers are 16-bit fractions from -1 to 1.
bool areFractions16(const ConstPointsRef& deltas);
/// The nearest fractions of numbers from -1 to 1.
Points toFractions16(const ConstPointsRef& deltas);

}  // namespace sinew
