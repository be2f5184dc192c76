#include "session_view.h"

#include <algorithm>

#include "sinew/character/correspondence.h"
#include "sinew/deform/posing.h"

namespace sinew::studio {
namespace {

std::uint32_t u32(std::size_t value) {
  return static_cast<std::uint32_t>(value);
}

/// A mesh without a skin is shown as one rigid piece.
const SkinWeights& shownWeights(const Document& document, SkinWeights& rigid) {
  if (document.file.reduced) return document.file.reduced->weights;
  if (document.file.character.hasSkin()) return document.file.character.skin.weights;
  rigid = SkinWeights::rigid(1, document.file.character.mesh.vertexCount(), 0);
  return rigid;
}

/// `p` in the page's space goes to world(p + centre) - centre.
void addMatrix(const Affine& worldFromRest, const Vec3& centre, std::vector<float>& palette) {
  const Vec3 offset = worldFromRest * centre - centre;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) palette.push_back(static_cast<float>(worldFromRest.linear()(r, c)));
    palette.push_back(static_cast<float>(offset[r]));
  }
}

std::vector<float> floatsOf(const Points& points) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(points.size()));
  for (Index v = 0; v < points.cols(); ++v) {
    for (int r = 0; r < 3; ++r) values.push_back(static_cast<float>(points(r, v)));
  }
  return values;
}

Json transformJson(const LocalTransform& local) {
  const Quat& q = local.rotation;
  return {{"translation", {local.translation.x(), local.translation.y(), local.translation.z()}},
          {"rotation", {q.x(), q.y(), q.z(), q.w()}},
          {"scale", {local.scale.x(), local.scale.y(), local.scale.z()}}};
}

Json jointsJson(const Character& character) {
  Json joints = Json::array();
  for (int j = 0; j < character.skeleton.size(); ++j) {
    const Joint& joint = character.skeleton[j];
    joints.push_back({{"name", joint.name}, {"parent", joint.parent}, {"rest", transformJson(joint.rest)}});
  }
  for (const HelperJoint& helper : character.helpers)
    joints[static_cast<std::size_t>(helper.joint)]["rule"] = helperRule(character.skeleton, helper);
  return joints;
}

Json clipsJson(const Character& character) {
  Json clips = Json::array();
  for (std::size_t c = 0; c < character.clips.size(); ++c)
    clips.push_back({{"index", c}, {"name", character.clips[c].name}, {"seconds", character.clips[c].seconds()}});
  return clips;
}

Json viewsJson(const Document& document) {
  Json views = Json::array();
  for (const Pose& pose : document.views) {
    Json joints = Json::array();
    for (const LocalTransform& local : pose.local) joints.push_back(transformJson(local));
    views.push_back(std::move(joints));
  }
  return views;
}

Json reducedJson(const ReducedModel& model) {
  return {{"controls", model.controlCount()},
          {"proxies", model.proxies.count()},
          {"examples", model.names},
          {"rigid", model.rigid}};
}

}  // namespace

PageSpace pageSpace(const Document& document) {
  const Character& character = document.file.character;
  const Points points =
      document.file.reduced ? document.file.reduced->rest : posePoints(character, restPose(character));
  const BoundingBox box = boundingBox(points);
  return {box.centre(), std::max(box.diagonal(), 1e-12)};
}

bool hasWeights(const Character& character) {
  const auto& parts = character.mesh.parts;
  return character.hasSkin() &&
         (parts.empty() || std::any_of(parts.begin(), parts.end(), [](const MeshPart& part) { return part.skinned; }));
}

wire::Frame frameOf(const Document& document, const Vec3& centre) {
  wire::Frame frame;
  const Character& character = document.file.character;
  if (document.file.reduced) {
    const ReducedModel& model = *document.file.reduced;
    frame.controls = u32(static_cast<std::size_t>(model.controlCount()));
    frame.views = {0};
    for (std::uint32_t c = 0; c < frame.controls; ++c)
      addMatrix(document.posed.controls.empty() ? Affine::Identity() : document.posed.controls[c], centre,
                frame.palettes);
    return frame;
  }
  if (!character.hasSkin()) {
    frame.controls = 1;
    for (std::size_t v = 0; v < document.views.size(); ++v) {
      frame.views.push_back(u32(v));
      addMatrix(Affine::Identity(), centre, frame.palettes);
    }
    return frame;
  }
  frame.controls = u32(character.skin.bindings.size());
  PosedJoints posed;
  for (std::size_t v = 0; v < document.views.size(); ++v) {
    poseJoints(character, document.views[v], posed);
    frame.views.push_back(u32(v));
    for (const Affine& matrix : posed.worldFromRest) addMatrix(matrix, centre, frame.palettes);
  }
  return frame;
}

wire::Weights weightsMessage(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices) {
  wire::Weights message;
  message.vertices = vertices;
  for (const std::uint32_t v : vertices) {
    const auto column = weights[static_cast<Index>(v)];
    message.counts.push_back(u32(column.size()));
    for (const Influence& influence : column) {
      message.bindings.push_back(influence.binding);
      message.weights.push_back(static_cast<float>(influence.weight));
    }
  }
  return message;
}

Bytes meshBlob(const Document& document) {
  const Character& character = document.file.character;
  const PageSpace space = pageSpace(document);
  Points rest = document.file.reduced ? document.file.reduced->rest : character.mesh.points;
  rest.colwise() -= space.centre;
  BlobWriter blob;
  blob.add(ArrayKind::Centre, 3,
           std::vector<float>{static_cast<float>(space.centre.x()), static_cast<float>(space.centre.y()),
                              static_cast<float>(space.centre.z())});
  blob.add(ArrayKind::Rest, 3, floatsOf(rest));
  std::vector<std::uint32_t> corners;
  for (const Triangle& triangle : triangulate(character.mesh))
    corners.insert(corners.end(), triangle.begin(), triangle.end());
  blob.add(ArrayKind::Triangles, 3, std::move(corners));
  blob.add(ArrayKind::PointOfVertex, 1, weld(character.mesh.points).pointOfVertex);
  if (document.file.reduced) {
    blob.add(ArrayKind::Labels, 1, document.file.reduced->labels);
    Points proxies = document.file.reduced->proxies.positions;
    if (proxies.cols() > 0) proxies.colwise() -= space.centre;
    blob.add(ArrayKind::Proxies, 3, floatsOf(proxies));
  }
  return blob.finish();
}

Bytes weightsBlob(const Document& document) {
  SkinWeights rigid;
  const SkinWeights& weights = shownWeights(document, rigid);
  std::vector<std::uint32_t> start{0};
  std::vector<std::uint32_t> bindings;
  std::vector<float> values;
  start.reserve(static_cast<std::size_t>(weights.vertexCount()) + 1);
  for (Index v = 0; v < weights.vertexCount(); ++v) {
    for (const Influence& influence : weights[v]) {
      bindings.push_back(influence.binding);
      values.push_back(static_cast<float>(influence.weight));
    }
    start.push_back(u32(bindings.size()));
  }
  BlobWriter blob;
  blob.add(ArrayKind::InfluenceStart, 1, std::move(start));
  blob.add(ArrayKind::Bindings, 1, std::move(bindings));
  blob.add(ArrayKind::Weights, 1, std::move(values));
  return blob.finish();
}

Json describeDocument(const Document& document, BlobStore& blobs) {
  const Character& character = document.file.character;
  const PageSpace space = pageSpace(document);
  Json bindings = Json::array();
  for (const Binding& binding : character.skin.bindings) bindings.push_back(binding.joint);
  Json savedPoses = Json::array();
  for (const SavedPose& saved : document.savedPoses) savedPoses.push_back(saved.name);
  Json handles = Json::array();
  for (const HandleState& handle : document.posed.handles) handles.push_back(toJson(handle));
  Json keys = Json::array();
  for (const KeyState& key : document.keys) keys.push_back({{"time", key.time}, {"handles", key.state.handles.size()}});
  Json description{{"title", document.title},
                   {"path", document.path.string()},
                   {"vertices", character.mesh.vertexCount()},
                   {"triangles", triangulate(character.mesh).size()},
                   {"skinned", hasWeights(character)},
                   {"maxInfluences", character.hasSkin() ? character.skin.weights.maxInfluences() : 0},
                   {"joints", jointsJson(character)},
                   {"bindings", std::move(bindings)},
                   {"clips", clipsJson(character)},
                   {"views", viewsJson(document)},
                   {"savedPoses", std::move(savedPoses)},
                   {"locks", document.locks},
                   {"handles", std::move(handles)},
                   {"keys", std::move(keys)},
                   {"centre", {space.centre.x(), space.centre.y(), space.centre.z()}},
                   {"diagonal", space.diagonal},
                   {"problems", document.file.problems}};
  if (document.file.reduced) description["reduced"] = reducedJson(*document.file.reduced);
  description["blobs"] = {{"mesh", blobs.put(meshBlob(document))}, {"weights", blobs.put(weightsBlob(document))}};
  return description;
}

}  // namespace sinew::studio
