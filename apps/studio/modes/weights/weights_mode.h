// The mode Weights: drag the skin to change its weights; brushes, locks, single weights, and tools for many vertices.
#pragma once

#include "sinew/manipulate/drag_weights.h"
#include "studio/modes/mode.h"
#include "studio/modes/weights/weight_columns.h"

namespace sinew::studio::weights {

/// The surface of the character for drags (a DragSurface); null without a mesh.
std::shared_ptr<const void> prepareSurface(const Document& document);

class WeightsMode final : public Mode {
 public:
  explicit WeightsMode(ModeContext& context) : context_(context) {}
  [[nodiscard]] std::span<const CommandRow> commands() const override;
  [[nodiscard]] std::span<const DragRow> drags() const override;
  void opened(const std::shared_ptr<const void>& prepared) override;
  void edited(const Edit& edit) noexcept override;

 private:
  /// The selected points of the welded surface, so that seams stay closed.
  struct Chosen {
    std::shared_ptr<const DragSurface> surface;
    std::vector<std::uint32_t> points;
  };

  void setLocks(const wire::WeightsLocksCommand& asked);
  void setWeight(const wire::WeightsSetCommand& asked);
  wire::WeightsAssignAnswer assign(const wire::WeightsAssignCommand& asked);
  void reach(const wire::WeightsReachCommand& asked);
  std::unique_ptr<DragTarget> beginDrag(const wire::WeightDragBegin& begin);
  std::unique_ptr<DragTarget> beginPaint(const wire::PaintBegin& begin);

  // soft_preview.cpp
  wire::WeightsSoftAnswer previewSoft(const wire::WeightsSoftCommand& asked);

  // weight_tools.cpp
  wire::WeightsNormaliseAnswer normalise(const wire::WeightsNormaliseCommand& asked);
  wire::WeightsPruneAnswer prune(const wire::WeightsPruneCommand& asked);
  wire::WeightsSmoothAnswer smooth(const wire::WeightsSmoothCommand& asked);
  wire::WeightsMirrorAnswer mirror(const wire::WeightsMirrorCommand& asked);
  Chosen chosenPoints(std::span<const std::uint32_t> vertices);  ///< of these vertices, or all
  [[nodiscard]] std::span<const Influence> columnOf(const Chosen& chosen, std::uint32_t point) const;
  std::uint32_t commitColumns(const Chosen& chosen, std::vector<Column> columns, const std::string& name);

  /// The surface of the character for drags, made once.
  std::shared_ptr<const DragSurface> surface();

  ModeContext& context_;
  std::shared_ptr<const DragSurface> surface_;
};

}  // namespace sinew::studio::weights
