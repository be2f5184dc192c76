#include "sinew/learn/pose_space_morphs/parts.h"

#include <algorithm>

namespace sinew::pose_space_morphs {

Character partOf(const Character& character, std::span<const std::uint32_t> vertices) {
  const auto count = static_cast<Index>(vertices.size());
  Character part;
  part.skeleton = character.skeleton;
  part.helpers = character.helpers;
  part.skin.bindings = character.skin.bindings;
  part.mesh.points.resize(3, count);
  std::vector<std::vector<Influence>> columns;
  for (Index i = 0; i < count; ++i) {
    const std::uint32_t v = vertices[toSize(i)];
    part.mesh.points.col(i) = character.mesh.points.col(v);
    columns.emplace_back(character.skin.weights[v].begin(), character.skin.weights[v].end());
  }
  part.skin.weights = SkinWeights::fromColumns(character.skin.weights.bindingCount(), columns);
  for (const MorphTarget& morph : character.morphs) {
    MorphTarget own;
    own.name = morph.name;
    own.defaultWeight = morph.defaultWeight;
    own.deltas = Points::Zero(3, count);
    for (Index i = 0; i < count; ++i) {
      const Index column = static_cast<Index>(vertices[toSize(i)]) - morph.firstVertex;
      if (column >= 0 && column < morph.deltas.cols()) own.deltas.col(i) = morph.deltas.col(column);
    }
    part.morphs.push_back(std::move(own));
  }
  return part;
}

std::shared_ptr<const PoseSpaceModel> partOf(const PoseSpaceModel& model, std::span<const std::uint32_t> vertices,
                                             Index vertexCount) {
  auto part = std::make_shared<PoseSpaceModel>(onVertices(model, vertices, vertexCount));
  if (!part->weighted()) return part;
  // Each group is a system to factorise: only those that are left.
  std::vector<std::uint32_t> used = part->groupOf;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (std::uint32_t& group : part->groupOf) {
    group = static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), group) - used.begin());
  }
  part->groupWeights = Eigen::MatrixXd(model.groupWeights(Eigen::all, used));
  if (!model.terms.empty()) part->shares = Eigen::MatrixXd(model.shares(Eigen::all, used));
  return part;
}

}  // namespace sinew::pose_space_morphs
