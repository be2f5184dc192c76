// Blocks as packing/layout.h describes them. In a run with joints 0 .. K-1 only the weights 1 .. K-1 are stored: with
// D_j = M_j - M_0, sum_j w_j M_j = M_0 + sum_{j>0} w_j D_j, which saves the bytes of a weight and the products of a
// matrix.
#include "sinew/play/packing/layout_writer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace sinew::play {
namespace {

void putVector(float* block, std::size_t first, std::size_t step, const double* v) {
  for (std::size_t c = 0; c < 3; ++c) block[first + c * step] = static_cast<float>(v[c]);
}

void putNormal(std::int16_t* block, std::size_t first, std::size_t step, const double* v) {
  const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const double scale = length > 0 ? kNormalScale / length : 0;
  for (std::size_t c = 0; c < 3; ++c) block[first + c * step] = static_cast<std::int16_t>(std::lround(v[c] * scale));
}

std::pair<std::int16_t, std::int16_t> shortNormal(int x, int y, int z) {
  constexpr int kUnit = 1 << kShortNormalBits;
  constexpr int kZUnit = 1 << (16 - 2 * kShortNormalBits);
  // Of a number whose lowest bits are given, the one nearest to `wanted`. kNormalScale leaves room for rounding up.
  const auto nearest = [](int wanted, int lowest) {
    return static_cast<std::int16_t>(std::lround(static_cast<double>(wanted - lowest) / kUnit) * kUnit + lowest);
  };
  const int zSteps = static_cast<int>(std::lround(static_cast<double>(z) / kZUnit)) & (kUnit * kUnit - 1);
  return {nearest(x, zSteps / kUnit), nearest(y, zSteps % kUnit)};
}

}  // namespace

void LayoutWriter::addShared(const BoneGroup& group) {
  PackedRun& run = addRun(RunKind::Shared, group.bones.size(), group.vertices);
  run.firstBone = static_cast<std::uint32_t>(layout_.bones.size());
  layout_.bones.insert(layout_.bones.end(), group.bones.begin(), group.bones.end());
  forEachLane(run, [&](std::size_t i, std::uint32_t vertex) { putShared(run, group.bones, i, vertex); });
}

void LayoutWriter::addAlone(std::span<const std::uint32_t> vertices) {
  std::vector<std::vector<std::uint32_t>> classes;
  for (const std::uint32_t vertex : vertices) {
    const std::size_t quads = (influences_[vertex].size() + 3) / 4;
    if (classes.size() <= quads) classes.resize(quads + 1);
    classes[quads].push_back(vertex);
  }
  for (std::size_t quads = 1; quads < classes.size(); ++quads) {
    if (!classes[quads].empty()) addPerVertex(4 * quads, classes[quads]);
  }
}

void LayoutWriter::addPerVertex(std::size_t influences, std::span<const std::uint32_t> vertices) {
  const PackedRun& run = addRun(RunKind::PerVertex, influences, vertices);
  forEachLane(run, [&](std::size_t i, std::uint32_t vertex) { putPerVertex(run, i, vertex); });
}

PackedRun& LayoutWriter::addRun(RunKind kind, std::size_t bones, std::span<const std::uint32_t> vertices) {
  PackedRun run;
  run.kind = kind;
  run.bones = static_cast<std::uint16_t>(bones);
  run.vertexCount = static_cast<std::uint32_t>(vertices.size());
  run.vertexClass = vertexClass_;
  run.firstBlock = layout_.blockCount;
  run.firstFloat = layout_.rest.size();
  layout_.order.insert(layout_.order.end(), vertices.begin(), vertices.end());
  layout_.blockCount += run.blockCount();
  layout_.order.resize(std::size_t{layout_.blockCount} * kBlockLanes, vertices.back());
  layout_.rest.resize(layout_.rest.size() + std::size_t{run.blockCount()} * run.floatsPerBlock());
  layout_.pivots.resize(std::size_t{layout_.blockCount} * kBlockLanes);
  if (!skin_.normals.empty()) {
    layout_.normals.resize(layout_.blockCount * kNormalShorts);
    run.firstShort = layout_.shortNormals.size();
    if (run.kind == RunKind::Shared) {
      layout_.shortNormals.resize(run.firstShort + run.blockCount() * shortNormalShorts(run.bones));
    }
  }
  layout_.runs.push_back(run);
  return layout_.runs.back();
}

template <class Put>
void LayoutWriter::forEachLane(const PackedRun& run, const Put& put) const {
  const std::uint32_t* order = layout_.order.data() + std::size_t{run.firstBlock} * kBlockLanes;
  for (std::size_t i = 0; i < std::size_t{run.blockCount()} * kBlockLanes; ++i) put(i, order[i]);
}

float* LayoutWriter::restBlock(const PackedRun& run, std::size_t i) {
  return layout_.rest.data() + run.firstFloat + i / kBlockLanes * run.floatsPerBlock();
}

std::int16_t* LayoutWriter::normalBlock(const PackedRun& run, std::size_t i) {
  if (layout_.normals.empty()) return nullptr;
  return layout_.normals.data() + (run.firstBlock + i / kBlockLanes) * kNormalShorts;
}

void LayoutWriter::putShared(const PackedRun& run, std::span<const std::uint16_t> bones, std::size_t i,
                             std::uint32_t vertex) {
  const std::size_t lane = i % kBlockLanes;
  float* block = restBlock(run, i);
  putVector(block, lane, kBlockLanes, skin_.positions.data() + std::size_t{3} * vertex);
  if (std::int16_t* normals = normalBlock(run, i)) {
    putNormal(normals, lane, kBlockLanes, skin_.normals.data() + std::size_t{3} * vertex);
  }
  const std::span<const Influence> column = influences_[vertex];
  for (const Influence& influence : column) {
    const auto place =
        static_cast<std::size_t>(std::lower_bound(bones.begin(), bones.end(), influence.joint) - bones.begin());
    if (place > 0) block[(2 + place) * kBlockLanes + lane] = static_cast<float>(influence.weight);
    if (&influence == column.data()) {
      layout_.pivots[run.firstBlock * std::size_t{kBlockLanes} + i] = static_cast<std::uint8_t>(place);
    }
  }
  if (!layout_.normals.empty() && run.bones <= kMostShortBones) putShortNormal(run, i);
}

void LayoutWriter::putShortNormal(const PackedRun& run, std::size_t i) {
  const std::size_t lane = i % kBlockLanes;
  const float* weights = restBlock(run, i) + 3 * kBlockLanes + lane;
  const std::int16_t* normal = normalBlock(run, i) + lane;
  std::int16_t* block =
      layout_.shortNormals.data() + run.firstShort + i / kBlockLanes * shortNormalShorts(run.bones) + lane;
  const auto [x, y] = shortNormal(normal[0], normal[kBlockLanes], normal[2 * kBlockLanes]);
  block[0] = x;
  block[kBlockLanes] = y;
  for (std::size_t j = 1; j < run.bones; ++j) {
    const float weight = weights[(j - 1) * kBlockLanes];
    block[(1 + j) * kBlockLanes] =
        static_cast<std::int16_t>(std::lround(32767.0f * (run.bones == 2 ? 2.0f * weight - 1.0f : weight)));
  }
}

void LayoutWriter::putPerVertex(const PackedRun& run, std::size_t i, std::uint32_t vertex) {
  const std::size_t lane = i % kBlockLanes;
  float* block = restBlock(run, i);
  putVector(block, 3 * lane, 1, skin_.positions.data() + std::size_t{3} * vertex);
  if (std::int16_t* normals = normalBlock(run, i)) {
    putNormal(normals, 3 * lane, 1, skin_.normals.data() + std::size_t{3} * vertex);
  }
  const std::span<const Influence> column = influences_[vertex];
  float* weights = block + (3 * kBlockLanes) + lane * run.bones;
  float* bones = block + std::size_t{3u + run.bones} * kBlockLanes;
  for (std::size_t j = 0; j < column.size(); ++j) {
    weights[j] = static_cast<float>(column[j].weight);
    const auto bone = static_cast<std::uint16_t>(column[j].joint);
    // Memory of floats holds 16-bit numbers here: moved by bytes, as the kernels read it.
    std::memcpy(reinterpret_cast<std::byte*>(bones) + (lane * run.bones + j) * sizeof(bone), &bone, sizeof(bone));
  }
}

}  // namespace sinew::play
