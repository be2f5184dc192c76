#include "sinew/picture/contact_sheet.h"

#include <gtest/gtest.h>

#include "picture/scenes.h"
#include "sinew/base/error.h"
#include "sinew/picture/text.h"

namespace sinew::picture::contact_sheet_test {
namespace {

constexpr Rgba kWhite{255, 255, 255};
constexpr Rgba kBlue{0, 0, 200};

Legend heatLegend() {
  Legend legend;
  legend.title = "distance (% of the diagonal)";
  legend.scale = {0, 2.5, "heat"};
  legend.entries = {{kBlue, "handle"}, {{200, 0, 0}, "a pin with a long name"}};
  return legend;
}

TEST(Legend, StaysWithinItsSizeAndShowsBothEnds) {
  for (const ScalarScale& scale : {ScalarScale{0, 2.5, "heat"}, ScalarScale{-1e-7, 3e-7, "diverging"},
                                   ScalarScale{0, 123456, "weight"}, ScalarScale{0.1, 0.9, "grey"}}) {
    Legend legend = heatLegend();
    legend.scale = scale;
    const LegendSize size = legendSize(legend, 120);
    Image image(size.width + 40, size.height + 40, kWhite);
    drawLegend(image, legend, {20, 20}, 120);
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        const bool inside = x >= 19 && y >= 19 && x <= 20 + size.width && y <= 20 + size.height;
        ASSERT_TRUE(inside || image.at(x, y) == kWhite) << x << " " << y;
      }
    }
    EXPECT_GT(test::countPixels(image, kBlue), 100);
    const Colormap& map = colormap(scale.colormap);
    EXPECT_GE(test::countPixels(image, map.colour(1 - 0.5 / 120)), 16);
    EXPECT_GE(test::countPixels(image, map.colour(0.5 / 120)), 16);
  }
}

Legend listLegend(int entries) {
  Legend legend;
  legend.title = "joints";
  legend.bar = false;
  for (int i = 0; i < entries; ++i) legend.entries.push_back({categoryColour(i), "joint"});
  return legend;
}

TEST(Legend, IsBesideOrBelowThePictureAndLeavesItMoreThanHalf) {
  constexpr Rgba kPicture{3, 90, 7};
  for (const Legend& legend : {heatLegend(), listLegend(3), listLegend(90)}) {
    for (const auto& [width, height] : std::vector<std::pair<int, int>>{
             {800, 800}, {900, 300}, {300, 900}, {160, 120}, {90, 200}, {20, 20}, {2, 2}}) {
      const LegendLayout layout = layOutLegend(legend, width, height);
      EXPECT_GT(2 * layout.pictureWidth * layout.pictureHeight, width * height);
      const Image image = withLegend(Image(layout.pictureWidth, layout.pictureHeight, kPicture), legend, width, height);
      EXPECT_EQ(image.width, width);
      EXPECT_EQ(image.height, height);
      EXPECT_EQ(test::countPixels(image, kPicture), layout.pictureWidth * layout.pictureHeight)
          << "no pixel of the picture is covered";
    }
  }
  EXPECT_FALSE(layOutLegend(heatLegend(), 900, 300).below);
  EXPECT_TRUE(layOutLegend(heatLegend(), 300, 900).below);
  EXPECT_THROW(static_cast<void>(withLegend(Image(900, 300, kPicture), heatLegend(), 900, 300)), Error);
}

TEST(Legend, NamesTheTopOfItsScale) {
  // The same bar with and without a number at its top: 0.0137 is no round tick.
  Legend legend;
  legend.scale = {0, 0.0137, "heat"};
  const LegendSize size = legendSize(legend, 120);
  const auto inkAtTheTop = [&] {
    Image image(size.width + 40, size.height, kWhite);
    drawLegend(image, legend, {0, 0}, 120);
    int ink = 0;
    for (int y = 0; y < 12; ++y) {
      for (int x = 28; x < image.width; ++x) ink += image.at(x, y) == kWhite ? 0 : 1;
    }
    return ink;
  };
  const int plain = inkAtTheTop();
  EXPECT_GT(plain, 60);
  legend.exceeded = true;
  EXPECT_GT(inkAtTheTop(), plain + 8) << "values above it are told by a sign";
}

TEST(Legend, ALongListIsCutToThePicture) {
  const Legend legend = listLegend(90);
  const LegendLayout layout = layOutLegend(legend, 300, 200);
  const Image image = withLegend(Image(layout.pictureWidth, layout.pictureHeight, kWhite), legend, 300, 200);
  EXPECT_GT(test::countPixels(image, categoryColour(0)), 100) << "the first entry is there";
  EXPECT_EQ(test::countPixels(image, categoryColour(60)), 0) << "the last ones are not";
}

TEST(ContactSheet, PlacesCellsInRowsWithLabelsBelow) {
  std::vector<Cell> cells;
  for (int i = 0; i < 5; ++i) {
    cells.push_back({Image(60, 40, {static_cast<std::uint8_t>(50 * i), 7, 7}), "cell " + std::to_string(i)});
  }
  const Image sheet = contactSheet(cells, {.columns = 3, .title = "Five cells"});
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(test::countPixels(sheet, {static_cast<std::uint8_t>(50 * i), 7, 7}), 60 * 40) << i;
  }
  EXPECT_GE(sheet.width, 3 * 60);
  EXPECT_LE(sheet.width, 3 * 60 + 4 * 12);
  const Image bare = contactSheet(std::vector<Cell>{{Image(60, 40, {1, 2, 3}), ""}});
  EXPECT_EQ(test::inkOf(bare, kWhite), 60 * 40) << "no label, no title: nothing but the picture";
}

TEST(ContactSheet, LabelsStayUnderTheirOwnCell) {
  std::vector<Cell> cells(2, {Image(80, 30, kBlue), ""});
  cells[0].label = "a label that is far too long for a cell of 80 pixels";
  const Image sheet = contactSheet(cells, {.columns = 2});
  for (int y = 12 + 30; y < sheet.height; ++y) {
    for (int x = 12 + 80 + 2; x < sheet.width; ++x) ASSERT_EQ(sheet.at(x, y), kWhite) << x << " " << y;
  }
}

TEST(ContactSheet, TheLegendDoesNotTouchTheCells) {
  std::vector<Cell> cells(4, {Image(100, 100, kBlue), "label", "note"});
  ContactSheetOptions options;
  options.columns = 2;
  options.legend = heatLegend();
  options.legend->entries.clear();
  const Image sheet = contactSheet(cells, options);
  EXPECT_EQ(test::countPixels(sheet, kBlue), 4 * 100 * 100);
  EXPECT_GT(sheet.width, 2 * 100 + 3 * 12 + 40);
}

TEST(ContactSheet, CellsOfDifferentSizesAreCentred) {
  const std::vector<Cell> cells{{Image(100, 80, kBlue), ""}, {Image(20, 20, {9, 9, 9}), ""}};
  const Image sheet = contactSheet(cells, {.columns = 2, .gap = 10});
  EXPECT_EQ(sheet.at(10 + 100 + 10 + 50, 10 + 40), (Rgba{9, 9, 9}));
}

TEST(ContactSheet, ChoosesColumnsForAScreen) {
  const std::vector<Cell> cells(12, {Image(40, 40, kBlue), ""});
  const Image sheet = contactSheet(cells);
  EXPECT_GT(sheet.width, sheet.height);
  EXPECT_LT(sheet.width, 3 * sheet.height);
}

TEST(ContactSheet, RefusesNothingAndTooMuch) {
  EXPECT_THROW(static_cast<void>(contactSheet({})), Error);
  const std::vector<Cell> wide(3, {Image(8000, 2, kBlue), ""});
  EXPECT_THROW(static_cast<void>(contactSheet(wide, {.columns = 3})), Error);
  const std::vector<Cell> empty(1);
  EXPECT_THROW(static_cast<void>(contactSheet(empty)), Error);
}

}  // namespace
}  // namespace sinew::picture::contact_sheet_test
