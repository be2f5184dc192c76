#include "sinew/picture/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/picture/text.h"

namespace sinew::picture {
namespace {

const TextStyle kContactSheetTitle{.size = 20, .bold = true};
const TextStyle kSubtitle{.size = 14, .colour = kPaleInk};
const TextStyle kContactSheetLabel{.size = 14};
const TextStyle kNote{.size = 13, .colour = kPaleInk};

/// The layout in pixels.
struct SheetPlan {
  int columns = 1;
  int rows = 1;
  int cellWidth = 0;
  int cellHeight = 0;
  int labelHeight = 0;  ///< under each cell
  int headHeight = 0;   ///< over all cells
  int gap = 0;
  LegendSize legend;
  int barLength = 0;
  int width = 0;
  int height = 0;

  [[nodiscard]] Place corner(std::size_t cell) const {
    const int column = static_cast<int>(cell) % columns;
    const int row = static_cast<int>(cell) / columns;
    return {gap + column * (cellWidth + gap), gap + headHeight + row * (cellHeight + labelHeight + gap)};
  }
};

/// As many columns as bring width : height nearest to 16 : 9.
int chooseColumns(int cells, int cellWidth, int cellHeight) {
  int best = 1;
  double bestOff = 1e300;
  for (int columns = 1; columns <= cells; ++columns) {
    const int rows = (cells + columns - 1) / columns;
    const double aspect = static_cast<double>(columns) * cellWidth / (static_cast<double>(rows) * cellHeight);
    const double off = std::abs(std::log(aspect / (16.0 / 9))) + 0.15 * (rows * columns - cells) / cells;
    if (off < bestOff) {
      bestOff = off;
      best = columns;
    }
  }
  return best;
}

SheetPlan planSheet(std::span<const Cell> cells, const ContactSheetOptions& options) {
  SheetPlan plan;
  bool labels = false;
  bool notes = false;
  for (const Cell& cell : cells) {
    checkImage(cell.image, "contactSheet");
    plan.cellWidth = std::max(plan.cellWidth, cell.image.width);
    plan.cellHeight = std::max(plan.cellHeight, cell.image.height);
    labels = labels || !cell.label.empty();
    notes = notes || !cell.note.empty();
  }
  plan.gap = std::clamp(options.gap, 0, 1000);
  plan.labelHeight = (labels ? 24 : 0) + (notes ? 18 : 0);
  plan.headHeight = (options.title.empty() ? 0 : 34) + (options.subtitle.empty() ? 0 : 24);
  const int count = static_cast<int>(cells.size());
  plan.columns = options.columns > 0 ? std::min(options.columns, count)
                                     : chooseColumns(count, plan.cellWidth, plan.cellHeight + plan.labelHeight);
  plan.rows = (count + plan.columns - 1) / plan.columns;
  plan.width = plan.gap + plan.columns * (plan.cellWidth + plan.gap);
  plan.height = plan.gap + plan.headHeight + plan.rows * (plan.cellHeight + plan.labelHeight + plan.gap);
  if (options.legend) {
    plan.barLength = std::clamp(plan.height - plan.headHeight - 120, 60, 280);
    plan.legend = legendSize(*options.legend, plan.barLength);
    plan.width += plan.legend.width + 2 * plan.gap;
    plan.height = std::max(plan.height, plan.headHeight + plan.legend.height + 2 * plan.gap);
  }
  return plan;
}

void drawHead(Image& sheet, const SheetPlan& plan, const ContactSheetOptions& options) {
  const double width = sheet.width - 2 * plan.gap;
  double baseline = plan.gap + 6;
  if (!options.title.empty()) {
    baseline += 16;
    drawText(sheet, shortened(options.title, width, kContactSheetTitle), {plan.gap + 2.0, baseline},
             kContactSheetTitle);
    baseline += 6;
  }
  if (!options.subtitle.empty()) {
    drawText(sheet, shortened(options.subtitle, width, kSubtitle), {plan.gap + 2.0, baseline + 14}, kSubtitle);
  }
}

void drawCell(Image& sheet, const SheetPlan& plan, const Cell& cell, const Place& corner) {
  const int left = static_cast<int>(corner.x()) + (plan.cellWidth - cell.image.width) / 2;
  const int top = static_cast<int>(corner.y()) + (plan.cellHeight - cell.image.height) / 2;
  paste(sheet, cell.image, left, top);
  const double below = corner.y() + plan.cellHeight;
  const double middle = corner.x() + 0.5 * plan.cellWidth;
  double baseline = below + 17;
  if (!cell.label.empty()) {
    drawText(sheet, shortened(cell.label, plan.cellWidth, kContactSheetLabel), {middle, baseline}, kContactSheetLabel,
             TextAlign::Centre);
    baseline += 18;
  }
  if (!cell.note.empty()) {
    drawText(sheet, shortened(cell.note, plan.cellWidth, kNote), {middle, baseline}, kNote, TextAlign::Centre);
  }
}

}  // namespace

Image contactSheet(std::span<const Cell> cells, const ContactSheetOptions& options) {
  SINEW_CHECK(!cells.empty(), "contactSheet", "a contact sheet needs at least one picture");
  SINEW_CHECK(options.columns >= 0, "contactSheet",
              fmt::format("{} columns; choose 1 or more, or 0 for as many as look good", options.columns));
  const SheetPlan plan = planSheet(cells, options);
  checkImageSize(plan.width, plan.height, "contactSheet");
  Image sheet(plan.width, plan.height, options.paper);
  drawHead(sheet, plan, options);
  for (std::size_t i = 0; i < cells.size(); ++i) drawCell(sheet, plan, cells[i], plan.corner(i));
  if (options.legend) {
    const double x = plan.width - plan.gap - plan.legend.width;
    drawLegend(sheet, *options.legend, {x, static_cast<double>(plan.gap + plan.headHeight)}, plan.barLength);
  }
  return sheet;
}

}  // namespace sinew::picture
