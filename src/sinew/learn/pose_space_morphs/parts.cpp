#include "sinew/learn/pose_space_morphs/parts.h"

#include <algorithm>

namespace sinew::pose_space_morphs {

Character partOf(const Character& character, std::span<const std::uint32_t> vertices) {
  return characterOfVertices(character, {vertices.begin(), vertices.end()});
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
