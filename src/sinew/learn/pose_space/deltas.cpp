// r = target - skin(v) becomes (docs/methods/pose_space.md)
//   frame:    Q^T r, Q the rotation of the vertex's blended quaternion
//   inverse:  M^-1 r, M the vertex's Jacobian (Xian et al., equations 5 to 8; Lee and Wang, equation 4)
//   forward:  R^T r, R the turn of the skeleton's root
//   layered:  d = (M^T M + mu I)^-1 M^T r and w = r - M d (Xian et al., section 5.3, with the sign of w put right and w
//             eliminated: for any d the best w is the remainder)
// If M is singular the inverse is taken as in the layered space, with a small mu, and keeps its remainder.
#include "sinew/learn/pose_space/deltas.h"

#include <Eigen/LU>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/deform/root_turns.h"
#include "sinew/math/decompositions.h"

namespace sinew::pose_space {
namespace {

constexpr Index kDeltasGrain = 1024;

bool isSingular(const Mat3& matrix) {
  // det / |M|^3 bounds the ratio from below: most vertices need no decomposition.
  const double norm = matrix.norm();
  if (norm > 0 && std::abs(matrix.determinant()) > kSingularShare * norm * norm * norm) return false;
  const Vec3 values = singularValues3(matrix);
  return values[2] < kSingularShare * values[0] || values[0] <= 0;
}

}  // namespace

void affineJacobians(const Deformer& deformer, const ConstPointsRef& rest, const PosedJoints& joints,
                     DeformScratch& scratch, std::span<Mat3> jacobians) {
  if (const auto* blend = dynamic_cast<const LinearBlend*>(&deformer)) return blend->jacobians(joints, jacobians);
  // Differences of an affine map are exact for any step: a large one keeps the most digits.
  const double step = rest.cols() > 0 ? boundingBox(rest).diagonal() : 1;
  Points shifted = rest;
  Points moved(3, rest.cols());
  Points origin(3, rest.cols());
  deformer.deform(rest, joints, scratch, origin);
  for (int axis = 0; axis < 3; ++axis) {
    shifted.row(axis).array() += step;
    deformer.deform(shifted, joints, scratch, moved);
    shifted.row(axis) = rest.row(axis);
    for (Index v = 0; v < rest.cols(); ++v) {
      jacobians[toSize(v)].col(axis) = (moved.col(v) - origin.col(v)) / step;
    }
  }
}

DeltaFrames::DeltaFrames(const Character& character, const Deformer& base, DeltaSpace space, double regularisation)
    : character_(character),
      base_(base),
      space_(space),
      mu_(regularisation),
      blend_(character.skin),
      matrices_(toSize(character.mesh.vertexCount())),
      rootOf_(rootOfVertices(character)) {}

void DeltaFrames::setPose(const ConstPointsRef& rest, const PosedJoints& joints) {
  if (space_ == DeltaSpace::Frame) {
    blend_.vertexRotations(joints, scratch_, matrices_);
    return;
  }
  rootTurns(character_.skeleton, joints, rootTurns_);
  if (space_ != DeltaSpace::Forward) affineJacobians(base_, rest, joints, scratch_, matrices_);
}

DeltaFrames::Stored DeltaFrames::store(Index vertex, const Vec3& world) const {
  const Mat3& matrix = matrices_[toSize(vertex)];
  Stored stored;
  if (space_ == DeltaSpace::Frame) {
    stored.delta = matrix.transpose() * world;
  } else if (space_ == DeltaSpace::Forward) {
    stored.delta = rootTurn(vertex).transpose() * world;
  } else {
    stored.singular = isSingular(matrix);
    if (space_ == DeltaSpace::Inverse && !stored.singular) {
      stored.delta = pullBack(matrix, world, 0);
    } else {
      const double mu = space_ == DeltaSpace::Layered ? mu_ : kSingularMu;
      stored.delta = pullBack(matrix, world, mu);
      stored.layer = rootTurn(vertex).transpose() * (world - matrix * stored.delta);
    }
  }
  return stored;
}

Vec3 DeltaFrames::world(Index vertex, const Vec3& delta, const Vec3& layer) const {
  if (space_ == DeltaSpace::Forward) return rootTurn(vertex) * delta;
  const Vec3 moved = matrices_[toSize(vertex)] * delta;
  return space_ == DeltaSpace::Frame ? moved : Vec3(moved + rootTurn(vertex) * layer);
}

}  // namespace sinew::pose_space
