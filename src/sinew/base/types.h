// The basic types of every module: points by column, affine maps, indices.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sinew {

using Index = Eigen::Index;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// A column per vertex, double precision. Authoring is double, `play` is float.
using Points = Eigen::Matrix<double, 3, Eigen::Dynamic>;
using ConstPointsRef = Eigen::Ref<const Points>;
using PointsRef = Eigen::Ref<Points>;

/// 3 x 4. Variables read target-from-source: `worldFromJoint`, `skinFromRest`.
using Affine = Eigen::Transform<double, 3, Eigen::AffineCompact>;

using Triangle = std::array<std::uint32_t, 3>;

/// A count, an index or an enumerator as the containers of the standard library take it: Eigen counts with a sign, they
/// do not. The value is 0 or more; a fraction is cut off.
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
constexpr std::size_t toSize(T value) {
  return static_cast<std::size_t>(value);
}

}  // namespace sinew
