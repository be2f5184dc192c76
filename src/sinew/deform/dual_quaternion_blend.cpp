// Kavan, Collins, Zara and O'Sullivan, "Geometric skinning with approximate dual quaternion blending", ACM Transactions
// on Graphics 2008.
//
// Binding j, with the polar decomposition M_j = R_j S_j of its 3 x 3 and the joint's rest position c_j:
//   worldFromRest_j x = R_j B_j(x) + t_j,  B_j(x) = S_j (x - c_j) + m_j c_j,  m_j = -1 for a mirror, else 1.
// Vertex v, with unit dual quaternions q_j of the rigid motions (R_j, t_j):
//   x' = sum_j w_j B_j(x)                                 the stretch, blended linearly (the paper's first phase)
//   q  = sum_j w_j s_j q_j,  s_j = sign(q_0 . q_j)        in the hemisphere of the largest weight, influence 0
//   p' = q x' / |q|                                       (the second phase)
// Departures: the stretch acts about the joint, not about the origin of the rest space, so that moving the rest pose
// moves the result. A mirror is minus a stretch (math/rotation.h), and the minus acts about one point for all joints:
// so a mirrored pose gives the mirror image.
// The sum cannot vanish: q . q_0 >= w_0 >= 1 / influences, because every term has a non-negative product with q_0.
#include "sinew/deform/dual_quaternion_blend.h"

#include <fmt/format.h>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/math/dual_quaternion.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

constexpr Index kGrain = 1024;

using Vector8 = Eigen::Matrix<double, 8, 1>;

// A stretch this near to the identity is rounding of a rigid transform and is skipped.
constexpr double kRigid = 1e-12;

/// Fills the scratch per binding (stretches hold B_j minus the identity); true where some binding stretches.
bool decompose(const PosedJoints& joints, const std::vector<Vec3>& centres, DeformScratch& scratch) {
  const std::size_t count = joints.worldFromRest.size();
  scratch.dualQuaternions.resize(count);
  scratch.stretches.resize(count);
  bool stretched = false;
  for (std::size_t b = 0; b < count; ++b) {
    const Affine& worldFromRest = joints.worldFromRest[b];
    const PolarDecomposition polar = polarDecomposition(worldFromRest.linear());
    const double mirror = polar.stretch.trace() < 0 ? -1 : 1;
    const Vec3 offset = mirror * centres[b] - polar.stretch * centres[b];
    const Vec3 translation = worldFromRest.translation() - polar.rotation * offset;
    const DualQuaternion q = DualQuaternion::fromRigid(Quat(polar.rotation).normalized(), translation);
    scratch.dualQuaternions[b] << q.real.coeffs(), q.dual.coeffs();
    scratch.stretches[b].linear() = polar.stretch - Mat3::Identity();
    scratch.stretches[b].translation() = offset;
    stretched = stretched || scratch.stretches[b].linear().cwiseAbs().maxCoeff() > kRigid;
  }
  return stretched;
}

Vector8 blend(std::span<const Influence> influences, const std::vector<Vector8>& dualQuaternions) {
  const Vector8& pivot = dualQuaternions[influences[0].binding];
  Vector8 sum = influences[0].weight * pivot;
  for (const Influence& influence : influences.subspan(1)) {
    const Vector8& q = dualQuaternions[influence.binding];
    const bool sameSide = pivot.head<4>().dot(q.head<4>()) >= 0;
    sum += (sameSide ? influence.weight : -influence.weight) * q;
  }
  return sum;
}

/// The point turned and moved by the normalised sum, without building a matrix.
Vec3 transform(const Vector8& sum, const Vec3& point) {
  const Vec3 r = sum.segment<3>(0);
  const Vec3 d = sum.segment<3>(4);
  const double rw = sum[3];
  const double dw = sum[7];
  const Vec3 turned = r.cross(r.cross(point) + rw * point);
  const Vec3 moved = rw * d - dw * r + r.cross(d);
  return point + 2 / sum.head<4>().squaredNorm() * (turned + moved);
}

}  // namespace

DualQuaternionBlend::DualQuaternionBlend(const Skin& skin)
    : DualQuaternionBlend(std::make_shared<SkinWeights>(skin.weights)) {
  SINEW_CHECK(skin.bindings.size() == centres_.size(), "dual-quaternion",
              fmt::format("the weights are for {} joints, the skin binds {}", centres_.size(), skin.bindings.size()));
  for (std::size_t b = 0; b < centres_.size(); ++b) {
    // A bind matrix that cannot be inverted has no rest position; the origin serves.
    const Affine& jointFromRest = skin.bindings[b].jointFromRest;
    const Vec3 centre = jointFromRest.linear().inverse() * -jointFromRest.translation();
    if (centre.allFinite()) centres_[b] = centre;
  }
}

DualQuaternionBlend::DualQuaternionBlend(SkinWeights weights)
    : DualQuaternionBlend(std::make_shared<SkinWeights>(std::move(weights))) {}

DualQuaternionBlend::DualQuaternionBlend(std::shared_ptr<const SkinWeights> weights) : weights_(std::move(weights)) {
  SINEW_CHECK(weights_ != nullptr, "dual-quaternion", "it needs skin weights and was given none");
  centres_.assign(weights_->bindingCount(), Vec3::Zero());
}

void DualQuaternionBlend::apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
                                PointsRef moved) const {
  const bool stretched = decompose(joints, centres_, scratch);
  parallelFor(points.cols(), kGrain, [&](Index v) {
    const std::span<const Influence> influences = (*weights_)[v];
    const Vec3 point = points.col(v);
    Vec3 shaped = point;
    if (stretched) {
      for (const Influence& influence : influences) {
        shaped += influence.weight * (scratch.stretches[influence.binding] * point);
      }
    }
    moved.col(v) = transform(blend(influences, scratch.dualQuaternions), shaped);
  });
}

void DualQuaternionBlend::vertexRotations(const PosedJoints& joints, DeformScratch& scratch,
                                          std::span<Mat3> rotations) const {
  SINEW_CHECK(static_cast<Index>(joints.worldFromRest.size()) == bindingCount(), "dual-quaternion",
              fmt::format("it was made for {} joints and was given {}", bindingCount(), joints.worldFromRest.size()));
  SINEW_CHECK(static_cast<Index>(rotations.size()) == vertexCount(), "dual-quaternion",
              fmt::format("there is room for {} rotations of {} vertices", rotations.size(), vertexCount()));
  decompose(joints, centres_, scratch);
  parallelFor(vertexCount(), kGrain, [&](Index v) {
    const Vector8 sum = blend((*weights_)[v], scratch.dualQuaternions);
    rotations[static_cast<std::size_t>(v)] = Quat(Eigen::Vector4d(sum.head<4>())).normalized().toRotationMatrix();
  });
}

}  // namespace sinew
