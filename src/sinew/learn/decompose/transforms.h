// The half-step of a skinning decomposition that moves the bones.
#pragma once

#include "sinew/learn/decompose/problem.h"

namespace sinew::decompose {

/// Rigid bones by weighted Procrustes, one after the other with the others' part removed, `sweeps` times over.
void solveRigidBones(const BoneMoments& moments, int sweeps, Bones& bones);

/// Affine bones by one joint least squares, with a slight pull to where they are.
void solveAffineBones(const BoneMoments& moments, Bones& bones);

}  // namespace sinew::decompose
