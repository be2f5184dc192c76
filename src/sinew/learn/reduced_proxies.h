// Proxies: the few positions at which a posed model compares deformation gradients, and the derivatives of weights
// there.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/character/skin.h"
#include "sinew/deform/reduced_model.h"

namespace sinew {

/// Derivatives of the weights in space, sparse: entries [start[v], start[v + 1]) belong to vertex v.
struct WeightGradients {
  struct Entry {
    std::uint32_t control = 0;
    Vec3 gradient = Vec3::Zero();
  };
  std::vector<std::uint32_t> start;
  std::vector<Entry> entries;  ///< of a vertex: ascending by control

  [[nodiscard]] std::span<const Entry> operator[](Index vertex) const {
    const auto v = toSize(vertex);
    return {entries.data() + start[v], entries.data() + start[v + 1]};
  }
};

/// Tangential gradients of the weights as linear functions on the triangles, averaged to vertices by area: constant
/// along the normal. They sum to zero over the controls. Unused vertices have none.
WeightGradients weightGradients(const Points& rest, std::span<const Triangle> triangles, const SkinWeights& weights);

struct ProxyResult {
  ReducedProxies proxies;
  Index groups = 0;                ///< sets of vertices with the same controls
  Eigen::VectorXd singularValues;  ///< of gradientMap at a rest diagonal of 2, largest first
  Index zeros = 0;                 ///< of them, below 1e-8 of the largest
};

/// As many proxies as there are groups, or as a step of posing with `examples` can afford: 450 with twelve or fewer,
/// 180 with thirty or more, but at least five per control.
ProxyResult makeProxies(const Points& rest, std::span<const Triangle> triangles, const SkinWeights& weights,
                        std::size_t examples);

/// Every used vertex as a proxy: what posing without proxies compares. `vertices` gets their numbers where it is given.
/// At most `most` of them, evenly spread over their numbers; 0: all.
ReducedProxies vertexProxies(const Points& rest, std::span<const Triangle> triangles, const SkinWeights& weights,
                             std::vector<std::uint32_t>* vertices = nullptr, Index most = 0);

/// Ghat, 3 J x 4 controls: gradients of all proxies from the stacked transposed transforms, row 4 i + k being column k
/// of [F_i | d_i].
Eigen::MatrixXd gradientMap(const ReducedProxies& proxies);

}  // namespace sinew
