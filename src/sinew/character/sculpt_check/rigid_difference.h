// How far a rigid motion explains the difference between two shapes.
#pragma once

#include <cstdint>
#include <span>

#include "sinew/character/character.h"
#include "sinew/character/sculpt_check.h"

namespace sinew::sculpt_check {

/// A rigid motion leaves at most this share of the distance that it explains.
constexpr double kRigidRest = 0.35;

double rmsDistance(const Points& a, const Points& b);

/// How two sets of points differ by one rigid motion.
struct RigidDifference {
  double distance = 0;  ///< rms, before
  double rest = 0;      ///< rms, after
  double degrees = 0;
  Vec3 shift = Vec3::Zero();  ///< of the centroid
  Affine motion = Affine::Identity();

  [[nodiscard]] bool explains() const { return rest <= kRigidRest * distance; }
};

RigidDifference motionBetween(const Points& from, const Points& to);

/// Which share of the squared distance between skin and sculpt is left, over all skin that a joint moves, when the
/// joint makes this motion besides. `vertices`: those to compare.
double shareLeft(const Character& character, std::span<const std::uint32_t> vertices, const SculptView& view, int joint,
                 const Affine& motion);

}  // namespace sinew::sculpt_check
