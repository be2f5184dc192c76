#include "sinew/deform/stack.h"

#include <fmt/format.h>

#include "sinew/base/check.h"

namespace sinew {
namespace {

/// Takes a stage of the scratch while it lives, also when an operator throws.
class StageLease {
 public:
  StageLease(DeformScratch& scratch, Index columns) : scratch_(scratch), stage_(scratch.depth++) {
    if (scratch_.stages.size() <= stage_) scratch_.stages.resize(stage_ + 1);
    Points& points = scratch_.stages[stage_];
    if (points.cols() < columns) points.resize(3, columns);
    data_ = points.data();
    columns_ = columns;
  }
  ~StageLease() { --scratch_.depth; }
  StageLease(const StageLease&) = delete;
  StageLease& operator=(const StageLease&) = delete;

  // A view of the memory, which stays where it is when an inner stack adds a stage to the list.
  [[nodiscard]] Eigen::Map<Points> points() const { return {data_, 3, columns_}; }

 private:
  DeformScratch& scratch_;
  std::size_t stage_;
  double* data_ = nullptr;
  Index columns_ = 0;
};

void agree(Index& sofar, Index one, const Deformer& deformer, const char* what) {
  if (one < 0) return;
  SINEW_CHECK(sofar < 0 || sofar == one, "stack",
              fmt::format("'{}' was made for {} {}, an operator before it for {}", deformer.name(), one, what, sofar));
  sofar = one;
}

}  // namespace

DeformerStack::DeformerStack(std::vector<DeformerPtr> operators) : operators_(std::move(operators)) {
  for (std::size_t i = 0; i < operators_.size(); ++i) {
    SINEW_CHECK(operators_[i] != nullptr, "stack", fmt::format("operator {} of {} is missing", i, operators_.size()));
    agree(vertexCount_, operators_[i]->vertexCount(), *operators_[i], "vertices");
    agree(bindingCount_, operators_[i]->bindingCount(), *operators_[i], "joints");
  }
}

void DeformerStack::apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
                          PointsRef moved) const {
  const std::size_t count = operators_.size();
  if (count == 0) {
    moved = points;
    return;
  }
  if (count == 1) {
    operators_[0]->apply(points, joints, scratch, moved);
    return;
  }
  // Results alternate between one stage and `moved`, so that the last one lands in `moved`.
  const StageLease stage(scratch, points.cols());
  Eigen::Map<Points> between = stage.points();
  const auto into = [&](std::size_t i) -> PointsRef { return (count - 1 - i) % 2 == 0 ? moved : PointsRef(between); };
  operators_[0]->apply(points, joints, scratch, into(0));
  for (std::size_t i = 1; i < count; ++i) operators_[i]->apply(into(i - 1), joints, scratch, into(i));
}

}  // namespace sinew
