// Operators one after the other.
#pragma once

#include <vector>

#include "sinew/deform/deformer.h"

namespace sinew {

/// The first operator takes the given points, each later one takes what the one before it gave. Any kinds in any order;
/// stacks may hold stacks. An empty stack gives the points back. Throws on null and on operators that were made for
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
