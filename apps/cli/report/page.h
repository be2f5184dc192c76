// Reports as one HTML file: no network, no scripts, light and dark, readable on a phone and on paper.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/picture/colormap.h"
#include "sinew/picture/image.h"

namespace sinew::cli {

/// Text escaped for HTML elements and quoted attributes: & < > " ' are written as entities, bytes that are not UTF-8
/// and control characters become U+FFFD.
std::string escapeHtml(std::string_view text);

/// Series have the colours 0 to kPageColours - 1, and two more: one muted, one for emphasis.
inline constexpr int kPageColours = 12;
inline constexpr int kPageGrey = -1;
inline constexpr int kPageInk = -2;
/// As a CSS colour of the page.
std::string pageColour(int colour);

/// Right for numbers, so that their digits align.
enum class Align : std::uint8_t { Left, Right };

struct PageTable {
  struct Column {
    std::string name;
    Align align = Align::Left;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> marked = {};  ///< highlighted rows
};

struct PagePicture {
  picture::Image image;
  std::string caption;
  std::string note = {};  ///< smaller, under the caption: a number
};

/// A value for each name.
struct PageBars {
  std::string name;
  std::vector<double> values;      ///< zero or more; NaN: no bar
  std::optional<int> colour = {};  ///< none: the colour of its index
};

struct PageBarChart {
  std::vector<std::string> names;
  std::vector<PageBars> series;
  std::string unit = {};                ///< after the numbers
  bool log = false;                     ///< bars over powers of ten; values of 0 have no bar
  bool stacked = false;                 ///< one stacked bar for each name; not with log
  std::vector<std::string> notes = {};  ///< stacked: a text after each bar; default: the sum
  std::string description = {};         ///< for those who cannot see it
};

struct PageLine {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  int colour = kPageGrey;
  bool dashed = false;
  bool dots = false;  ///< its values alone, without a line through them
};

struct PageLineChart {
  std::string title;
  std::vector<PageLine> lines;
  struct Mark {
    double x = 0;
    std::string name;
  };
  std::vector<Mark> marks = {};  ///< named positions on the x axis, a vertical line each
  std::string description = {};
  double leastTop = 1;      ///< the y axis reaches at least up to here; 0: as far as the values
  std::string unit = {};    ///< after the numbers of the y axis
  std::string xLabel = {};  ///< "frame": then the x axis has numbers
  bool wide = false;        ///< over the whole width of the page
};

/// Grows from top to bottom. Every text is given as plain text and is escaped here; subtitle, warnings and items of
/// lists are made sentences (a capital letter, a full stop).
class Page {
 public:
  Page(std::string_view title, std::string_view subtitle);

  void heading(std::string_view text);
  void subheading(std::string_view text, std::string_view note = {});
  void paragraph(std::string_view text);
  /// A few large numbers side by side.
  struct Figure {
    std::string value;
    std::string label;
  };
  void figures(std::span<const Figure> figures);
  /// Sentences that a reader must not miss.
  void warnings(std::span<const std::string> sentences);
  void list(std::span<const std::string> items);
  void table(const PageTable& table);
  /// Text as it is typed; closed under `summary` unless that is empty.
  void code(std::string_view text, std::string_view summary = {});
  /// Side by side, as many as fit the width.
  void pictures(std::span<const PagePicture> pictures);
  /// What the colours of pictures mean.
  void colourScale(const picture::ScalarScale& scale, std::string_view label);
  void bars(const PageBarChart& chart);
  /// Charts of one kind side by side, with one legend.
  void lines(std::span<const PageLineChart> charts);

  /// The whole file.
  [[nodiscard]] std::string html() const;

 private:
  std::string title_;
  std::string body_;
};

/// The colour of a series of bars, as a CSS colour of the page.
std::string seriesColour(const PageBarChart& chart, std::size_t series);

/// The charts alone, as SVG elements that fill the width of their container.
std::string barChartSvg(const PageBarChart& chart);
std::string lineChartSvg(const PageLineChart& chart);

}  // namespace sinew::cli
