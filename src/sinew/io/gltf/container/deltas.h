// Displacements of morph targets as accessors: most vertices of a target stay where they are.
#pragma once

#include <cstddef>

#include "sinew/base/types.h"
#include "sinew/io/gltf/container/store.h"

namespace sinew::gltf {

/// How displacements are stored. Bits16: those that are whole multiples of 1/32767 from -1 to 1 as 16-bit fractions
/// (KHR_mesh_quantization, which the document then requires), others as floats.
enum class DeltaFormat { Float, Bits16 };

/// A displacement per column; sparse where that is smaller.
std::size_t addDeltas(Store& store, const ConstPointsRef& deltas, DeltaFormat format, bool withBounds);

}  // namespace sinew::gltf
