// Examples: poses, and how the skin should look there.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/pose.h"

namespace sinew {

struct Example {
  std::string name;
  Pose pose;
  Points points;             ///< 3 x V, world space, in the character's vertex order
  std::vector<double> mask;  ///< a factor 0..1 per vertex, or empty: all count
  double confidence = 1;
};

/// A joint that drives correctives, and how much it counts.
struct Driver {
  std::string joint;  ///< or a morph target of that name
  double weight = 1;
};

struct ExampleSet {
  Points rest;  ///< 3 x V: the examples' own rest shape in the character's vertex order, or 3 x 0
  std::vector<Example> examples;
  std::vector<Driver> drivers;  ///< empty: chosen from what the examples move
};

}  // namespace sinew
