// The list of examples: each change is one step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "studio/modes/correct/correct_mode.h"

namespace sinew::studio::correct {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kLongestName = 200;

std::string trimmed(const std::string& text) {
  constexpr const char* kSpaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpaces);
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// The example of that name, or kNone.
std::size_t named(const ExampleList& list, const std::string& name) {
  const auto found = std::find_if(list.examples.begin(), list.examples.end(),
                                  [&](const ExampleState& example) { return example.name == name; });
  return found == list.examples.end() ? kNone : toSize(found - list.examples.begin());
}

}  // namespace

std::string CorrectMode::freeName(const std::string& name, std::size_t except) const {
  std::string wanted = trimmed(name);
  if (wanted.empty()) throw CommandFault("bad-input", "an example needs a name", "Type one.");
  if (wanted.size() > kLongestName)
    throw CommandFault("bad-input", fmt::format("a name of {} letters is too long", wanted.size()),
                       fmt::format("Use at most {}.", kLongestName));
  const std::size_t other = named(list(), wanted);
  if (other != kNone && other != except)
    throw CommandFault("exists", fmt::format("an example '{}' already exists", wanted), "Choose another name.");
  return wanted;
}

void CorrectMode::commitList(const std::string& name, ExampleList after) {
  context_.commit({name, {ExamplesChange{list(), std::move(after)}}});
}

void CorrectMode::commitExample(const std::string& name, std::uint32_t view, Points points, std::vector<double> mask) {
  const ExampleShapePtr shape = context_.storeShape(packedShape(std::move(points), std::move(mask)));
  const Document& document = context_.document();
  ExampleState example{name, poseOfExample(document.file, document.views[view]), 1, shape->file};
  ExampleList after = list();
  if (after.sculpt && after.sculpt->shape == shape->file) after.sculpt.reset();
  const std::size_t same = named(after, name);
  if (same == kNone) {
    after.examples.push_back(std::move(example));
  } else {
    after.examples[same] = std::move(example);
  }
  commitList(fmt::format("{} example {}", same == kNone ? "Add" : "Replace", name), std::move(after));
}

void CorrectMode::add(const wire::ExamplesAddCommand& asked) {
  const std::uint32_t view = checkedView(asked.view);
  const std::string wanted = trimmed(asked.name);
  const std::string name = freeName(wanted, named(list(), wanted));
  const ExampleShape* const shape = shapeIn(view, shownIn(view));
  commitExample(name, view, pointsOf(view, shownIn(view)), shape == nullptr ? std::vector<double>() : shape->mask);
}

void CorrectMode::rename(const wire::ExamplesRenameCommand& asked) {
  const std::size_t at = checkedExample(asked.example);
  const std::string name = freeName(asked.name, at);
  ExampleList after = list();
  const std::string before = after.examples[at].name;
  if (before == name) return;
  if (after.sculpt && after.sculpt->name == before) after.sculpt->name = name;
  after.examples[at].name = name;
  commitList(fmt::format("Rename example {} to {}", before, name), std::move(after));
}

void CorrectMode::remove(const wire::ExamplesRemoveCommand& asked) {
  const std::size_t at = checkedExample(asked.example);
  ExampleList after = list();
  const std::string name = after.examples[at].name;
  after.examples.erase(after.examples.begin() + static_cast<std::ptrdiff_t>(at));
  if (after.sculpt && after.sculpt->name == name) after.sculpt->name.clear();
  commitList(fmt::format("Remove example {}", name), std::move(after));
}

void CorrectMode::reorder(const wire::ExamplesReorderCommand& asked) {
  const std::size_t from = checkedExample(asked.example);
  const std::size_t to = checkedExample(asked.to);
  if (from == to) return;
  ExampleList after = list();
  const auto at = [&](std::size_t k) { return after.examples.begin() + static_cast<std::ptrdiff_t>(k); };
  const std::string name = after.examples[from].name;
  if (from < to) {
    std::rotate(at(from), at(from + 1), at(to + 1));
  } else {
    std::rotate(at(to), at(from), at(from + 1));
  }
  commitList(fmt::format("Move example {}", name), std::move(after));
}

void CorrectMode::setDrivers(const wire::ExamplesDriversCommand& asked) {
  context_.requireSkin();
  if (asked.joints.size() != asked.weights.size()) throw CommandFault("malformed", "drivers need one weight per joint");
  const Character& character = context_.document().file.character;
  ExampleList after = list();
  after.drivers.clear();
  for (std::size_t i = 0; i < asked.joints.size(); ++i) {
    const std::string& name = asked.joints[i];
    const bool isMorph = std::any_of(character.morphs.begin(), character.morphs.end(),
                                     [&](const MorphTarget& morph) { return morph.name == name; });
    if (!isMorph) (void)character.skeleton.index(name);
    if (!(asked.weights[i] > 0) || !std::isfinite(asked.weights[i]))
      throw CommandFault("bad-input",
                         fmt::format("the driver '{}' has the weight {}; it must be positive", name, asked.weights[i]));
    after.drivers.push_back({name, asked.weights[i]});
  }
  commitList(after.drivers.empty() ? "Choose drivers automatically" : "Set drivers", std::move(after));
}

void CorrectMode::goTo(const wire::ExamplesGotoCommand& asked) {
  const std::uint32_t view = checkedView(asked.view);
  const ExampleState& example = list().examples[checkedExample(asked.example)];
  commitPose(fmt::format("Go to example {}", example.name), view, poseInFile(context_.document().file, example.pose));
}

}  // namespace sinew::studio::correct
