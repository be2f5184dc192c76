// The masses of a human trunk, shared by the characters that have one.
#pragma once

#include "sinew/samples/body/body_spec.h"

namespace sinew::body {

/// From the crotch to the collar bones, for an adult of 1.80 m who stands on y = 0, moved by `shift`.
Group torsoGroup(const Vec3& shift);

}  // namespace sinew::body
