// sinew evaluate: error of a learned character on other examples.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "operators.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
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
    arguments.input("MODEL", model_, "a character with what it has learned");
    arguments.required("--examples", "FILE", examples_, "examples.json or heldout.json: poses and their true shapes");
    arguments.flag("--plain", plain_, "plain skinning, without what was learned");
    arguments.option("--deformer", "NAME", deformers_, "operators in the place of the character's own");
    arguments.flag("--force", force_, "go on although a truth contradicts the character or its pose");
  }

  int run(Console& console) override {
    const CharacterFile file = readCharacter(model_, console.reading());
    const Character& character = file.character;
    const ExamplesFile read =
        readExamples(examples_, file, {.force = force_, .progress = console.fileProgress(), .rules = console.rules()});
    for (const std::string& note : read.notes) console.detail(note);
    if (read.set.examples.empty())
      throw Error(ErrorCode::BadInput, "has no examples to compare with; add some", examples_);
    const Playing playing = playingOf(file, deformers_, plain_);
    std::vector<Pose> poses;
    for (const Example& example : read.set.examples) poses.push_back(example.pose);
    std::vector<std::string> warnings = read.warnings;
    for (std::string& warning : unreachingOperators(playing, character, poses)) warnings.push_back(std::move(warning));
    for (const std::string& warning : warnings) console.warn(warning);
    CharacterPoser poser(character, playing.deformer, playing.learned);
    const double diagonal = boundingBox(skinnedColumns(character.mesh, poser.pose(restPose(character)))).diagonal();
    std::vector<Points> truths;
    std::vector<Points> shapes;
    const Progress progress = console.fileProgress();
    for (const Example& example : read.set.examples) {
      report(progress, {static_cast<double>(shapes.size()) / static_cast<double>(read.set.examples.size()), "posing"});
      const Points& moved = poser.pose(example.pose);
      truths.push_back(skinnedColumns(character.mesh, counted(example, moved)));
      shapes.push_back(skinnedColumns(character.mesh, moved));
    }
    const SequenceError error = compareSequences(truths, shapes, diagonal);
    Json json = evaluated(error, read.set);
    json["learned"] = playing.learned.poseSpace ? Json::array({"pose-space"}) : Json::array();
    json["diagonal"] = diagonal;
    json["warnings"] = warnings;
    std::string text = fmt::format("{}: {}\n", model_, errorText(error.total));
    for (std::size_t k = 0; k < read.set.examples.size(); ++k)
      text += fmt::format("  {:20} {}\n", read.set.examples[k].name, errorText(error.perFrame[k]));
    console.result(text, json);
    return Done;
  }

 private:
  /// The truth where it is known; vertices that it does not cover count as met.
  static Points counted(const Example& example, const Points& moved) {
    Points truth = example.points;
    for (std::size_t v = 0; v < example.mask.size(); ++v) {
      if (example.mask[v] == 0) truth.col(static_cast<Index>(v)) = moved.col(static_cast<Index>(v));
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
