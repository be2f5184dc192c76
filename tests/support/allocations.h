// Counts allocations of the whole program, so that tests can prove that a call makes none.
#pragma once

#include <cstddef>

namespace sinew::test {

/// How often memory was allocated so far, by any thread and by any means: malloc and its kin, and operator new, which
/// calls them.
std::size_t allocationCount();

/// From the n-th allocation of `least` bytes or more on (0: the next), all of that size fail, on any thread but the one
/// that calls this: memory is short, and small pieces are still to be had. With -1 none. Not under sanitizers, which
/// bring their own malloc.
void failAllocations(long from, std::size_t least = 0);
/// Whether it did, since it was asked for.
bool allocationFailed();
/// Whether allocations can be made to fail here.
bool canFailAllocations();

}  // namespace sinew::test
