#include "sinew/deform/rest_in_world.h"

#include "sinew/deform/linear_blend.h"
#include "sinew/deform/posing.h"

namespace sinew {

Character restInWorld(const Character& character) {
  Character moved = character;
  moved.skin = {};
  for (MeshPart& part : moved.mesh.parts) part.skinned = false;
  if (!character.hasSkin()) return moved;

  const LinearBlend blend(character.skin.weights);
  PosedJoints joints;
  poseJoints(character, restPose(character.skeleton), joints);
  moved.mesh.points = blend.deform(character.mesh.points, joints);
  if ((moved.mesh.points - character.mesh.points).isZero(0)) return moved;

  // Displacements turn with the vertex' matrix, normals with its inverse transpose (scaled by the determinant, which a
  // final normalisation removes).
  std::vector<Mat3> jacobians(static_cast<std::size_t>(character.mesh.vertexCount()));
  blend.jacobians(joints, jacobians);
  for (Index v = 0; v < moved.mesh.normals.cols(); ++v) {
    const Mat3& m = jacobians[static_cast<std::size_t>(v)];
    Mat3 cofactor;
    cofactor << m.col(1).cross(m.col(2)), m.col(2).cross(m.col(0)), m.col(0).cross(m.col(1));
    moved.mesh.normals.col(v) = (cofactor * character.mesh.normals.col(v)).normalized();
  }
  for (MorphTarget& morph : moved.morphs) {
    for (Index i = 0; i < morph.deltas.cols(); ++i) {
      const Mat3& m = jacobians[static_cast<std::size_t>(morph.firstVertex + i)];
      morph.deltas.col(i) = m * morph.deltas.col(i);
      if (morph.normalDeltas.cols() > 0) morph.normalDeltas.col(i) = m * morph.normalDeltas.col(i);
    }
  }
  return moved;
}

}  // namespace sinew
