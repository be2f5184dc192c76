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
  std::vector<std::string> notes = {};  ///< short lines below the bar: the largest value
  bool exceeded = false;                ///< some values exceed the scale: its top is labelled accordingly
};

/// Pixels that the legend needs for its texts, for a bar of `barLength`.
struct LegendSize {
  int width = 0;
  int height = 0;
};
LegendSize legendSize(const Legend& legend, int barLength = 200);

/// Draws it with the top left corner at `corner`; nothing is drawn outside of legendSize().
void drawLegend(Image& image, const Legend& legend, const Place& corner, int barLength = 200);

/// How an image is divided between a picture, at its top left, and a legend beside or below it.
struct LegendLayout {
  int pictureWidth = 0;
  int pictureHeight = 0;
  bool below = false;
};

/// Beside or below, whichever leaves more space for the picture; it keeps more than half of the image in any case.
LegendLayout layOutLegend(const Legend& legend, int width, int height);

/// The picture, which must have the size of the layout, and the legend in an image of width x height: with a bar and as
/// many entries as fit. Nothing of the picture is covered.
Image withLegend(const Image& picture, const Legend& legend, int width, int height);

}  // namespace sinew::picture
