// Kavan, Collins, Zara and O'Sullivan, "Geometric skinning with approximate dual quaternion blending", ACM Transactions
// on Graphics 2008.
//
// Binding j, with the polar decomposition M_j = R_j S_j of its 3 x 3, the joint's rest position c_j, where it is in the
// pose, a_j = worldFromRest_j c_j, and its scale g_j = |det M_j|^(1/3). For vertex v, g = sum_j w_j g_j:
//   worldFromRest_j x = g (R_j B_j(x) + t_j),  B_j(x) = S_j (x - c_j) / g + m_j c_j,  t_j = a_j / g - m_j R_j c_j,
// m_j = -1 for a mirror, else 1. With unit dual quaternions q_j of the rigid motions (R_j, t_j):
//   x' = sum_j w_j B_j(x)                                 the stretch, blended linearly (the paper's first phase)
//   q  = sum_j w_j s_j q_j,  s_j = sign(q_0 . q_j)        in the hemisphere of the largest weight, influence 0
//   p' = g q x' / |q|                                     (the second phase)
// Departures: the stretch acts about the joint, not about the origin of the rest space, so that moving the rest pose
// moves the result. The scale g that the joints of a vertex share is taken out first, so that scaling the whole scene
// (metres to centimetres in the root) scales the result. A mirror is minus a stretch (math/rotation.h), and the minus
// acts about one point for all joints: so a mirrored pose gives the mirror image.
// The sum cannot vanish: q . q_0 >= w_0 >= 1 / influences, because every term has a non-negative product with q_0.
#include "sinew/deform/dual_quaternion_blend.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/math/dual_quaternion.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

constexpr Index kDualQuaternionBlendGrain = 1024;

using Vector8 = Eigen::Matrix<double, 8, 1>;

// A stretch this near to the identity is rounding of a rigid transform and is skipped.
constexpr double kRigid = 1e-12;

/// Fills the scratch per binding for g = 1 (stretches contain B_j minus the identity, anchors the part of the dual
/// quaternion that is divided by g); true if some binding stretches.
bool decompose(const PosedJoints& joints, const std::vector<Vec3>& centres, DeformScratch& scratch) {
  const std::size_t count = joints.worldFromRest.size();
  scratch.dualQuaternions.resize(count);
  scratch.stretches.resize(count);
  scratch.anchors.resize(count);
  scratch.scales.resize(count);
  bool stretched = false;
  for (std::size_t b = 0; b < count; ++b) {
    const Affine& worldFromRest = joints.worldFromRest[b];
    const PolarDecomposition polar = polarDecomposition(worldFromRest.linear());
    const double mirror = polar.stretch.trace() < 0 ? -1 : 1;
    const Vec3 offset = mirror * centres[b] - polar.stretch * centres[b];
    const Vec3 translation = worldFromRest.translation() - polar.rotation * offset;
    const Quat rotation = Quat(polar.rotation).normalized();
    const DualQuaternion q = DualQuaternion::fromRigid(rotation, translation);
    scratch.dualQuaternions[b] << q.real.coeffs(), q.dual.coeffs();
    scratch.anchors[b] = DualQuaternion::fromRigid(rotation, worldFromRest * centres[b]).dual.coeffs();
    scratch.scales[b] = std::cbrt(std::abs(worldFromRest.linear().determinant()));
    scratch.stretches[b].linear() = polar.stretch - Mat3::Identity();
    scratch.stretches[b].translation() = offset;
    stretched = stretched || scratch.stretches[b].linear().cwiseAbs().maxCoeff() > kRigid;
  }
  return stretched;
}

/// The sum of dual quaternions; its dual part is that of the scale 1 plus `anchored` times that of the anchors.
Vector8 blend(std::span<const Influence> influences, const DeformScratch& scratch, double anchored) {
  const Vector8& pivot = scratch.dualQuaternions[influences[0].binding];
  Vector8 sum = Vector8::Zero();
  for (const Influence& influence : influences) {
    const Vector8& q = scratch.dualQuaternions[influence.binding];
    const bool sameSide = pivot.head<4>().dot(q.head<4>()) >= 0;
    const double weight = sameSide ? influence.weight : -influence.weight;
    sum += weight * q;
    if (anchored != 0) sum.tail<4>() += weight * anchored * scratch.anchors[influence.binding];
  }
  return sum;
}

/// g; 1 if the joints are scaled to nothing.
double sharedScale(std::span<const Influence> influences, const DeformScratch& scratch) {
  double scale = 0;
  for (const Influence& influence : influences) scale += influence.weight * scratch.scales[influence.binding];
  return scale > std::numeric_limits<double>::min() ? scale : 1;
}

/// The point transformed by the normalised sum, without building a matrix.
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
  SINEW_CHECK(weights_ != nullptr, "dual-quaternion", "it needs skin weights, but got none");
  centres_.assign(weights_->bindingCount(), Vec3::Zero());
}

void DualQuaternionBlend::apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
                                PointsRef moved) const {
  const bool stretched = decompose(joints, centres_, scratch);
  parallelFor(points.cols(), kDualQuaternionBlendGrain, [&](Index v) {
    const std::span<const Influence> influences = (*weights_)[v];
    const Vec3 point = points.col(v);
    if (!stretched) {
      moved.col(v) = transform(blend(influences, scratch, 0), point);
      return;
    }
    // B_j(x) / g + (1 - 1 / g) m_j c_j: the part that is linear in S_j is divided, the joint position is not.
    const double scale = sharedScale(influences, scratch);
    Vec3 shaped = Vec3::Zero();
    for (const Influence& influence : influences) {
      const Affine& stretch = scratch.stretches[influence.binding];
      const double mirror = stretch.linear().trace() < -3 ? -1 : 1;
      const Vec3 pivot = mirror * centres_[influence.binding];
      shaped += influence.weight * ((point + stretch * point - pivot) / scale + pivot);
    }
    moved.col(v) = scale * transform(blend(influences, scratch, 1 / scale - 1), shaped);
  });
}

void DualQuaternionBlend::vertexRotations(const PosedJoints& joints, DeformScratch& scratch,
                                          std::span<Mat3> rotations) const {
  SINEW_CHECK(static_cast<Index>(joints.worldFromRest.size()) == bindingCount(), "dual-quaternion",
              fmt::format("it expects {} joints, but got {}", bindingCount(), joints.worldFromRest.size()));
  SINEW_CHECK(
      static_cast<Index>(rotations.size()) == vertexCount(), "dual-quaternion",
      fmt::format("there is space for {} rotations, but there are {} vertices", rotations.size(), vertexCount()));
  decompose(joints, centres_, scratch);
  parallelFor(vertexCount(), kDualQuaternionBlendGrain, [&](Index v) {
    const Vector8 sum = blend((*weights_)[v], scratch, 0);
    rotations[toSize(v)] = Quat(Eigen::Vector4d(sum.head<4>())).normalized().toRotationMatrix();
  });
}

}  // namespace sinew
