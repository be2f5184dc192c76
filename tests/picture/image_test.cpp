#include "sinew/picture/image.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/picture/png.h"

namespace sinew::picture::image_test {
namespace {

Image noise(int width, int height, bool opaque) {
  Image image(width, height, {});
  Lcg random(11);
  for (std::uint8_t& byte : image.rgba) byte = static_cast<std::uint8_t>(256 * random.uniform());
  for (std::size_t i = 3; opaque && i < image.rgba.size(); i += 4) image.rgba[i] = 255;
  return image;
}

TEST(Png, GivesBackEveryPixel) {
  for (const bool opaque : {true, false}) {
    const Image image = noise(37, 23, opaque);
    const std::string bytes = encodePng(image);
    EXPECT_EQ(bytes.substr(1, 3), "PNG");
    const Image back = decodePng(bytes);
    EXPECT_EQ(back.width, 37);
    EXPECT_EQ(back.height, 23);
    EXPECT_EQ(back.rgba, image.rgba) << (opaque ? "opaque" : "with alpha");
  }
}

TEST(Png, OpaquePicturesHaveNoAlphaChannel) {
  // Byte 25 of a PNG file is its colour type: 2 is RGB, 6 is RGBA.
  EXPECT_EQ(encodePng(noise(5, 5, true))[25], 2);
  EXPECT_EQ(encodePng(noise(5, 5, false))[25], 6);
}

TEST(Png, RefusesOtherAndDamagedBytes) {
  EXPECT_THROW(static_cast<void>(decodePng("")), Error);
  EXPECT_THROW(static_cast<void>(decodePng("GIF89a, not a PNG at all")), Error);
  const std::string bytes = encodePng(noise(40, 40, true));
  EXPECT_THROW(static_cast<void>(decodePng(bytes.substr(0, bytes.size() / 2))), Error);
  Image broken(4, 4, {});
  broken.rgba.pop_back();
  EXPECT_THROW(static_cast<void>(encodePng(broken)), Error);
}

TEST(Image, RefusesSizesOutOfRange) {
  EXPECT_THROW(Image(0, 5, {}), Error);
  EXPECT_THROW(Image(5, -1, {}), Error);
  EXPECT_THROW(Image(kMaxImageSize + 1, 1, {}), Error);
  EXPECT_NO_THROW(Image(kMaxImageSize, 1, {}));
}

TEST(Image, BlendsByCoverageAndAlpha) {
  Image image(2, 1, {0, 0, 0});
  image.blend(0, 0, {200, 100, 50}, 0.5);
  EXPECT_EQ(image.at(0, 0), (Rgba{100, 50, 25}));
  image.blend(5, 5, {255, 255, 255}, 1);
  EXPECT_EQ(image.at(1, 0), (Rgba{0, 0, 0}));
  Image clear(1, 1, {0, 0, 0, 0});
  clear.blend(0, 0, {200, 100, 50}, 0.5);
  EXPECT_EQ(clear.at(0, 0), (Rgba{200, 100, 50, 128}));
}

TEST(Image, PastesWhatFallsInside) {
  Image target(4, 4, {0, 0, 0});
  paste(target, Image(3, 3, {9, 9, 9}), 2, -1);
  EXPECT_EQ(target.at(2, 0), (Rgba{9, 9, 9}));
  EXPECT_EQ(target.at(3, 1), (Rgba{9, 9, 9}));
  EXPECT_EQ(target.at(2, 2), (Rgba{0, 0, 0}));
}

TEST(Colour, TheTransferCurveGoesBothWays) {
  for (int i = 0; i <= 255; ++i) {
    const auto byte = static_cast<std::uint8_t>(i);
    EXPECT_EQ(displayColour(linearColour({byte, byte, byte})), (Rgba{byte, byte, byte}));
  }
  EXPECT_NEAR(linearFromSrgb(0.5F), 0.21404F, 1e-4);
}

TEST(Colour, PerceptualColoursHaveTheLightnessAskedFor) {
  for (const double lightness : {0.2, 0.5, 0.8}) {
    for (int hue = 0; hue < 360; hue += 30) {
      EXPECT_NEAR(perceivedLightness(perceptualColour(lightness, 0.3, hue)), lightness, 0.01) << hue;
    }
  }
}

}  // namespace
}  // namespace sinew::picture::image_test
