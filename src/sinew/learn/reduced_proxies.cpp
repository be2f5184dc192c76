// Der, Sumner and Popovic 2006, section 5: vertices with the same controls make a group, and each group one proxy at
// their weighted mean (equation 4, with 1 - max alpha as the weight of a vertex). Departures: the paper leaves the
// derivatives of weights open; here they are tangential gradients on the surface. Groups of a single control, where
// equation 4 is 0 / 0, are weighed by area. Fitted weights use hundreds of sets of controls, of which most hold a few
// vertices: the largest groups make the proxies, and the others join the one whose weights are most like theirs.
#include "sinew/learn/reduced_proxies.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "sinew/base/parallel.h"
#include "sinew/character/mesh.h"
#include "sinew/math/decompositions.h"

namespace sinew {
namespace {

constexpr double kZero = 1e-8;
constexpr std::size_t kLeastVertices = 3;
constexpr std::size_t kProxiesPerControl = 5;  // a control has 12 unknowns, a proxy 9 conditions that neighbours share
constexpr std::size_t kFewProxies = 180;       // up to here a step of posing is quick with any number of examples,
constexpr std::size_t kMostProxies = 450;      // up to here with few: 0.2 ms with ten
constexpr std::size_t kMostProducts = 5400;    // proxies times examples, which a step of posing costs

std::size_t affordableProxies(std::size_t controls, std::size_t examples) {
  const std::size_t affordable =
      std::clamp(kMostProducts / std::max<std::size_t>(1, examples), kFewProxies, kMostProxies);
  return std::max(affordable, kProxiesPerControl * controls);
}

/// Gradients of the weights on one triangle, times its area, handed to `add(control, gradient)`.
template <class Add>
void triangleGradients(const Points& rest, const Triangle& t, const SkinWeights& weights, const Add& add) {
  const Vec3 e1 = rest.col(t[1]) - rest.col(t[0]);
  const Vec3 e2 = rest.col(t[2]) - rest.col(t[0]);
  const Vec3 normal = e1.cross(e2);
  const double squared = normal.squaredNorm();
  const double longest = std::max({e1.squaredNorm(), e2.squaredNorm(), (e2 - e1).squaredNorm()});
  // The gradient on a sliver is unreliable.
  if (!(squared > 1e-12 * longest * longest)) return;
  // g = ((a1 - a0)(e2 x n) + (a2 - a0)(n x e1)) / |n|^2, by corner: those of corners 1 and 2, and minus their sum.
  const double area = 0.5 * std::sqrt(squared);
  const Vec3 g1 = (area / squared) * e2.cross(normal);
  const Vec3 g2 = (area / squared) * normal.cross(e1);
  const std::array<Vec3, 3> corner{-g1 - g2, g1, g2};
  for (std::size_t k = 0; k < 3; ++k)
    for (const Influence& influence : weights[t[k]]) add(influence.binding, influence.weight * corner[k]);
}

Eigen::VectorXd vertexAreas(const Points& rest, std::span<const Triangle> triangles) {
  Eigen::VectorXd areas = Eigen::VectorXd::Zero(rest.cols());
  for (const Triangle& t : triangles) {
    const Vec3 e1 = rest.col(t[1]) - rest.col(t[0]);
    const Vec3 e2 = rest.col(t[2]) - rest.col(t[0]);
    const double area = 0.5 * e1.cross(e2).norm();
    for (const std::uint32_t v : t) areas[v] += area / 3;
  }
  return areas;
}

/// What vertices of a group have in common: their controls; and on a seam, where every vertex has one control and its
/// neighbours have others, those of its gradients.
struct GroupKey {
  std::vector<std::uint32_t> controls;
  std::vector<std::uint32_t> seam;
  friend auto operator<=>(const GroupKey&, const GroupKey&) = default;  // NOLINT(modernize-use-nullptr)
};
using Groups = std::map<GroupKey, std::vector<std::uint32_t>>;

Groups groupVertices(std::span<const Triangle> triangles, const SkinWeights& weights, const WeightGradients& gradients,
                     bool seams) {
  std::vector<std::uint8_t> used(toSize(weights.vertexCount()), 0);
  for (const Triangle& t : triangles)
    for (const std::uint32_t v : t) used[v] = 1;
  Groups groups;
  for (Index v = 0; v < weights.vertexCount(); ++v) {
    if (used[toSize(v)] == 0) continue;
    GroupKey key;
    for (const Influence& influence : weights[v]) key.controls.push_back(influence.binding);
    std::sort(key.controls.begin(), key.controls.end());
    if (seams && key.controls.size() == 1 && gradients[v].size() > 1)
      for (const WeightGradients::Entry& entry : gradients[v]) key.seam.push_back(entry.control);
    groups[std::move(key)].push_back(static_cast<std::uint32_t>(v));
  }
  return groups;
}

/// One proxy: a set of vertices, and whether their gradients count.
struct ProxyGroup {
  std::vector<std::uint32_t> vertices;
  bool single = false;  ///< all of them have one control
  bool seam = false;
};

/// Mean weights of a group, by area: ascending by control.
using MeanWeights = std::vector<std::pair<std::uint32_t, double>>;

MeanWeights meanWeights(const std::vector<std::uint32_t>& vertices, const Eigen::VectorXd& areas,
                        const SkinWeights& weights) {
  std::map<std::uint32_t, double> sums;
  double total = 0;
  for (const std::uint32_t v : vertices) {
    const double area = std::max(areas[v], 1e-300);
    total += area;
    for (const Influence& influence : weights[v]) sums[influence.binding] += area * influence.weight;
  }
  MeanWeights means(sums.begin(), sums.end());
  for (auto& [control, mean] : means) mean /= total;
  return means;
}

/// What two sets of weights have in common: 1 if they are equal, 0 if they share no control.
double overlap(const MeanWeights& a, const MeanWeights& b) {
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].first == b[j].first) sum += std::min(a[i].second, b[j].second);
    const bool first = a[i].first <= b[j].first;
    const bool second = b[j].first <= a[i].first;
    i += first ? 1 : 0;
    j += second ? 1 : 0;
  }
  return sum;
}

/// Which groups become proxies where there may be `most`: the largest of every control, then one after the other the
/// one whose weights are least like those of any before. So they spread over the blends, where posing needs them, and
/// not over the area.
std::vector<std::size_t> chosenGroups(const std::vector<const Groups::value_type*>& groups,
                                      const std::vector<MeanWeights>& means, std::size_t most,
                                      const Eigen::VectorXd& areas, std::size_t controls) {
  std::vector<std::size_t> chosen;
  if (groups.size() <= most) {
    chosen.resize(groups.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  std::vector<std::size_t> largest(controls, groups.size());
  std::vector<double> part(controls, 0.0);  // of its area that is the control's
  for (std::size_t g = 0; g < groups.size(); ++g) {
    double area = 0;
    for (const std::uint32_t v : groups[g]->second) area += areas[v];
    for (const auto& [control, mean] : means[g]) {
      if (area * mean <= part[control]) continue;
      part[control] = area * mean;
      largest[control] = g;
    }
  }
  std::vector<double> common(groups.size(), 0.0);  // with the chosen one that is most like it
  const auto choose = [&](std::size_t g) {
    chosen.push_back(g);
    for (std::size_t other = 0; other < groups.size(); ++other)
      common[other] = std::max(common[other], overlap(means[other], means[g]));
    common[g] = 2;
  };
  for (const std::size_t g : largest)
    if (g < groups.size() && common[g] < 2) choose(g);
  while (chosen.size() < most) choose(toSize(std::min_element(common.begin(), common.end()) - common.begin()));
  return chosen;
}

/// About `most` groups, which the others join. A group that shares no control with any of them stays by itself.
std::vector<ProxyGroup> joinedGroups(const std::vector<const Groups::value_type*>& groups, std::size_t most,
                                     const Eigen::VectorXd& areas, const SkinWeights& weights) {
  std::vector<MeanWeights> means;
  for (const Groups::value_type* group : groups) means.push_back(meanWeights(group->second, areas, weights));
  std::vector<ProxyGroup> joined;
  std::vector<std::size_t> kept;
  std::vector<std::uint8_t> taken(groups.size(), 0);
  const auto keep = [&](std::size_t g) {
    const auto& [key, vertices] = *groups[g];
    joined.push_back({vertices, key.controls.size() == 1, !key.seam.empty()});
    kept.push_back(g);
    taken[g] = 1;
  };
  for (const std::size_t g : chosenGroups(groups, means, most, areas, weights.bindingCount())) keep(g);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (taken[g] != 0) continue;
    const auto& [key, vertices] = *groups[g];
    std::size_t best = 0;
    double common = 0;
    for (std::size_t c = 0; c < joined.size(); ++c) {
      // A proxy of one control has no gradients, so only others of its kind may join it.
      if (joined[c].single && !joined[c].seam && key.controls.size() > 1) continue;
      const double share = overlap(means[g], means[kept[c]]);
      if (share > common) {
        common = share;
        best = c;
      }
    }
    if (common > 0) {
      joined[best].vertices.insert(joined[best].vertices.end(), vertices.begin(), vertices.end());
    } else {
      keep(g);
    }
  }
  return joined;
}

ReducedProxies zeroProxies(Index controls, Index count) {
  ReducedProxies proxies;
  proxies.positions = Points::Zero(3, count);
  proxies.weights = Eigen::MatrixXd::Zero(controls, count);
  proxies.gradients = Eigen::MatrixXd::Zero(3 * controls, count);
  return proxies;
}

ReducedProxies proxiesOf(const std::vector<ProxyGroup>& groups, const Points& rest, const Eigen::VectorXd& areas,
                         const SkinWeights& weights, const WeightGradients& gradients) {
  const auto count = static_cast<Index>(groups.size());
  ReducedProxies proxies = zeroProxies(static_cast<Index>(weights.bindingCount()), count);
  parallelFor(count, 4, [&](Index j) {
    const auto& [vertices, single, seam] = groups[toSize(j)];
    std::vector<double> shares;
    double total = 0;
    for (const std::uint32_t v : vertices) {
      shares.push_back(single ? areas[v] : 1 - weights[v].front().weight);
      total += shares.back();
    }
    if (!(total > 0)) {
      std::fill(shares.begin(), shares.end(), 1.0);
      total = static_cast<double>(vertices.size());
    }
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const double share = shares[i] / total;
      proxies.positions.col(j) += share * rest.col(vertices[i]);
      for (const Influence& influence : weights[vertices[i]])
        proxies.weights(influence.binding, j) += share * influence.weight;
      if (single && !seam) continue;
      for (const WeightGradients::Entry& entry : gradients[vertices[i]])
        proxies.gradients.col(j).segment<3>(3 * static_cast<Index>(entry.control)) += share * entry.gradient;
    }
  });
  return proxies;
}

/// Singular values in units of half the rest's diagonal, about its centre, so that they do not depend on its position.
Eigen::VectorXd mapValues(ReducedProxies proxies, const BoundingBox& box) {
  const double scale = box.diagonal() > 0 ? 2 / box.diagonal() : 1;
  proxies.positions = scale * (proxies.positions.colwise() - box.centre());
  proxies.gradients /= scale;
  return singularValues(gradientMap(proxies));
}

Index zerosOf(const Eigen::VectorXd& values, Index columns) {
  if (values.size() == 0) return columns;
  return (values.array() < kZero * values[0]).count() + columns - values.size();
}

}  // namespace

WeightGradients weightGradients(const Points& rest, std::span<const Triangle> triangles, const SkinWeights& weights) {
  // Triangles around each vertex.
  std::vector<std::uint32_t> start(toSize(rest.cols()) + 1, 0);
  for (const Triangle& t : triangles)
    for (const std::uint32_t v : t) ++start[v + 1];
  for (std::size_t v = 1; v < start.size(); ++v) start[v] += start[v - 1];
  std::vector<std::uint32_t> around(3 * triangles.size());
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const std::uint32_t v : triangles[t]) around[next[v]++] = static_cast<std::uint32_t>(t);

  const Eigen::VectorXd areas = vertexAreas(rest, triangles);
  std::vector<std::vector<WeightGradients::Entry>> columns(toSize(rest.cols()));
  parallelFor(rest.cols(), 256, [&](Index v) {
    auto& column = columns[toSize(v)];
    if (!(areas[v] > 0)) return;
    const auto add = [&](std::uint32_t control, const Vec3& gradient) {
      auto at = std::lower_bound(column.begin(), column.end(), control,
                                 [](const WeightGradients::Entry& e, std::uint32_t c) { return e.control < c; });
      if (at == column.end() || at->control != control) at = column.insert(at, {control, Vec3::Zero()});
      at->gradient += gradient / (3 * areas[v]);
    };
    for (std::uint32_t i = start[toSize(v)]; i < start[toSize(v) + 1]; ++i)
      triangleGradients(rest, triangles[around[i]], weights, add);
  });
  WeightGradients gradients;
  gradients.start.push_back(0);
  for (const auto& column : columns) {
    gradients.entries.insert(gradients.entries.end(), column.begin(), column.end());
    gradients.start.push_back(static_cast<std::uint32_t>(gradients.entries.size()));
  }
  return gradients;
}

Eigen::MatrixXd gradientMap(const ReducedProxies& proxies) {
  const Index controls = proxies.weights.rows();
  Eigen::MatrixXd map = Eigen::MatrixXd::Zero(3 * proxies.count(), 4 * controls);
  for (Index j = 0; j < proxies.count(); ++j) {
    for (Index i = 0; i < controls; ++i) {
      // c_i = [alpha I + f Dalpha^T ; Dalpha^T], 4 x 3; stored transposed.
      const Vec3 gradient = proxies.gradients.col(j).segment<3>(3 * i);
      auto block = map.block<3, 4>(3 * j, 4 * i);
      block.leftCols<3>() = gradient * proxies.positions.col(j).transpose();
      block.leftCols<3>().diagonal().array() += proxies.weights(i, j);
      block.col(3) = gradient;
    }
  }
  return map;
}

ProxyResult makeProxies(const Points& rest, std::span<const Triangle> triangles, const SkinWeights& weights,
                        std::size_t examples) {
  const WeightGradients gradients = weightGradients(rest, triangles, weights);
  const Eigen::VectorXd areas = vertexAreas(rest, triangles);
  const auto columns = 4 * static_cast<Index>(weights.bindingCount());
  const BoundingBox box = boundingBox(rest);
  ProxyResult result;
  result.zeros = columns;
  // Each attempt couples more than the one before: the largest groups, those of three vertices or more, all groups, and
  // seams where controls meet without any vertex between them. Uses the first that leaves one free direction, otherwise
  // the one with the fewest.
  struct Try {
    std::size_t leastVertices;
    std::size_t most;
    bool seams;
  };
  const std::size_t few = affordableProxies(weights.bindingCount(), examples);
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  for (const Try& how : {Try{kLeastVertices, few, false}, Try{1, few, false}, Try{kLeastVertices, kAll, false},
                         Try{1, kAll, false}, Try{1, kAll, true}}) {
    const Groups groups = groupVertices(triangles, weights, gradients, how.seams);
    std::vector<const Groups::value_type*> chosen;
    for (const auto& group : groups)
      if (group.second.size() >= how.leastVertices) chosen.push_back(&group);
    if (how.most == kAll && !how.seams && chosen.size() <= few) continue;  // was tried
    ReducedProxies proxies = proxiesOf(joinedGroups(chosen, how.most, areas, weights), rest, areas, weights, gradients);
    Eigen::VectorXd values = mapValues(proxies, box);
    const Index zeros = zerosOf(values, columns);
    if (zeros < result.zeros) {
      result.proxies = std::move(proxies);
      result.groups = static_cast<Index>(groups.size());
      result.singularValues = std::move(values);
      result.zeros = zeros;
    }
    if (result.zeros == 1) break;
  }
  return result;
}

ReducedProxies vertexProxies(const Points& rest, std::span<const Triangle> triangles, const SkinWeights& weights,
                             std::vector<std::uint32_t>* vertices, Index most) {
  const WeightGradients gradients = weightGradients(rest, triangles, weights);
  std::vector<std::uint32_t> used;
  for (Index v = 0; v < rest.cols(); ++v)
    if (!gradients[v].empty()) used.push_back(static_cast<std::uint32_t>(v));
  if (most > 0 && used.size() > toSize(most)) {
    const std::size_t wanted = toSize(most);
    for (std::size_t i = 0; i < wanted; ++i) used[i] = used[i * used.size() / wanted];
    used.resize(wanted);
  }
  const auto count = static_cast<Index>(used.size());
  ReducedProxies proxies = zeroProxies(static_cast<Index>(weights.bindingCount()), count);
  for (Index j = 0; j < count; ++j) {
    const std::uint32_t v = used[toSize(j)];
    proxies.positions.col(j) = rest.col(v);
    for (const Influence& influence : weights[v]) proxies.weights(influence.binding, j) = influence.weight;
    for (const WeightGradients::Entry& entry : gradients[v])
      proxies.gradients.col(j).segment<3>(3 * static_cast<Index>(entry.control)) = entry.gradient;
  }
  if (vertices != nullptr) *vertices = std::move(used);
  return proxies;
}

}  // namespace sinew
