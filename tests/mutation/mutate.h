// Spoils files: bits, bytes, stretches, ends, numbers and nesting.
#pragma once

#include <random>
#include <string>

#include "seeds.h"

namespace sinew::test {

using Random = std::mt19937_64;

/// A copy of the seed's content with one to four faults; the same random numbers give the same faults. In the JSON of a
/// .glb the lengths are often put right again, so that what is behind the container is reached too.
std::string mutated(const Seed& seed, Random& random);

}  // namespace sinew::test
