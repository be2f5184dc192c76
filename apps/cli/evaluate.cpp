// sinew evaluate: error of a learned character on other examples.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "example_inputs.h"
#include "operators.h"
#include "shapes.h"
#include "sinew/character/compare.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/examples.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

Json evaluated(const SequenceError& error, const ExampleFiles& read) {
  Json total = errorBlock(error.total);
  total["distortion"] = error.distortion;
  total["erms"] = error.erms;
  Json examples = Json::array();
  for (std::size_t k = 0; k < read.size(); ++k) {
    Json example = {{"name", read.outline().examples[k].name}};
    example.update(errorBlock(error.perFrame[k]));
    examples.push_back(std::move(example));
  }
  return {{"total", std::move(total)}, {"examples", std::move(examples)}};
}

class EvaluateCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("MODEL", model_, "a learned character");
    inputs_.declare(arguments, "examples.json or heldout.json: poses and their ground-truth shapes",
                    "continue even if a ground-truth shape contradicts the character or its pose");
    arguments.flag("--plain", plain_, "plain skinning: turn off learned corrections (pose space)");
    arguments.option("--deformer", "NAME", deformers_, "operators to use instead of the character's own");
  }

  int run(Console& console) override {
    inputs_.checkWords();
    inputs_.unlessForced = "or, if the model is at fault, add --force";
    checkOperators(deformers_);
    const CharacterFile file = readCharacter(model_, console.reading(0, 0.3));
    const Character& character = file.character;
    const std::unique_ptr<ExampleFiles> read = inputs_.open(file, model_, console);
    const bool allPlaces = checkAll(*read, console);
    const Playing playing = playingOf(file, deformers_, plain_);
    if (plain_) notePlain(file, model_, console);
    std::vector<Pose> poses;
    for (const Example& example : read->outline().examples) poses.push_back(example.pose);
    console.warn(operatorWarnings(playing, character, poses));
    if (!allPlaces) console.warn(furtherPlaces(character.mesh, "measured"));
    const std::vector<MeshInstance> instances = allPlaces ? instancesOf(file) : std::vector<MeshInstance>{};
    PlacedPoser poser(character, instances, playing.playback);
    const std::vector<Index> measured = measuredColumns(character.mesh, poser);
    PlacedPoser own(character, instances, file.playback());  // without the operators of --deformer
    const double diagonal = boundingBox(Points(own.pose(restPose(character))(Eigen::all, measured))).diagonal();
    SequenceErrors errors(static_cast<Index>(measured.size()), read->size(), diagonal);
    const Progress progress = console.fileProgress(0.7, 1);
    Example example;
    for (std::size_t k = 0; k < read->size(); ++k) {
      report(progress, {static_cast<double>(k) / static_cast<double>(read->size()), "posing"});
      read->read(k, example);
      const Points& moved = poser.pose(example.pose);
      errors.add(truthOf(example, read->placed(), poser, moved, measured), Points(moved(Eigen::all, measured)));
    }
    const SequenceError error = errors.result();
    Json json = evaluated(error, *read);
    json["learned"] = playing.learned;
    json["diagonal"] = diagonal;
    if (read->frames() > 0) json["frames"] = read->frames();
    std::string text = fmt::format("{}: {}\n", model_, errorText(error.total));
    for (std::size_t k = 0; k < read->size(); ++k)
      text += fmt::format("  {:20} {}\n", read->outline().examples[k].name, errorText(error.perFrame[k]));
    console.result(text, json);
    return Done;
  }

 private:
  /// Whether every shape has all instances of its meshes.
  static bool checkAll(ExampleFiles& read, const Console& console) {
    read.check(console.fileProgress(0.3, 0.7));
    for (const std::string& note : read.notes()) console.detail(note);
    console.warn(read.warnings());
    return read.allPlaced();
  }

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
  static Points truthOf(const Example& example, const Points& placed, const PlacedPoser& poser, const Points& moved,
                        const std::vector<Index>& measured) {
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
  ExampleInputs inputs_;
  std::vector<std::string> deformers_;
  bool plain_ = false;
};

}  // namespace

std::unique_ptr<Command> makeEvaluateCommand() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace sinew::cli
