#include "report_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <numeric>

#include "sinew/base/check.h"

namespace sinew::cli {

std::vector<std::size_t> shownRows(std::span<const double> values, std::size_t most) {
  std::vector<std::size_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= most) return rows;
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<const Example*> examplesNamed(const ExampleSet& set, std::span<const std::string> names) {
  std::vector<const Example*> examples;
  std::size_t at = 0;
  for (const std::string& name : names) {
    while (at < set.examples.size() && set.examples[at].name != name) ++at;
    SINEW_CHECK(at < set.examples.size(), "report", fmt::format("there is no example '{}'", name));
    examples.push_back(&set.examples[at++]);
  }
  return examples;
}

std::string largestParts(std::vector<std::pair<double, std::string>> parts) {
  constexpr std::size_t kMost = 4;
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, parts.size()); ++i) text += (i > 0 ? ", " : "") + parts[i].second;
  if (parts.size() > kMost) text += fmt::format(" and {} more", parts.size() - kMost);
  return text;
}

std::string turnedJoints(const Character& character, const Pose& pose) {
  std::vector<std::pair<double, std::string>> parts;
  for (int j = 0; j < character.skeleton.size(); ++j) {
    const Joint& joint = character.skeleton[j];
    const Quat& turned = pose.local[static_cast<std::size_t>(j)].rotation;
    const double angle = 180 / std::numbers::pi * turned.normalized().angularDistance(joint.rest.rotation.normalized());
    if (angle >= 0.5) parts.emplace_back(angle, fmt::format("{} {:.0f}°", joint.name, angle));
  }
  return largestParts(std::move(parts));
}

void tellShown(Page& page, std::size_t shown, std::size_t all, const std::string& which) {
  if (shown >= all) return;
  page.paragraph(fmt::format("{} of {} examples are shown: {}. {} are left out.", shown, all, which, all - shown));
}

Pose poseOn(const Character& character, const Pose& pose) {
  Pose moved = restPose(character);
  std::copy(pose.local.begin(), pose.local.end(), moved.local.begin());
  std::copy(pose.morphWeights.begin(), pose.morphWeights.end(), moved.morphWeights.begin());
  return moved;
}

}  // namespace sinew::cli
