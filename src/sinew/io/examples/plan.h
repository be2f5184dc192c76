// What is known of examples before their shapes are read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "sinew/character/example_set.h"
#include "sinew/io/examples.h"
#include "sinew/io/examples/match.h"
#include "sinew/io/examples/shapes.h"
#include "sinew/io/file_rules.h"

namespace sinew::examples {

/// Where the shape of one example comes from.
struct Entry {
  std::shared_ptr<ShapeList> shapes;
  std::size_t frame = 0;  ///< of the list
  std::shared_ptr<SculptMatcher> matcher;
  std::filesystem::path mask = {};  ///< empty: none
};

struct Plan {
  Plan(const Character& of, const Points& madeOn, const OpenExamplesOptions& options);

  const Character& character;
  Points madeOn;        ///< the rest points that shapes were made on, where a fit has moved the character's; else 3 x 0
  SculptRules sculpts;  ///< in a pose where the character has a skin
  FileRules rules;
  std::shared_ptr<SculptMatcher> matcher;
  ExampleSet outline = {};  ///< examples without shapes
  std::vector<Entry> entries = {};
  std::size_t frames = 0;  ///< of sequences
  std::vector<std::string> notes = {};
  std::vector<std::string> warnings = {};
  std::unordered_set<std::string> names = {};

  /// Throws BadInput at `where` if another example has the name.
  void add(Example example, Entry entry, const std::string& where);
};

/// Factors per vertex of the character, read from a file with one for each vertex of the sculpt or the character.
std::vector<double> readMask(const std::filesystem::path& path, const SculptMatcher& matcher, Index sculptVertices,
                             Index vertices);

}  // namespace sinew::examples
