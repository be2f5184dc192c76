#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sinew/base/check.h"
#include "sinew/io/uri.h"
#include "sinew/picture/png.h"

namespace sinew::cli {
namespace {

/// The colours of series, for light and dark themes; distinguishable with most colour vision deficiencies.
constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--paper:#fdfdfc;--card:#f3f4f2;--ink:#1d2327;--pale:#5d676e;--rule:#d9dcdb;--mark:#fff3d1;
--warn:#fdf1dc;--warnrule:#d98a1f;--link:#1f6f8b;
--c0:#1f77b4;--c1:#d1731a;--c2:#2a8a57;--c3:#c2403d;--c4:#7a5cb5;--c5:#8c5a44;--c6:#c658a3;--c7:#6b7a1e;--c8:#138a9c;
--c9:#9a7b00;--c10:#4058c9;--c11:#a3455f}
@media (prefers-color-scheme:dark){:root{--paper:#14181b;--card:#1d2327;--ink:#e7eaea;--pale:#9aa5ab;--rule:#353d42;
--mark:#3a3417;--warn:#2e2617;--warnrule:#d9962f;--link:#6fc3df;
--c0:#5aa9e6;--c1:#f29b4c;--c2:#58c08a;--c3:#f0716d;--c4:#ab92e3;--c5:#c79178;--c6:#e98bca;--c7:#adc04b;--c8:#4cc3d4;
--c9:#d8b93a;--c10:#8b9cf7;--c11:#e27f98}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue","DejaVu Sans",Arial,sans-serif;-webkit-text-size-adjust:100%}
main{max-width:62rem;margin:0 auto;padding:2rem 1.1rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .3rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.25rem;line-height:1.3;margin:2.8rem 0 .7rem;padding-top:.7rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;line-height:1.35;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}
h3 span{font-weight:400;color:var(--pale)}
p{margin:.5rem 0 .9rem;max-width:44rem;overflow-wrap:anywhere}
.subtitle{color:var(--pale);margin-top:0}
.figures{display:flex;flex-wrap:wrap;gap:.8rem;margin:1.3rem 0}
.figures div{flex:1 1 9rem;background:var(--card);border-radius:.5rem;padding:.8rem 1rem}
.figures b{display:block;font-size:1.5rem;line-height:1.25;font-weight:600;font-variant-numeric:tabular-nums}
.figures span{color:var(--pale);font-size:.875rem}
ul{padding-left:1.2rem;max-width:44rem}li{margin:.35rem 0;overflow-wrap:anywhere}
.warnings{background:var(--warn);border-left:4px solid var(--warnrule);border-radius:.3rem;padding:.7rem 1rem;
margin:1.2rem 0}
.warnings p{margin:0 0 .2rem;font-weight:600}.warnings ul{margin:.2rem 0}
.scroll{overflow-x:auto;margin:.8rem 0 1.2rem}
table{border-collapse:collapse;font-size:.925rem;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .9rem .35rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
th{font-weight:600;color:var(--pale);white-space:nowrap}
td{overflow-wrap:anywhere;min-width:4rem}
th.r,td.r{text-align:right;white-space:nowrap}
tr.marked td{background:var(--mark)}
pre{background:var(--card);border-radius:.4rem;padding:.8rem 1rem;overflow-x:auto;font:.85rem/1.5 ui-monospace,Menlo,
Consolas,"DejaVu Sans Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0 1rem}
details{margin:.4rem 0 1rem}summary{cursor:pointer;color:var(--link)}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(13rem,46%),1fr));gap:.7rem;margin:.6rem 0 1.3rem}
figure{margin:0}img{display:block;width:100%;height:auto;border-radius:.35rem}
figcaption{font-size:.85rem;line-height:1.35;margin-top:.3rem;overflow-wrap:anywhere}
figcaption span,.legend span{color:var(--pale);font-variant-numeric:tabular-nums}
.scale{max-width:24rem;margin:.5rem 0 1rem;font-size:.85rem;color:var(--pale)}
.scale i{display:block;height:.7rem;border-radius:.2rem}
.scale div{display:flex;justify-content:space-between;font-variant-numeric:tabular-nums}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;padding:0;margin:.4rem 0 .6rem;font-size:.85rem;
max-width:none}
.legend li{margin:0;display:flex;align-items:center;gap:.4rem}
.legend svg{width:1.4rem;height:.8rem;flex:none}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(18rem,100%),1fr));gap:1.2rem;margin:.6rem 0 1.3rem}
.chart.wide{grid-column:1/-1}
.chart h4{font-size:.9rem;margin:0 0 .2rem;font-weight:600;overflow-wrap:anywhere}
svg.chart{display:block;width:100%;overflow:visible}
svg text{fill:var(--ink);font-size:12px;font-family:inherit;font-variant-numeric:tabular-nums}
svg text.pale{fill:var(--pale)}
svg .grid{stroke:var(--rule);stroke-width:1;vector-effect:non-scaling-stroke}
svg .line{fill:none;stroke-width:2;vector-effect:non-scaling-stroke;stroke-linejoin:round}
svg .dashed{stroke-dasharray:5 4;stroke-width:1.5}
footer{margin-top:3rem;color:var(--pale);font-size:.85rem}
@media print{:root{--paper:#fff}body{font-size:10.5pt}main{max-width:none;padding:0}h2{break-after:avoid}
h3{break-after:avoid}figure,tr,.chart,.figures,.warnings{break-inside:avoid}.pictures{grid-template-columns:repeat(4,1fr)}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)";

/// The length of the well-formed UTF-8 character at the front, or 0.
std::size_t characterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, halves of UTF-16 pairs, and values above U+10FFFF.
  const bool tooLong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool outside = (first == 0xED && byte(1) >= 0xA0) || (first == 0xF4 && byte(1) >= 0x90);
  return tooLong || outside ? 0 : length;
}

std::string colourName(picture::Rgba colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b);
}

/// Sentences of the library start in lower case without a full stop, so that they can be embedded; on a page they are
/// complete sentences.
std::string asSentence(std::string_view text) {
  std::string sentence(text);
  if (sentence.empty()) return sentence;
  const std::string_view first = text.substr(0, text.find(' '));
  const bool isName = first.find_first_of("._/:\\-") != std::string_view::npos;  // of a file or a joint
  if (!isName && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  const bool ended = sentence.ends_with('.') || sentence.ends_with('!') || sentence.ends_with('?');
  return escapeHtml(ended ? sentence : sentence + ".");
}

}  // namespace

std::string escapeHtml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = characterLength(text);
    const char c = text[0];
    if (length == 0 || (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f') {
      escaped += "\xEF\xBF\xBD";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\'') {
      escaped += "&#39;";
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return escaped;
}

Page::Page(std::string_view title, std::string_view subtitle) : title_(escapeHtml(title)) {
  body_ = fmt::format("<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n", title_, asSentence(subtitle));
}

void Page::heading(std::string_view text) {
  body_ += fmt::format("<h2>{}</h2>\n", escapeHtml(text));
}

void Page::subheading(std::string_view text, std::string_view note) {
  body_ += fmt::format("<h3>{}{}</h3>\n", escapeHtml(text),
                       note.empty() ? "" : fmt::format(" <span>{}</span>", escapeHtml(note)));
}

void Page::paragraph(std::string_view text) {
  body_ += fmt::format("<p>{}</p>\n", escapeHtml(text));
}

void Page::figures(std::span<const Figure> figures) {
  body_ += "<div class=\"figures\">";
  for (const Figure& figure : figures) {
    body_ += fmt::format("<div><b>{}</b><span>{}</span></div>", escapeHtml(figure.value), escapeHtml(figure.label));
  }
  body_ += "</div>\n";
}

void Page::warnings(std::span<const std::string> sentences) {
  if (sentences.empty()) return;
  body_ += fmt::format("<div class=\"warnings\" role=\"note\"><p>{}</p><ul>",
                       sentences.size() == 1 ? "1 warning" : fmt::format("{} warnings", sentences.size()));
  for (const std::string& sentence : sentences) body_ += fmt::format("<li>{}</li>", asSentence(sentence));
  body_ += "</ul></div>\n";
}

void Page::list(std::span<const std::string> items) {
  body_ += "<ul>";
  for (const std::string& item : items) body_ += fmt::format("<li>{}</li>", asSentence(item));
  body_ += "</ul>\n";
}

void Page::table(const PageTable& table) {
  const auto sideOf = [&](std::size_t column) {
    return table.columns[column].align == Align::Right ? " class=\"r\"" : "";
  };
  body_ += "<div class=\"scroll\"><table>";
  const bool named = std::any_of(table.columns.begin(), table.columns.end(),
                                 [](const PageTable::Column& column) { return !column.name.empty(); });
  if (named) {
    body_ += "<thead><tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      body_ += fmt::format("<th scope=\"col\"{}>{}</th>", sideOf(c), escapeHtml(table.columns[c].name));
    }
    body_ += "</tr></thead>";
  }
  body_ += "<tbody>";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    SINEW_CHECK(table.rows[r].size() == table.columns.size(), "page",
                fmt::format("row {} has {} cells for {} columns", r, table.rows[r].size(), table.columns.size()));
    const bool marked = std::find(table.marked.begin(), table.marked.end(), r) != table.marked.end();
    body_ += marked ? "<tr class=\"marked\">" : "<tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      body_ += fmt::format("<td{}>{}</td>", sideOf(c), escapeHtml(table.rows[r][c]));
    }
    body_ += "</tr>";
  }
  body_ += "</tbody></table></div>\n";
}

void Page::code(std::string_view text, std::string_view summary) {
  const std::string block = fmt::format("<pre>{}</pre>", escapeHtml(text));
  body_ += summary.empty() ? block + "\n"
                           : fmt::format("<details><summary>{}</summary>{}</details>\n", escapeHtml(summary), block);
}

void Page::pictures(std::span<const PagePicture> pictures) {
  body_ += "<div class=\"pictures\">";
  for (const PagePicture& shown : pictures) {
    body_ += fmt::format(
        "<figure><img width=\"{}\" height=\"{}\" alt=\"{}\" src=\"data:image/png;base64,{}\">"
        "<figcaption>{}{}</figcaption></figure>\n",
        shown.image.width, shown.image.height, escapeHtml(shown.caption), encodeBase64(picture::encodePng(shown.image)),
        escapeHtml(shown.caption),
        shown.note.empty() ? "" : fmt::format("<br><span>{}</span>", escapeHtml(shown.note)));
  }
  body_ += "</div>\n";
}

void Page::colourScale(const picture::ScalarScale& scale, std::string_view label) {
  constexpr int kStops = 12;
  std::string stops;
  for (int i = 0; i <= kStops; ++i) {
    const double value = scale.low + (scale.high - scale.low) * i / kStops;
    stops += fmt::format("{}{}", i > 0 ? "," : "", colourName(picture::scalarColour(scale, value)));
  }
  body_ += fmt::format(
      "<div class=\"scale\"><i style=\"background:linear-gradient(90deg,{})\"></i><div><span>{:.3g}</span>"
      "<span>{}</span><span>{:.3g} and above</span></div></div>\n",
      stops, scale.low, escapeHtml(label), scale.high);
}

void Page::bars(const PageBarChart& chart) {
  body_ += "<ul class=\"legend\">";
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    body_ += fmt::format(
        "<li><svg aria-hidden=\"true\"><rect width=\"100%\" height=\"100%\" rx=\"2\" "
        "fill=\"{}\"/></svg>{}</li>",
        seriesColour(chart, s), escapeHtml(chart.series[s].name));
  }
  body_ += "</ul>\n" + barChartSvg(chart) + "\n";
}

void Page::lines(std::span<const PageLineChart> charts) {
  // One entry per name, in the order in which they first appear.
  std::vector<const PageLine*> entries;
  std::map<std::string_view, bool> seen;
  for (const PageLineChart& chart : charts) {
    for (const PageLine& line : chart.lines) {
      if (seen.emplace(line.name, true).second) entries.push_back(&line);
    }
  }
  body_ += "<ul class=\"legend\">";
  for (const PageLine* line : entries) {
    body_ += fmt::format(
        "<li><svg aria-hidden=\"true\"><line x1=\"0\" x2=\"100%\" y1=\"50%\" y2=\"50%\" class=\"line{}\" "
        "stroke=\"{}\"/></svg>{}</li>",
        line->dashed ? " dashed" : "", pageColour(line->colour), escapeHtml(line->name));
  }
  body_ += "</ul>\n<div class=\"charts\">";
  for (const PageLineChart& chart : charts) {
    body_ += fmt::format("<div class=\"chart{}\"><h4>{}</h4>{}</div>\n", chart.wide ? " wide" : "",
                         escapeHtml(chart.title), lineChartSvg(chart));
  }
  body_ += "</div>\n";
}

std::string Page::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style></head>\n<body><main>\n{}</main></body></html>\n",
      title_, kStyle, body_);
}

}  // namespace sinew::cli
