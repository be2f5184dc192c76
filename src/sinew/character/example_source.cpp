#include "sinew/character/example_source.h"

#include <utility>

namespace sinew {
namespace {

Example withoutShape(const Example& example) {
  return {
      .name = example.name, .pose = example.pose, .points = Points(3, 0), .mask = {}, .confidence = example.confidence};
}

ExampleSet outlineOf(const ExampleSet& set) {
  ExampleSet outline{.rest = set.rest, .examples = {}, .drivers = set.drivers};
  for (const Example& example : set.examples) outline.examples.push_back(withoutShape(example));
  return outline;
}

ExampleSet outlineOf(const ExampleSet& all, const std::vector<std::size_t>& chosen, std::vector<Driver> drivers) {
  ExampleSet outline{.rest = all.rest, .examples = {}, .drivers = std::move(drivers)};
  for (const std::size_t k : chosen) outline.examples.push_back(all.examples.at(k));
  return outline;
}

}  // namespace

ExampleSource::ExampleSource(ExampleSet outline) : outline_(std::move(outline)) {}

ExamplesInMemory::ExamplesInMemory(const ExampleSet& set) : ExampleSource(outlineOf(set)), set_(set) {}

void ExamplesInMemory::read(std::size_t k, Example& example) {
  example = set_.examples.at(k);
}

SomeExamples::SomeExamples(ExampleSource& all, std::vector<std::size_t> chosen)
    : SomeExamples(all, std::move(chosen), all.outline().drivers) {}

SomeExamples::SomeExamples(ExampleSource& all, std::vector<std::size_t> chosen, std::vector<Driver> drivers)
    : ExampleSource(outlineOf(all.outline(), chosen, std::move(drivers))), all_(all), chosen_(std::move(chosen)) {}

void SomeExamples::read(std::size_t k, Example& example) {
  all_.read(chosen_.at(k), example);
}

ExampleSet readAll(ExampleSource& source) {
  ExampleSet set = source.outline();
  for (std::size_t k = 0; k < set.examples.size(); ++k) source.read(k, set.examples[k]);
  return set;
}

Example exampleOfVertices(const Example& example, const std::vector<Index>& vertices) {
  Example few = withoutShape(example);
  few.points = example.points(Eigen::all, vertices);
  for (std::size_t i = 0; !example.mask.empty() && i < vertices.size(); ++i)
    few.mask.push_back(example.mask[toSize(vertices[i])]);
  return few;
}

}  // namespace sinew
