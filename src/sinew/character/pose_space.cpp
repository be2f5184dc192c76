#include "sinew/character/pose_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

constexpr const char* kPoseSpaceWhere = "pose space";
/// Smaller departures from rest are rounding of files, not motion.
constexpr double kLeastTurn = 1e-4;   // radians
constexpr double kLeastShift = 1e-5;  // diagonals
constexpr double kLeastWeight = 1e-6;
/// Of translations, in diagonals.
constexpr double kLeastUnit = 0.01;

/// Two directions across an axis, the same for the same axis.
std::pair<Vec3, Vec3> across(const Vec3& axis) {
  const Vec3 first = axis.unitOrthogonal();
  return {first, axis.cross(first)};
}

Quat turnFromRest(const Skeleton& skeleton, const Pose& pose, int joint) {
  return (skeleton[joint].rest.rotation.conjugate() * pose.local[toSize(joint)].rotation).normalized();
}

Vec3 shiftFromRest(const Skeleton& skeleton, const Pose& pose, int joint) {
  return pose.local[toSize(joint)].translation - skeleton[joint].rest.translation;
}

/// Where a joint's bone points to in its own frame: the mean of its children, or x.
Vec3 boneAxis(const Character& character, int joint) {
  Vec3 sum = Vec3::Zero();
  for (const int child : character.skeleton.children(joint)) {
    if (!isHelper(character.helpers, child)) sum += character.skeleton[child].rest.translation;
  }
  return sum.norm() > 1e-12 ? Vec3(sum.normalized()) : Vec3(Vec3::UnitX());
}

/// How far the examples move things, the largest of each.
struct Motion {
  std::vector<double> turn;    // per joint
  std::vector<double> shift;   // per joint, diagonals
  std::vector<double> weight;  // per morph target
};

Motion motionOf(const Character& character, const ExampleSet& set, double diagonal) {
  const auto joints = toSize(character.skeleton.size());
  Motion motion{std::vector<double>(joints, 0), std::vector<double>(joints, 0),
                std::vector<double>(character.morphs.size(), 0)};
  for (const Example& example : set.examples) {
    for (std::size_t j = 0; j < joints; ++j) {
      const int joint = static_cast<int>(j);
      motion.turn[j] =
          std::max(motion.turn[j], rotationVector(turnFromRest(character.skeleton, example.pose, joint)).norm());
      motion.shift[j] =
          std::max(motion.shift[j], shiftFromRest(character.skeleton, example.pose, joint).norm() / diagonal);
    }
    for (std::size_t m = 0; m < motion.weight.size(); ++m) {
      const double away = example.pose.morphWeights[m] - character.morphs[m].defaultWeight;
      motion.weight[m] = std::max(motion.weight[m], std::abs(away));
    }
  }
  return motion;
}

/// How far the skin of a joint is from it, rms: shifts by this much move it about as far as turns by a radian. 0 for a
/// joint without skin.
double skinRadius(const Character& character, int joint) {
  double squares = 0;
  double sum = 0;
  for (Index v = 0; v < character.mesh.points.cols(); ++v) {
    for (const Influence& influence : character.skin.weights[v]) {
      const Binding& binding = character.skin.bindings[influence.binding];
      if (binding.joint != joint) continue;
      squares += influence.weight * (binding.jointFromRest * Vec3(character.mesh.points.col(v))).squaredNorm();
      sum += influence.weight;
    }
  }
  return sum > 0 ? std::sqrt(squares / sum) : 0;
}

class Chooser {
 public:
  Chooser(const Character& character, const ExampleSet& set, DriverKind rotations)
      : character_(character), rotations_(rotations) {
    choice_.space.diagonal = boundingBox(character.mesh.points).diagonal();
    if (choice_.space.diagonal <= 0) choice_.space.diagonal = 1;
    motion_ = motionOf(character, set, choice_.space.diagonal);
  }

  void addNamed(const Driver& driver) {
    SINEW_CHECK(std::isfinite(driver.weight) && driver.weight > 0, kPoseSpaceWhere,
                fmt::format("the driver '{}' has the weight {}; it must be positive", driver.joint, driver.weight));
    SINEW_CHECK(
        add(driver), kPoseSpaceWhere,
        fmt::format(
            "the driver '{}' never moves in the examples; remove it from the drivers, or add an example that moves it",
            driver.joint));
  }

  /// False for a driver that no example moves.
  bool add(const Driver& driver) {
    const auto joint = character_.skeleton.find(driver.joint);
    const auto morph = std::find_if(character_.morphs.begin(), character_.morphs.end(),
                                    [&](const MorphTarget& target) { return target.name == driver.joint; });
    for (const HelperJoint& helper : character_.helpers) {
      SINEW_CHECK(joint != helper.joint, kPoseSpaceWhere,
                  fmt::format("the driver '{0}' is a helper joint that follows '{1}'; use '{1}' instead", driver.joint,
                              character_.skeleton[helper.source].name));
    }
    if (!joint && morph == character_.morphs.end()) static_cast<void>(character_.skeleton.index(driver.joint));
    return joint ? addJoint(*joint, driver.weight) : addMorph(toSize(morph - character_.morphs.begin()), driver.weight);
  }

  void addMoved() {
    const std::vector<bool> carries = carryingJoints(character_);
    for (int joint = 0; joint < character_.skeleton.size(); ++joint) {
      const auto j = toSize(joint);
      if (isHelper(character_.helpers, joint)) continue;
      if (carries[j]) {
        // Translation alone does not change the shape: a crouch lowers the hips.
        if (motion_.turn[j] > kLeastTurn) {
          choice_.notes.push_back(
              fmt::format("the joint '{}' rotates in the examples, but it carries the whole body and is not used as a "
                          "driver; add it to the drivers if it should be one",
                          character_.skeleton[joint].name));
        }
        continue;
      }
      addJoint(joint, 1);
    }
    for (std::size_t m = 0; m < character_.morphs.size(); ++m) addMorph(m, 1);
  }

  PoseSpaceChoice take() {
    choice_.space.diagonal = unitOfShifts();
    return std::move(choice_);
  }

 private:
  bool addJoint(int joint, double weight) {
    const auto j = toSize(joint);
    const std::string& name = character_.skeleton[joint].name;
    const bool turns = motion_.turn[j] > kLeastTurn;
    const bool shifts = motion_.shift[j] > kLeastShift;
    if (turns) choice_.space.drivers.push_back({rotations_, joint, name, weight, boneAxis(character_, joint)});
    if (shifts) choice_.space.drivers.push_back({DriverKind::Translation, joint, name, weight, Vec3::UnitX()});
    return turns || shifts;
  }

  /// The mean size of the skin of the joints that translate, so that the bones of a decomposition count as much by
  /// their places as by their rotations.
  [[nodiscard]] double unitOfShifts() const {
    const double diagonal = choice_.space.diagonal;
    if (!character_.hasSkin()) return diagonal;
    double squares = 0;
    double count = 0;
    for (const PoseDriver& driver : choice_.space.drivers) {
      if (driver.kind != DriverKind::Translation) continue;
      const double radius = skinRadius(character_, driver.source);
      squares += radius * radius;
      count += radius > 0 ? 1 : 0;
    }
    return count > 0 ? std::clamp(std::sqrt(squares / count), kLeastUnit * diagonal, diagonal) : diagonal;
  }

  bool addMorph(std::size_t morph, double weight) {
    if (motion_.weight[morph] <= kLeastWeight) return false;
    choice_.space.drivers.push_back(
        {DriverKind::Channel, static_cast<int>(morph), character_.morphs[morph].name, weight, Vec3::UnitX()});
    return true;
  }

  const Character& character_;
  DriverKind rotations_;
  Motion motion_;
  PoseSpaceChoice choice_;
};

}  // namespace

int PoseDriver::dimensions() const {
  return kind == DriverKind::Channel ? 1 : kind == DriverKind::Quaternion ? 4 : 3;
}

int PoseSpace::dimensions() const {
  return firstRow(drivers.size());
}

int PoseSpace::firstRow(std::size_t driver) const {
  int row = 0;
  for (std::size_t d = 0; d < driver; ++d) row += drivers[d].dimensions();
  return row;
}

Eigen::VectorXd PoseSpace::scales(const Eigen::Ref<const Eigen::VectorXd>& factors) const {
  Eigen::VectorXd result(dimensions());
  for (std::size_t d = 0; d < drivers.size(); ++d) {
    const double factor = factors.size() > 0 ? factors[static_cast<Index>(d)] : 1;
    result.segment(firstRow(d), drivers[d].dimensions()).setConstant(std::sqrt(factor * drivers[d].weight));
  }
  return result;
}

void PoseSpace::coordinates(const Skeleton& skeleton, const Pose& pose, Eigen::Ref<Eigen::VectorXd> coordinates) const {
  Index row = 0;
  for (const PoseDriver& driver : drivers) {
    switch (driver.kind) {
      case DriverKind::RotationVector:
        coordinates.segment<3>(row) = rotationVector(turnFromRest(skeleton, pose, driver.source));
        break;
      case DriverKind::SwingTwist: {
        const SwingTwist split = swingTwist(turnFromRest(skeleton, pose, driver.source), driver.axis);
        const auto [u, v] = across(driver.axis);
        const Vec3 swing = rotationVector(split.swing);
        coordinates.segment<3>(row) = Vec3(swing.dot(u), swing.dot(v), rotationVector(split.twist).dot(driver.axis));
        break;
      }
      case DriverKind::Quaternion: {
        const Quat turn = turnFromRest(skeleton, pose, driver.source);
        coordinates.segment<4>(row) = (turn.w() < 0 ? -2.0 : 2.0) * turn.coeffs();
        break;
      }
      case DriverKind::Translation:
        coordinates.segment<3>(row) = shiftFromRest(skeleton, pose, driver.source) / diagonal;
        break;
      case DriverKind::Channel:
        coordinates[row] = pose.morphWeights[toSize(driver.source)];
        break;
    }
    row += driver.dimensions();
  }
}

Eigen::VectorXd PoseSpace::coordinates(const Skeleton& skeleton, const Pose& pose) const {
  Eigen::VectorXd result(dimensions());
  coordinates(skeleton, pose, result);
  return result;
}

void PoseSpace::apply(const Skeleton& skeleton, const Eigen::Ref<const Eigen::VectorXd>& coordinates,
                      Pose& pose) const {
  SINEW_CHECK(coordinates.size() == dimensions(), kPoseSpaceWhere,
              fmt::format("there are {} coordinates for {} dimensions", coordinates.size(), dimensions()));
  Index row = 0;
  for (const PoseDriver& driver : drivers) {
    const auto source = toSize(driver.source);
    Quat turn = Quat::Identity();
    switch (driver.kind) {
      case DriverKind::RotationVector:
        turn = quaternionFromRotationVector(coordinates.segment<3>(row));
        break;
      case DriverKind::SwingTwist: {
        const auto [u, v] = across(driver.axis);
        turn = quaternionFromRotationVector(coordinates[row] * u + coordinates[row + 1] * v) *
               quaternionFromRotationVector(coordinates[row + 2] * driver.axis);
        break;
      }
      case DriverKind::Quaternion:
        if (coordinates.segment<4>(row).norm() > 1e-12) turn.coeffs() = coordinates.segment<4>(row).normalized();
        break;
      case DriverKind::Translation:
        pose.local[source].translation =
            skeleton[driver.source].rest.translation + diagonal * coordinates.segment<3>(row);
        break;
      case DriverKind::Channel:
        pose.morphWeights[source] = coordinates[row];
        break;
    }
    if (driver.kind != DriverKind::Translation && driver.kind != DriverKind::Channel) {
      pose.local[source].rotation = (skeleton[driver.source].rest.rotation * turn).normalized();
    }
    row += driver.dimensions();
  }
}

PoseSpaceChoice choosePoseSpace(const Character& character, const ExampleSet& set, RotationCoordinates rotations) {
  checkChoice(rotations, "pose coordinates", kPoseSpaceWhere);
  Chooser chooser(character, set, *choiceOf<DriverKind>(nameOf(rotations)));
  if (set.drivers.empty()) {
    chooser.addMoved();
  } else {
    for (const Driver& driver : set.drivers) chooser.addNamed(driver);
  }
  return chooser.take();
}

std::vector<Driver> movedDrivers(const Character& character, const ExampleSet& set) {
  Chooser chooser(character, set, DriverKind::RotationVector);
  std::vector<Driver> moved;
  for (const Driver& driver : set.drivers) {
    if (chooser.add(driver)) moved.push_back(driver);
  }
  return moved;
}

}  // namespace sinew
