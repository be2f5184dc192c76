// Edge-connected groups of triangles, and how they are joined and split.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/learn/reduced_model/rotations.h"

namespace sinew::reduced_model {

/// Groups with their area, mean rotation sequence and neighbours. Numbers of groups that joined another are dead.
class Regions {
 public:
  /// Edge-connected pieces of equal labels.
  Regions(const TriangleGraph& graph, const RotationFeatures& features, const std::vector<std::uint32_t>& labels);

  /// Joins the smallest group below `leastArea` to the neighbour of the nearest mean, until there is none. Groups
  /// without a neighbour stay.
  void dissolveSmall(double leastArea);
  /// Joins the two groups whose union costs least spread: neighbours first, any two where none are left.
  void joinNearest();
  /// Parts the group of the largest spread in two connected ones. False where no group can be parted.
  bool splitWidest();

  [[nodiscard]] Index count() const { return alive_; }
  /// Labels 0 .. count() - 1, in the order of each group's first triangle.
  [[nodiscard]] std::vector<std::uint32_t> labels() const;

 private:
  struct Group {
    double area = 0;
    Eigen::VectorXf mean;
    std::vector<std::uint32_t> neighbours;  // sorted; may name dead groups, which root() leads on
    std::uint32_t label = 0;
    std::size_t triangles = 0;
  };

  [[nodiscard]] std::uint32_t root(std::uint32_t group) const;
  [[nodiscard]] std::vector<std::uint32_t> liveNeighbours(std::uint32_t group) const;
  void join(std::uint32_t from, std::uint32_t into);
  void part(std::uint32_t group);
  [[nodiscard]] std::vector<std::uint32_t> members(std::uint32_t group) const;

  const TriangleGraph& graph_;
  const RotationFeatures& features_;
  std::vector<std::uint32_t> groupOf_;  // per triangle; may be dead
  mutable std::vector<std::uint32_t> joined_;
  std::vector<Group> groups_;
  Index alive_ = 0;
};

}  // namespace sinew::reduced_model
