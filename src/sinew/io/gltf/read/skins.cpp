// Skins to bindings, JOINTS_n and WEIGHTS_n to weights. Bindings of all skins are consecutive; a part without a skin is
// bound with weight 1 to a further binding of the node that places it, so posing gives world space.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sinew/io/gltf/read/read.h"

namespace sinew::gltf {
namespace {

constexpr double kSumTolerance = 1e-3;
constexpr double kRounding = 1e-12;  // whole numbers over 255 sum to 1 but for this

/// Faults of one kind over all vertices of a file, reported in one sentence.
struct WeightFault {
  Index count = 0;
  Index firstVertex = 0;
  double firstValue = 0;

  void add(Index vertex, double value) {
    if (count++ > 0) return;
    firstVertex = vertex;
    firstValue = value;
  }
};

struct WeightFaults {
  WeightFault notFinite;
  WeightFault negative;
  WeightFault zeroSum;
  WeightFault otherSum;
};

struct InfluenceSet {
  AccessorView joints;
  AccessorView weights;
};

std::vector<Binding> readSkin(Reading& reading, std::size_t index) {
  const std::string where = fmt::format("skins[{}]", index);
  const Json& skin = reading.list("skins")[index];
  const Json& joints = listOf(skin, "joints", where);
  if (joints.empty()) refuse(fmt::format("{}.joints is missing or empty; export the file again", where));
  std::vector<Binding> bindings;
  bindings.reserve(joints.size());
  for (const Json& joint : joints) {
    bindings.push_back({static_cast<int>(indexOf(joint, reading.list("nodes").size(), where + ".joints")),
                        Affine::Identity(), static_cast<int>(index)});
  }
  const Json* reference = find(skin, "inverseBindMatrices");
  if (reference == nullptr) return bindings;
  const AccessorView view = reading.open(*reference, where + ".inverseBindMatrices");
  checkType(view, 16, {Component::Float});
  if (view.count < bindings.size()) {
    refuse(fmt::format("{} has {} matrices for {} joints; export the file again", view.where, view.count,
                       bindings.size()));
  }
  Eigen::MatrixXd matrices(16, static_cast<Index>(view.count));
  decodeNumbers(view, matrices.data());
  reading.mendNumbers(matrices.data(), toSize(matrices.size()), 16, view.where, "matrix");
  for (std::size_t b = 0; b < bindings.size(); ++b) {
    const Eigen::Map<const Eigen::Matrix4d> matrix(matrices.data() + 16 * b);
    bindings[b].jointFromRest.matrix() = matrix.topRows<3>();
  }
  return bindings;
}

std::vector<InfluenceSet> openSets(Reading& reading, const PrimitiveSource& source) {
  const Json& attributes = *find(*source.json, "attributes");
  std::vector<InfluenceSet> sets;
  for (std::size_t n = 0;; ++n) {
    const std::string joints = fmt::format("JOINTS_{}", n);
    const std::string weights = fmt::format("WEIGHTS_{}", n);
    const Json* jointReference = find(attributes, joints.c_str());
    const Json* weightReference = find(attributes, weights.c_str());
    if (jointReference == nullptr && weightReference == nullptr) return sets;
    if (jointReference == nullptr || weightReference == nullptr) {
      refuse(
          fmt::format("{}.attributes has only one of {} and {}; export the file again", source.where, joints, weights));
    }
    InfluenceSet set{reading.open(*jointReference, fmt::format("{}.attributes.{}", source.where, joints)),
                     reading.open(*weightReference, fmt::format("{}.attributes.{}", source.where, weights))};
    checkType(set.joints, 4, {Component::UnsignedByte, Component::UnsignedShort});
    checkType(set.weights, 4, {Component::UnsignedByte, Component::UnsignedShort, Component::Float});
    if (set.weights.component != Component::Float && !set.weights.normalized) {
      refuse(
          fmt::format("{} has integers that are not marked as normalized; export the file again", set.weights.where));
    }
    sets.push_back(std::move(set));
  }
}

/// Weights of one part, appended to the columns. Values are repaired as they come; the faults are reported at the end.
class PartWeights {
 public:
  PartWeights(std::vector<std::uint32_t>& offsets, std::vector<Influence>& influences, WeightFaults& faults)
      : offsets_(offsets), influences_(influences), faults_(faults) {}

  void addRigid(Index count, std::uint32_t binding) {
    for (Index v = 0; v < count; ++v) {
      influences_.push_back({binding, 1.0});
      offsets_.push_back(static_cast<std::uint32_t>(influences_.size()));
    }
  }

  void addSkinned(const MeshPart& part, const std::vector<InfluenceSet>& sets, std::size_t firstBinding,
                  std::size_t bindings) {
    const auto count = toSize(part.vertexCount);
    std::vector<std::vector<std::uint32_t>> joints;
    std::vector<std::vector<double>> weights;
    for (const InfluenceSet& set : sets) {
      joints.push_back(decodeWhole(set.joints));
      for (std::size_t i = 0; i < joints.back().size(); ++i) {
        if (joints.back()[i] >= bindings) {
          refuse(
              fmt::format("{} refers to joint {} at vertex {}, but the skin has {} joints; bind the mesh again in your "
                          "modelling tool",
                          set.joints.where, joints.back()[i], part.firstVertex + static_cast<Index>(i / 4), bindings));
        }
      }
      weights.emplace_back(4 * count);
      decodeNumbers(set.weights, weights.back().data());
    }
    for (std::size_t v = 0; v < count; ++v) {
      const std::size_t begin = influences_.size();
      double sum = 0;
      for (std::size_t s = 0; s < sets.size(); ++s) {
        for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
          const double weight = mended(weights[s][k], part.firstVertex + static_cast<Index>(v));
          if (weight == 0) continue;
          sum += weight;
          addInfluence(begin, static_cast<std::uint32_t>(firstBinding + joints[s][k]), weight);
        }
      }
      finishVertex(part.firstVertex + static_cast<Index>(v), begin, sum,
                   static_cast<std::uint32_t>(firstBinding + joints[0][4 * v]));
    }
  }

 private:
  double mended(double weight, Index vertex) {
    if (!std::isfinite(weight)) {
      faults_.notFinite.add(vertex, weight);
      return 0;
    }
    if (weight < 0) {
      faults_.negative.add(vertex, weight);
      return 0;
    }
    return weight;
  }

  /// A joint named twice by one vertex has the sum of both weights.
  void addInfluence(std::size_t begin, std::uint32_t binding, double weight) {
    for (std::size_t i = begin; i < influences_.size(); ++i) {
      if (influences_[i].binding != binding) continue;
      influences_[i].weight += weight;
      return;
    }
    influences_.push_back({binding, weight});
  }

  void finishVertex(Index vertex, std::size_t begin, double sum, std::uint32_t firstJoint) {
    if (!(sum > 0)) {
      faults_.zeroSum.add(vertex, sum);
      influences_.resize(begin);
      influences_.push_back({firstJoint, 1.0});
    } else {
      if (std::abs(sum - 1) > kSumTolerance) faults_.otherSum.add(vertex, sum);
      if (std::abs(sum - 1) > kRounding) {
        for (std::size_t i = begin; i < influences_.size(); ++i) influences_[i].weight /= sum;
      }
    }
    offsets_.push_back(static_cast<std::uint32_t>(influences_.size()));
  }

  std::vector<std::uint32_t>& offsets_;
  std::vector<Influence>& influences_;
  WeightFaults& faults_;
};

void tellFaults(Reading& reading, const WeightFaults& faults) {
  struct Row {
    const WeightFault& fault;
    const char* what;
    const char* mended;
  };
  const std::array rows = {
      Row{faults.notFinite, "a weight that is not a finite number", "such weights were read as 0"},
      Row{faults.negative, "a negative weight", "such weights were read as 0"},
      Row{faults.zeroSum, "weights that sum to 0", "such vertices were bound to their first joint"}};
  for (const Row& row : rows) {
    if (row.fault.count == 0) continue;
    reading.fault(fmt::format("vertex {} has {} ({}; {} in total)", row.fault.firstVertex, row.what,
                              row.fault.firstValue, row.fault.count),
                  "normalise the weights in your modelling tool", row.mended);
  }
  if (faults.otherSum.count > 0) {
    reading.problems.push_back(
        fmt::format("The weights of vertex {} sum to {} instead of 1 ({} vertices in total); they were normalised.",
                    faults.otherSum.firstVertex, faults.otherSum.firstValue, faults.otherSum.count));
  }
}

}  // namespace

void readSkins(Reading& reading) {
  Character& character = reading.character;
  const Json& skins = reading.list("skins");
  std::vector<Binding>& bindings = character.skin.bindings;
  for (std::size_t s = 0; s < skins.size(); ++s) {
    reading.firstBinding.push_back(bindings.size());
    const std::vector<Binding> own = readSkin(reading, s);
    bindings.insert(bindings.end(), own.begin(), own.end());
  }
  reading.firstBinding.push_back(bindings.size());
  if (character.skeleton.empty() || character.mesh.vertexCount() == 0) return;

  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  offsets.reserve(toSize(character.mesh.vertexCount()) + 1);
  influences.reserve(4 * toSize(character.mesh.vertexCount()));
  WeightFaults faults;
  PartWeights columns(offsets, influences, faults);
  std::map<int, std::uint32_t> rigidBinding;
  for (std::size_t i = 0; i < character.mesh.parts.size(); ++i) {
    const MeshPart& part = character.mesh.parts[i];
    if (part.skinned) {
      const std::size_t skin = *reading.placements[reading.primitives[i].mesh].skin;
      columns.addSkinned(part, openSets(reading, reading.primitives[i]), reading.firstBinding[skin],
                         reading.firstBinding[skin + 1] - reading.firstBinding[skin]);
      continue;
    }
    // A mesh without a node is bound to the first node: weights must cover every vertex.
    const int node = std::max(part.node, 0);
    const auto [found, isNew] = rigidBinding.try_emplace(node, static_cast<std::uint32_t>(bindings.size()));
    if (isNew) bindings.push_back({node, Affine::Identity(), /*skin=*/-1});
    columns.addRigid(part.vertexCount, found->second);
  }
  tellFaults(reading, faults);
  character.skin.weights = SkinWeights(bindings.size(), std::move(offsets), std::move(influences));
}

}  // namespace sinew::gltf
