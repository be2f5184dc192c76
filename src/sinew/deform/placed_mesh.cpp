#include "sinew/deform/placed_mesh.h"

#include <Eigen/LU>
#include <algorithm>

#include "sinew/character/turned_normals.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/math/rigid_fit.h"

namespace sinew {
namespace {

/// The linear part that a vertex' weights blend.
Mat3 blendedLinear(const SkinWeights& weights, Index vertex, const PosedJoints& joints) {
  Mat3 linear = Mat3::Zero();
  for (const Influence& influence : weights[vertex])
    linear += influence.weight * joints.worldFromRest[influence.binding].linear();
  return linear;
}

/// Moves normals: the inverse transpose, but for its length; of a flat matrix the best there is.
Mat3 normalMatrix(const Mat3& linear) {
  return linear.determinant() < 0 ? Mat3(-cofactors(linear)) : cofactors(linear);
}

/// Stretches of parts in the order in which they are placed.
std::vector<PlacedPart> placedParts(const Character& character, std::span<const MeshInstance> instances) {
  std::vector<PlacedPart> placed;
  Index next = 0;
  const auto add = [&](std::size_t part, int instance, Index count) {
    placed.push_back({part, instance, next, count});
    next += count;
  };
  const auto& parts = character.mesh.parts;
  if (parts.empty()) add(0, -1, character.mesh.vertexCount());
  for (std::size_t begin = 0; begin < parts.size();) {
    std::size_t end = begin;
    while (end < parts.size() && parts[end].mesh == parts[begin].mesh) ++end;
    for (std::size_t p = begin; p < end; ++p) add(p, -1, parts[p].vertexCount);
    for (std::size_t i = 0; i < instances.size(); ++i) {
      for (std::size_t p = begin; p < end && instances[i].mesh == parts[begin].mesh; ++p)
        add(p, static_cast<int>(i), parts[p].vertexCount);
    }
    begin = end;
  }
  return placed;
}

/// The joint of a binding turns from its rest as the one that replaces it does in `pose`.
void turnAlike(const Character& character, const BindingSwap& swap, const Pose& pose, Pose& turned) {
  const int from = character.skin.bindings[swap.from].joint;
  const Quat turn =
      character.skeleton[swap.to.joint].rest.rotation.conjugate() * pose.local[toSize(swap.to.joint)].rotation;
  turned.local[toSize(from)].rotation = character.skeleton[from].rest.rotation * turn;
}

MeshPart wholePart(const Mesh& mesh) {
  MeshPart part;
  part.vertexCount = mesh.vertexCount();
  part.faceCount = mesh.faces.size();
  return part;
}

}  // namespace

PlacedPoser::PlacedPoser(const Character& character, std::vector<MeshInstance> instances, Playback playback)
    : character_(character),
      instances_(std::move(instances)),
      playback_(std::move(playback)),
      plain_(playback_.deformer == nullptr),
      poser_(character, playback_),
      parts_(placedParts(character, instances_)),
      firstPlace_(toSize(character.mesh.vertexCount()), 0) {
  for (const PlacedPart& placed : parts_) {
    const Index first = character.mesh.parts.empty() ? 0 : character.mesh.parts[placed.part].firstVertex;
    for (Index v = first; v < first + placed.vertexCount; ++v) {
      if (placed.instance < 0) firstPlace_[toSize(v)] = static_cast<std::uint32_t>(vertex_.size());
      vertex_.push_back(static_cast<std::uint32_t>(v));
    }
  }
  if (!instances_.empty() && plain_ && character.hasSkin())
    playback_.deformer = std::make_shared<LinearBlend>(character.skin.weights);
}

const Points& PlacedPoser::poseAt(const MeshInstance& instance, const Pose& pose) {
  placeJoints(pose, &instance, joints_);
  std::vector<double> weights = pose.morphWeights;
  for (std::size_t m = 0; m < instance.morphWeights.size(); ++m)
    weights.at(toSize(instance.firstMorph) + m) = instance.morphWeights[m];
  for (const int morph : playback_.silentMorphs) weights.at(toSize(morph)) = 0;
  applyMorphs(character_, weights, morphed_);
  if (!playback_.deformer) return morphed_;
  posed_.resize(3, morphed_.cols());
  playback_.deformer->deform(morphed_, joints_, scratch_, posed_);
  return posed_;
}

const Points& PlacedPoser::pose(const Pose& pose) {
  const Points& first = poser_.pose(pose);
  if (instances_.empty() && first.cols() == vertexCount()) return first;
  placed_.resize(3, vertexCount());
  const auto copy = [&](int instance, const Points& points) {
    for (const PlacedPart& placed : parts_) {
      if (placed.instance != instance) continue;
      placed_.middleCols(placed.firstVertex, placed.vertexCount) =
          points.middleCols(character_.mesh.parts[placed.part].firstVertex, placed.vertexCount);
    }
  };
  copy(-1, first);
  for (std::size_t i = 0; i < instances_.size(); ++i) copy(static_cast<int>(i), poseAt(instances_[i], pose));
  return placed_;
}

/// The pose follows the replacement joints too: those that drive take the rotations of these relative to rest.
void PlacedPoser::placeJoints(const Pose& pose, const MeshInstance* instance, PosedJoints& joints) const {
  poseJoints(character_, pose, joints);
  if (instance == nullptr) return;
  const std::vector<Affine> worldFromJoint = joints.worldFromJoint;
  for (const BindingSwap& swap : instance->swaps) {
    const int from = character_.skin.bindings[swap.from].joint;
    const Affine& other = worldFromJoint[toSize(swap.to.joint)];
    joints.worldFromJoint[toSize(from)] = other;
    joints.worldFromRest[swap.from] = other * swap.to.jointFromRest;
    turnAlike(character_, swap, pose, joints.pose);
  }
}

/// Per placed vertex: whether its instance mirrors the surface.
std::vector<bool> PlacedPoser::mirrored(const Pose& pose) const {
  std::vector<bool> mirrored(vertex_.size(), false);
  if (!character_.hasSkin()) return mirrored;
  PosedJoints joints;
  poseJoints(character_, pose, joints);
  const auto turnsOver = [](const Affine& matrix) { return matrix.linear().determinant() < 0; };
  if (std::none_of(joints.worldFromRest.begin(), joints.worldFromRest.end(), turnsOver) &&
      std::none_of(joints.worldFromJoint.begin(), joints.worldFromJoint.end(), turnsOver)) {
    return mirrored;
  }
  for (const PlacedPart& placed : parts_) {
    placeJoints(pose, instanceOf(placed), joints);
    for (Index v = placed.firstVertex; v < placed.firstVertex + placed.vertexCount; ++v) {
      const auto at = toSize(v);
      mirrored[at] = blendedLinear(character_.skin.weights, static_cast<Index>(vertex_[at]), joints).determinant() < 0;
    }
  }
  return mirrored;
}

void PlacedPoser::addFaces(const PlacedPart& placed, const std::vector<bool>& mirrored, Mesh& mesh) const {
  const Mesh& own = character_.mesh;
  MeshPart part = own.parts.empty() ? wholePart(own) : own.parts[placed.part];
  const Index shift = placed.firstVertex - part.firstVertex;
  const bool uvOfCorner = !own.cornerUv.empty();
  part.firstVertex = placed.firstVertex;
  const std::size_t begin = part.firstFace;
  part.firstFace = mesh.faces.size();
  for (std::size_t f = begin; f < begin + part.faceCount; ++f) {
    const std::uint32_t first = own.faces.start[f];
    const std::uint32_t count = own.faces.start[f + 1] - first;
    const auto shifted = [&](std::uint32_t k) {
      return static_cast<std::uint32_t>(static_cast<Index>(own.faces.corner[first + k]) + shift);
    };
    const bool turned = count > 0 && mirrored[shifted(0)];
    for (std::uint32_t k = 0; k < count; ++k) {
      // The first corner stays first.
      const std::uint32_t from = turned && k > 0 ? count - k : k;
      mesh.faces.corner.push_back(shifted(from));
      if (uvOfCorner) mesh.cornerUv.push_back(own.cornerUv[first + from]);
    }
    mesh.faces.start.push_back(static_cast<std::uint32_t>(mesh.faces.corner.size()));
  }
  if (placed.instance >= 0) part.node = instances_[toSize(placed.instance)].node;
  part.instances = 1;
  mesh.parts.push_back(std::move(part));
}

/// A linear blend gives the rotation of normals; otherwise it is computed from the surface before and after.
Points PlacedPoser::normals(const Pose& pose, const std::vector<bool>& mirrored, const Mesh& placedMesh) const {
  Points normals = character_.mesh.normals(Eigen::all, vertex_);
  const auto zero = [](const std::vector<double>& weights) {
    return std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; });
  };
  const bool morphed =
      !zero(pose.morphWeights) || std::any_of(instances_.begin(), instances_.end(),
                                              [&](const MeshInstance& place) { return !zero(place.morphWeights); });
  if (!character_.hasSkin() || !plain_ || morphed) {
    Mesh before = placedMesh;
    before.points = character_.mesh.points(Eigen::all, vertex_);
    before.normals = std::move(normals);
    Points turned = turnedNormals(before, placedMesh.points);
    // Faces with reversed winding face the other side before, if they are not mirrored yet.
    for (Index v = 0; v < turned.cols(); ++v) {
      if (mirrored[toSize(v)]) turned.col(v) = -turned.col(v);
    }
    return turned;
  }
  PosedJoints joints;
  for (const PlacedPart& placed : parts_) {
    placeJoints(pose, instanceOf(placed), joints);
    for (Index v = placed.firstVertex; v < placed.firstVertex + placed.vertexCount; ++v) {
      const auto own = static_cast<Index>(vertex_[toSize(v)]);
      const Vec3 moved = normalMatrix(blendedLinear(character_.skin.weights, own, joints)) * normals.col(v);
      if (const double length = moved.norm(); length > 0) normals.col(v) = moved / length;
    }
  }
  return normals;
}

Mesh PlacedPoser::mesh(const Pose& pose) {
  Mesh mesh;
  mesh.points = this->pose(pose);
  mesh.normals.resize(3, 0);
  const Mesh& own = character_.mesh;
  mesh.uvs = own.cornerUv.empty() && own.uvs.cols() > 0 ? Eigen::Matrix2Xd(own.uvs(Eigen::all, vertex_)) : own.uvs;
  const std::vector<bool> turned = mirrored(pose);
  for (const PlacedPart& placed : parts_) addFaces(placed, turned, mesh);
  // Each instance of a mesh has its own number, so that two instances are never merged.
  int number = -1;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const bool sameMesh = p > 0 && parts_[p].instance == parts_[p - 1].instance && !own.parts.empty() &&
                          own.parts[parts_[p].part].mesh == own.parts[parts_[p - 1].part].mesh;
    mesh.parts[p].mesh = sameMesh ? number : ++number;
  }
  if (own.parts.empty()) mesh.parts.clear();
  if (own.normals.cols() > 0) mesh.normals = normals(pose, turned, mesh);
  return mesh;
}

Pose poseOfInstance(const Character& character, const Pose& pose, const MeshInstance& instance) {
  Pose turned = pose;
  for (const BindingSwap& swap : instance.swaps) turnAlike(character, swap, pose, turned);
  return turned;
}

Mesh restMesh(const Character& character, std::vector<MeshInstance> instances, const Playback& playback) {
  return PlacedPoser(character, std::move(instances), playback).mesh(restPose(character));
}

std::optional<std::vector<Index>> writtenColumns(const Character& character, Index count) {
  const auto& parts = character.mesh.parts;
  for (const bool skinnedOnly : {false, true}) {
    std::vector<Index> columns(toSize(character.mesh.vertexCount()), -1);
    Index next = 0;
    for (std::size_t begin = 0; begin < parts.size();) {
      std::size_t end = begin;
      Index ofMesh = 0;
      for (; end < parts.size() && parts[end].mesh == parts[begin].mesh; ++end) {
        if (skinnedOnly && !parts[end].skinned) continue;
        for (Index i = 0; i < parts[end].vertexCount; ++i)
          columns[toSize(parts[end].firstVertex + i)] = next + ofMesh + i;
        ofMesh += parts[end].vertexCount;
      }
      next += ofMesh * std::max(parts[begin].instances, 1);
      begin = end;
    }
    if (next == count && next > 0) return columns;
  }
  return std::nullopt;
}

Points fromWritten(std::span<const Index> columns, const ConstPointsRef& written, const ConstPointsRef& otherwise) {
  Points points = otherwise;
  for (std::size_t v = 0; v < columns.size(); ++v) {
    if (columns[v] >= 0) points.col(static_cast<Index>(v)) = written.col(columns[v]);
  }
  return points;
}

std::vector<Affine> worldFromRestPoints(const Character& character) {
  std::vector<Affine> matrices(toSize(character.mesh.vertexCount()), Affine::Identity());
  if (!character.hasSkin()) return matrices;
  PosedJoints joints;
  poseJoints(character, restPose(character), joints);
  for (std::size_t v = 0; v < matrices.size(); ++v) {
    matrices[v].matrix().setZero();
    for (const Influence& influence : character.skin.weights[static_cast<Index>(v)])
      matrices[v].matrix() += influence.weight * joints.worldFromRest[influence.binding].matrix();
  }
  return matrices;
}

}  // namespace sinew
