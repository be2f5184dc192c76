// glTF nodes to joints. A node's matrix is decomposed into translation * rotation * scale; matrices with shear cannot
// be.
#include <fmt/format.h>

#include <cmath>

#include "sinew/base/error.h"
#include "sinew/io/gltf/read/read.h"
#include "sinew/math/decompositions.h"

namespace sinew::gltf {
namespace {

constexpr double kShearTolerance = 1e-4;
constexpr double kNodesUnitTolerance = 1e-3;

/// Fills the columns of `axes` that have no length with directions at right angles to the others.
void completeAxes(Mat3& axes, const Vec3& lengths) {
  const int known = static_cast<int>((lengths.array() > 0).count());
  if (known == 3) return;
  if (known == 0) {
    axes.setIdentity();
    return;
  }
  for (int k = 0; k < 3; ++k) {
    if (lengths[k] > 0) continue;
    const int next = (k + 1) % 3;
    const int last = (k + 2) % 3;
    if (lengths[next] > 0 && lengths[last] > 0) {
      axes.col(k) = axes.col(next).cross(axes.col(last)).normalized();
    } else if (lengths[last] > 0) {
      axes.col(k) = axes.col(last).unitOrthogonal();
      axes.col(next) = axes.col(last).cross(axes.col(k));
      return;
    }
  }
}

LocalTransform decompose(Reading& reading, const std::vector<double>& numbers, const std::string& where) {
  const Eigen::Map<const Eigen::Matrix4d> matrix(numbers.data());
  LocalTransform local;
  local.translation = matrix.block<3, 1>(0, 3);
  Mat3 axes = matrix.block<3, 3>(0, 0);
  for (int k = 0; k < 3; ++k) {
    local.scale[k] = axes.col(k).stableNorm();
    if (local.scale[k] > 0) axes.col(k) /= local.scale[k];
  }
  completeAxes(axes, local.scale);
  if (axes.determinant() < 0) {
    local.scale.x() = -local.scale.x();
    axes.col(0) = -axes.col(0);
  }
  const double shear = (axes.transpose() * axes - Mat3::Identity()).cwiseAbs().maxCoeff();
  const double lastRow = (matrix.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).cwiseAbs().maxCoeff();
  if (shear > kShearTolerance || lastRow > kShearTolerance) {
    reading.problems.push_back(
        fmt::format("{}.matrix has shear or projection, which joints do not support; the nearest transform without it "
                    "was used. Freeze the node's transform in your modelling tool.",
                    where));
    const Svd3 parts = svd3(axes);
    axes = parts.u * parts.v.transpose();
    if (axes.determinant() < 0) axes.setIdentity();
  }
  local.rotation = Quat(axes).normalized();
  return local;
}

LocalTransform restOf(Reading& reading, const Json& node, const std::string& where) {
  if (const auto matrix = optionalNumbers(node, "matrix", 16, where)) return decompose(reading, *matrix, where);
  LocalTransform local;
  if (const auto t = optionalNumbers(node, "translation", 3, where))
    local.translation = Vec3((*t)[0], (*t)[1], (*t)[2]);
  if (const auto s = optionalNumbers(node, "scale", 3, where)) local.scale = Vec3((*s)[0], (*s)[1], (*s)[2]);
  if (const auto r = optionalNumbers(node, "rotation", 4, where)) {
    const Quat rotation((*r)[3], (*r)[0], (*r)[1], (*r)[2]);
    const double length = rotation.coeffs().stableNorm();
    if (length > 0 && std::isfinite(length)) {
      local.rotation.coeffs() = rotation.coeffs() / length;
    } else {
      reading.fault(fmt::format("{}.rotation is a quaternion of length {}", where, length),
                    "export the file again with unit quaternions", "it was read as the identity");
    }
    if (length > 0 && std::abs(length - 1) > kNodesUnitTolerance) {
      reading.problems.push_back(
          fmt::format("{}.rotation has length {} instead of 1; it was normalised.", where, length));
    }
  }
  return local;
}

void readChildren(const Json& nodes, std::vector<Joint>& joints) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string where = fmt::format("nodes[{}]", i);
    for (const Json& child : listOf(nodes[i], "children", where)) {
      const std::size_t index = indexOf(child, nodes.size(), where + ".children");
      if (joints[index].parent >= 0) {
        refuse(
            fmt::format("nodes[{}] ('{}') is a child of nodes[{}] and of {}; a node can have one parent, so export "
                        "the file again",
                        index, joints[index].name, joints[index].parent, where));
      }
      joints[index].parent = static_cast<int>(i);
    }
  }
}

void checkScenes(const Reading& reading) {
  const Json& scenes = reading.list("scenes");
  optionalIndex(reading.document.json, "scene", scenes.size(), "");
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const std::string where = fmt::format("scenes[{}]", i);
    for (const Json& root : listOf(scenes[i], "nodes", where)) {
      indexOf(root, reading.list("nodes").size(), where + ".nodes");
    }
  }
}

}  // namespace

void readNodes(Reading& reading) {
  const Json& nodes = reading.list("nodes");
  reading.placements.resize(reading.list("meshes").size());
  std::vector<Joint> joints(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string where = fmt::format("nodes[{}]", i);
    joints[i].name = optionalText(nodes[i], "name", where);
    if (joints[i].name.empty()) joints[i].name = fmt::format("node{}", i);
    joints[i].rest = restOf(reading, nodes[i], where);
    const auto skin = optionalIndex(nodes[i], "skin", reading.list("skins").size(), where);
    const auto mesh = optionalIndex(nodes[i], "mesh", reading.placements.size(), where);
    if (!mesh) continue;
    Placement& placement = reading.placements[*mesh];
    // Vertices have weights for one skin: the first instance is one with a skin, if there is one.
    if (placement.instances++ == 0 || (!placement.skin && skin)) {
      placement.node = static_cast<int>(i);
      placement.skin = skin;
    }
  }
  readChildren(nodes, joints);
  checkScenes(reading);
  try {
    reading.character.skeleton = Skeleton(std::move(joints));
  } catch (const Error& error) {
    refuse("nodes: " + error.message());
  }
}

}  // namespace sinew::gltf
