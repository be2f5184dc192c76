// Packing: vertices grouped by joint set (bone_sets.cpp), then written block by block. In a run with joints 0 .. K-1
// only the weights 1 .. K-1 are stored: with D_j = M_j - M_0, sum_j w_j M_j = M_0 + sum_{j>0} w_j D_j, which saves the
// bytes of a weight and the products of a matrix.
#include "sinew/play/packed_skin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "sinew/base/check.h"
#include "sinew/play/bone_sets.h"

namespace sinew {
namespace {

constexpr const char* kWhere = "packed skin";
constexpr std::size_t kMostBindings = 65536;

void checkInput(const ConstPointsRef& rest, const ConstPointsRef& normals, const SkinWeights& weights,
                const PackOptions& options) {
  SINEW_CHECK(rest.cols() == weights.vertexCount(), kWhere,
              fmt::format("the mesh has {} vertices and the weights cover {}", rest.cols(), weights.vertexCount()));
  SINEW_CHECK(
      normals.cols() == 0 || normals.cols() == rest.cols(), kWhere,
      fmt::format("there are {} normals for {} vertices; give one per vertex or none", normals.cols(), rest.cols()));
  SINEW_CHECK(
      weights.bindingCount() <= kMostBindings, kWhere,
      fmt::format("the skin has {} joints, more than {}; split the mesh", weights.bindingCount(), kMostBindings));
  SINEW_CHECK(options.leastRun >= 1, kWhere, fmt::format("leastRun is {}, it must be 1 or more", options.leastRun));
  SINEW_CHECK(options.wantedRun >= options.leastRun, kWhere,
              fmt::format("wantedRun is {}, less than leastRun {}", options.wantedRun, options.leastRun));
  SINEW_CHECK(options.mostMerged >= 1 && options.mostMerged <= kMostRunBones, kWhere,
              fmt::format("mostMerged is {}, it must lie in 1 .. {}", options.mostMerged, kMostRunBones));
  SINEW_CHECK(options.classes.empty() || static_cast<Index>(options.classes.size()) == rest.cols(), kWhere,
              fmt::format("there are {} classes for {} vertices; give one per vertex or none", options.classes.size(),
                          rest.cols()));
  checkFinite(rest, kWhere, "the mesh");
  checkFinite(normals, kWhere, "the normals");
}

/// The influences that a float sum can see, scaled to sum 1.
struct Visible {
  std::span<const Influence> column;
  double scale = 1;
};

Visible visibleInfluences(const SkinWeights& weights, std::uint32_t vertex) {
  auto column = weights[static_cast<Index>(vertex)];
  double sum = 0;
  std::size_t count = 0;
  for (; count < column.size() && column[count].weight >= kLeastWeight; ++count) sum += column[count].weight;
  return {column.first(count), count < column.size() ? 1 / sum : 1.0};
}

/// Writes runs one after the other.
class LayoutWriter {
 public:
  LayoutWriter(const ConstPointsRef& rest, const ConstPointsRef& normals, const SkinWeights& weights,
               PackedLayout& layout)
      : rest_(rest), normals_(normals), weights_(weights), layout_(layout) {}

  /// Of the runs that are added from now on.
  void setClass(std::uint32_t vertexClass) { vertexClass_ = vertexClass; }

  void addShared(const BoneGroup& group) {
    PackedRun& run = addRun(RunKind::Shared, group.bones.size(), group.vertices);
    run.firstBone = static_cast<std::uint32_t>(layout_.bones.size());
    layout_.bones.insert(layout_.bones.end(), group.bones.begin(), group.bones.end());
    forEachLane(run, [&](std::size_t i, std::uint32_t vertex) { putShared(run, group.bones, i, vertex); });
  }

  void addPerVertex(std::size_t influences, std::span<const std::uint32_t> vertices) {
    const PackedRun& run = addRun(RunKind::PerVertex, influences, vertices);
    forEachLane(run, [&](std::size_t i, std::uint32_t vertex) { putPerVertex(run, i, vertex); });
  }

 private:
  PackedRun& addRun(RunKind kind, std::size_t bones, std::span<const std::uint32_t> vertices) {
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
    if (normals_.cols() > 0) {
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
  void forEachLane(const PackedRun& run, const Put& put) const {
    const std::uint32_t* order = layout_.order.data() + std::size_t{run.firstBlock} * kBlockLanes;
    for (std::size_t i = 0; i < std::size_t{run.blockCount()} * kBlockLanes; ++i) put(i, order[i]);
  }

  /// The floats of the block that holds vertex i of a run.
  float* restBlock(const PackedRun& run, std::size_t i) {
    return layout_.rest.data() + run.firstFloat + i / kBlockLanes * run.floatsPerBlock();
  }
  std::int16_t* normalBlock(const PackedRun& run, std::size_t i) {
    if (layout_.normals.empty()) return nullptr;
    return layout_.normals.data() + (run.firstBlock + i / kBlockLanes) * kNormalShorts;
  }

  static void putVector(float* block, std::size_t first, std::size_t step, const Vec3& v) {
    for (int c = 0; c < 3; ++c) block[first + static_cast<std::size_t>(c) * step] = static_cast<float>(v[c]);
  }

  static void putNormal(std::int16_t* block, std::size_t first, std::size_t step, const Vec3& v) {
    const double length = v.norm();
    const Vec3 scaled = length > 0 ? Vec3(v * (kNormalScale / length)) : Vec3(Vec3::Zero());
    for (int c = 0; c < 3; ++c) {
      block[first + static_cast<std::size_t>(c) * step] = static_cast<std::int16_t>(std::lround(scaled[c]));
    }
  }

  void putShared(const PackedRun& run, const std::vector<std::uint16_t>& bones, std::size_t i, std::uint32_t vertex) {
    const std::size_t lane = i % kBlockLanes;
    float* block = restBlock(run, i);
    putVector(block, lane, kBlockLanes, rest_.col(vertex));
    if (std::int16_t* normals = normalBlock(run, i)) {
      putNormal(normals, lane, kBlockLanes, normals_.col(vertex));
    }
    const Visible visible = visibleInfluences(weights_, vertex);
    for (const Influence& influence : visible.column) {
      const auto place =
          static_cast<std::size_t>(std::lower_bound(bones.begin(), bones.end(), influence.binding) - bones.begin());
      if (place > 0) block[(2 + place) * kBlockLanes + lane] = static_cast<float>(influence.weight * visible.scale);
      if (&influence == visible.column.data()) {
        layout_.pivots[run.firstBlock * std::size_t{kBlockLanes} + i] = static_cast<std::uint8_t>(place);
      }
    }
    if (!layout_.normals.empty() && run.bones <= kMostShortBones) putShortNormal(run, i);
  }

  /// After the normal and the weights.
  void putShortNormal(const PackedRun& run, std::size_t i) {
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

  static std::pair<std::int16_t, std::int16_t> shortNormal(int x, int y, int z) {
    constexpr int kUnit = 1 << kShortNormalBits;
    constexpr int kZUnit = 1 << (16 - 2 * kShortNormalBits);
    // Of a number whose lowest bits are given, the one nearest to `wanted`. kNormalScale leaves room for rounding up.
    const auto nearest = [](int wanted, int lowest) {
      return static_cast<std::int16_t>(std::lround(static_cast<double>(wanted - lowest) / kUnit) * kUnit + lowest);
    };
    const int zSteps = static_cast<int>(std::lround(static_cast<double>(z) / kZUnit)) & (kUnit * kUnit - 1);
    return {nearest(x, zSteps / kUnit), nearest(y, zSteps % kUnit)};
  }

  void putPerVertex(const PackedRun& run, std::size_t i, std::uint32_t vertex) {
    const std::size_t lane = i % kBlockLanes;
    float* block = restBlock(run, i);
    putVector(block, 3 * lane, 1, rest_.col(vertex));
    if (std::int16_t* normals = normalBlock(run, i)) putNormal(normals, 3 * lane, 1, normals_.col(vertex));
    const Visible visible = visibleInfluences(weights_, vertex);
    float* weights = block + (3 * kBlockLanes) + lane * run.bones;
    float* bones = block + std::size_t{3u + run.bones} * kBlockLanes;
    for (std::size_t j = 0; j < visible.column.size(); ++j) {
      weights[j] = static_cast<float>(visible.column[j].weight * visible.scale);
      const auto bone = static_cast<std::uint16_t>(visible.column[j].binding);
      // Memory of floats holds 16-bit numbers here: moved by bytes, as the kernels read it.
      std::memcpy(reinterpret_cast<std::byte*>(bones) + (lane * run.bones + j) * sizeof(bone), &bone, sizeof(bone));
    }
  }

  const ConstPointsRef& rest_;
  const ConstPointsRef& normals_;
  const SkinWeights& weights_;
  PackedLayout& layout_;
  std::uint32_t vertexClass_ = 0;
};

/// Single vertices by the next multiple of 4 influences: one stretch each for up to 4, up to 8 and so on.
void addAlone(const std::vector<std::uint32_t>& alone, const SkinWeights& weights, LayoutWriter& writer) {
  std::vector<std::vector<std::uint32_t>> classes;
  for (const std::uint32_t vertex : alone) {
    const std::size_t quads = (visibleInfluences(weights, vertex).column.size() + 3) / 4;
    if (classes.size() <= quads) classes.resize(quads + 1);
    classes[quads].push_back(vertex);
  }
  for (std::size_t quads = 1; quads < classes.size(); ++quads) {
    if (!classes[quads].empty()) writer.addPerVertex(4 * quads, classes[quads]);
  }
}

/// Vertices of each class, ascending, by the number of the class.
std::map<std::uint32_t, std::vector<std::uint32_t>> verticesByClass(Index vertexCount, const PackOptions& options) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> result;
  for (std::uint32_t v = 0; v < vertexCount; ++v) {
    result[options.classes.empty() ? 0 : options.classes[v].run].push_back(v);
  }
  return result;
}

/// Brings vertices into the order that their classes ask for.
void sortByPlace(BoneGroups& groups, const std::vector<VertexClass>& classes) {
  if (classes.empty()) return;
  const auto sort = [&](std::vector<std::uint32_t>& vertices) {
    std::stable_sort(vertices.begin(), vertices.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return classes[a].place < classes[b].place; });
  };
  for (BoneGroup& run : groups.runs) sort(run.vertices);
  sort(groups.alone);
}

/// Counts the runs of one class into the report, and in `blended` the joints of their vertices.
void count(const BoneGroups& groups, PackReport& report, double& blended) {
  report.runs += static_cast<Index>(groups.runs.size());
  for (const BoneGroup& run : groups.runs) {
    report.verticesInRuns += static_cast<Index>(run.vertices.size());
    report.verticesMerged += run.merged;
    blended += static_cast<double>(run.vertices.size() * run.bones.size());
  }
}

void finishReport(const PackedLayout& layout, const SkinWeights& weights, double blended, PackReport& report) {
  report.vertices = weights.vertexCount();
  double given = 0;
  for (Index v = 0; v < weights.vertexCount(); ++v) given += static_cast<double>(weights[v].size());
  if (report.vertices == 0) return;
  const auto vertices = static_cast<double>(report.vertices);
  report.meanInfluences = given / vertices;
  report.meanRunInfluences = report.verticesInRuns > 0 ? blended / static_cast<double>(report.verticesInRuns) : 0;
  report.bytesPerVertex = static_cast<double>(layout.rest.size() * sizeof(float)) / vertices;
  report.bytesPerNormal = static_cast<double>(layout.normals.size() * sizeof(std::int16_t)) / vertices;
}

}  // namespace

PackedSkin::PackedSkin(const ConstPointsRef& rest, const ConstPointsRef& normals, const SkinWeights& weights,
                       const PackOptions& options) {
  checkInput(rest, normals, weights, options);
  layout_.bindingCount = weights.bindingCount();
  layout_.vertexCount = rest.cols();
  LayoutWriter writer(rest, normals, weights, layout_);
  double blended = 0;
  for (const auto& [vertexClass, vertices] : verticesByClass(rest.cols(), options)) {
    BoneGroups groups = groupByBones(weights, vertices, options);
    sortByPlace(groups, options.classes);
    writer.setClass(vertexClass);
    for (const BoneGroup& run : groups.runs) writer.addShared(run);
    addAlone(groups.alone, weights, writer);
    count(groups, report_, blended);
  }
  finishReport(layout_, weights, blended, report_);
}

std::vector<std::uint32_t> PackedSkin::placeOfVertex() const {
  std::vector<std::uint32_t> place(static_cast<std::size_t>(layout_.vertexCount));
  // From the end, so that the first of repeated places stays.
  for (std::size_t i = layout_.order.size(); i-- > 0;) place[layout_.order[i]] = static_cast<std::uint32_t>(i);
  return place;
}

std::string PackReport::text() const {
  return fmt::format(
      "{} vertices, {} runs with {:.1f} % of them ({:.1f} % merged), {:.2f} influences per vertex, {:.1f} bytes read "
      "per "
      "vertex",
      vertices, runs, 100 * shareInRuns(),
      vertices > 0 ? 100.0 * static_cast<double>(verticesMerged) / static_cast<double>(vertices) : 0.0, meanInfluences,
      bytesPerVertex);
}

}  // namespace sinew
