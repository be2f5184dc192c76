#include "sinew/picture/plot.h"

#include <gtest/gtest.h>

#include <limits>

#include "picture/scenes.h"
#include "sinew/base/error.h"

namespace sinew::picture::plot_test {
namespace {

constexpr Rgba kRed{200, 0, 0};
constexpr Rgba kBlue{0, 0, 200};

/// The rows where a column of the picture has the colour: first and last, or -1.
std::pair<int, int> rowsOf(const Image& image, int x, Rgba colour) {
  std::pair<int, int> rows{-1, -1};
  for (int y = 0; y < image.height; ++y) {
    if (!(image.at(x, y) == colour)) continue;
    if (rows.first < 0) rows.first = y;
    rows.second = y;
  }
  return rows;
}

int firstColumnOf(const Image& image, Rgba colour) {
  for (int x = 0; x < image.width; ++x) {
    if (rowsOf(image, x, colour).first >= 0) return x;
  }
  return -1;
}

TEST(LineChart, RisesWithItsValues) {
  const Line line{.name = "error", .x = {0, 1, 2, 3}, .y = {0, 1, 2, 3}, .colour = kRed};
  const Image chart = lineChart(std::vector<Line>{line}, {.title = "Title", .xLabel = "poses", .yLabel = "error (mm)"});
  const int first = firstColumnOf(chart, kRed);
  ASSERT_GE(first, 0);
  EXPECT_GT(rowsOf(chart, first + 20, kRed).first, rowsOf(chart, first + 400, kRed).second + 50);
}

TEST(LineChart, ALogAxisMakesPowersEvenlySpaced) {
  const Line line{.name = "cost", .x = {1, 10, 100}, .y = {1, 10, 100}, .colour = kRed, .markers = false};
  const Image chart = lineChart(std::vector<Line>{line}, {.logX = true, .logY = true});
  // A straight line: half way along it is half way up.
  const int first = firstColumnOf(chart, kRed);
  int last = first;
  for (int x = first; x < chart.width; ++x) last = rowsOf(chart, x, kRed).first >= 0 ? x : last;
  const auto middle = [&](int x) { return 0.5 * (rowsOf(chart, x, kRed).first + rowsOf(chart, x, kRed).second); };
  EXPECT_NEAR(middle((first + last) / 2), 0.5 * (middle(first + 2) + middle(last - 2)), 2.5);
}

TEST(LineChart, NamesItsLinesWhereThereAreSeveral) {
  std::vector<Line> lines{{.name = "before", .x = {0, 1}, .y = {2, 3}, .colour = kRed},
                          {.name = "after", .x = {0, 1}, .y = {1, 1}, .colour = kBlue}};
  const Image two = lineChart(lines);
  EXPECT_GT(test::countPixels(two, kBlue), 144);
  lines.pop_back();
  EXPECT_GT(test::inkOf(two, {255, 255, 255}), test::inkOf(lineChart(lines), {255, 255, 255}));
}

TEST(LineChart, OneValueIsAMark) {
  const Line line{.name = "x", .x = {5}, .y = {7}, .colour = kRed};
  EXPECT_GT(test::countPixels(lineChart(std::vector<Line>{line}), kRed), 10);
}

TEST(LineChart, RefusesWhatItCannotShow) {
  const auto draw = [](const Line& line, const ChartOptions& options) {
    static_cast<void>(lineChart(std::vector<Line>{line}, options));
  };
  EXPECT_THROW(draw({.name = "a", .x = {}, .y = {}}, {}), Error);
  EXPECT_THROW(draw({.name = "a", .x = {1}, .y = {1, 2}}, {}), Error);
  EXPECT_THROW(draw({.name = "a", .x = {1}, .y = {std::numeric_limits<double>::quiet_NaN()}}, {}), Error);
  EXPECT_THROW(draw({.name = "a", .x = {1}, .y = {0}}, {.logY = true}), Error);
  EXPECT_THROW(draw({.name = "a", .x = {1}, .y = {1}}, {.width = 10}), Error);
  EXPECT_NO_THROW(draw({.name = "a", .x = {1}, .y = {1}}, {.logY = true}));
}

TEST(BarChart, BarsAreAsLongAsTheirValues) {
  const std::vector<std::string> names{"one", "two"};
  const std::vector<Bars> series{{.name = "s", .values = {1, 2}, .colour = kRed}};
  const Image chart = barChart(names, series, {.yHigh = 2.5});
  const int first = firstColumnOf(chart, kRed) + 5;
  const auto one = rowsOf(chart, first, kRed);
  int right = first;
  for (int x = first; x < chart.width; ++x) right = rowsOf(chart, x, kRed).first >= 0 ? x : right;
  const auto two = rowsOf(chart, right - 5, kRed);
  EXPECT_EQ(one.second, two.second);
  EXPECT_NEAR(two.second - two.first, 2.0 * (one.second - one.first), 4);
}

TEST(BarChart, NegativeValuesHangDown) {
  const std::vector<std::string> names{"a"};
  const std::vector<Bars> series{{.name = "up", .values = {3}, .colour = kRed},
                                 {.name = "down", .values = {-3}, .colour = kBlue}};
  const Image chart = barChart(names, series);
  const auto up = rowsOf(chart, firstColumnOf(chart, kRed) + 3, kRed);
  const auto down = rowsOf(chart, firstColumnOf(chart, kBlue) + 3, kBlue);
  EXPECT_LE(up.second, down.first + 1);
  EXPECT_THROW(static_cast<void>(barChart({}, series)), Error);
  const std::vector<std::string> three(3, "n");
  EXPECT_THROW(static_cast<void>(barChart(three, series)), Error);
}

/// The columns where a row of the picture has the colour: first and last, or -1.
std::pair<int, int> columnsOf(const Image& image, int y, Rgba colour) {
  std::pair<int, int> columns{-1, -1};
  for (int x = 0; x < image.width; ++x) {
    if (!(image.at(x, y) == colour)) continue;
    if (columns.first < 0) columns.first = x;
    columns.second = x;
  }
  return columns;
}

TEST(StackedBarChart, PartsStandBehindEachOtherAndAddUp) {
  const std::vector<std::string> names{"one", "two"};
  const std::vector<Bars> series{{.name = "left", .values = {1, 2}, .colour = kRed},
                                 {.name = "removed", .values = {3, 0}, .colour = kBlue}};
  const Image chart = stackedBarChart(names, series);
  const int below = chart.height - 34;  // of the rows
  const int first = below - 26 - 13;
  const auto red = columnsOf(chart, first, kRed);
  const auto blue = columnsOf(chart, first, kBlue);
  ASSERT_GE(red.first, 0);
  EXPECT_LE(std::abs(blue.first - red.second), 2);
  EXPECT_NEAR(blue.second - blue.first, 3.0 * (red.second - red.first), 6);
  const auto second = columnsOf(chart, below - 13, kRed);
  EXPECT_EQ(second.first, red.first);
  EXPECT_NEAR(second.second - second.first, 2.0 * (red.second - red.first), 4);
  EXPECT_EQ(columnsOf(chart, below - 13, kBlue).first, -1) << "a part of nothing has no bar";
}

TEST(StackedBarChart, GrowsWithItsRowsAndRefusesWhatIsNoWhole) {
  const std::vector<std::string> few(2, "n");
  const std::vector<std::string> many(20, "a name that is far too long for the room beside the bars of a chart");
  const auto draw = [](std::span<const std::string> names, double value, std::span<const std::string> notes) {
    const std::vector<Bars> series{{.name = "s", .values = std::vector<double>(names.size(), value)}};
    return stackedBarChart(names, series, notes);
  };
  EXPECT_GT(draw(many, 1, {}).height, draw(few, 1, {}).height + 17 * 20);
  EXPECT_NO_THROW(static_cast<void>(draw(few, 0, few)));
  EXPECT_THROW(static_cast<void>(draw(few, -1, {})), Error);
  EXPECT_THROW(static_cast<void>(draw(few, std::numeric_limits<double>::quiet_NaN(), {})), Error);
  EXPECT_THROW(static_cast<void>(draw(few, 1, many)), Error);
  EXPECT_THROW(static_cast<void>(draw({}, 1, {})), Error);
}

}  // namespace
}  // namespace sinew::picture::plot_test
