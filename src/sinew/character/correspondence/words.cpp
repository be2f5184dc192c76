#include "sinew/character/correspondence/words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "sinew/character/unit_ratios.h"

namespace sinew::correspondence {
namespace {

std::string signedAxes(const Mat3& axes) {
  std::string text = "(";
  for (int row = 0; row < 3; ++row) {
    for (int col = 0; col < 3; ++col) {
      if (axes(row, col) == 0) continue;
      text += axes(row, col) < 0 ? "-" : "";
      text += "xyz"[col];
    }
    text += row < 2 ? ", " : ")";
  }
  return text;
}

/// A rotation about a coordinate axis; tools disagree on the two about x.
std::string turnWords(const Mat3& axes, int about) {
  const double cosine = axes((about + 1) % 3, (about + 1) % 3);
  const double sine = axes((about + 2) % 3, (about + 1) % 3);
  const int degrees = cosine < -0.5 ? 180 : sine > 0 ? 90 : -90;
  std::string text = fmt::format("rotated by {} degrees about {}", degrees, "xyz"[about]);
  if (about == 0 && degrees != 180) text += degrees < 0 ? " (z up to y up)" : " (y up to z up)";
  return text;
}

std::string axesWords(const MatchResult& match) {
  const Mat3& axes = match.axes;
  const Vec3 diagonal = axes.diagonal();
  if (!match.mirrored) {
    for (int k = 0; k < 3; ++k) {
      if (diagonal[k] == 1) return turnWords(axes, k);
    }
    return fmt::format("axes taken as {}", signedAxes(axes));
  }
  for (int k = 0; k < 3; ++k) {
    const int a = (k + 1) % 3;
    const int b = (k + 2) % 3;
    if (diagonal[k] == -1 && diagonal[a] == 1 && diagonal[b] == 1) return fmt::format("mirrored in {}", "xyz"[k]);
    if (diagonal[k] == 1 && axes(a, b) == 1 && axes(b, a) == 1) {
      return fmt::format("axes {} and {} swapped, which mirrors it", "xyz"[std::min(a, b)], "xyz"[std::max(a, b)]);
    }
  }
  return fmt::format("axes taken as {}, which mirrors it", signedAxes(axes));
}

}  // namespace

std::string matchSentence(const MatchResult& match, Index sculptCount, double tolerance) {
  const auto count = static_cast<Index>(match.sculptVertex.size());
  if (match.unmatched == count) {
    if (count == 0) return "there is nothing to match: the character has no vertices";
    return fmt::format(
        "no match: none of the {} vertices of the character is within {} diagonals of a vertex of the sculpt's rest "
        "mesh ({} vertices), in any units or axes; give the sculpt's own rest mesh, in the character's rest pose",
        count, tolerance, sculptCount);
  }
  std::vector<std::string> parts;
  parts.emplace_back(match.method == MatchMethod::ByIndex ? "matched by index" : "matched by rest position");
  if (match.scale != 1) {
    const UnitRatio* unit = knownUnitRatio(match.scale);
    parts.push_back(unit != nullptr ? fmt::format("scaled by {:.6g} ({})", match.scale, unit->words)
                                    : fmt::format("scaled by {:.6g}", match.scale));
  }
  if (!match.axes.isIdentity()) parts.push_back(axesWords(match));
  if (!match.offset.isZero()) {
    parts.push_back(
        fmt::format("moved by ({:.6g}, {:.6g}, {:.6g})", match.offset.x(), match.offset.y(), match.offset.z()));
  }
  std::string sentence = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) sentence += ", " + parts[i];
  if (match.unmatched > 0) {
    sentence += fmt::format("; {} of {} character vertices have no match within {} diagonals and do not move",
                            match.unmatched, count, tolerance);
  }
  if (match.unusedSculpt > 0 && match.method == MatchMethod::ByRestPosition) {
    sentence += fmt::format("; {} of {} sculpt vertices are not used", match.unusedSculpt, sculptCount);
  }
  return sentence;
}

}  // namespace sinew::correspondence
