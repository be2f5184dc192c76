// What a built-in character is made of: flesh, joints, muscles, charts and poses, as plain rows.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/character.h"
#include "sinew/samples/body/fine_zone.h"
#include "sinew/samples/body/implicit.h"

namespace sinew::body {

inline const Vec3 kX = Vec3::UnitX();
inline const Vec3 kY = Vec3::UnitY();
inline const Vec3 kZ = Vec3::UnitZ();

/// 0 on the negative side, 1 on the positive one, smooth over `halfWidth` on both sides.
struct SoftPlane {
  Vec3 point;
  Vec3 normal;
  double halfWidth;
};

/// A joint at `head` whose bone runs to `tail`. Its rest frame has x along the bone and z along `hinge` (made
/// orthogonal), so that a rotation about +z is the joint's natural bend.
struct JointSpec {
  std::string name;
  std::string parent;  ///< empty for the root; comes before its children
  Vec3 head;
  Vec3 tail;
  Vec3 hinge;
  std::string chart;              ///< the part of the texture for its skin
  double softness = 0.05;         ///< half the width over which the skin passes from parent to joint, metres
  std::string gate = {};          ///< the group of flesh that belongs to this joint and those below only; may be empty
  double gateWidth = 0.03;        ///< half the width over which the gate opens, metres
  std::vector<SoftPlane> planes;  ///< instead of the plane through the head across the bones
  bool spreadTwist = false;       ///< the ground-truth skin spreads a twist over the length of the bone
};

/// A bulge of the true skin: grows as the bone of `joint` leans from its rest direction towards `towards`.
struct Muscle {
  std::string joint;
  Vec3 towards;  ///< world direction at rest; zero: any lean counts
  Vec3 start;    ///< the belly's line, world space at rest
  Vec3 end;
  double width;   ///< of the bell-shaped falloff around the line, metres
  double height;  ///< displacement along the normal at full lean (180 degrees), metres; negative: a hollow
  Vec3 side;      ///< only skin that faces this direction bulges; zero: all around
};

/// A cylinder chart about the line from start to end; its seam is on the side to which `seam` points.
struct ChartSpec {
  std::string name;
  Vec3 start;
  Vec3 end;
  Vec3 seam;
};

/// Rotations in degrees in the joint's own rest frame: local = rest * Rz * Ry * Rx.
struct JointTurn {
  std::string joint;
  Vec3 degrees;
};
struct PoseSpec {
  std::string name;
  std::vector<JointTurn> turns;
  Vec3 rootShift = Vec3::Zero();
};

/// A clip through poses at even steps; first and last are poses of the list too.
struct ClipSpec {
  std::string name;
  double secondsPerPose = 0.5;
  std::vector<PoseSpec> poses;
};

struct BodySpec {
  std::string name;
  std::vector<Group> groups;
  std::vector<JointSpec> joints;
  std::vector<Muscle> muscles;
  std::vector<ChartSpec> charts;
  std::vector<PoseSpec> examples;
  std::vector<PoseSpec> heldOut;
  std::vector<ClipSpec> clips;
  std::vector<std::string> drivers;
  std::vector<FineZone> fineZones;  ///< small parts
  Index fine = 40000;               ///< vertices that resolve every feature
};

/// The axis of a rotation that tilts the bone from head to tail `towards` a direction.
Vec3 hingeTowards(const Vec3& head, const Vec3& tail, const Vec3& towards);

/// A joint whose bone runs from head to tail and bends towards a direction.
JointSpec joint(const char* name, const char* parent, const Vec3& head, const Vec3& tail, const Vec3& bendTowards,
                const char* chart, double softness);

/// The rotation of the other side's joint for the mirrored pose.
JointTurn mirrored(const JointTurn& turn);
/// Both sides rotated symmetrically; the joint is one of the left.
void turnBoth(PoseSpec& pose, const std::string& leftJoint, const Vec3& degrees);

Skeleton makeSkeleton(const BodySpec& spec);
Pose makePose(const Skeleton& skeleton, const PoseSpec& spec);
Clip makeClip(const Skeleton& skeleton, const ClipSpec& spec);

/// The mirrored twin across x = 0 of what is on the left: names ending in `_l` become `_r`.
Group mirrored(const Group& group);
FineZone mirrored(const FineZone& zone);
/// Adds a primitive of the left and its twin.
void both(std::vector<Primitive>& list, const Primitive& left);
JointSpec mirrored(const JointSpec& joint);
Muscle mirrored(const Muscle& muscle);
ChartSpec mirrored(const ChartSpec& chart);

}  // namespace sinew::body
