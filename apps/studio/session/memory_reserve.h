// Reserved memory, so that the studio can finish and report a failed operation when memory runs out.
#pragma once

namespace sinew::studio {

/// Reported where an allocation failed; the document is unchanged.
inline constexpr const char* kNoMemory = "there is not enough memory for this";
inline constexpr const char* kNoMemoryHint = "Nothing was changed. Close other programs, or work on a smaller mesh.";

/// Reserves it. From now on the first allocation that fails releases the reserve and is tried again; later failures
/// throw std::bad_alloc. Once for the whole program.
void holdReserve();

/// Reserves it again if it was used. False if there is no memory for it: then nothing new may be started.
bool restoreReserve() noexcept;

}  // namespace sinew::studio
