// Oklab: B. Ottosson, "A perceptual color space for image processing" (2020). Lab to LMS cube roots to linear sRGB.
#include "sinew/picture/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/base/check.h"

namespace sinew::picture {
namespace {

std::uint8_t byteOf(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
}

Eigen::Array3d linearFromOklab(double lightness, double a, double b) {
  const double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
  const double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
  const double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
  const Eigen::Array3d cubes(l * l * l, m * m * m, s * s * s);
  return {4.0767416621 * cubes[0] - 3.3077115913 * cubes[1] + 0.2309699292 * cubes[2],
          -1.2684380046 * cubes[0] + 2.6097574011 * cubes[1] - 0.3413193965 * cubes[2],
          -0.0041960863 * cubes[0] - 0.7034186147 * cubes[1] + 1.7076147010 * cubes[2]};
}

}  // namespace

Image::Image(int imageWidth, int imageHeight, Rgba fill) : width(imageWidth), height(imageHeight) {
  checkImageSize(width, height, "Image");
  rgba.resize(4 * toSize(width) * toSize(height));
  for (std::size_t i = 0; i < rgba.size(); i += 4) {
    rgba[i] = fill.r;
    rgba[i + 1] = fill.g;
    rgba[i + 2] = fill.b;
    rgba[i + 3] = fill.a;
  }
}

Rgba Image::at(int x, int y) const {
  const std::size_t i = offset(x, y);
  return {rgba[i], rgba[i + 1], rgba[i + 2], rgba[i + 3]};
}

void Image::set(int x, int y, Rgba colour) {
  const std::size_t i = offset(x, y);
  rgba[i] = colour.r;
  rgba[i + 1] = colour.g;
  rgba[i + 2] = colour.b;
  rgba[i + 3] = colour.a;
}

void Image::blend(int x, int y, Rgba colour, double coverage) {
  const double over = std::clamp(coverage, 0.0, 1.0) * colour.a / 255;
  if (over <= 0 || !contains(x, y)) return;
  // Straight alpha: the result's colour is the mean of both, weighted by what each contributes to the alpha.
  const Rgba under = at(x, y);
  const double kept = (1 - over) * under.a / 255;
  const double alpha = over + kept;
  const auto channel = [&](std::uint8_t top, std::uint8_t bottom) {
    return byteOf((over * top + kept * bottom) / (255 * alpha));
  };
  set(x, y, {channel(colour.r, under.r), channel(colour.g, under.g), channel(colour.b, under.b), byteOf(alpha)});
}

void checkImageSize(int width, int height, const char* where) {
  SINEW_CHECK(width >= 1 && height >= 1 && width <= kMaxImageSize && height <= kMaxImageSize, where,
              fmt::format("cannot create an image of {} x {} pixels; choose both sizes from 1 to {}", width, height,
                          kMaxImageSize));
}

void checkImage(const Image& image, const char* where) {
  checkImageSize(image.width, image.height, where);
  const std::size_t wanted = 4 * toSize(image.width) * toSize(image.height);
  SINEW_CHECK(image.rgba.size() == wanted, where,
              fmt::format("an image of {} x {} pixels has {} bytes instead of {}; give it 4 bytes per pixel",
                          image.width, image.height, image.rgba.size(), wanted));
}

void paste(Image& target, const Image& source, int x, int y) {
  for (int row = 0; row < source.height; ++row) {
    for (int column = 0; column < source.width; ++column) {
      const Rgba colour = source.at(column, row);
      if (colour.a == 255 && target.contains(x + column, y + row)) {
        target.set(x + column, y + row, colour);
      } else {
        target.blend(x + column, y + row, colour, 1);
      }
    }
  }
}

float linearFromSrgb(float value) {
  return value <= 0.04045F ? value / 12.92F : std::pow((value + 0.055F) / 1.055F, 2.4F);
}

float srgbFromLinear(float value) {
  return value <= 0.0031308F ? 12.92F * value : 1.055F * std::pow(value, 1 / 2.4F) - 0.055F;
}

LinearRgb linearColour(Rgba colour) {
  const auto channel = [](std::uint8_t value) { return linearFromSrgb(static_cast<float>(value) / 255.0F); };
  return {channel(colour.r), channel(colour.g), channel(colour.b)};
}

Rgba displayColour(const LinearRgb& colour) {
  const auto channel = [](float value) { return byteOf(srgbFromLinear(std::clamp(value, 0.0F, 1.0F))); };
  return {channel(colour[0]), channel(colour[1]), channel(colour[2]), 255};
}

Rgba perceptualColour(double lightness, double chroma, double hueDegrees) {
  const double hue = hueDegrees * std::numbers::pi / 180;
  const auto linear = [&](double c) { return linearFromOklab(lightness, c * std::cos(hue), c * std::sin(hue)); };
  const auto fits = [](const Eigen::Array3d& rgb) { return rgb.minCoeff() >= -1e-4 && rgb.maxCoeff() <= 1 + 1e-4; };
  if (!fits(linear(chroma))) {
    double inside = 0;
    for (double step = chroma / 2; step > 1e-4; step /= 2) {
      if (fits(linear(inside + step))) inside += step;
    }
    chroma = inside;
  }
  return displayColour(linear(chroma).cast<float>());
}

double perceivedLightness(Rgba colour) {
  const Eigen::Array3d rgb = linearColour(colour).cast<double>();
  const double l = std::cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
  const double m = std::cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
  const double s = std::cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
  return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
}

Rgba mix(Rgba a, Rgba b, double t) {
  const auto part = static_cast<float>(std::clamp(t, 0.0, 1.0));
  Rgba mixed = displayColour(linearColour(a) * (1 - part) + linearColour(b) * part);
  mixed.a = byteOf(((1 - part) * static_cast<float>(a.a) + part * static_cast<float>(b.a)) / 255.0F);
  return mixed;
}

}  // namespace sinew::picture
