#include "studio/session/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "sinew/base/error.h"
#include "sinew/character/mirror.h"
#include "sinew/character/weld.h"
#include "studio/bounds.h"
#include "studio/document/edit_json.h"

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

/// Per vertex: the first one at the same point with about the same normal of the file, so that hard edges stay hard.
std::vector<std::uint32_t> normalPointsOf(const Points& normals, const std::vector<std::uint32_t>& points) {
  constexpr double kSame = 0.999;  // cosine: 2.5 degrees
  std::vector<std::vector<std::uint32_t>> firsts(points.size());
  std::vector<std::uint32_t> shared(points.size());
  for (std::size_t v = 0; v < points.size(); ++v) {
    const Vec3 normal = normals.col(static_cast<Index>(v)).normalized();
    std::vector<std::uint32_t>& here = firsts[points[v]];
    const auto same = [&](std::uint32_t first) {
      return normal.dot(normals.col(static_cast<Index>(first)).normalized()) > kSame;
    };
    const auto found = std::find_if(here.begin(), here.end(), same);
    shared[v] = found == here.end() ? u32(v) : *found;
    if (found == here.end()) here.push_back(u32(v));
  }
  return shared;
}

std::array<double, 3> arrayOf(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

wire::Transform transformOf(const LocalTransform& local) {
  const Quat& q = local.rotation;
  return {arrayOf(local.translation), {q.x(), q.y(), q.z(), q.w()}, arrayOf(local.scale)};
}

std::vector<wire::Joint> jointsOf(const Character& character) {
  std::vector<wire::Joint> joints;
  for (int j = 0; j < character.skeleton.size(); ++j) {
    const Joint& joint = character.skeleton[j];
    joints.push_back({.name = joint.name, .parent = joint.parent, .rest = transformOf(joint.rest)});
  }
  for (const HelperJoint& helper : character.helpers)
    joints[toSize(helper.joint)].rule = helperRule(character.skeleton, helper);
  return joints;
}

wire::MirrorInfo mirrorOf(const Character& character) {
  wire::MirrorInfo info;
  if (!character.hasSkin() || character.skeleton.empty()) return info;
  try {
    const MirrorMap map = findMirror(character);
    std::vector<std::int32_t> partners;
    for (const JointMirror& mirror : jointMirrors(character, map)) partners.push_back(mirror.partner);
    info.axis = std::string(1, "xyz"[map.axis]);
    info.partners = std::move(partners);
  } catch (const Error& error) {
    info.fault = error.message();
  }
  return info;
}

/// The times at which any channel has a key; empty for clips with a key in every frame of several minutes.
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

std::vector<wire::ClipInfo> clipsOf(const Character& character) {
  std::vector<wire::ClipInfo> clips;
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    const Clip& clip = character.clips[c];
    clips.push_back({u32(c), clip.name, clip.seconds(), keyTimes(clip)});
  }
  return clips;
}

/// Morph targets that are not drawn.
void addMorphProblems(const CharacterFile& file, const DrawnCharacter& drawn, std::vector<std::string>& problems) {
  const std::size_t count = file.character.morphs.size();
  if (drawn.morphs < count) {
    problems.push_back(
        fmt::format("Only the first {} of {} morph targets are shown: together they take more than {} MB.",
                    drawn.morphs, count, kMostMorphBytes >> 20));
  }
  if (file.poseSpace && !drawn.correctives)
    problems.emplace_back("The learned corrections are not shown: no morph targets of the file imitate them.");
}

/// The problems that the reader found, and what the studio does not show of the file.
std::vector<std::string> problemsOf(const Document& document, const DrawnCharacter& drawn) {
  std::vector<std::string> problems = document.file.problems;
  const Character& character = document.file.character;
  if (document.file.reduced) return problems;
  std::set<int> seen;
  std::set<std::string> reported;  // meshes may share a name
  for (const MeshPart& part : character.mesh.parts) {
    if (part.instances < 2 || !seen.insert(part.mesh).second) continue;
    auto sentence = fmt::format("'{}' has {} instances. The first one is edited, and the others follow.", part.name,
                                part.instances);
    if (reported.insert(sentence).second) problems.push_back(std::move(sentence));
  }
  if (!drawn.fault.empty()) {
    problems.push_back("Only the first instance of each mesh is shown: " + drawn.fault);
  } else if (drawn.instances.size() < drawn.instancesOfFile) {
    problems.push_back(
        fmt::format("Only {} of {} further instances are shown: together they have too many vertices or "
                    "joints.",
                    drawn.instances.size(), drawn.instancesOfFile));
  }
  addMorphProblems(document.file, drawn, problems);
  return problems;
}

/// Fills in the poses of all views.
void addViews(const Document& document, wire::DocumentInfo& info) {
  for (std::size_t view = 0; view < document.views.size(); ++view) {
    const Pose& pose = document.views[view];
    auto& joints = info.views.emplace_back();
    for (const LocalTransform& local : pose.local) joints.push_back(transformOf(local));
    info.morphWeights.emplace_back(pose.morphWeights.begin(), pose.morphWeights.end());
    info.angles.push_back(angleRows(document.angles[view]));
  }
}

wire::ExampleInfo exampleInfo(const ExampleState& example) {
  return {example.name, example.shape, example.confidence};
}

wire::ExamplesInfo examplesInfo(const ExampleList& list) {
  wire::ExamplesInfo info;
  for (const ExampleState& example : list.examples) info.examples.push_back(exampleInfo(example));
  for (const Driver& driver : list.drivers) info.drivers.push_back({driver.joint, driver.weight});
  if (list.sculpt) info.sculpt = exampleInfo(*list.sculpt);
  return info;
}

/// Fills in the parts of the mesh and its morph targets.
void addParts(const Document& document, wire::DocumentInfo& info) {
  const Character& character = document.file.character;
  for (const MeshPart& part : character.mesh.parts)
    info.parts.push_back({part.name, u32(toSize(part.firstVertex)), u32(toSize(part.vertexCount))});
  for (const MorphTarget& morph : character.morphs) info.morphs.push_back({morph.name, false});
  for (const int learned : document.file.poseSpaceMorphs.morphs) info.morphs.at(toSize(learned)).learned = true;
}

/// Fills in a reduced model, its handles and its keys.
void addModel(const Document& document, wire::DocumentInfo& info) {
  for (const HandleState& handle : document.posed.handles)
    info.handles.push_back({handle.vertex, arrayOf(handle.target), handle.pinned, handle.strength});
  for (const KeyState& key : document.keys) info.keys.push_back({key.time, u32(key.state.handles.size()), key.smooth});
  if (!document.file.reduced) return;
  const ReducedModel& model = *document.file.reduced;
  info.reduced = {.controls = u32(toSize(model.controlCount())),
                  .proxies = u32(toSize(model.proxies.count())),
                  .examples = model.names,
                  .rigid = model.rigid};
}

}  // namespace

Bytes meshBlob(const Document& document, const DrawnCharacter& drawn) {
  const PageSpace& space = drawn.space;
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
  const std::vector<std::uint32_t> points = weldCharacter(character, character.mesh.points).pointOfVertex;
  blob.add(ArrayKind::PointOfVertex, 1, points);
  if (character.mesh.normals.cols() == character.mesh.vertexCount())
    blob.add(ArrayKind::NormalPoints, 1, normalPointsOf(character.mesh.normals, points));
  if (!drawn.instances.empty()) {
    std::vector<std::uint32_t> rows;
    for (const DrawnInstance& one : drawn.instances)
      rows.insert(rows.end(), {one.firstVertex, one.vertexCount, one.firstMatrix - one.firstBinding});
    blob.add(ArrayKind::Instances, 3, rows);
  }
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

Bytes morphsBlob(const Document& document, const DrawnCharacter& drawn) {
  std::vector<std::uint32_t> start{0};
  MorphEntries all;
  for (std::size_t m = 0; m < drawn.morphs; ++m) {
    const MorphEntries entries = entriesOf(document.file.character.morphs[m], drawn.space);
    all.vertices.insert(all.vertices.end(), entries.vertices.begin(), entries.vertices.end());
    all.deltas.insert(all.deltas.end(), entries.deltas.begin(), entries.deltas.end());
    start.push_back(u32(all.vertices.size()));
  }
  BlobWriter blob;
  blob.add(ArrayKind::MorphStart, 1, start);
  blob.add(ArrayKind::MorphVertices, 1, all.vertices);
  blob.add(ArrayKind::MorphDeltas, 3, all.deltas);
  return blob.finish();
}

void describeMesh(const Document& document, const DrawnCharacter& drawn, BlobStore& blobs, DescribedMesh& known) {
  const Character& character = document.file.character;
  // Others that were stored since may have displaced them.
  const auto isMissing = [&](const std::string& name) { return blobs.find(name) == nullptr; };
  if (isMissing(known.mesh)) {
    known.mesh = blobs.put(meshBlob(document, drawn));
    known.triangles = triangulate(character.mesh).size();
  }
  if (drawn.morphs > 0 && isMissing(known.morphs)) known.morphs = blobs.put(morphsBlob(document, drawn));
  if (isMissing(known.weights)) {
    known.weights = blobs.put(weightsBlob(document));
    known.maxInfluences = character.hasSkin() ? toSize(character.skin.weights.maxInfluences()) : 0;
  }
  if (!known.mirror) known.mirror = mirrorOf(character);
  blobs.keep(known.mesh);
  blobs.keep(known.weights);
  if (!known.morphs.empty()) blobs.keep(known.morphs);
}

wire::DocumentInfo describeDocument(const Document& document, const DrawnCharacter& drawn,
                                    const DescribedMesh& described) {
  const Character& character = document.file.character;
  const PageSpace& space = drawn.space;
  wire::DocumentInfo info{.title = document.title,
                          .path = document.path.string(),
                          .vertices = u32(toSize(character.mesh.vertexCount())),
                          .triangles = u32(described.triangles),
                          .instances = u32(drawn.instances.size()),
                          .skinned = hasWeights(character),
                          .maxInfluences = u32(described.maxInfluences),
                          .joints = jointsOf(character),
                          .mirror = described.mirror.value_or(wire::MirrorInfo{}),
                          .clips = clipsOf(character),
                          .locks = document.locks,
                          .centre = arrayOf(space.centre),
                          .diagonal = space.diagonal,
                          .problems = problemsOf(document, drawn),
                          .blobs = {described.mesh, described.weights, described.morphs},
                          .examples = examplesInfo(document.examples.list)};
  for (const Binding& binding : character.skin.bindings) info.bindings.push_back(binding.joint);
  for (const SavedPose& saved : document.file.poses) info.savedPoses.push_back(saved.name);
  addViews(document, info);
  addParts(document, info);
  addModel(document, info);
  return info;
}

}  // namespace sinew::studio
