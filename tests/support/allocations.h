// Counts allocations of the whole program, so that tests can prove that a call makes none.
#pragma once

#include <cstddef>

namespace sinew::test {

/// How often memory was allocated so far, by any thread and by any means: malloc and its kin, and operator new, which
/// calls them.
std::size_t allocationCount();

}  // namespace sinew::test
