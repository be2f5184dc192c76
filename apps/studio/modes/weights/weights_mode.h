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

  Json setLocks(const Json& args);
  Json setWeight(const Json& args);
  Json assign(const Json& args);
  Json reach(const Json& args);
  std::unique_ptr<DragTarget> beginDrag(const wire::WeightDragBegin& begin);
  std::unique_ptr<DragTarget> beginPaint(const wire::PaintBegin& begin);

  // soft_preview.cpp
  /// The vertices that a drag would affect, and by how much. args: `vertices` that would be dragged, `view`, `radius`,
  /// `curve`, `volume`. Answers with the number of affected points and the name of a blob: vertices, their distances in
  /// radii (a little beyond 1, so that the page can draw the edge), their shares.
  Json previewSoft(const Json& args);

  // weight_tools.cpp
  Json normalise(const Json& args);
  Json prune(const Json& args);
  Json smooth(const Json& args);
  Json mirror(const Json& args);
  Chosen chosenPoints(const Json& args);
  [[nodiscard]] std::span<const Influence> columnOf(const Chosen& chosen, std::uint32_t point) const;
  Json commitColumns(const Chosen& chosen, std::vector<Column> columns, const std::string& name);

  /// The surface of the character for drags, made once.
  std::shared_ptr<const DragSurface> surface();

  ModeContext& context_;
  std::shared_ptr<const DragSurface> surface_;
};

}  // namespace sinew::studio::weights
