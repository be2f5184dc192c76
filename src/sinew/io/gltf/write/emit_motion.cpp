// Morph targets and clips, for fresh and patched documents.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/io/gltf/container/animation.h"
#include "sinew/io/gltf/write/emit.h"

namespace sinew::gltf {
namespace {

constexpr double kEmitMotionUnitTolerance = 1e-6;

bool movesAny(const MorphTarget& morph, const MeshPart& part) {
  const Index begin = std::max(morph.firstVertex, part.firstVertex);
  const Index end = std::min(morph.firstVertex + morph.deltas.cols(), part.firstVertex + part.vertexCount);
  return begin < end && !morph.deltas.middleCols(begin - morph.firstVertex, end - begin).isZero(0);
}

/// Keys whose times remain distinct as floats, and those times.
struct FloatKeys {
  std::vector<float> times;
  std::vector<Index> keys;
};

FloatKeys floatKeys(const std::vector<double>& times) {
  FloatKeys kept;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const auto time = static_cast<float>(times[k]);
    if (!kept.times.empty() && time <= kept.times.back()) continue;
    kept.times.push_back(time);
    kept.keys.push_back(static_cast<Index>(k));
  }
  return kept;
}

Index columnsPerKey(const ClipChannel& channel) {
  return channel.interpolation == Interpolation::CubicSpline ? 3 : 1;
}

/// Values of the kept keys. Rotations are unit quaternions; tangents of splines are left as they are.
Eigen::MatrixXf keyValues(const ClipChannel& channel, const Eigen::MatrixXd& values, const std::vector<Index>& keys) {
  const Index perKey = columnsPerKey(channel);
  Eigen::MatrixXd kept(values.rows(), static_cast<Index>(keys.size()) * perKey);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const Index column = static_cast<Index>(k) * perKey;
    kept.middleCols(column, perKey) = values.middleCols(keys[k] * perKey, perKey);
    if (channel.path != ClipPath::Rotation) continue;
    auto value = kept.col(column + perKey / 2);
    const double length = value.norm();
    if (length > 0 && std::abs(length - 1) > kEmitMotionUnitTolerance) value /= length;
  }
  return kept.cast<float>();
}

void addChannel(Store& store, Json& animation, const ClipChannel& channel, const Eigen::MatrixXd& values, int node) {
  const FloatKeys kept = floatKeys(channel.times);
  Eigen::MatrixXf numbers = keyValues(channel, values, kept.keys);
  // Weights are scalars, target after target.
  if (channel.path == ClipPath::Weights) numbers = Eigen::MatrixXf(numbers.reshaped(1, numbers.size()));
  Json sampler{{"input", store.addTimes(kept.times)}, {"output", store.addFloats(numbers, Usage::Other, false)}};
  for (const InterpolationRow& row : kInterpolations) {
    if (row.interpolation == channel.interpolation && row.interpolation != Interpolation::Linear) {
      sampler["interpolation"] = row.name;
    }
  }
  const auto* path =
      std::find_if(kPaths.begin(), kPaths.end(), [&](const PathRow& row) { return row.path == channel.path; });
  // One member after the other: a new member moves the others of its object.
  const std::size_t index = animation["samplers"].size();
  animation["samplers"].push_back(std::move(sampler));
  animation["channels"].push_back(Json{{"sampler", index}, {"target", Json{{"node", node}, {"path", path->name}}}});
}

/// The rows of a weights channel for the targets of one mesh; targets that it does not drive keep their default.
std::optional<Eigen::MatrixXd> weightRows(const Character& character, const ClipChannel& channel,
                                          const MorphedMesh& mesh) {
  bool any = false;
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(static_cast<Index>(mesh.targets.size()), channel.values.cols());
  for (std::size_t t = 0; t < mesh.targets.size(); ++t) {
    const int driven = mesh.targets[t] - channel.firstMorph;
    const auto row = static_cast<Index>(t);
    if (driven >= 0 && driven < channel.values.rows()) {
      rows.row(row) = channel.values.row(driven);
      any = true;
      continue;
    }
    const Index perKey = columnsPerKey(channel);
    for (Index column = perKey / 2; column < rows.cols(); column += perKey) {
      rows(row, column) = character.morphs[toSize(mesh.targets[t])].defaultWeight;
    }
  }
  if (!any) return std::nullopt;
  return rows;
}

}  // namespace

std::vector<int> targetsOf(const Character& character, int mesh, std::span<const MeshPart> parts) {
  std::vector<int> targets;
  for (std::size_t i = 0; i < character.morphs.size(); ++i) {
    const MorphTarget& morph = character.morphs[i];
    if (morph.mesh == mesh ||
        std::any_of(parts.begin(), parts.end(), [&](const MeshPart& part) { return movesAny(morph, part); })) {
      targets.push_back(static_cast<int>(i));
    }
  }
  return targets;
}

Points deltasOf(const Points& deltas, Index firstVertex, VertexList vertices) {
  Points own = Points::Zero(3, static_cast<Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Index column = static_cast<Index>(vertices[i]) - firstVertex;
    if (column >= 0 && column < deltas.cols()) own.col(static_cast<Index>(i)) = deltas.col(column);
  }
  return own;
}

void setTarget(Store& store, Json& target, const MorphTarget& morph, VertexList vertices, bool quantized) {
  const DeltaFormat format = quantized ? DeltaFormat::Bits16 : DeltaFormat::Float;
  const Points own = deltasOf(morph.deltas, morph.firstVertex, vertices);
  target["POSITION"] = addDeltas(store, own, format, true);
  if (morph.normalDeltas.cols() == 0) {
    target.erase("NORMAL");
    return;
  }
  const Points normals = deltasOf(morph.normalDeltas, morph.firstVertex, vertices);
  target["NORMAL"] = addDeltas(store, normals, format, false);
}

void addChannels(Store& store, Json& animation, const Character& character, const Clip& clip,
                 std::span<const MorphedMesh> meshes) {
  for (const ClipChannel& channel : clip.channels) {
    if (channel.times.empty()) continue;
    if (channel.path != ClipPath::Weights) {
      addChannel(store, animation, channel, channel.values, channel.joint);
      continue;
    }
    for (const MorphedMesh& mesh : meshes) {
      if (mesh.node < 0) continue;
      if (const auto rows = weightRows(character, channel, mesh))
        addChannel(store, animation, channel, *rows, mesh.node);
    }
  }
}

}  // namespace sinew::gltf
