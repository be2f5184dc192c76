// Operators one after the other.
#pragma once

#include <vector>

#include "sinew/deform/deformer.h"

namespace sinew {

/// The first operator takes the given points, each later one the output of the one before it. Any kinds in any order;
/// stacks may contain stacks. An empty stack returns the points unchanged. Throws on null and on operators for
/// different numbers of vertices or joints.
class DeformerStack final : public Deformer {
 public:
  explicit DeformerStack(std::vector<DeformerPtr> operators);

  [[nodiscard]] std::string_view name() const override { return "stack"; }
  [[nodiscard]] Index vertexCount() const override { return vertexCount_; }
  [[nodiscard]] Index bindingCount() const override { return bindingCount_; }
  [[nodiscard]] const std::vector<DeformerPtr>& operators() const { return operators_; }

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
             PointsRef moved) const override;

 private:
  std::vector<DeformerPtr> operators_;
  Index vertexCount_ = -1;
  Index bindingCount_ = -1;
};

}  // namespace sinew
