// The masses of a human left arm, shared by the characters that have one.
#pragma once

#include "sinew/samples/body/body_spec.h"

namespace sinew::body {

/// Left arm, metres, in a plane near z = constant; +z is the front, where the biceps and the thumb are.
struct ArmLandmarks {
  Vec3 shoulder;
  Vec3 elbow;
  Vec3 wrist;
  Vec3 knuckles;
  Vec3 fingertips;
  Vec3 thumb;
  Vec3 thumbTip;
};

/// Lays out an adult's arm: directions of the upper arm, the forearm and the hand.
ArmLandmarks armLandmarks(const Vec3& shoulder, const Vec3& upper, const Vec3& fore, const Vec3& hand);

/// Shoulder to palm. `parent` is the group that it grows from.
Group armGroup(const ArmLandmarks& arm, const std::string& name, int parent);
/// Four fingers, a group each, so that they never melt together; one joint moves them.
std::vector<Group> fingerGroups(const ArmLandmarks& arm, const std::string& suffix, int parent);
Group thumbGroup(const ArmLandmarks& arm, const std::string& name, int parent);

/// The zone with a finer mesh, from above the wrist. No other part of the body may be as far out along +x.
FineZone handZone(const ArmLandmarks& arm);

/// Biceps, triceps, flexors and the point of the elbow; deltoid.
std::vector<Muscle> armMuscles(const ArmLandmarks& arm, const std::string& suffix);

}  // namespace sinew::body
