// Frames of a character to be pictured: where the vertices are, what colours them, what they are called.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/character.h"
#include "sinew/picture/colormap.h"
#include "sinew/picture/legend.h"

namespace sinew::cli {

struct Frame {
  std::string label;
  std::string note;
  Pose pose;
  Points points;                ///< posed, world space
  std::optional<Points> truth;  ///< how it should look, where that is known
};

/// The vertex colours for `--color`.
struct Colouring {
  std::vector<std::vector<double>> scalars;  ///< per frame and vertex; empty: none
  std::vector<picture::Rgba> vertexColours;  ///< the same in every frame; empty: none
  picture::ScalarScale scale;
  std::optional<picture::Legend> legend;
};

/// A length above 0, in scene units or ("2%") in percent of the diagonal; 0 for an empty text. Throws for all else.
double errorRange(const std::string& text, double diagonal);

/// Throws for a word of `--color` that colourFrames does not know, with the nearest one.
void checkColor(const std::string& color);

/// `color` is empty, "error", "control" or "weight:JOINT". `top` above 0 sets the end of the error scale.
Colouring colourFrames(const std::string& color, const Character& character, std::vector<Frame>& frames, double top);

}  // namespace sinew::cli
