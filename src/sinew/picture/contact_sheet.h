// Several pictures in one, each with its label.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "sinew/picture/image.h"
#include "sinew/picture/legend.h"

namespace sinew::picture {

struct Cell {
  Image image;
  std::string label;      ///< under the picture; too long ones are shortened
  std::string note = {};  ///< smaller, after or under the label: a number, a time
};

struct ContactSheetOptions {
  int columns = 0;  ///< 0: as many as make the sheet about as wide as a screen
  std::string title = {};
  std::string subtitle = {};
  std::optional<Legend> legend = {};  ///< at the right
  Rgba paper{255, 255, 255};
  int gap = 12;  ///< pixels around the cells
};

/// Cells from left to right, top to bottom; smaller cells are centred in slots that fit the largest. Throws for no
/// cells, and for a sheet that would exceed the maximum image size.
Image contactSheet(std::span<const Cell> cells, const ContactSheetOptions& options = {});

}  // namespace sinew::picture
