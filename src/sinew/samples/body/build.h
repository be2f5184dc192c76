// From a body's rows to a sample.
#pragma once

#include "sinew/samples/body/body_spec.h"
#include "sinew/samples/samples.h"

namespace sinew::body {

/// Meshes, binds, charts and sculpts a body.
Sample buildSample(const BodySpec& spec, Index vertices, const Progress& progress);

// One file each; rows of the table in samples.cpp.
Sample makeArm(const SampleOptions& options, const Progress& progress);
Sample makeLimb(const SampleOptions& options, const Progress& progress);
Sample makeBiped(const SampleOptions& options, const Progress& progress);
Sample makeQuadruped(const SampleOptions& options, const Progress& progress);

BodySpec armBody();
BodySpec limbBody();
BodySpec bipedBody();
BodySpec quadrupedBody();

}  // namespace sinew::body
