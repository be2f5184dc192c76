// true(x) = DQ( {w_j, T_j U_j(x)}, x + n(x) sum over muscles m of b_m(x) g_m )
// - DQ blends dual quaternions (Kavan, Collins, Zara and O'Sullivan 2007), so bends and twists keep their volume;
// - U_j(x) takes back a part of joint j's turn about its own bone, all of it at the joint and none at the bone's end,
// as
//   skin over a forearm does;
// - b_m is a bell around the muscle's line on the side to which it faces;
// - g_m = (1 - cos a) / 2 * ((1 + cos p) / 2)^2, with the bone's lean a from rest and the angle p between the lean and
//   the direction that works the muscle.
#include "sinew/samples/body/sculpt.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/samples/body/weights.h"

namespace sinew::body {

struct Sculptor::Turn {
  Quat real = Quat::Identity();
  Vec3 translation = Vec3::Zero();
  double twist = 0;  ///< about the bone, radians, if it is to be spread
  Vec3 axis = Vec3::UnitX();
  Vec3 head = Vec3::Zero();
  double length = 1;
};

namespace {

struct DualQuaternion {
  Eigen::Vector4d real = Eigen::Vector4d::Zero();  ///< x y z w
  Eigen::Vector4d dual = Eigen::Vector4d::Zero();
};

DualQuaternion dualQuaternion(const Quat& rotation, const Vec3& translation) {
  const Quat shift(0, translation.x(), translation.y(), translation.z());
  return {rotation.coeffs(), 0.5 * (shift * rotation).coeffs()};
}

Vec3 moved(const DualQuaternion& blend, const Vec3& point) {
  const double norm = blend.real.norm();
  const Quat rotation(Eigen::Vector4d(blend.real / norm));
  const Quat dual(Eigen::Vector4d(blend.dual / norm));
  return rotation * point + 2 * (dual * rotation.conjugate()).vec();
}

double distanceToSegment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 line = b - a;
  const double t = std::clamp((x - a).dot(line) / std::max(1e-12, line.squaredNorm()), 0.0, 1.0);
  return (x - a - t * line).norm();
}

double bell(const Muscle& muscle, const Vec3& x, const Vec3& normal) {
  const double distance = distanceToSegment(x, muscle.start, muscle.end) / muscle.width;
  if (distance > 3.5) return 0;
  const double facing =
      muscle.side.isZero() ? 1.0 : std::pow(std::max(0.0, 0.15 + 0.85 * normal.dot(muscle.side.normalized())), 2);
  return facing * std::exp(-distance * distance);
}

}  // namespace

Sculptor::Sculptor(const BodySpec& spec, const Character& character, Points normals)
    : spec_(spec), character_(character), normals_(std::move(normals)) {
  for (const Muscle& muscle : spec.muscles) muscleJoint_.push_back(character.skeleton.index(muscle.joint));
}

std::vector<Sculptor::Turn> Sculptor::turnsOf(const Pose& pose, const PosedJoints& posed) const {
  std::vector<Turn> turns(spec_.joints.size());
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const JointSpec& joint = spec_.joints[j];
    Turn& turn = turns[j];
    turn.real = Quat(posed.worldFromRest[j].linear()).normalized();
    turn.translation = posed.worldFromRest[j].translation();
    turn.head = joint.head;
    turn.length = (joint.tail - joint.head).norm();
    turn.axis = (joint.tail - joint.head) / turn.length;
    if (!joint.spreadTwist) continue;
    // local = rest * swing * twist about x, with the twist's angle in (-pi, pi].
    const Quat local = character_.skeleton[static_cast<int>(j)].rest.rotation.conjugate() * pose.local[j].rotation;
    const double sign = local.w() < 0 ? -1 : 1;
    turn.twist = 2 * std::atan2(sign * local.x(), sign * local.w());
  }
  return turns;
}

Points Sculptor::sculpt(const Pose& pose) const {
  PosedJoints posed;
  poseJoints(character_, pose, posed);
  const std::vector<Turn> turns = turnsOf(pose, posed);

  std::vector<double> activity(spec_.muscles.size());
  for (std::size_t m = 0; m < activity.size(); ++m) {
    const int j = muscleJoint_[m];
    const Affine restOfJoint = character_.skin.bindings[j].jointFromRest;
    const Quat local = character_.skeleton[j].rest.rotation.conjugate() * pose.local[j].rotation;
    const Vec3 bone = local * Vec3::UnitX();
    const Vec3 towards = restOfJoint.linear() * spec_.muscles[m].towards;
    const double lean = std::sqrt(std::max(0.0, 1 - bone.x() * bone.x()));
    const double along = lean > 1e-9 && !towards.isZero() ? bone.dot(towards.normalized()) / lean : 1.0;
    activity[m] = 0.5 * (1 - bone.x()) * std::pow(0.5 * (1 + along), 2) * spec_.muscles[m].height;
  }

  const Points& rest = character_.mesh.points;
  Points result(3, rest.cols());
  parallelFor(rest.cols(), 512, [&](Index v) {
    Vec3 x = rest.col(v);
    const Vec3 normal = normals_.col(v);
    double rise = 0;
    for (std::size_t m = 0; m < activity.size(); ++m) {
      if (std::abs(activity[m]) > 1e-9) rise += activity[m] * bell(spec_.muscles[m], x, normal);
    }
    DualQuaternion blend;
    Eigen::Vector4d pivot = Eigen::Vector4d::Zero();
    for (const Influence& influence : character_.skin.weights[v]) {
      const Turn& turn = turns[influence.binding];
      Quat real = turn.real;
      Vec3 translation = turn.translation;
      if (std::abs(turn.twist) > 1e-9) {
        const double t = smoothStep((x - turn.head).dot(turn.axis) / turn.length);
        const Quat back(Eigen::AngleAxisd((t - 1) * turn.twist, turn.axis));
        translation += real * (turn.head - back * turn.head);
        real = real * back;
      }
      DualQuaternion part = dualQuaternion(real, translation);
      // Both signs mean the same motion: take the one nearer to the strongest influence.
      if (pivot.isZero()) pivot = part.real;
      const double weight = pivot.dot(part.real) < 0 ? -influence.weight : influence.weight;
      blend.real += weight * part.real;
      blend.dual += weight * part.dual;
    }
    x += rise * normal;
    result.col(v) = moved(blend, x);
  });
  return result;
}

}  // namespace sinew::body
