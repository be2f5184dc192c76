#include "sinew/picture/colormap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/base/error.h"

namespace sinew::picture::colormap_test {
namespace {

double distance(Rgba a, Rgba b) {
  return std::hypot(std::hypot(a.r - b.r, a.g - b.g), static_cast<double>(a.b - b.b));
}

TEST(Colormap, AllRunSmoothlyAndAreFoundByName) {
  for (const Colormap& map : colormaps()) {
    EXPECT_EQ(&colormap(map.name), &map);
    EXPECT_EQ(map.colour(-1), map.colour(0));
    EXPECT_EQ(map.colour(2), map.colour(1));
    for (int i = 0; i < 200; ++i) {
      EXPECT_LT(distance(map.colour(i / 200.0), map.colour((i + 1) / 200.0)), 12) << map.name << " at " << i;
    }
  }
}

TEST(Colormap, OrderSurvivesInGrey) {
  for (const std::string_view name : {"heat", "ember", "weight", "grey"}) {
    const Colormap& map = colormap(name);
    const double whole = perceivedLightness(map.colour(1)) - perceivedLightness(map.colour(0));
    for (int i = 0; i < 20; ++i) {
      const double step = perceivedLightness(map.colour((i + 1) / 20.0)) - perceivedLightness(map.colour(i / 20.0));
      EXPECT_NEAR(step, whole / 20, 0.01) << name << " at " << i;
    }
  }
}

TEST(Colormap, DivergingIsPaleInTheMiddleAndEqualAtItsEnds) {
  const Colormap& map = colormap("diverging");
  EXPECT_GT(perceivedLightness(map.colour(0.5)), 0.9);
  EXPECT_NEAR(perceivedLightness(map.colour(0)), perceivedLightness(map.colour(1)), 0.02);
  EXPECT_GT(map.colour(0).b, map.colour(0).r);
  EXPECT_GT(map.colour(1).r, map.colour(1).b);
}

TEST(Colormap, AnUnknownNameSuggestsTheNearest) {
  try {
    static_cast<void>(colormap("heta"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotFound);
    EXPECT_NE(std::string(error.what()).find("'heat'"), std::string::npos) << error.what();
  }
}

TEST(ScalarScale, MapsItsLimitsToTheEndsOfTheMap) {
  const ScalarScale scale{-2, 6, "ember"};
  EXPECT_EQ(scalarColour(scale, -2), colormap("ember").colour(0));
  EXPECT_EQ(scalarColour(scale, 2), colormap("ember").colour(0.5));
  EXPECT_EQ(scalarColour(scale, 99), colormap("ember").colour(1));
  EXPECT_THROW(static_cast<void>(scalarColour({1, 1, "heat"}, 0)), Error);
}

TEST(ScalarScale, IsRoundedOutwards) {
  const std::vector<double> values{0.13, 3.7, 1};
  const ScalarScale scale = scaleOf(values);
  EXPECT_EQ(scale.low, 0);
  EXPECT_GE(scale.high, 3.7);
  EXPECT_LE(scale.high, 4);
  const ScalarScale loose = scaleOf(values, "weight", false);
  EXPECT_GT(loose.low, -0.3);
  EXPECT_LE(loose.low, 0.13);
  EXPECT_EQ(scaleOf({}).high, 1);
  const std::vector<double> zeros(3, 0.0);
  EXPECT_LT(scaleOf(zeros).low, scaleOf(zeros).high);
  const std::vector<double> same(3, 5e-12);
  EXPECT_LT(scaleOf(same, "heat", false).low, scaleOf(same, "heat", false).high);
  const std::vector<double> bad{1, std::numeric_limits<double>::infinity()};
  EXPECT_THROW(static_cast<void>(scaleOf(bad)), Error);
}

TEST(NiceTicks, AreRoundAndWithinTheLimits) {
  EXPECT_EQ(niceTicks(0, 1, 5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(niceTicks(0, 100, 4), (std::vector<double>{0, 25, 50, 75, 100}));
  EXPECT_EQ(niceTicks(-1, 1, 2), (std::vector<double>{-1, 0, 1}));
  for (const double scale : {1e-9, 0.037, 1.0, 12.5, 3e7}) {
    for (const int count : {2, 4, 8}) {
      const std::vector<double> ticks = niceTicks(0.3 * scale, 1.7 * scale, count);
      EXPECT_GE(static_cast<int>(ticks.size()), 1) << scale;
      EXPECT_LE(static_cast<int>(ticks.size()), 2 * count + 1) << scale;
      EXPECT_GE(ticks.front(), 0.3 * scale * (1 - 1e-6));
      EXPECT_LE(ticks.back(), 1.7 * scale * (1 + 1e-6));
    }
  }
}

TEST(NiceTicks, LabelsHaveTheSameDecimals) {
  const std::vector<double> ticks{0, 0.25, 0.5, 0.75, 1};
  EXPECT_EQ(tickLabels(ticks), (std::vector<std::string>{"0.00", "0.25", "0.50", "0.75", "1.00"}));
  const std::vector<double> tens{0, 10, 20};
  EXPECT_EQ(tickLabels(tens), (std::vector<std::string>{"0", "10", "20"}));
  const std::vector<double> tiny{0, 2e-6, 4e-6};
  EXPECT_EQ(tickLabels(tiny), (std::vector<std::string>{"0", "2e-06", "4e-06"}));
}

TEST(CategoryColour, TellsADozenApart) {
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < i; ++j) EXPECT_GT(distance(categoryColour(i), categoryColour(j)), 40) << i << " " << j;
  }
  EXPECT_EQ(categoryColour(-1).r, categoryColour(-1).b);
}

TEST(ErrorScale, WhatIsExactIsNotRed) {
  constexpr double kDiagonal = 1.8;
  const Rgba pale = colormap("heat").colour(0);
  for (const double noise : {0.0, 1e-16, 1e-9, 1e-6}) {
    const std::vector<double> distances{0, 0.3 * noise * kDiagonal, noise * kDiagonal};
    const ScalarScale scale = errorScale(distances, kDiagonal);
    EXPECT_EQ(scale.low, 0);
    EXPECT_GE(scale.high, kErrorFloor * kDiagonal);
    EXPECT_LT(std::abs(perceivedLightness(scalarColour(scale, distances.back())) - perceivedLightness(pale)), 0.01)
        << noise;
  }
  const std::vector<double> wrong{0, 0.05};
  EXPECT_NEAR(errorScale(wrong, kDiagonal).high, 0.05, 1e-12) << "real errors set the scale";
  EXPECT_GT(errorScale({}, 0).high, 0);
}

}  // namespace
}  // namespace sinew::picture::colormap_test
