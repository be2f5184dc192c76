// Pose space: the few numbers of a pose that correctives follow.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/character/character.h"
#include "sinew/character/example_set.h"

namespace sinew {

/// What of a joint drives, and in which coordinates.
enum class DriverKind {
  RotationVector,  ///< 3 numbers, radians: axis times angle of the rotation relative to rest
  SwingTwist,      ///< 3 numbers: the two of the swing's rotation vector across `axis`, and the twist about it
  Quaternion,      ///< 4 numbers, twice the quaternion of the turn in the hemisphere w >= 0, so that steps are as in
                   ///< radians
  Translation,     ///< 3 numbers: displacement from rest in the parent's frame, in units of PoseSpace::diagonal
  Channel          ///< 1 number: the weight of a morph target
};
constexpr auto choiceRows(DriverKind) {
  return choiceTable<DriverKind>({{DriverKind::RotationVector, "rotation-vector"},
                                  {DriverKind::SwingTwist, "swing-twist"},
                                  {DriverKind::Quaternion, "quaternion"},
                                  {DriverKind::Translation, "translation"},
                                  {DriverKind::Channel, "channel"}});
}

/// The kinds that describe a rotation.
enum class RotationCoordinates { RotationVector, SwingTwist, Quaternion };
constexpr auto choiceRows(RotationCoordinates) {
  return choiceTable<RotationCoordinates>({{RotationCoordinates::RotationVector, nameOf(DriverKind::RotationVector)},
                                           {RotationCoordinates::SwingTwist, nameOf(DriverKind::SwingTwist)},
                                           {RotationCoordinates::Quaternion, nameOf(DriverKind::Quaternion)}});
}

struct PoseDriver {
  DriverKind kind = DriverKind::RotationVector;
  int source = 0;             ///< a joint; for Channel a morph target
  std::string name;           ///< of the joint or the morph target
  double weight = 1;          ///< a_j: its squared distance counts this many times
  Vec3 axis = Vec3::UnitX();  ///< SwingTwist: the twist's axis in the joint's own rest frame

  [[nodiscard]] int dimensions() const;
  friend bool operator==(const PoseDriver&, const PoseDriver&) = default;
};

/// A pose becomes a column of numbers, driver after driver. Distances are Euclidean in numbers scaled by sqrt(weight).
struct PoseSpace {
  std::vector<PoseDriver> drivers;
  double diagonal = 1;  ///< unit of translations: the size of the skin of the joints that translate

  [[nodiscard]] int dimensions() const;
  /// Index of a driver's first coordinate.
  [[nodiscard]] int firstRow(std::size_t driver) const;
  /// sqrt(a_j) for each number of driver j, a_j its weight, times `factors` where one per driver is given.
  [[nodiscard]] Eigen::VectorXd scales(const Eigen::Ref<const Eigen::VectorXd>& factors = Eigen::VectorXd()) const;
  /// Unscaled numbers of a pose; `coordinates` has dimensions() entries. Does not allocate.
  void coordinates(const Skeleton& skeleton, const Pose& pose, Eigen::Ref<Eigen::VectorXd> coordinates) const;
  [[nodiscard]] Eigen::VectorXd coordinates(const Skeleton& skeleton, const Pose& pose) const;
  /// Writes numbers back into a pose: the inverse of coordinates, for RotationVector, Translation and Channel exactly.
  void apply(const Skeleton& skeleton, const Eigen::Ref<const Eigen::VectorXd>& coordinates, Pose& pose) const;

  friend bool operator==(const PoseSpace&, const PoseSpace&) = default;
};

struct PoseSpaceChoice {
  PoseSpace space;
  std::vector<std::string> notes;  ///< what was left out and why, a sentence each
};

/// The drivers of a set of examples: those that it names, or every joint that some example moves relative to rest and
/// every morph target that it weights. A single root is excluded unless named, because it moves the whole body. Throws
/// NotFound for a driver that the character lacks and BadInput for one that no example moves.
PoseSpaceChoice choosePoseSpace(const Character& character, const ExampleSet& set,
                                RotationCoordinates rotations = RotationCoordinates::RotationVector);

/// Those of the drivers that the set names which some example moves. Throws NotFound for one that the character lacks.
std::vector<Driver> movedDrivers(const Character& character, const ExampleSet& set);

}  // namespace sinew
