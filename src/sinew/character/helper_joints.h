// Helper joints: plain joints whose transforms follow a rule from the pose of another joint (Mohr and Gleicher 2003).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/types.h"
#include "sinew/character/pose.h"
#include "sinew/character/skeleton.h"

namespace sinew {

struct Character;

enum class HelperKind {
  Half,   ///< at the source joint, rotated by a share of its rotation relative to rest
  Bulge,  ///< on a bone next to the source joint, scaled along its own x axis as the source bends
  Twist,  ///< at the source joint, with its whole bend but only a share of its twist about the bone
  Bend    ///< at the source joint, with a share of its bend and without its twist
};
constexpr auto choiceRows(HelperKind) {
  return choiceTable<HelperKind>({{HelperKind::Half, "half"},
                                  {HelperKind::Bulge, "bulge"},
                                  {HelperKind::Twist, "twist"},
                                  {HelperKind::Bend, "bend"}});
}

/// The rule of one joint. Its rest transform is that of Skeleton; nothing is below it. Half: local = source's
/// translation, rest * (rest_s^-1 rotation_s)^share; its parent is the source's parent, its rest that of the source.
/// Twist and Bend: as Half with the turn split into swing * twist about `direction`: rest * swing * twist^share, and
/// rest * swing^share. Skin over a forearm turns less the nearer it is to the elbow, so a joint that bends but does not
/// twist is what its weights can blend with. Bulge: local = rest with scale.x *= 1 + gain (1 - cos phi) / 2, phi the
/// angle by which the source has turned `direction` away from rest (a twist about it does nothing). Its parent is the
/// source or the source's parent.
struct HelperJoint {
  HelperKind kind = HelperKind::Half;
  int joint = 0;                   ///< the helper itself
  int source = 0;                  ///< the joint that it follows
  double share = 0.5;              ///< Half, Twist, Bend: s, 0 to 1
  double gain = 0;                 ///< Bulge: k, above -1
  Vec3 direction = Vec3::UnitX();  ///< all but Half: along the source's bone, a unit vector in the source's own frame

  friend bool operator==(const HelperJoint&, const HelperJoint&) = default;
};

/// The local transform that a rule gives at a pose.
LocalTransform helperTransform(const Skeleton& skeleton, const HelperJoint& helper, const Pose& pose);

/// A description: "half of elbow's turn", "elbow's bend without its twist", "grows with elbow's bend".
std::string helperRule(const Skeleton& skeleton, const HelperJoint& helper);

/// Writes the transforms of all helper joints into a pose.
void applyHelpers(const Skeleton& skeleton, std::span<const HelperJoint> helpers, Pose& pose);

/// Whether a joint is a helper.
bool isHelper(std::span<const HelperJoint> helpers, int joint);

/// Checks a character's rules; throws an Error that names the first that is wrong (a joint out of range, a helper as
/// source, a parent that does not fit, a share or gain out of range, a helper with children, two rules of one joint).
void checkHelpers(const Skeleton& skeleton, std::span<const HelperJoint> helpers, const char* where);

}  // namespace sinew
