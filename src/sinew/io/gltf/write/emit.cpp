#include "sinew/io/gltf/write/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kMostSmallIndices = 65535;  // 65535 itself restarts primitives

Eigen::Matrix3Xf gathered(const Points& points, VertexList vertices) {
  Eigen::Matrix3Xf columns(3, static_cast<Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    columns.col(static_cast<Index>(i)) = points.col(vertices[i]).cast<float>();
  }
  return columns;
}

std::vector<int> parentsOf(const Json& nodes) {
  std::vector<int> parents(nodes.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const Json& child : listOf(nodes[i], "children", "nodes")) {
      parents[indexOf(child, nodes.size(), "nodes")] = static_cast<int>(i);
    }
  }
  return parents;
}

int depthOf(const std::vector<int>& parents, int node) {
  int depth = 0;
  for (; node >= 0; node = parents[toSize(node)]) ++depth;
  return depth;
}

}  // namespace

std::size_t addPositions(Store& store, const Points& points, VertexList vertices) {
  return store.addFloats(gathered(points, vertices), Usage::Vertex, true);
}

std::size_t addNormals(Store& store, const Points& normals, VertexList vertices) {
  Eigen::Matrix3Xf columns(3, static_cast<Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vec3 normal = normals.col(vertices[i]);
    const double length = normal.norm();
    columns.col(static_cast<Index>(i)) =
        (length > 0 && std::isfinite(length) ? Vec3(normal / length) : Vec3::UnitZ()).cast<float>();
  }
  return store.addFloats(columns, Usage::Vertex, false);
}

std::size_t addIndices(Store& store, std::span<const std::uint32_t> indices, std::size_t vertexCount) {
  const Component component = vertexCount <= kMostSmallIndices ? Component::UnsignedShort : Component::UnsignedInt;
  return store.addWhole(indices, 1, component, Usage::Index);
}

std::uint32_t SkinSlots::slotFor(const Binding& binding) {
  const auto same = [&](const Binding& other) {
    return other.joint == binding.joint && other.jointFromRest.matrix() == binding.jointFromRest.matrix();
  };
  if (const auto found = std::find_if(slots_.begin(), slots_.end(), same); found != slots_.end()) {
    return static_cast<std::uint32_t>(found - slots_.begin());
  }
  if (const auto found = std::find_if(doubledBindings_.begin(), doubledBindings_.end(), same);
      found != doubledBindings_.end()) {
    return doubledSlots_[toSize(found - doubledBindings_.begin())];
  }
  const auto slot = static_cast<std::uint32_t>(slots_.size());
  const bool taken =
      std::any_of(slots_.begin(), slots_.end(), [&](const Binding& other) { return other.joint == binding.joint; });
  if (!taken) {
    slots_.push_back(binding);
    return slot;
  }
  Json& nodes = root_["nodes"];
  const auto child = static_cast<int>(nodes.size());
  Json& joint = nodes[toSize(binding.joint)];
  const std::string name = fmt::format("{}_bind{}", optionalText(joint, "name", "nodes"), child);
  joint["children"].push_back(child);
  nodes.push_back(Json{{"name", name}});
  doubledBindings_.push_back(binding);
  doubledSlots_.push_back(slot);
  slots_.push_back({child, binding.jointFromRest});
  return slot;
}

void SkinSlots::writeTo(Json& skin, Store& store) const {
  Json joints = Json::array();
  Eigen::MatrixXf matrices(16, static_cast<Index>(slots_.size()));
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    joints.push_back(slots_[s].joint);
    Eigen::Matrix4f matrix = Eigen::Matrix4f::Identity();
    matrix.topRows<3>() = slots_[s].jointFromRest.matrix().cast<float>();
    matrices.col(static_cast<Index>(s)) = Eigen::Map<const Eigen::VectorXf>(matrix.data(), 16);
  }
  skin["joints"] = std::move(joints);
  skin["inverseBindMatrices"] = store.addFloats(matrices, Usage::Other, false);
}

std::vector<std::uint32_t> usedBindings(const SkinWeights& weights, VertexList vertices) {
  std::vector<bool> used(weights.bindingCount(), false);
  for (const std::uint32_t vertex : vertices) {
    for (const Influence& influence : weights[vertex]) used[influence.binding] = true;
  }
  std::vector<std::uint32_t> bindings;
  for (std::uint32_t b = 0; b < used.size(); ++b) {
    if (used[b]) bindings.push_back(b);
  }
  return bindings;
}

int commonAncestor(const Json& allNodes, std::span<const Binding> slots) {
  if (slots.empty()) return -1;
  const std::vector<int> parents = parentsOf(allNodes);
  const auto up = [&parents](int node) { return parents[toSize(node)]; };
  int common = slots.front().joint;
  int commonDepth = depthOf(parents, common);
  for (const Binding& slot : slots) {
    int node = slot.joint;
    for (int depth = depthOf(parents, node); depth > commonDepth; --depth) node = up(node);
    // Both climb until they meet; above the roots they meet at -1.
    const int nodeDepth = depthOf(parents, node);
    for (; commonDepth > nodeDepth; --commonDepth) common = up(common);
    while (common != node) {
      common = up(common);
      node = up(node);
      --commonDepth;
    }
    if (common < 0) return -1;
  }
  return common;
}

void setTransform(Json& node, const LocalTransform& local) {
  const auto set = [&node](const char* key, bool plain, std::initializer_list<double> numbers) {
    if (plain) {
      node.erase(key);
    } else {
      node[key] = Json::array();
      for (const double number : numbers) node[key].push_back(number);
    }
  };
  const Vec3& t = local.translation;
  const Quat& r = local.rotation;
  const Vec3& s = local.scale;
  node.erase("matrix");
  set("translation", t.isZero(0), {t.x(), t.y(), t.z()});
  set("rotation", r.coeffs() == Quat::Identity().coeffs(), {r.x(), r.y(), r.z(), r.w()});
  set("scale", s == Vec3::Ones(), {s.x(), s.y(), s.z()});
}

}  // namespace sinew::gltf
