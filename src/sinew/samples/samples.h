// Built-in characters made by code, at any resolution, with their sculpted examples.
#pragma once

#include <span>
#include <string_view>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_set.h"

namespace sinew {

inline constexpr Index kLeastSampleVertices = 1000;
inline constexpr Index kMostSampleVertices = 2000000;

struct SampleOptions {
  /// Number of welded points, from kLeast- to kMostSampleVertices, matched within 10 %; 0: the sample's own default.
  Index vertices = 0;
  bool exact = false;  ///< `arm` only: the test tube of 984 vertices and its sculptor, vertex for vertex
};

/// The mesh is welded (a vertex per point) with texture coordinates per corner; writing glTF splits it at the seams.
struct Sample {
  Character character;  ///< without skeleton and skin where the sample is given as meshes only
  ExampleSet examples;  ///< sculpts: the true deformation at example poses
  ExampleSet heldOut;   ///< the truth at other poses
};

struct SampleRow {
  std::string_view name;
  std::string_view description;
  int joints;
  int examples;
  Index defaultVertices;
  Sample (*make)(const SampleOptions&, const Progress&);
};

std::span<const SampleRow> samples();

/// By name; throws NotFound with the names that exist, BadInput for a vertex count out of range.
Sample makeSample(std::string_view name, const SampleOptions& options = {}, const Progress& progress = {});

}  // namespace sinew
