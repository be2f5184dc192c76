// From the library's skins and poses to what `play` takes, and its calls on all threads.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/character/character.h"
#include "sinew/play/skinning.h"

namespace sinew {

/// `normals` is 3 x 0 or has a column per vertex. All influences are kept; use SkinWeights::limited() before where an
/// engine allows fewer. Throws where sizes differ, a value is not finite, or there are more than 65,536 bindings.
play::PackedSkin packSkin(const ConstPointsRef& rest, const ConstPointsRef& normals, const SkinWeights& weights,
                          const play::PackOptions& options = {});
/// Of a character's mesh, with the normals that it has.
play::PackedSkin packSkin(const Character& character, const play::PackOptions& options = {});

/// Palettes from PosedJoints::worldFromRest. The spans hold exactly the floats of all bindings. No allocation.
void packMatrices(std::span<const Affine> worldFromRest, std::span<float> matrices);
/// Throws for a transform that scales or shears by more than 0.1 % and names the binding: dual quaternions carry
/// rotation and translation only.
void packDualQuaternions(std::span<const Affine> worldFromRest, std::span<float> dualQuaternions);

/// Runs a play::SkinCall or play::CorrectiveCall on all threads that ThreadLimit allows, with the same bits on 1 and N
/// threads.
template <class Call>
void playOnThreads(const Call& call) {
  parallelRanges(Index{call.blockCount()}, Index{play::kBlockGrain}, [&](Index first, Index end) {
    call.run(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end));
  });
}

/// Calls `body`; what `play` refuses becomes an Error(BadInput).
template <class Body>
auto refusedAsError(const Body& body) {
  try {
    return body();
  } catch (const std::invalid_argument& refusal) {
    throw Error(ErrorCode::BadInput, refusal.what());
  }
}

}  // namespace sinew
