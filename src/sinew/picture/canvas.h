// Flat drawing on an image: antialiased lines, rectangles and discs, in pixels from the top left corner.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/picture/image.h"

namespace sinew::picture {

using Place = Eigen::Vector2d;  ///< x to the right, y down; pixel (0, 0) covers 0 to 1
using Polyline = std::vector<Place>;

/// Lines with round ends and joints. All of them are laid on at once: where they cross, colours with alpha do not
/// add up. A polyline of one point is a dot.
void drawLines(Image& image, std::span<const Polyline> lines, double width, Rgba colour);
void drawLine(Image& image, const Place& from, const Place& to, double width, Rgba colour);

/// Sharp where the sides are whole pixels, else blended by area.
void fillRectangle(Image& image, const Place& topLeft, const Place& bottomRight, Rgba colour);

void fillDisc(Image& image, const Place& centre, double radius, Rgba colour);

}  // namespace sinew::picture
