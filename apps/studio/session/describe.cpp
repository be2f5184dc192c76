#include "studio/session/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "sinew/base/error.h"
#include "sinew/character/mirror.h"
#include "sinew/character/weld.h"

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

std::vector<float> floatsOf(const Points& points) {
  std::vector<float> values;
  values.reserve(toSize(points.size()));
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
    joints[toSize(helper.joint)]["rule"] = helperRule(character.skeleton, helper);
  return joints;
}

/// Left and right of the skeleton, or why there is no such thing.
Json mirrorJson(const Character& character) {
  if (!character.hasSkin() || character.skeleton.empty()) return Json::object();
  try {
    const MirrorMap map = findMirror(character);
    Json partners = Json::array();
    for (const JointMirror& mirror : jointMirrors(character, map)) partners.push_back(mirror.partner);
    return {{"axis", std::string(1, "xyz"[map.axis])}, {"partners", std::move(partners)}};
  } catch (const Error& error) {
    return {{"fault", error.message()}};
  }
}

/// When any of its channels has a key; nothing for clips that have one in every frame of minutes.
std::vector<double> keyTimes(const Clip& clip) {
  constexpr std::size_t kMost = 2000;
  std::vector<double> times;
  for (const ClipChannel& channel : clip.channels) {
    times.insert(times.end(), channel.times.begin(), channel.times.end());
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    if (times.size() > kMost) return {};
  }
  return times;
}

Json clipsJson(const Character& character) {
  Json clips = Json::array();
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    const Clip& clip = character.clips[c];
    clips.push_back({{"index", c}, {"name", clip.name}, {"seconds", clip.seconds()}, {"times", keyTimes(clip)}});
  }
  return clips;
}

/// What the reader found, and what of the file the studio does not show.
Json problemsJson(const Document& document) {
  Json problems = document.file.problems;
  const Character& character = document.file.character;
  if (document.file.reduced) return problems;
  std::set<int> seen;
  std::set<std::string> told;  // meshes may share a name
  for (const MeshPart& part : character.mesh.parts) {
    if (part.instances < 2 || !seen.insert(part.mesh).second) continue;
    auto sentence = fmt::format("'{}' is placed {} times by the file; the studio shows and edits the first.", part.name,
                                part.instances);
    if (told.insert(sentence).second) problems.push_back(std::move(sentence));
  }
  if (!character.morphs.empty()) {
    const bool moved = std::any_of(character.clips.begin(), character.clips.end(), [](const Clip& clip) {
      return std::any_of(clip.channels.begin(), clip.channels.end(),
                         [](const ClipChannel& channel) { return channel.path == ClipPath::Weights; });
    });
    const std::size_t count = character.morphs.size();
    problems.push_back(fmt::format("{} morph target{} not shown here{}.", count, count == 1 ? " is" : "s are",
                                   moved ? ", and clips do not move them" : ""));
  }
  return problems;
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

Bytes meshBlob(const Document& document, const PageSpace& space) {
  const Character& character = document.file.character;
  Points rest = document.file.reduced ? document.file.reduced->rest : character.mesh.points;
  rest.colwise() -= space.centre;
  BlobWriter blob;
  blob.add(ArrayKind::Rest, 3, floatsOf(rest));
  std::vector<std::uint32_t> corners;
  const auto triangles = triangulate(character.mesh);
  corners.reserve(3 * triangles.size());
  for (const Triangle& triangle : triangles) corners.insert(corners.end(), triangle.begin(), triangle.end());
  blob.add(ArrayKind::Triangles, 3, corners);
  blob.add(ArrayKind::PointOfVertex, 1, weldCharacter(character, character.mesh.points).pointOfVertex);
  if (document.file.reduced) {
    blob.add(ArrayKind::Labels, 1, document.file.reduced->labels);
    Points proxies = document.file.reduced->proxies.positions;
    if (proxies.cols() > 0) proxies.colwise() -= space.centre;
    blob.add(ArrayKind::Proxies, 3, floatsOf(proxies));
    const Eigen::MatrixXf weights = document.file.reduced->proxies.weights.cast<float>();
    blob.add(ArrayKind::ProxyWeights, u32(toSize(weights.rows())),
             std::vector<float>(weights.data(), weights.data() + weights.size()));
  }
  return blob.finish();
}

Bytes weightsBlob(const Document& document) {
  SkinWeights rigid;
  const SkinWeights& weights = shownWeights(document, rigid);
  std::vector<std::uint32_t> start{0};
  std::vector<std::uint32_t> bindings;
  std::vector<float> values;
  start.reserve(toSize(weights.vertexCount()) + 1);
  for (Index v = 0; v < weights.vertexCount(); ++v) {
    for (const Influence& influence : weights[v]) {
      bindings.push_back(influence.binding);
      values.push_back(static_cast<float>(influence.weight));
    }
    start.push_back(u32(bindings.size()));
  }
  BlobWriter blob;
  blob.add(ArrayKind::InfluenceStart, 1, start);
  blob.add(ArrayKind::Bindings, 1, bindings);
  blob.add(ArrayKind::Weights, 1, values);
  return blob.finish();
}

void describeMesh(const Document& document, const PageSpace& space, BlobStore& blobs, DescribedMesh& known) {
  const Character& character = document.file.character;
  if (known.mesh.empty()) {
    known.mesh = blobs.put(meshBlob(document, space));
    known.triangles = triangulate(character.mesh).size();
  }
  if (known.weights.empty()) {
    known.weights = blobs.put(weightsBlob(document));
    known.maxInfluences = character.hasSkin() ? toSize(character.skin.weights.maxInfluences()) : 0;
  }
  if (known.mirror.is_null()) known.mirror = mirrorJson(character);
  blobs.keep(known.mesh);
  blobs.keep(known.weights);
}

Json describeDocument(const Document& document, const PageSpace& space, const DescribedMesh& described) {
  const Character& character = document.file.character;
  Json bindings = Json::array();
  for (const Binding& binding : character.skin.bindings) bindings.push_back(binding.joint);
  Json savedPoses = Json::array();
  for (const SavedPose& saved : document.file.poses) savedPoses.push_back(saved.name);
  Json angles = Json::array();
  for (std::size_t view = 0; view < document.views.size(); ++view) angles.push_back(toJson(document.angles[view]));
  Json handles = Json::array();
  for (const HandleState& handle : document.posed.handles) handles.push_back(toJson(handle));
  Json keys = Json::array();
  for (const KeyState& key : document.keys)
    keys.push_back({{"time", key.time}, {"handles", key.state.handles.size()}, {"smooth", key.smooth}});
  Json description{{"title", document.title},
                   {"path", document.path.string()},
                   {"vertices", character.mesh.vertexCount()},
                   {"triangles", described.triangles},
                   {"skinned", hasWeights(character)},
                   {"maxInfluences", described.maxInfluences},
                   {"joints", jointsJson(character)},
                   {"mirror", described.mirror},
                   {"bindings", std::move(bindings)},
                   {"clips", clipsJson(character)},
                   {"views", viewsJson(document)},
                   {"angles", std::move(angles)},
                   {"savedPoses", std::move(savedPoses)},
                   {"locks", document.locks},
                   {"handles", std::move(handles)},
                   {"keys", std::move(keys)},
                   {"centre", {space.centre.x(), space.centre.y(), space.centre.z()}},
                   {"diagonal", space.diagonal},
                   {"problems", problemsJson(document)}};
  if (document.file.reduced) description["reduced"] = reducedJson(*document.file.reduced);
  description["blobs"] = {{"mesh", described.mesh}, {"weights", described.weights}};
  return description;
}

}  // namespace sinew::studio
