#include "sinew/deform/root_turns.h"

#include "sinew/math/rotation.h"

namespace sinew {

std::vector<int> rootOfVertices(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<int> rootOf(toSize(skeleton.size()), 0);
  for (const int joint : skeleton.order()) {
    const int parent = skeleton[joint].parent;
    rootOf[toSize(joint)] = parent < 0 ? joint : rootOf[toSize(parent)];
  }
  std::vector<int> result;
  result.reserve(toSize(character.mesh.vertexCount()));
  for (Index v = 0; v < character.mesh.vertexCount(); ++v) {
    const Binding& binding = character.skin.bindings[character.skin.weights[v][0].binding];
    result.push_back(rootOf[toSize(binding.joint)]);
  }
  return result;
}

void rootTurns(const Skeleton& skeleton, const PosedJoints& joints, std::vector<Mat3>& turns) {
  turns.assign(toSize(skeleton.size()), Mat3::Identity());
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const Joint& joint = skeleton[static_cast<int>(j)];
    if (joint.parent >= 0) continue;
    turns[j] = polarDecomposition(joints.worldFromJoint[j].linear()).rotation *
               polarDecomposition(joint.rest.parentFromJoint().linear()).rotation.transpose();
  }
}

}  // namespace sinew
