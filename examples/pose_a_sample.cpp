// Makes the built-in arm, bends it with two operators, and prints how far they differ.
#include <cstdio>
#include <numbers>

#include "sinew/sinew.h"

int main() {
  const sinew::Sample sample = sinew::makeSample("arm", {.vertices = 2000});
  const sinew::Character& arm = sample.character;

  sinew::Pose pose = sinew::restPose(arm);
  const auto forearm = static_cast<std::size_t>(arm.skeleton.index("forearm"));
  pose.local[forearm].rotation = sinew::Quat(Eigen::AngleAxisd(std::numbers::pi / 2, sinew::Vec3::UnitZ()));

  const sinew::Points linear = sinew::posePoints(arm, pose);
  const sinew::Points dual = sinew::posePoints(arm, pose, sinew::makeSkinDeformer("dual-quaternion", arm.skin));
  const double diagonal = sinew::boundingBox(arm.mesh.points).diagonal();
  const sinew::ShapeError error = sinew::compareShapes(dual, linear, diagonal);
  std::printf("linear blend differs from dual quaternion by %.3f %% rms, most at vertex %d\n", error.rmsPercent,
              static_cast<int>(error.maxVertex));

  sinew::writeCharacter("arm.glb", arm);
  return error.rmsPercent > 0 ? 0 : 1;
}
