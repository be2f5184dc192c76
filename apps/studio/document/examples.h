// The examples of a document: poses, and how the skin should look there. A shape is shared by all states that have it,
// and is stored once, as a file beside the journal; edits name that file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/character/example_set.h"
#include "sinew/io/formats.h"

namespace sinew::studio {

struct Document;

/// The points of an example, in world space and in the character's vertex order.
struct ExampleShape {
  std::string file;  ///< its name beside the journal, from its content
  Points points{3, 0};
  std::vector<double> mask = {};  ///< a factor 0..1 per vertex, or empty: all count
};
using ExampleShapePtr = std::shared_ptr<const ExampleShape>;

/// An example; its shape by name.
struct ExampleState {
  std::string name;
  Pose pose;
  double confidence = 1;
  std::string shape;  ///< ExampleShape::file
};

/// All examples, and the sculpt in progress.
struct ExampleList {
  std::string rest = {};  ///< the file of the examples' own rest shape; empty: that of the character
  std::vector<ExampleState> examples = {};
  std::vector<Driver> drivers = {};         ///< empty: chosen from what the examples move
  std::optional<ExampleState> sculpt = {};  ///< not an example yet; it has the name of the one that it changes, or none
};

/// The list before and after: added, removed, renamed, replaced and reordered examples, and strokes of a sculpt.
struct ExamplesChange {
  ExampleList before;
  ExampleList after;
};

/// The list with the shapes that it names.
struct DocumentExamples {
  ExampleList list;
  std::map<std::string, ExampleShapePtr> shapes = {};  ///< by file

  /// The shape of an example or of the sculpt in this list.
  [[nodiscard]] const ExampleShape& shapeOf(const ExampleState& example) const { return *shapes.at(example.shape); }
};

/// Shapes by file name: see Journal.
class ExampleShapes {
 public:
  virtual ~ExampleShapes() = default;
  /// Throws Unreadable if the file is not what was stored.
  [[nodiscard]] virtual ExampleShapePtr shape(const std::string& file) const = 0;
};

/// The list with its shapes; those that `known` has are shared. Throws Unreadable.
DocumentExamples examplesOf(const ExampleList& list, const DocumentExamples& known, const ExampleShapes& shapes);

/// The examples as the library learns from them, without the sculpt in progress. Poses fit the document's character,
/// also if joints or morph targets were added to it since.
ExampleSet exampleSet(const Document& document);

/// The parts of a document that jobs learn from: the character and the examples, whose shapes are shared.
Document copyForJob(const Document& document);

/// Poses of examples do not have the morph targets that imitate learned corrections, which come and go: from a pose of
/// the file's character, and back.
Pose poseOfExample(const CharacterFile& file, const Pose& pose);
Pose poseInFile(const CharacterFile& file, const Pose& example);

/// Prefix of a sample's name in offeredExamples().
inline constexpr std::string_view kOfSample = "sample:";
/// Examples that can be opened with the document: the path of an examples file beside its file, or else the sculpts of
/// the sample that it was made from (kOfSample and its name); empty: there are none.
std::string offeredExamples(const Document& document, const std::string& sample);

/// Whether examples of `before` are examples of `after` too: the same vertices, and joints that were only added.
bool keepsExamples(const Character& before, const Character& after);

/// The bytes of a shape as they are stored, and back. Throws BadInput if they are not a shape.
std::string packShape(const ExampleShape& shape);
ExampleShape unpackShape(std::string_view bytes);

/// Files of shapes are named by this and the hash of their content.
inline constexpr std::string_view kShapePrefix = "shape-";

/// A shape as it is stored.
struct PackedShape {
  ExampleShape shape;
  std::string bytes;
};
/// Throws BadInput for points that are not finite.
PackedShape packedShape(Points points, std::vector<double> mask);

}  // namespace sinew::studio
