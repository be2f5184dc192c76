// Ambient occlusion per vertex and the soft shadow on the ground: how much of the sky each of them sees.
#pragma once

#include <vector>

#include "sinew/picture/render/viewed_scene.h"

namespace sinew::picture {

/// How much light arrives on a square of the ground.
class GroundShadow {
 public:
  GroundShadow() = default;
  GroundShadow(int size, const Eigen::Vector3f& middle, const Eigen::Vector3f& right, const Eigen::Vector3f& forward,
               float reach);

  [[nodiscard]] bool empty() const { return light_.empty(); }
  /// 1 in the open, towards 0 under the scene. `place` is a point on the ground, in the view frame.
  [[nodiscard]] float light(const Eigen::Vector3f& place) const;

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] Eigen::Vector3f placeOf(int column, int row) const;
  std::vector<float>& values() { return light_; }
  /// Softens the map and fades it to 1 at its border.
  void finish();

 private:
  int size_ = 0;
  Eigen::Vector3f middle_ = Eigen::Vector3f::Zero();
  Eigen::Vector3f right_ = Eigen::Vector3f::UnitX();
  Eigen::Vector3f forward_ = Eigen::Vector3f::UnitZ();
  float reach_ = 1;  ///< half the square's side
  std::vector<float> light_;
};

/// Sets ShadeVertex::open of every vertex and, with `ground`, returns the shadow. Ghosts neither cast nor receive.
/// `directions` is the number of sky samples; most of the ground's light comes from around `key`.
GroundShadow computeOcclusion(ViewedScene& viewed, int directions, bool ground, const Eigen::Vector3f& key);

}  // namespace sinew::picture
