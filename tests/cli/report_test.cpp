// The pages of --report, as a browser reads them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "report/examples.h"
#include "report/invert.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/psd.h"
#include "report/words.h"
#include "run_sinew.h"
#include "sinew/base/error.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/posing.h"
#include "sinew/io/uri.h"
#include "sinew/picture/png.h"
#include "sinew/samples/samples.h"

namespace sinew::cli::report_test {
namespace {

const std::string kEvil = "<script>alert('x')</script> & \"quoted\"";

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// The first tag that is not closed in order, or empty.
std::string unbalancedTag(const std::string& html) {
  static const std::regex tag(R"(<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^>"]|"[^"]*")*)>)");
  std::vector<std::string> open;
  for (auto it = std::sregex_iterator(html.begin(), html.end(), tag); it != std::sregex_iterator(); ++it) {
    std::string name = (*it)[2];
    const std::string rest = (*it)[3];
    if (name == "meta" || name == "img" || name == "br" || rest.ends_with("/")) continue;
    if ((*it)[1].length() == 0) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return name;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

/// The page without its pictures.
std::string withoutPictures(const std::string& html) {
  std::string text;
  std::size_t from = 0;
  for (std::size_t at = html.find("base64,"); at != std::string::npos; at = html.find("base64,", from)) {
    text += html.substr(from, at + 7 - from);
    from = html.find('"', at);
  }
  return text + html.substr(from);
}

void expectSelfContained(const std::string& html) {
  const std::string text = withoutPictures(html);
  EXPECT_TRUE(text.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(unbalancedTag(text), "");
  for (const char* word : {"http:", "https:", "<script", "<link", "@import", "url(", "javascript:"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(occurrences(text, "src="), occurrences(text, "src=\"data:image/png;base64,"));
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(EscapeHtml, MarkupBecomesText) {
  EXPECT_EQ(escapeHtml("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escapeHtml("elbow 90° 左\n\t"), "elbow 90° 左\n\t");
}

TEST(EscapeHtml, BytesThatAreNoTextAreReplaced) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(escapeHtml(std::string("a\0b", 3)), "a" + replaced + "b");
  EXPECT_EQ(escapeHtml("\x1b[31m"), replaced + "[31m");
  EXPECT_EQ(escapeHtml("\xC3"), replaced);                                // cut off
  EXPECT_EQ(escapeHtml("\xC0\xAF"), replaced + replaced);                 // overlong
  EXPECT_EQ(escapeHtml("\xED\xA0\x80"), replaced + replaced + replaced);  // half of a pair
  EXPECT_EQ(escapeHtml("\xFFx"), replaced + "x");
  EXPECT_EQ(escapeHtml("\xF0\x9F\xA6\xB4"), "\xF0\x9F\xA6\xB4");
}

TEST(Page, EscapesWhatUsersNameInEveryPlace) {
  Page page(kEvil, kEvil);
  page.heading(kEvil);
  page.subheading(kEvil, kEvil);
  page.paragraph(kEvil);
  page.figures(std::vector<Page::Figure>{{kEvil, kEvil}});
  page.warnings(std::vector<std::string>{kEvil});
  page.list(std::vector<std::string>{kEvil});
  page.table({.columns = {{kEvil}}, .rows = {{kEvil}}});
  page.code(kEvil, kEvil);
  page.pictures(std::vector<PagePicture>{{picture::Image(2, 2, {}), kEvil, kEvil}});
  page.colourScale({}, kEvil);
  page.bars({.names = {kEvil}, .series = {{kEvil, {1}}}, .unit = kEvil, .log = false, .description = kEvil});
  page.lines(std::vector<PageLineChart>{
      {.title = kEvil, .lines = {{kEvil, {0, 1}, {0, 1}}}, .marks = {{0, kEvil}}, .description = kEvil}});
  const std::string html = page.html();
  expectSelfContained(html);
  EXPECT_EQ(html.find("alert('x')"), std::string::npos);
  EXPECT_EQ(html.find("\"quoted\""), std::string::npos);
  EXPECT_GE(occurrences(html, "alert(&#39;x&#39;)"), 24u);
}

TEST(Page, PicturesComeBackPixelByPixel) {
  picture::Image image(3, 2, {10, 20, 30, 255});
  image.set(1, 1, {200, 100, 50, 255});
  Page page("title", "subtitle");
  page.pictures(std::vector<PagePicture>{{image, "one"}});
  const std::string html = page.html();
  const std::size_t from = html.find("data:image/png;base64,");
  ASSERT_NE(from, std::string::npos);
  const std::string uri = html.substr(from, html.find('"', from) - from);
  const picture::Image back = picture::decodePng(decodeDataUri(uri, "page"));
  EXPECT_EQ(back.rgba, image.rgba);
  EXPECT_NE(html.find("width=\"3\" height=\"2\""), std::string::npos);
}

TEST(Page, SaysNothingWhereThereIsNothingToWarnOf) {
  Page page("title", "subtitle");
  page.warnings({});
  EXPECT_EQ(page.html().find("class=\"warnings\""), std::string::npos);
  EXPECT_THROW(page.table({.columns = {{"a"}, {"b"}}, .rows = {{"one"}}}), Error);
}

/// Widths of the bars of a chart in percent.
std::vector<double> barWidths(const std::string& svg) {
  static const std::regex bar(R"(<rect [^>]*width="([0-9.]+)%")");
  std::vector<double> widths;
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), bar); it != std::sregex_iterator(); ++it) {
    widths.push_back(std::stod((*it)[1]));
  }
  return widths;
}

TEST(BarChart, BarsAreAsLongAsTheirValues) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> widths =
      barWidths(barChartSvg({.names = {"a", "b", "c"}, .series = {{"s", {4, 2, 0}}, {"t", {1, none, 3}}}}));
  ASSERT_EQ(widths.size(), 5u);
  EXPECT_DOUBLE_EQ(widths[2] / widths[0], 0.5);
  EXPECT_DOUBLE_EQ(widths[1] / widths[0], 0.25);
  EXPECT_DOUBLE_EQ(widths[4] / widths[0], 0.75);
  EXPECT_EQ(widths[3], 0);
  EXPECT_THROW((void)barChartSvg({.names = {"a"}, .series = {{"s", {1, 2}}}}), Error);
}

TEST(BarChart, PowersOfTenAreEqualStepsOfALogAxis) {
  const std::vector<double> widths =
      barWidths(barChartSvg({.names = {"a", "b", "c", "d"}, .series = {{"s", {1, 0.1, 0.01, 0}}}, .log = true}));
  ASSERT_EQ(widths.size(), 4u);
  EXPECT_NEAR(widths[0] - widths[1], widths[1] - widths[2], 2e-3);
  EXPECT_GT(widths[2], 10);
  EXPECT_EQ(widths[3], 0);
}

TEST(LineChart, RunsFromEdgeToEdgeAndLeavesOutWhatIsNoNumber) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = lineChartSvg({.title = "t", .lines = {{"one", {0, 1, 2, 4}, {0, none, 1, 0.5}, 3}}});
  const std::size_t from = svg.find("points=\"") + 8;
  EXPECT_EQ(svg.substr(from, svg.find('"', from) - from), "0.00,150.00 50.00,8.00 100.00,79.00 ");
  EXPECT_NE(svg.find("var(--c3)"), std::string::npos);
  EXPECT_THROW((void)lineChartSvg({.title = "t", .lines = {{"one", {0, 1}, {0}}}}), Error);
}

class PsdReportPage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sample_ = std::make_unique<Sample>(makeSample("arm", {.exact = true}));
    sample_->examples.examples[1].name = kEvil;
    examples_ = std::make_unique<ExamplesInMemory>(sample_->examples);
    result_ = std::make_unique<PoseSpaceResult>(learnPoseSpace(sample_->character, sample_->examples));
  }
  static void TearDownTestSuite() {
    examples_.reset();
    sample_.reset();
    result_.reset();
  }
  static PsdReportInput input() {
    return {.character = sample_->character, .examples = *examples_, .result = *result_, .pictureSize = 40};
  }
  static std::size_t pictures(const std::string& html) { return occurrences(html, "<img "); }

  static inline std::unique_ptr<Sample> sample_;
  static inline std::unique_ptr<ExamplesInMemory> examples_;
  static inline std::unique_ptr<PoseSpaceResult> result_;
};

TEST_F(PsdReportPage, TellsOfEveryExampleInWordsBarsAndPictures) {
  PsdReportInput in = input();
  in.commandLine = "sinew psd " + kEvil;
  in.characterFile = in.examplesFile = in.outputFile = kEvil;
  in.notes = {kEvil};
  const std::string html = psdReportPage(in);
  expectSelfContained(html);
  const PoseSpaceReport& report = result_->report;
  EXPECT_EQ(pictures(html), 4 * report.examples.size() + report.next.size());
  for (const PoseSpaceExample& row : report.examples) {
    EXPECT_GE(occurrences(html, escapeHtml(row.name)), 4u) << row.name;
  }
  EXPECT_EQ(occurrences(html, "<polyline") >= 3 * report.examples.size(), true);
  EXPECT_EQ(html.find("In other viewers"), std::string::npos);
  EXPECT_NE(html.find("Sculpt here next"), std::string::npos);
}

TEST_F(PsdReportPage, SaysHowManyExamplesAreLeftOut) {
  PsdReportInput in = input();
  in.mostExamples = 2;
  const std::string html = psdReportPage(in);
  const std::size_t all = result_->report.examples.size();
  EXPECT_EQ(pictures(html), 2 * 4 + result_->report.next.size());
  EXPECT_NE(html.find("2 of " + std::to_string(all) + " examples are shown"), std::string::npos);
  EXPECT_NE(html.find(std::to_string(all - 2) + " are not shown"), std::string::npos);
}

TEST_F(PsdReportPage, ShowsWhatIsWrittenForOtherViewers) {
  PsdReportInput in = input();
  PoseSpaceExportReport exported;
  exported.morphs = 7;
  exported.bytes = 123456;
  exported.trade = {{4, 60000, 0.5, 0.6, MorphMethod::Knots},
                    {7, 123456, 0.1, 0.2, MorphMethod::Knots},
                    {7, 123456, 0.3, 0.4, MorphMethod::Svd}};
  exported.warnings = {"7 morph targets are too few"};
  in.exported = &exported;
  in.warnings = {"a sculpt lies far away"};
  const std::string html = psdReportPage(in);
  EXPECT_NE(html.find("7 morph targets are too few"), std::string::npos);
  EXPECT_NE(html.find("sculpt lies far away"), std::string::npos);
  EXPECT_NE(html.find("In other viewers"), std::string::npos);
  EXPECT_NE(html.find("7 morph targets (123.5 kB)"), std::string::npos);
  EXPECT_EQ(occurrences(html, "<tr class=\"marked\">"), 2u);
  EXPECT_NE(html.find("Error by number of morph targets"), std::string::npos);
}

TEST_F(PsdReportPage, StopsWhenItIsCancelled) {
  EXPECT_THROW((void)psdReportPage(input(), [](const ProgressState&) { return false; }), Error);
}

TEST(InvertReportPage, TellsWhatCouldNotFollow) {
  const Sample arm = makeSample("arm", {.exact = true});
  const Example& example = arm.examples.examples.front();
  PosedJoints joints;
  poseJoints(arm.character.skeleton, arm.character.skin.bindings, example.pose, joints);
  const Points before = posePoints(arm.character, example.pose);
  InvertResult result = invertDeformer(makeSkinDeformer("linear-blend", arm.character.skin), joints,
                                       arm.character.mesh.points, example.points);
  InvertReportInput input{.character = arm.character,
                          .rest = arm.character.mesh.points,
                          .sculpt = example.points,
                          .result = result,
                          .before = &before,
                          .operatorName = kEvil,
                          .sculptFile = kEvil,
                          .commandLine = kEvil,
                          .pictureSize = 40};
  const std::string html = invertReportPage(input);
  expectSelfContained(html);
  EXPECT_EQ(occurrences(html, "<img "), 6u);
  EXPECT_EQ(html.find("class=\"warnings\""), std::string::npos);
  result.report.unreachable = 3;
  result.report.converged = false;
  result.report.stopped = kEvil;
  result.report.nonLocal = 5;
  input.before = nullptr;
  const std::string worse = invertReportPage(input);
  expectSelfContained(worse);
  EXPECT_EQ(occurrences(worse, "<img "), 5u);
  EXPECT_NE(worse.find("3 warnings"), std::string::npos);
  EXPECT_NE(worse.find("3 vertices cannot reach the sculpt"), std::string::npos);
  const Points less = example.points.leftCols(7);
  const InvertReportInput wrong{
      .character = arm.character, .rest = arm.character.mesh.points, .sculpt = less, .result = result};
  EXPECT_THROW((void)invertReportPage(wrong), Error);
}

TEST(ReportPictures, RoundingNoiseIsNothingToLookAt) {
  const Sample arm = makeSample("arm", {.exact = true});
  const Points& points = arm.character.mesh.points;
  const SkinPainter painter(arm.character, "y", 40);
  Eigen::VectorXd noise = Eigen::VectorXd::Zero(points.cols());
  noise[3] = 1e-15;
  const picture::Camera whole = painter.cameraForDistances(points, {});
  const picture::Camera seen = painter.cameraForDistances(points, noise);
  EXPECT_EQ(seen.target, whole.target);
  EXPECT_EQ(seen.eye, whole.eye);
  noise[3] = 0.1 * boundingBox(points).diagonal();
  EXPECT_NE(painter.cameraForDistances(points, noise).target, whole.target) << "only differences are checked";
}

TEST(ReportExamples, SaysThatNeighboursAreLeftOut) {
  Page plain("a", "b");
  tellShown(plain, 8, 20, "the worst");
  EXPECT_EQ(plain.html().find("neighbouring"), std::string::npos);
  Page thinned("a", "b");
  tellShown(thinned, 8, 175, "the worst");
  EXPECT_NE(thinned.html().find("only the first of neighbouring frames"), std::string::npos);
}

TEST(ReportFlag, CommandsWriteThePageThatTellsHowItWasMade) {
  const test::TemporaryFolder folder;
  const auto done = [](const std::vector<std::string>& words) {
    const test::CommandResult result = test::runSinew(words);
    EXPECT_EQ(result.exitCode, 0) << result.err;
  };
  const std::string page = folder.file("it's a <page>.html");
  done({"sample", "arm", "--exact", "-o", folder.file("arm"), "-q"});
  done({"psd", folder.file("arm/arm.glb"), "--examples", folder.file("arm/examples.json"), "-o", folder.file("out.glb"),
        "--report", page, "-q"});
  const std::string learned = test::readText(page);
  expectSelfContained(learned);
  EXPECT_NE(learned.find("<pre>sinew psd "), std::string::npos);
  EXPECT_NE(learned.find("it&#39;\\&#39;&#39;s a &lt;page&gt;.html&#39;"), std::string::npos);
  done({"invert", folder.file("arm/arm.glb"), "--pose", folder.file("arm/poses/bend80.json"), "--sculpt",
        folder.file("arm/bend80.obj"), "-o", folder.file("rest.obj"), "--report", page, "-q"});
  const std::string inverted = test::readText(page);
  expectSelfContained(inverted);
  EXPECT_NE(inverted.find("<pre>sinew invert "), std::string::npos);
  EXPECT_EQ(occurrences(inverted, "<img "), 6u);
}

TEST(ReportFlag, AFolderThatDoesNotExistIsRefusedBeforeAnyWork) {
  const test::TemporaryFolder folder;
  const test::CommandResult sample = test::runSinew({"sample", "arm", "--exact", "-o", folder.file("arm"), "-q"});
  ASSERT_EQ(sample.exitCode, 0) << sample.err;
  const test::CommandResult result =
      test::runSinew({"psd", folder.file("arm/arm.glb"), "--examples", folder.file("arm/examples.json"), "-o",
                      folder.file("out.glb"), "--report", folder.file("nowhere/page.html")});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("nowhere"), std::string::npos) << result.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"arm"});
}

TEST(ReportWords, SizesAndSharesHaveThreeDigits) {
  EXPECT_EQ(bytesText(999), "999 bytes");
  EXPECT_EQ(bytesText(2'500'000), "2.50 MB");
  EXPECT_EQ(percentText(0.25), "0.25 %");
}

}  // namespace
}  // namespace sinew::cli::report_test
