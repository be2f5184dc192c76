// Memory that is set aside, so that the studio can still end what it began and say so when there is no more.
#pragma once

namespace sinew::studio {

/// Said where an allocation failed; the document is what it was before.
inline constexpr const char* kNoMemory = "there is not enough memory for this";
inline constexpr const char* kNoMemoryHint = "Nothing was changed. Close other programs, or work on a smaller mesh.";

/// Sets it aside. From here on the first allocation that fails gives it back to the system and is tried again; those
/// that fail after that throw std::bad_alloc. Once for the whole program.
void holdReserve();

/// Sets it aside again where it was used. False where there is no memory for it: nothing new must be begun then.
bool restoreReserve() noexcept;

}  // namespace sinew::studio
