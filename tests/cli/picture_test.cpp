// The content of the pictures and pages that the command writes.
#include <gtest/gtest.h>

#include "report/examples.h"
#include "report/page.h"
#include "report/pictures.h"
#include "run_sinew.h"
#include "sinew/picture/png.h"

namespace sinew::cli::picture_test {
namespace {

using test::runSinew;
using test::TemporaryFolder;

/// Weights are drawn in strong colours, backgrounds and shadows are grey.
bool isStrong(picture::Rgba colour) {
  const auto [least, most] = std::minmax({colour.r, colour.g, colour.b});
  return most - least > 40;
}

picture::Image decoded(const std::string& path) {
  return picture::decodePng(test::readText(path));
}

TEST(RenderedPicture, TheLegendCoversNothingOfTheModel) {
  const TemporaryFolder folder;
  ASSERT_EQ(runSinew({"sample", "arm", "--exact", "-q", "-o", folder.file("arm")}).exitCode, 0);
  ASSERT_EQ(runSinew({"sample", "biped", "--vertices", "1500", "-q", "-o", folder.file("biped")}).exitCode, 0);
  const std::string joint = runSinew({"info", folder.file("arm/arm.glb"), "--json"}).json()["jointNames"].back();
  struct Case {
    const char* model;
    std::vector<std::string> colour;
  };
  const Case cases[] = {{"arm/arm.glb", {"--color", "weight:" + joint}},
                        {"arm/arm.glb", {"--color", "weight:" + joint, "--view", "90,0"}},
                        {"biped/biped.glb", {"--color", "control"}}};
  for (const Case& one : cases) {
    for (const auto& [width, height] : std::vector<std::pair<int, int>>{{600, 200}, {200, 600}, {400, 400}, {90, 90}}) {
      const std::string size = std::to_string(width) + "x" + std::to_string(height);
      std::vector<std::string> words{"render", folder.file(one.model), "--size", size, "-q",
                                     "-o",     folder.file("p.png")};
      words.insert(words.end(), one.colour.begin(), one.colour.end());
      ASSERT_EQ(runSinew(words).exitCode, 0);
      const picture::Image image = decoded(folder.file("p.png"));
      ASSERT_EQ(image.width, width);
      ASSERT_EQ(image.height, height);
      // The legend is a strip of one colour from corner to corner, right of the picture or below it.
      const picture::Rgba panel = image.at(width - 1, height - 1);
      int right = width;
      int bottom = height;
      while (right > 0 && image.at(right - 1, 0) == panel) --right;
      while (bottom > 0 && image.at(0, bottom - 1) == panel) --bottom;
      ASSERT_TRUE((right < width) != (bottom < height)) << size << ": the legend has a strip of its own";
      int inside = 0;
      for (int y = 0; y < bottom; ++y) {
        for (int x = 0; x < right; ++x) {
          if (!isStrong(image.at(x, y))) continue;
          ++inside;
          ASSERT_TRUE(x > 0 && y > 0 && x + 1 < right && y + 1 < bottom) << "the model is cut off at " << x << " " << y;
        }
      }
      EXPECT_GT(inside, right * bottom / 100) << size << ": the model fills its picture";
    }
  }
}

TEST(RenderedPicture, ExactIsNotRed) {
  const TemporaryFolder folder;
  ASSERT_EQ(runSinew({"sample", "arm", "--exact", "-q", "-o", folder.file("arm")}).exitCode, 0);
  const std::string arm = folder.file("arm/arm.glb");
  const std::string pose = folder.file("arm/poses/bend80.json");
  // Written as posed: differences are rounding.
  ASSERT_EQ(runSinew({"deform", arm, "--pose", pose, "-q", "-o", folder.file("posed.obj")}).exitCode, 0);
  const auto redness = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"render",  arm, "--pose", pose, "--color",           "error", "--size", "120x120",
                                   "--title", "t", "-q",     "-o", folder.file("p.png")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(runSinew(words).exitCode, 0);
    const picture::Image image = decoded(folder.file("p.png"));
    int red = 0;
    for (int y = 40; y < 160; ++y) {  // the cell, without its legend
      for (int x = 12; x < 132; ++x) {
        const picture::Rgba c = image.at(x, y);
        red += c.r > c.g + 60 || c.r > c.b + 90 ? 1 : 0;
      }
    }
    return red;
  };
  EXPECT_EQ(redness({"--against", folder.file("posed.obj")}), 0);
  EXPECT_GT(redness({"--against", folder.file("arm/bend80.obj")}), 50) << "the sculpt differs from plain skinning";
  EXPECT_EQ(redness({"--against", folder.file("arm/bend80.obj"), "--range", "1000%"}), 0);
  EXPECT_EQ(runSinew({"render", arm, "--range", "wide", "-o", folder.file("p.png")}).exitCode, 1);
}

TEST(ErrorScale, OfReportsHasAFloor) {
  EXPECT_GE(errorScale({0, 1e-12, 1e-12}, 2).high, 2 * picture::kErrorFloor);
  EXPECT_GE(errorScale({}, 2).high, 2 * picture::kErrorFloor);
  EXPECT_NEAR(errorScale({0, 0.5, 0.5}, 2).high, 0.5, 1e-12);
}

TEST(ShownRows, OfALongSequenceAreNotNeighbours) {
  std::vector<double> values(200, 0.0);
  for (std::size_t i = 100; i < 110; ++i) values[i] = 5 - 0.1 * static_cast<double>(i - 100);
  values[20] = 1;
  values[180] = 2;
  EXPECT_EQ(shownRows(values, 3), (std::vector<std::size_t>{20, 100, 180}));
  EXPECT_EQ(shownRows(std::vector<double>{1, 5, 6, 2}, 2), (std::vector<std::size_t>{1, 2}))
      << "examples are not frames";
}

std::string pageOf(std::size_t frames) {
  PageBarChart chart;
  chart.unit = " %";
  chart.series = {{"before", {}}, {"after", {}}};
  PageTable table;
  table.columns = {{"frame"}, {"rms", Align::Right}};
  for (std::size_t f = 0; f < frames; ++f) {
    chart.names.push_back("frame" + std::to_string(f));
    chart.series[0].values.push_back(2);
    chart.series[1].values.push_back(f == 117 ? 0.9 : 0.01 * static_cast<double>(f % 7));
    table.rows.push_back({chart.names.back(), std::to_string(chart.series[1].values.back())});
  }
  Page page("Errors", "");
  tellErrors(page, chart, table, "frame");
  return page.html();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ReportOfErrors, ALongSequenceIsACurveWithItsWorstFramesNamed) {
  const std::string few = pageOf(30);
  EXPECT_EQ(count(few, "<tr>"), 31u) << "a row for each, and the head";
  EXPECT_EQ(count(few, "<polyline"), 0u);
  const std::string many = pageOf(175);
  EXPECT_EQ(count(many, "<polyline"), 2u) << "a curve for each series";
  EXPECT_LE(count(many, "<tr>"), 12u) << "the worst, not 175 rows";
  EXPECT_EQ(count(many, ">frame117<"), 2u) << "the worst is named in the chart and in the table";
  EXPECT_EQ(count(many, ">frame5<"), 0u);
  EXPECT_LT(many.find(">frame117</td>"), many.find(">frame6</td>")) << "worst first";
}

}  // namespace
}  // namespace sinew::cli::picture_test
