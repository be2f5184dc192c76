#include "sinew/deform/example_errors.h"

#include <algorithm>

namespace sinew {

Pose poseOn(const Character& character, const Pose& pose) {
  Pose moved = restPose(character);
  std::copy_n(pose.local.begin(), std::min(pose.local.size(), moved.local.size()), moved.local.begin());
  std::copy_n(pose.morphWeights.begin(), std::min(pose.morphWeights.size(), moved.morphWeights.size()),
              moved.morphWeights.begin());
  return moved;
}

SequenceError errorOfExamples(const Character& character, const Playback& playback, ExampleSource& examples,
                              const Progress& progress) {
  CharacterPoser poser(character, playback);
  const double diagonal = boundingBox(poser.pose(restPose(character))).diagonal();
  SequenceErrors errors(character.mesh.vertexCount(), examples.size(), diagonal);
  Example example;
  for (std::size_t k = 0; k < examples.size(); ++k) {
    report(progress, {static_cast<double>(k) / static_cast<double>(examples.size()), "errors"});
    examples.read(k, example);
    errors.add(example.points, poser.pose(poseOn(character, example.pose)), example.mask);
  }
  return errors.result();
}

}  // namespace sinew
