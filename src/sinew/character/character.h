// A character: everything about one mesh and its rig that Sinew understands of a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/clip.h"
#include "sinew/character/helper_joints.h"
#include "sinew/character/mesh.h"
#include "sinew/character/pose.h"
#include "sinew/character/skeleton.h"
#include "sinew/character/skin.h"

namespace sinew {

/// Displacements of a stretch of vertices, added in the rest pose before skinning.
struct MorphTarget {
  std::string name;
  int mesh = 0;  ///< MeshPart::mesh
  Index firstVertex = 0;
  Points deltas;              ///< 3 x n, for vertices firstVertex .. firstVertex + n - 1
  Points normalDeltas{3, 0};  ///< 3 x n, or 3 x 0
  double defaultWeight = 0;
};

/// mesh.points is the rest shape: the space in which skins bind and morph targets add. The skin's weights cover every
/// vertex (an unskinned part is bound to the joint that places it), or none if the character has no skeleton.
struct Character {
  std::string name;
  Mesh mesh;
  Skeleton skeleton;
  Skin skin;
  std::vector<MorphTarget> morphs;
  std::vector<Clip> clips;
  std::vector<HelperJoint> helpers;  ///< rules of helper joints; they override poses and clips

  [[nodiscard]] bool hasSkin() const { return !skin.weights.empty(); }
};

/// The character's rest pose, with its morph targets at their default weights.
Pose restPose(const Character& character);

/// The pose of a clip at a time; joints that it does not move are at rest. The clip is a name or an index as text.
Pose clipPose(const Character& character, std::string_view clip, double time);

/// Index of a clip by name or by index as text; throws NotFound with the names that exist.
std::size_t clipIndex(const Character& character, std::string_view clip);

/// Fills `posed`, helper joints by their rules. As poseJoints of a skeleton otherwise; no allocation after the first
/// call.
void poseJoints(const Character& character, const Pose& pose, PosedJoints& posed);

/// Rest points plus the weighted morph targets. `points` is resized.
void applyMorphs(const Character& character, std::span<const double> weights, Points& points);

/// A character of these vertices only, without faces, clips and normals; its morph targets cover all of them.
Character characterOfVertices(const Character& character, const std::vector<Index>& vertices);

/// Joints that some skin weight names (not counting parts that merely follow a node), in ascending order.
std::vector<int> skinJoints(const Character& character);

/// Per joint: whether all skin joints are it or below it, so that its motion moves the whole body.
std::vector<bool> carryingJoints(const Character& character);

/// Checks the sizes and references inside a character; throws an Error that names the first that is wrong.
void checkCharacter(const Character& character, const char* where);

}  // namespace sinew
