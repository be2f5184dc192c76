// Joints in a tree. A file's other nodes (those above a mesh, cameras) are joints that move no vertex.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/types.h"

namespace sinew {

/// translation * rotation * scale, in the parent's frame.
struct LocalTransform {
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();

  [[nodiscard]] Affine parentFromJoint() const {
    Affine affine;
    affine.linear() = rotation.toRotationMatrix() * scale.asDiagonal();
    affine.translation() = translation;
    return affine;
  }
};

struct Joint {
  std::string name;
  int parent = -1;  ///< -1 for a root; may come after its child
  LocalTransform rest;
};

/// Invariant: parents exist and have no cycle.
class Skeleton {
 public:
  Skeleton() = default;
  /// Throws on a parent out of range or a cycle, naming the joint.
  explicit Skeleton(std::vector<Joint> joints);

  [[nodiscard]] int size() const { return static_cast<int>(joints_.size()); }
  [[nodiscard]] bool empty() const { return joints_.empty(); }
  [[nodiscard]] const Joint& operator[](int joint) const { return joints_[toSize(joint)]; }
  [[nodiscard]] std::span<const Joint> joints() const { return joints_; }
  /// Every joint after its parent.
  [[nodiscard]] std::span<const int> order() const { return order_; }
  [[nodiscard]] std::vector<int> children(int joint) const;

  /// The first joint of that name.
  [[nodiscard]] std::optional<int> find(std::string_view name) const;
  /// As find, but an unknown name throws NotFound and suggests the nearest one.
  [[nodiscard]] int index(std::string_view name) const;

 private:
  std::vector<Joint> joints_;
  std::vector<int> order_;
};

}  // namespace sinew
