#include "sinew/picture/text.h"

#include <gtest/gtest.h>

#include <map>

#include "picture/scenes.h"

namespace sinew::picture::text_test {
namespace {

constexpr Rgba kWhite{255, 255, 255};

Image drawn(std::string_view text, double size) {
  Image image(static_cast<int>(textWidth(text, {.size = size})) + 12, static_cast<int>(2 * size), kWhite);
  drawText(image, text, {6, 1.3 * size}, {.size = size, .colour = {0, 0, 0}});
  return image;
}

TEST(Text, EveryPrintableCharacterHasInkAndItsOwnForm) {
  for (const double size : {12.0, 16.0, 40.0}) {
    std::map<std::vector<std::uint8_t>, std::string> seen;
    for (int c = ' '; c <= '~'; ++c) {
      const std::string text(1, static_cast<char>(c));
      Image image(64, 80, kWhite);
      drawText(image, text, {10, 60}, {.size = size, .colour = {0, 0, 0}});
      EXPECT_EQ(test::inkOf(image, kWhite) > 0, c != ' ') << text;
      const auto [other, isNew] = seen.try_emplace(image.rgba, text);
      EXPECT_TRUE(isNew) << text << " looks like " << other->second << " at size " << size;
    }
    Image degree(64, 80, kWhite);
    drawText(degree, "\xc2\xb0", {10, 60}, {.size = size, .colour = {0, 0, 0}});
    EXPECT_TRUE(seen.try_emplace(degree.rgba, "degree").second);
  }
}

TEST(Text, StaysWithinItsWidthAndHeight) {
  for (const double size : {11.0, 14.0, 33.0}) {
    const std::string text = "Wjg(Qy)|[0%]_";
    const Image image = drawn(text, size);
    const double right = 6 + textWidth(text, {.size = size});
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        if (image.at(x, y) == kWhite) continue;
        EXPECT_GE(x, 5);
        EXPECT_LE(x, right + 1);
        EXPECT_GE(y, 1.3 * size - 0.95 * size);
        EXPECT_LE(y, 1.3 * size + 0.35 * size);
      }
    }
  }
}

TEST(Text, IsAlignedAndWider) {
  EXPECT_EQ(textWidth(""), 0);
  EXPECT_GT(textWidth("ab"), textWidth("a"));
  EXPECT_NEAR(textWidth("abc", {.size = 28}), 2 * textWidth("abc", {.size = 14}), 2);
  Image left(200, 40, kWhite);
  Image right(200, 40, kWhite);
  drawText(left, "text", {100, 20});
  drawText(right, "text", {100, 20}, {}, TextAlign::Right);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 99; ++x) EXPECT_EQ(left.at(x, y), kWhite);
    for (int x = 102; x < 200; ++x) EXPECT_EQ(right.at(x, y), kWhite);
  }
  EXPECT_GT(test::inkOf(right, kWhite), 30);
}

TEST(Text, ReadsUpwards) {
  Image image(40, 200, kWhite);
  drawTextUpwards(image, "error", {25, 100});
  int above = 0;
  int below = 0;
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 40; ++x) (y < 100 ? above : below) += image.at(x, y) == kWhite ? 0 : 1;
  }
  EXPECT_GT(above, 20);
  EXPECT_GT(below, 20);
}

TEST(Text, UnknownCharactersAndBrokenUtf8AreBoxes) {
  const Image box = drawn("\xe2\x82\xac", 20);
  EXPECT_EQ(drawn("\xff", 20).rgba, box.rgba);
  EXPECT_EQ(drawn("\xe2\x82", 20).rgba, box.rgba);
  EXPECT_GT(test::inkOf(box, kWhite), 20);
}

TEST(Text, IsShortenedToFit) {
  EXPECT_EQ(shortened("short", 200), "short");
  const std::string cut = shortened("a rather long label for a small cell", 100);
  EXPECT_LE(textWidth(cut), 100);
  EXPECT_TRUE(cut.ends_with("..."));
  EXPECT_TRUE(cut.starts_with("a rat"));
  EXPECT_EQ(shortened("anything", 3), "");
  EXPECT_EQ(shortened("\xc2\xb0\xc2\xb0\xc2\xb0\xc2\xb0", 18).size() % 2, 1U) << "no half characters";
}

TEST(Text, OutsideTheImageIsNoHarm) {
  Image image(10, 10, kWhite);
  drawText(image, "far away", {1e9, -1e9});
  drawText(image, "far away", {-50, 5});
  EXPECT_EQ(image.width, 10);
}

}  // namespace
}  // namespace sinew::picture::text_test
