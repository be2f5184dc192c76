// sinew evaluate: error of a learned character on other examples.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "operators.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/io/poses.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

Json evaluated(const SequenceError& error, const ExampleSet& set) {
  Json total = errorBlock(error.total);
  total["distortion"] = error.distortion;
  total["erms"] = error.erms;
  Json examples = Json::array();
  for (std::size_t k = 0; k < set.examples.size(); ++k) {
    Json example = {{"name", set.examples[k].name}};
    example.update(errorBlock(error.perFrame[k]));
    examples.push_back(std::move(example));
  }
  return {{"total", std::move(total)}, {"examples", std::move(examples)}};
}

class EvaluateCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("MODEL", model_, "a learned character");
    arguments.required("--examples", "FILE", examples_,
                       "examples.json or heldout.json: poses and their ground-truth shapes");
    arguments.flag("--plain", plain_, "plain skinning: turn off learned corrections (pose space)");
    arguments.option("--deformer", "NAME", deformers_, "operators to use instead of the character's own");
    arguments.flag("--force", force_, "continue even if a ground-truth shape contradicts the character or its pose");
  }

  int run(Console& console) override {
    checkOperators(deformers_);
    const CharacterFile file = readCharacter(model_, console.reading(0, 0.3));
    const Character& character = file.character;
    const ExamplesFile read = readExamples(
        examples_, file, {.force = force_, .progress = console.fileProgress(0.3, 0.7), .rules = console.rules()});
    for (const std::string& note : read.notes) console.detail(note);
    if (read.set.examples.empty())
      throw Error(ErrorCode::BadInput, "has no examples to compare with; add some", examples_);
    const Playing playing = playingOf(file, deformers_, plain_);
    if (plain_) notePlain(file, model_, console);
    std::vector<Pose> poses;
    for (const Example& example : read.set.examples) poses.push_back(example.pose);
    console.warn(read.warnings);
    console.warn(operatorWarnings(playing, character, poses));
    const bool allPlaces =
        std::all_of(read.placed.begin(), read.placed.end(), [](const Points& placed) { return placed.cols() > 0; });
    if (!allPlaces) console.warn(furtherPlaces(character.mesh, "measured"));
    const std::vector<MeshInstance> instances = allPlaces ? instancesOf(file) : std::vector<MeshInstance>{};
    PlacedPoser poser(character, instances, playing.playback);
    const std::vector<Index> measured = measuredColumns(character.mesh, poser);
    PlacedPoser own(character, instances, file.playback());  // without the operators of --deformer
    const double diagonal = boundingBox(Points(own.pose(restPose(character))(Eigen::all, measured))).diagonal();
    std::vector<Points> truths;
    std::vector<Points> shapes;
    const Progress progress = console.fileProgress(0.7, 1);
    for (std::size_t k = 0; k < read.set.examples.size(); ++k) {
      report(progress, {static_cast<double>(k) / static_cast<double>(read.set.examples.size()), "posing"});
      const Points& moved = poser.pose(read.set.examples[k].pose);
      shapes.emplace_back(moved(Eigen::all, measured));
      truths.push_back(truthOf(read, k, poser, moved, measured));
    }
    const SequenceError error = compareSequences(truths, shapes, diagonal);
    Json json = evaluated(error, read.set);
    json["learned"] = playing.learned;
    json["diagonal"] = diagonal;
    std::string text = fmt::format("{}: {}\n", model_, errorText(error.total));
    for (std::size_t k = 0; k < read.set.examples.size(); ++k)
      text += fmt::format("  {:20} {}\n", read.set.examples[k].name, errorText(error.perFrame[k]));
    console.result(text, json);
    return Done;
  }

 private:
  /// Placed vertices of skinned parts; all where none is skinned.
  static std::vector<Index> measuredColumns(const Mesh& mesh, const PlacedPoser& poser) {
    const bool anySkinned =
        std::any_of(mesh.parts.begin(), mesh.parts.end(), [](const MeshPart& part) { return part.skinned; });
    std::vector<Index> columns;
    for (const PlacedPart& placed : poser.parts()) {
      if (anySkinned && !mesh.parts[placed.part].skinned) continue;
      for (Index i = 0; i < placed.vertexCount; ++i) columns.push_back(placed.firstVertex + i);
    }
    return columns;
  }

  /// The ground truth; vertices that it does not cover count as matched.
  static Points truthOf(const ExamplesFile& read, std::size_t k, const PlacedPoser& poser, const Points& moved,
                        const std::vector<Index>& measured) {
    const Example& example = read.set.examples[k];
    const Points& placed = read.placed[k];
    const auto count = static_cast<Index>(measured.size());
    Points truth(3, count);
    for (Index i = 0; i < count; ++i) {
      const Index at = measured[toSize(i)];
      const std::uint32_t v = poser.vertex()[toSize(at)];
      if (!example.mask.empty() && example.mask[v] == 0) {
        truth.col(i) = moved.col(at);
      } else if (poser.vertexCount() == static_cast<Index>(example.points.cols())) {
        truth.col(i) = example.points.col(v);
      } else {
        truth.col(i) = placed.col(placed.cols() == count ? i : at);  // of skinned parts, or of all
      }
    }
    return truth;
  }

  std::string model_;
  std::string examples_;
  std::vector<std::string> deformers_;
  bool plain_ = false;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> makeEvaluateCommand() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace sinew::cli
