// Plays a learned character as an engine does: packed once, then each frame in floats, without allocation, split into
// ranges that two threads of the engine's own move.
#include <chrono>
#include <cstdio>
#include <thread>

#include "sinew/sinew.h"

int main() {
  using namespace sinew;

  // Authoring: corrections of an arm, learned from two sculpts of its bend.
  const Character arm = makeExactArm().character;
  ExampleSet sculpts;
  for (const double bend : {0.8, 1.6}) {
    sculpts.examples.push_back({"bend", exactArmPose(arm, bend, 0), exactArmSculpt(bend, 0), {}, 1});
  }
  const PoseSpaceResult learned = learnPoseSpace(arm, sculpts, {});

  // Loading: the skin and the corrections in packed form, and the memory of a frame.
  const PackedPoseSpace packed(arm, Points(3, 0), *learned.model);
  std::printf("%s\n", packed.report().text().c_str());
  PoseSpaceFrame frame = packed.frame();
  PosedJoints joints;
  std::vector<float> palette(packed.skin().jointCount() * play::kMatrixFloats);
  Eigen::Matrix3Xf positions(3, arm.mesh.vertexCount());
  const play::SkinOutput output{.positions = {positions.data(), static_cast<std::size_t>(positions.size())},
                                .order = play::VertexOrder::Original};

  double farthest = 0;
  double seconds = 0;
  constexpr int kFrames = 60;
  for (int i = 0; i < kFrames; ++i) {
    const Pose pose = exactArmPose(arm, 1.6 * i / (kFrames - 1), 0);
    poseJoints(arm, pose, joints);

    // Every frame: the weights of the shapes, the palette, and one call that any threads may share.
    const auto start = std::chrono::steady_clock::now();
    packed.update(pose, joints, frame);
    packMatrices(joints.worldFromRest, palette);
    const play::CorrectiveCall call = packed.correctives().call(palette, frame.corrective(), output);
    const std::uint32_t half = call.blockCount() / 2;
    std::thread other([&] { call.run(half, call.blockCount()); });
    call.run(0, half);
    other.join();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    const Points truth = posePoints(arm, pose, std::make_shared<PoseSpaceDeformer>(arm, learned.model));
    farthest = std::max(farthest, (positions.cast<double>() - truth).colwise().norm().maxCoeff());
  }
  const double diagonal = boundingBox(arm.mesh.points).diagonal();
  std::printf("%d frames of %zu vertices with %s, %.1f microseconds each, within %.1e of the diagonal\n", kFrames,
              packed.skin().vertexCount(), packed.skin().instructionSet().data(), 1e6 * seconds / kFrames,
              farthest / diagonal);
  return farthest < 2e-5 * diagonal ? 0 : 1;
}
