#include "sinew/io/examples/plan.h"

#include <fmt/format.h>

#include "sinew/io/files.h"
#include "sinew/io/text/hand_written_json.h"

namespace sinew::examples {

namespace fs = std::filesystem;

Plan::Plan(const Character& of, const Points& restPoints, const OpenExamplesOptions& options)
    : character(of),
      madeOn(restPoints),
      sculpts{.force = options.force,
              .inPose = of.hasSkin() && !skinJoints(of).empty(),
              .unlessForced = options.unlessForced},
      rules(options.rules),
      matcher(std::make_shared<SculptMatcher>(of, restPoints)) {}

void Plan::add(Example example, Entry entry, const std::string& where) {
  if (!names.insert(example.name).second)
    text::refuseJson(where, fmt::format("has two examples named '{}'; rename one", example.name));
  outline.examples.push_back(std::move(example));
  entries.push_back(std::move(entry));
}

std::vector<double> readMask(const fs::path& path, const SculptMatcher& matcher, Index sculptVertices, Index vertices) {
  const std::string where = path.string();
  const text::HandJson list = text::parseHandJson(readFile(path), where, "a mask");
  const auto count = toSize(vertices);
  const auto sculpt = toSize(sculptVertices);
  if (!list.is_array() || (list.size() != sculpt && list.size() != count)) {
    text::refuseJson(where, fmt::format("a mask must be a list of {} numbers, one per vertex of its mesh{}", sculpt,
                                        list.is_array() ? fmt::format(", not {}", list.size()) : ""));
  }
  const std::vector<double> values = text::numbersOf(list, list.size(), "the mask", where);
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (values[v] < 0 || values[v] > 1)
      text::refuseJson(where, fmt::format("the mask has {} at vertex {}; values must be from 0 to 1", values[v], v));
  }
  return values.size() == sculpt ? matcher.carryValues(values, sculptVertices) : values;
}

}  // namespace sinew::examples
