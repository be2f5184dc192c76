// What the colours of a picture mean.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/picture/canvas.h"
#include "sinew/picture/colormap.h"
#include "sinew/picture/image.h"

namespace sinew::picture {

/// A colour bar for a scale, or a list of named colours, or both.
struct Legend {
  struct Entry {
    Rgba colour;
    std::string name;
  };
  std::string title;  ///< with the unit: "distance (% of diagonal)"
  bool bar = true;    ///< draw the scale
  ScalarScale scale;
  std::vector<Entry> entries;
};

/// Pixels that the legend needs for its texts, for a bar of `barLength`.
struct LegendSize {
  int width = 0;
  int height = 0;
};
LegendSize legendSize(const Legend& legend, int barLength = 200);

/// Draws it with the top left corner at `corner`; nothing is drawn outside of legendSize().
void drawLegend(Image& image, const Legend& legend, const Place& corner, int barLength = 200);

/// Draws it into the picture's bottom right corner, on a pale panel, with a bar that fits the picture's height and as
/// many entries as do.
void addLegend(Image& image, const Legend& legend);

}  // namespace sinew::picture
