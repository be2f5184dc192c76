#include "sinew/deform/world_rest.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/deform/stack.h"

namespace sinew {
namespace {

/// Moves every vertex by its own matrix, in any pose.
class ChangeOfSpace final : public Deformer {
 public:
  explicit ChangeOfSpace(std::vector<Affine> matrices) : matrices_(std::move(matrices)) {}

  [[nodiscard]] std::string_view name() const override { return "change of space"; }
  [[nodiscard]] Index vertexCount() const override { return static_cast<Index>(matrices_.size()); }

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& /*joints*/, DeformScratch& /*scratch*/,
             PointsRef moved) const override {
    parallelFor(points.cols(), 4096, [&](Index v) { moved.col(v) = matrices_[toSize(v)] * Vec3(points.col(v)); });
  }

 private:
  std::vector<Affine> matrices_;
};

}  // namespace

DeformerPtr beforeSkin(DeformerPtr inner, const Character& character) {
  std::vector<Affine> worldFromRest = worldFromRestPoints(character);
  const auto isIdentity = [](const Affine& matrix) { return matrix.matrix().isApprox(Affine::Identity().matrix()); };
  if (std::all_of(worldFromRest.begin(), worldFromRest.end(), isIdentity)) return inner;
  std::vector<Affine> inverses;
  inverses.reserve(worldFromRest.size());
  for (std::size_t v = 0; v < worldFromRest.size(); ++v) {
    Affine inverse;
    inverse.linear() = worldFromRest[v].linear().inverse();
    inverse.translation() = -(inverse.linear() * worldFromRest[v].translation());
    const double condition = inverse.linear().norm() * worldFromRest[v].linear().norm();
    SINEW_CHECK(std::isfinite(condition) && condition < 1e12, inner->name().data(),
                fmt::format("vertex {} is flattened in the rest pose, so an operator before the skin cannot move it; "
                            "apply the operator after the skin",
                            v));
    inverses.push_back(inverse);
  }
  return std::make_shared<DeformerStack>(
      std::vector<DeformerPtr>{std::make_shared<ChangeOfSpace>(std::move(worldFromRest)), std::move(inner),
                               std::make_shared<ChangeOfSpace>(std::move(inverses))});
}

}  // namespace sinew
