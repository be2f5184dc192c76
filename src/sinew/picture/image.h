// A picture in memory: 8-bit sRGB with straight alpha, rows from top to bottom.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sinew/base/types.h"

namespace sinew::picture {

/// 8 bits per channel, sRGB, alpha not multiplied in.
struct Rgba {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  std::uint8_t a = 255;
  friend bool operator==(const Rgba&, const Rgba&) = default;
};

/// Light adds up in linear space: 0 is black, 1 is white.
using LinearRgb = Eigen::Array3f;

inline constexpr int kMaxImageSize = 16384;

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;  ///< 4 bytes per pixel, width * height * 4 in all

  Image() = default;
  /// Filled with one colour. Throws unless both sizes are 1 to kMaxImageSize.
  Image(int width, int height, Rgba fill);

  [[nodiscard]] bool contains(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height; }
  /// The pixel must be inside.
  [[nodiscard]] Rgba at(int x, int y) const;
  void set(int x, int y, Rgba colour);
  /// Lays the colour over the pixel with `coverage` 0 to 1; outside the image nothing happens.
  void blend(int x, int y, Rgba colour, double coverage);

 private:
  [[nodiscard]] std::size_t offset(int x, int y) const { return 4 * (toSize(y) * toSize(width) + toSize(x)); }
};

/// Throws an Error that names the size unless both are 1 to kMaxImageSize and the pixels match them.
void checkImage(const Image& image, const char* where);
void checkImageSize(int width, int height, const char* where);

/// Lays one image over another, its top left corner at (x, y); what falls outside is left away.
void paste(Image& target, const Image& source, int x, int y);

/// The sRGB transfer curve, in both directions, for values 0 to 1.
float linearFromSrgb(float value);
float srgbFromLinear(float value);

LinearRgb linearColour(Rgba colour);
/// Clamped to 0..1 and rounded, opaque.
Rgba displayColour(const LinearRgb& colour);

/// From an Oklab lightness (0 to 1), chroma (0 to about 0.3) and hue in degrees; colours outside sRGB keep lightness
/// and hue and lose chroma.
Rgba perceptualColour(double lightness, double chroma, double hueDegrees);
/// The Oklab lightness of a colour: equal steps look equal.
double perceivedLightness(Rgba colour);

/// t = 0 gives a, t = 1 gives b; mixed in linear light.
Rgba mix(Rgba a, Rgba b, double t);

}  // namespace sinew::picture
