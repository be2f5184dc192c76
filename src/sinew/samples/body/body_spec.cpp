#include "sinew/samples/body/body_spec.h"

#include <numbers>

#include "sinew/base/error.h"

namespace sinew::body {
namespace {

Mat3 worldFromBone(const JointSpec& joint) {
  const Vec3 x = (joint.tail - joint.head).normalized();
  const Vec3 z = (joint.hinge - joint.hinge.dot(x) * x).normalized();
  Mat3 frame;
  frame << x, z.cross(x), z;
  return frame;
}

Quat turned(const Quat& rest, const Vec3& degrees) {
  const Vec3 angle = degrees * std::numbers::pi / 180;
  return rest * Quat(Eigen::AngleAxisd(angle.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(angle.y(), Vec3::UnitY()) *
                     Eigen::AngleAxisd(angle.x(), Vec3::UnitX()));
}

Vec3 flipped(const Vec3& v) {
  return {-v.x(), v.y(), v.z()};
}

std::string otherSide(const std::string& name) {
  if (name.ends_with("_l")) return name.substr(0, name.size() - 2) + "_r";
  return name;
}

}  // namespace

Vec3 hingeTowards(const Vec3& head, const Vec3& tail, const Vec3& towards) {
  return (tail - head).cross(towards);
}

JointSpec joint(const char* name, const char* parent, const Vec3& head, const Vec3& tail, const Vec3& bendTowards,
                const char* chart, double softness) {
  JointSpec row;
  row.name = name;
  row.parent = parent;
  row.head = head;
  row.tail = tail;
  row.hinge = hingeTowards(head, tail, bendTowards);
  row.chart = chart;
  row.softness = softness;
  return row;
}

// Frames mirror with x along the bone and y in the mirrored direction, so a rotation about z, the hinge, has the same
// sign on both sides.
JointTurn mirrored(const JointTurn& turn) {
  return {otherSide(turn.joint), {-turn.degrees.x(), -turn.degrees.y(), turn.degrees.z()}};
}

void turnBoth(PoseSpec& pose, const std::string& leftJoint, const Vec3& degrees) {
  pose.turns.push_back({leftJoint, degrees});
  pose.turns.push_back(mirrored(pose.turns.back()));
}

Skeleton makeSkeleton(const BodySpec& spec) {
  std::vector<Joint> joints;
  std::vector<Affine> worldFromJoint;
  for (const JointSpec& row : spec.joints) {
    Joint joint{row.name, -1, {}};
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].name == row.parent) joint.parent = static_cast<int>(j);
    }
    if (joint.parent < 0 && !row.parent.empty()) {
      throw Error(ErrorCode::Internal, "joint '" + row.name + "' comes before its parent '" + row.parent + "'");
    }
    Affine world = Affine::Identity();
    world.linear() = worldFromBone(row);
    world.translation() = row.head;
    const Affine parent = joint.parent < 0 ? Affine::Identity() : worldFromJoint[joint.parent];
    joint.rest.rotation = Quat(Mat3(parent.linear().transpose() * world.linear())).normalized();
    joint.rest.translation = parent.linear().transpose() * (row.head - parent.translation());
    joints.push_back(joint);
    worldFromJoint.push_back(world);
  }
  return Skeleton(std::move(joints));
}

Pose makePose(const Skeleton& skeleton, const PoseSpec& spec) {
  Pose pose = restPose(skeleton);
  for (const JointTurn& turn : spec.turns) {
    const int j = skeleton.index(turn.joint);
    pose.local[j].rotation = turned(skeleton[j].rest.rotation, turn.degrees);
  }
  pose.local[0].translation += spec.rootShift;
  return pose;
}

Clip makeClip(const Skeleton& skeleton, const ClipSpec& spec) {
  std::vector<Pose> poses;
  poses.reserve(spec.poses.size());
  for (const PoseSpec& pose : spec.poses) poses.push_back(makePose(skeleton, pose));
  const auto keys = static_cast<Index>(poses.size());
  std::vector<double> times(poses.size());
  for (std::size_t k = 0; k < poses.size(); ++k) times[k] = spec.secondsPerPose * static_cast<double>(k);

  Clip clip;
  clip.name = spec.name;
  for (int j = 0; j < skeleton.size(); ++j) {
    ClipChannel turn{ClipPath::Rotation, Interpolation::Linear, j, 0, times, Eigen::MatrixXd(4, keys)};
    ClipChannel shift{ClipPath::Translation, Interpolation::Linear, j, 0, times, Eigen::MatrixXd(3, keys)};
    for (Index k = 0; k < keys; ++k) {
      turn.values.col(k) = poses[k].local[j].rotation.coeffs();
      shift.values.col(k) = poses[k].local[j].translation;
    }
    const auto moves = [](const Eigen::MatrixXd& values) {
      return (values.colwise() - values.col(0)).cwiseAbs().maxCoeff() > 1e-12;
    };
    const Quat& rest = skeleton[j].rest.rotation;
    if (moves(turn.values) || poses[0].local[j].rotation.angularDistance(rest) > 1e-9) clip.channels.push_back(turn);
    if (moves(shift.values)) clip.channels.push_back(shift);
  }
  return clip;
}

Group mirrored(const Group& group) {
  Group twin = group;
  twin.name = otherSide(group.name);
  for (Primitive& p : twin.primitives) {
    p.origin = flipped(p.origin);
    // The cross-section is symmetric, so the third axis may be flipped to keep a rotation.
    const Vec3 x = flipped(p.localFromWorld.row(0));
    const Vec3 y = flipped(p.localFromWorld.row(1));
    p.localFromWorld << x.transpose(), y.transpose(), x.cross(y).transpose();
  }
  return twin;
}

FineZone mirrored(const FineZone& zone) {
  return {flipped(zone.start), flipped(zone.axis), flipped(zone.normal), zone.width, zone.scale};
}

void both(std::vector<Primitive>& list, const Primitive& left) {
  list.push_back(left);
  list.push_back(mirrored(Group{"", -1, 0, {left}}).primitives[0]);
}

JointSpec mirrored(const JointSpec& joint) {
  JointSpec twin = joint;
  twin.name = otherSide(joint.name);
  twin.parent = otherSide(joint.parent);
  twin.gate = otherSide(joint.gate);
  twin.chart = otherSide(joint.chart);
  twin.head = flipped(joint.head);
  twin.tail = flipped(joint.tail);
  // An axis of rotation mirrors with the opposite sign: equal rotations about it make mirrored bends.
  twin.hinge = -flipped(joint.hinge);
  for (SoftPlane& plane : twin.planes) {
    plane.point = flipped(plane.point);
    plane.normal = flipped(plane.normal);
  }
  return twin;
}

Muscle mirrored(const Muscle& muscle) {
  Muscle twin = muscle;
  twin.joint = otherSide(muscle.joint);
  twin.towards = flipped(muscle.towards);
  twin.start = flipped(muscle.start);
  twin.end = flipped(muscle.end);
  twin.side = flipped(muscle.side);
  return twin;
}

ChartSpec mirrored(const ChartSpec& chart) {
  return {otherSide(chart.name), flipped(chart.start), flipped(chart.end), flipped(chart.seam)};
}

}  // namespace sinew::body
