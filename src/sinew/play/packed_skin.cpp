// Packing: influences are checked (packing/influences.cpp), vertices grouped by joint set (packing/bone_sets.cpp), then
// written block by block (packing/layout_writer.cpp).
#include "sinew/play/packed_skin.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>

#include "sinew/play/kernels/instruction_set.h"
#include "sinew/play/packing/layout_writer.h"
#include "sinew/play/packing/refuse.h"

namespace sinew::play {
namespace {

constexpr const char* kPackedSkinWhere = "packed skin";
constexpr std::size_t kMostJoints = 65536;
constexpr std::size_t kMostVertices = std::size_t{1} << 31;

void checkFinite(std::span<const double> numbers, const char* what) {
  const auto bad = std::find_if(numbers.begin(), numbers.end(), [](double number) { return !std::isfinite(number); });
  require(bad == numbers.end(), kPackedSkinWhere, what, " of vertex ", (bad - numbers.begin()) / 3, " is not finite");
}

void checkStarts(const SkinArrays<double>& skin, std::size_t vertices) {
  if (skin.starts.empty()) {
    require(vertices == 0 ? skin.weights.empty() : skin.weights.size() % vertices == 0, kPackedSkinWhere, "there are ",
            skin.weights.size(), " weights for ", vertices, " vertices; give every vertex equally many, or `starts`");
    return;
  }
  require(skin.starts.size() == vertices + 1, kPackedSkinWhere, "the mesh has ", vertices,
          " vertices and the weights cover ", skin.starts.size() - 1);
  require(skin.starts.front() == 0 && skin.starts.back() == skin.weights.size() &&
              std::is_sorted(skin.starts.begin(), skin.starts.end()),
          kPackedSkinWhere, "`starts` must rise from 0 to the number of weights, ", skin.weights.size());
}

void checkInput(const SkinArrays<double>& skin, std::span<const VertexClass> classes, const PackOptions& options) {
  const std::size_t vertices = skin.positions.size() / 3;
  require(skin.positions.size() % 3 == 0, kPackedSkinWhere, "there are ", skin.positions.size(),
          " numbers of positions; give x y z per vertex");
  require(vertices <= kMostVertices, kPackedSkinWhere, "the mesh has ", vertices, " vertices, more than ",
          kMostVertices);
  require(skin.normals.empty() || skin.normals.size() == skin.positions.size(), kPackedSkinWhere, "there are ",
          skin.normals.size() / 3, " normals for ", vertices, " vertices; give one per vertex or none");
  require(skin.joints.size() == skin.weights.size(), kPackedSkinWhere, "there are ", skin.joints.size(), " joints for ",
          skin.weights.size(), " weights; give one per weight");
  require(skin.jointCount <= kMostJoints, kPackedSkinWhere, "the skin has ", skin.jointCount, " joints, more than ",
          kMostJoints, "; split the mesh");
  checkStarts(skin, vertices);
  require(options.leastRun >= 1, kPackedSkinWhere, "leastRun is ", options.leastRun, "; it must be 1 or more");
  require(options.wantedRun >= options.leastRun, kPackedSkinWhere, "wantedRun is ", options.wantedRun,
          ", less than leastRun ", options.leastRun);
  require(options.mostMerged >= 1 && options.mostMerged <= kMostRunBones, kPackedSkinWhere, "mostMerged is ",
          options.mostMerged, "; it must be 1 to ", kMostRunBones);
  require(classes.empty() || classes.size() == vertices, kPackedSkinWhere, "there are ", classes.size(),
          " classes for ", vertices, " vertices; give one per vertex or none");
  checkFinite(skin.positions, "the position");
  checkFinite(skin.normals, "the normal");
}

std::size_t findSet(std::string_view name) {
  std::string known;
  for (std::size_t set = 0; set < kernels::kInstructionSets; ++set) {
    const char* has = kernels::machineHas(set) ? kernels::instructionSetName(set) : nullptr;
    if (has == nullptr) continue;
    if (name.empty() || name == has) return set;
    known += known.empty() ? has : std::string(", ") + has;
  }
  require(false, kPackedSkinWhere, "this machine has no instruction set '", name, "'; it has ", known);
  return 0;
}

/// Vertices of each class, ascending, by the number of the class.
std::map<std::uint32_t, std::vector<std::uint32_t>> verticesByClass(std::size_t vertexCount,
                                                                    std::span<const VertexClass> classes) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> result;
  for (std::uint32_t v = 0; v < vertexCount; ++v) result[classes.empty() ? 0 : classes[v].run].push_back(v);
  return result;
}

/// Brings vertices into the order that their classes ask for.
void sortByPlace(BoneGroups& groups, std::span<const VertexClass> classes) {
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
  report.runs += groups.runs.size();
  for (const BoneGroup& run : groups.runs) {
    report.verticesInRuns += run.vertices.size();
    report.verticesMerged += run.merged;
    blended += static_cast<double>(run.vertices.size() * run.bones.size());
  }
}

void finishReport(const PackedLayout& layout, const Influences& influences, double blended, PackReport& report) {
  report.vertices = layout.vertexCount;
  if (report.vertices == 0) return;
  const auto vertices = static_cast<double>(report.vertices);
  const auto perVertex = [&](std::size_t bytes) { return static_cast<double>(bytes) / vertices; };
  report.meanInfluences = perVertex(influences.givenCount());
  report.meanRunInfluences = report.verticesInRuns > 0 ? blended / static_cast<double>(report.verticesInRuns) : 0;
  report.bytesPerVertex = perVertex(layout.rest.size() * sizeof(float));
  report.bytesPerNormal = perVertex(layout.normals.size() * sizeof(std::int16_t));
  report.bytesPerPackedNormal = perVertex(layout.shortNormals.size() * sizeof(std::int16_t));
}

/// The arrays of a skin in double, for as long as it is packed.
struct Widened {
  explicit Widened(const SkinArrays<float>& skin)
      : positions(skin.positions.begin(), skin.positions.end()),
        normals(skin.normals.begin(), skin.normals.end()),
        weights(skin.weights.begin(), skin.weights.end()),
        arrays{positions, normals, skin.jointCount, skin.joints, weights, skin.starts} {}

  std::vector<double> positions;
  std::vector<double> normals;
  std::vector<double> weights;
  SkinArrays<double> arrays;
};

}  // namespace

PackedSkin::PackedSkin(const SkinArrays<float>& skin, const PackOptions& options)
    : PackedSkin(Widened(skin).arrays, {}, options) {}

PackedSkin::PackedSkin(const SkinArrays<double>& skin, const PackOptions& options) : PackedSkin(skin, {}, options) {}

PackedSkin::PackedSkin(const SkinArrays<double>& skin, std::span<const VertexClass> classes,
                       const PackOptions& options) {
  checkInput(skin, classes, options);
  const auto layout = std::make_shared<PackedLayout>();
  layout->instructionSet = findSet(options.instructionSet);
  layout->jointCount = skin.jointCount;
  layout->vertexCount = skin.positions.size() / 3;
  const Influences influences(skin, kPackedSkinWhere);
  LayoutWriter writer(skin, influences, *layout);
  double blended = 0;
  for (const auto& [vertexClass, vertices] : verticesByClass(layout->vertexCount, classes)) {
    BoneGroups groups = groupByBones(influences, vertices, skin.jointCount, options);
    sortByPlace(groups, classes);
    writer.setClass(vertexClass);
    for (const BoneGroup& run : groups.runs) writer.addShared(run);
    writer.addAlone(groups.alone);
    count(groups, report_, blended);
  }
  finishReport(*layout, influences, blended, report_);
  layout_ = layout;
}

std::size_t PackedSkin::vertexCount() const {
  return layout_->vertexCount;
}

std::size_t PackedSkin::jointCount() const {
  return layout_->jointCount;
}

bool PackedSkin::hasNormals() const {
  return !layout_->normals.empty();
}

std::span<const std::uint32_t> PackedSkin::order() const {
  return layout_->order;
}

std::vector<std::uint32_t> PackedSkin::placeOfVertex() const {
  std::vector<std::uint32_t> place(layout_->vertexCount);
  // From the end, so that the first of repeated places stays.
  for (std::size_t i = layout_->order.size(); i-- > 0;) place[layout_->order[i]] = static_cast<std::uint32_t>(i);
  return place;
}

std::string_view PackedSkin::instructionSet() const {
  return kernels::instructionSetName(layout_->instructionSet);
}

std::string PackReport::text() const {
  const double merged =
      vertices > 0 ? 100.0 * static_cast<double>(verticesMerged) / static_cast<double>(vertices) : 0.0;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::fixed << std::setprecision(1) << vertices << " vertices, " << runs << " runs with "
       << 100 * shareInRuns() << " % of them (" << merged << " % merged), " << std::setprecision(2) << meanInfluences
       << " influences per vertex, " << std::setprecision(1) << bytesPerVertex << " bytes read per vertex";
  return text.str();
}

std::vector<std::string_view> instructionSets() {
  std::vector<std::string_view> names;
  for (std::size_t set = 0; set < kernels::kInstructionSets; ++set) {
    const char* name = kernels::machineHas(set) ? kernels::instructionSetName(set) : nullptr;
    if (name != nullptr) names.emplace_back(name);
  }
  return names;
}

}  // namespace sinew::play
