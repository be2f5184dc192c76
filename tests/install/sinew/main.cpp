// Learns corrections of the exact arm from two sculpts, writes them, and deforms by the model and by the packed
// runtime.
#include <cstdio>
#include <vector>

#include "sinew/sinew.h"

int main() {
  using namespace sinew;
  const Character arm = makeExactArm().character;
  ExampleSet set;
  for (const double bend : {0.8, 1.6}) {
    Example example;
    example.name = "bend";
    example.pose = exactArmPose(arm, bend, 0);
    example.points = exactArmSculpt(bend, 0);
    set.examples.push_back(example);
  }
  const PoseSpaceResult learned = learnPoseSpace(arm, set, {});

  const Pose pose = exactArmPose(arm, 1.2, 0);
  const double diagonal = boundingBox(arm.mesh.points).diagonal();
  const Points truth = exactArmSculpt(1.2, 0);
  const Points deformed = posePoints(arm, pose, std::make_shared<PoseSpaceDeformer>(arm, learned.model));
  const double before = compareShapes(truth, posePoints(arm, pose), diagonal).rmsPercent;
  const double after = compareShapes(truth, deformed, diagonal).rmsPercent;

  const PackedPoseSpace packed(arm, Points(3, 0), *learned.model);
  PosedJoints joints;
  poseJoints(arm, pose, joints);
  PoseSpaceFrame frame = packed.frame();
  packed.update(pose, joints, frame);
  std::vector<float> palette(packed.skin().jointCount() * play::kMatrixFloats);
  packMatrices(joints.worldFromRest, palette);
  Eigen::Matrix3Xf played(3, arm.mesh.vertexCount());
  packed.play(
      palette, frame,
      {.positions = {played.data(), static_cast<std::size_t>(played.size())}, .order = play::VertexOrder::Original});
  const double apart = compareShapes(deformed, played.cast<double>(), diagonal).rmsPercent;

  std::printf("%.3f %% before, %.3f %% after, played within %.6f %%\n", before, after, apart);
  return after < before / 2 && apart < 0.01 ? 0 : 1;
}
