// Examples whose shapes are read when they are needed, so that memory does not grow with their number.
#pragma once

#include <cstddef>
#include <vector>

#include "sinew/character/example_set.h"

namespace sinew {

/// Examples in a fixed order. Names, poses and confidences are known from the start, shapes are read one after the
/// other, and may be read more than once.
class ExampleSource {
 public:
  virtual ~ExampleSource() = default;
  ExampleSource(const ExampleSource&) = delete;
  ExampleSource& operator=(const ExampleSource&) = delete;

  /// All examples without their points and masks; also the drivers and the rest shape.
  [[nodiscard]] const ExampleSet& outline() const { return outline_; }
  [[nodiscard]] std::size_t size() const { return outline_.examples.size(); }
  /// Example k with its shape, in the memory of `example`. Cheapest in ascending order. Throws as the readers do.
  virtual void read(std::size_t k, Example& example) = 0;

 protected:
  explicit ExampleSource(ExampleSet outline);

 private:
  ExampleSet outline_;
};

/// Examples that are in memory. Refers to the set, which must outlive it.
class ExamplesInMemory final : public ExampleSource {
 public:
  explicit ExamplesInMemory(const ExampleSet& set);
  void read(std::size_t k, Example& example) override;

 private:
  const ExampleSet& set_;
};

/// Some examples of another source, in ascending order. Refers to it; it must outlive this.
class SomeExamples final : public ExampleSource {
 public:
  SomeExamples(ExampleSource& all, std::vector<std::size_t> chosen);
  /// With these drivers instead of those of `all`.
  SomeExamples(ExampleSource& all, std::vector<std::size_t> chosen, std::vector<Driver> drivers);
  void read(std::size_t k, Example& example) override;

 private:
  ExampleSource& all_;
  std::vector<std::size_t> chosen_;
};

/// All examples with their shapes.
ExampleSet readAll(ExampleSource& source);

/// The example at these vertices only, for a characterOfVertices().
Example exampleOfVertices(const Example& example, const std::vector<Index>& vertices);

}  // namespace sinew
