// sinew psd: learns pose-space deformation from sculpted examples.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "report_psd.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/character/mirror.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/io/poses.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space_morphs.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

Json exampleBlock(const PoseSpaceExample& example) {
  return {{"name", example.name},
          {"before", errorBlock(example.before)},
          {"after", errorBlock(example.after)},
          {"leaveOneOut", errorBlock(example.leaveOneOut)},
          {"nearest", {{"name", example.nearestName}, {"distance", example.nearest}}}};
}

Json hintBlock(const Character& character, const PoseSpaceModel& model, const SculptHint& hint) {
  Json joints = Json::object();
  for (const PoseDriver& driver : model.poseSpace.drivers) {
    if (driver.kind == DriverKind::Channel) continue;
    const LocalTransform& local = hint.pose.local[static_cast<std::size_t>(driver.source)];
    joints[character.skeleton[driver.source].name] = {
        {"rotation", {local.rotation.x(), local.rotation.y(), local.rotation.z(), local.rotation.w()}}};
  }
  return {{"between", hint.between}, {"predictedError", hint.predictedError}, {"pose", {{"joints", joints}}}};
}

class PsdCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("CHARACTER", character_, "the rigged character");
    arguments.required("--examples", "FILE", examples_, "examples.json: poses, and how the skin should look there");
    arguments.output(output_, "the character with its corrections (.glb, .gltf)");
    arguments.fields(options_);
    arguments.option("--radius", "auto|R", radius_, "of gaussian and multiquadric, in pose coordinates (radians)");
    arguments.choice("--fade", fade_, {"auto", "off"}, "let corrections fade out far from every example");
    arguments.choice("--mirror", mirror_, {"off", "auto", "x", "y", "z"},
                     "also learn the mirror images of the examples; the axis across the body");
    arguments.fields(export_);
    arguments.option("--report", "FILE.html", report_, "a page with pictures, errors, activation curves and warnings");
  }

  int run(Console& console) override {
    readWords();
    checkOutputs();
    CharacterFile file = readCharacter(character_);
    removePoseSpaceMorphs(file.poseSpaceMorphs, file.character);
    file.poseSpace = nullptr;
    if (!file.character.hasSkin())
      throw Error(ErrorCode::BadInput, "has no skin to correct; bind it to a skeleton first (sinew bind)", character_);
    const ExampleSet set = readSet(file.character, console);
    const PoseSpaceResult result = learn(file.character, set, console);
    PoseSpaceExport exported = exportMorphs(file.character, set, result, console);

    if (!report_.empty()) writePage(file.character, set, result, exported.report, console);
    file.character = std::move(exported.character);
    file.poseSpace = result.model;
    file.poseSpaceMorphs = std::move(exported.morphs);
    const LostList lost = writeCharacter(output_, file);
    for (const std::string& sentence : lost) console.note(sentence);
    answer(file.character, result, exported.report, lost, console);
    return Done;
  }

 private:
  void readWords() {
    options_.fade = fade_ == "auto";
    if (radius_ == "auto") return;
    const auto [end, fault] = std::from_chars(radius_.data(), radius_.data() + radius_.size(), options_.radius);
    if (fault != std::errc() || end != radius_.data() + radius_.size() || !(options_.radius > 0))
      throw UsageError(fmt::format("--radius {} is neither 'auto' nor a positive number", radius_));
  }

  void checkOutputs() const {
    const std::string extension = std::filesystem::path(output_).extension().string();
    if (extension != ".glb" && extension != ".gltf")
      throw Error(ErrorCode::BadInput, "cannot hold corrections; write a .glb or .gltf file", output_);
    checkWritable(output_);
    if (!report_.empty()) checkFolderWritable(report_);
  }

  ExampleSet readSet(const Character& character, const Console& console) {
    ExamplesFile read = readExamples(examples_, character);
    notes_ = std::move(read.notes);
    if (mirror_ != "off") {
      MirrorResult mirrored = mirrorExamples(character, read.set, {.axis = mirror_});
      notes_.push_back(mirrored.map.report.sentence);
      notes_.insert(notes_.end(), mirrored.notes.begin(), mirrored.notes.end());
      read.set = std::move(mirrored.set);
    }
    for (const std::string& note : notes_) console.note(note);
    return std::move(read.set);
  }

  [[nodiscard]] PoseSpaceResult learn(const Character& character, const ExampleSet& set, const Console& console) const {
    try {
      return learnPoseSpace(character, set, options_, console.progress());
    } catch (const Error& error) {
      throw Error(error.code(), error.message(), examples_);
    }
  }

  PoseSpaceExport exportMorphs(const Character& character, const ExampleSet& set, const PoseSpaceResult& result,
                               const Console& console) {
    export_.leaveOneOut = result.report.leaveOneOut.rms;
    return exportPoseSpace(character, result.model, set, export_, console.progress());
  }

  void writePage(const Character& character, const ExampleSet& set, const PoseSpaceResult& result,
                 const PoseSpaceExportReport& exported, const Console& console) const {
    PsdReportInput input{.character = character, .set = set, .result = result, .options = options_};
    input.exported = &exported;
    input.characterFile = character_;
    input.examplesFile = examples_;
    input.outputFile = output_;
    input.commandLine = console.commandLine;
    input.notes = notes_;
    writeFile(report_, psdReportPage(input, console.progress()));
  }

  void answer(const Character& character, const PoseSpaceResult& result, const PoseSpaceExportReport& exported,
              const LostList& lost, const Console& console) const {
    const PoseSpaceReport& report = result.report;
    std::vector<std::string> warnings = report.warnings;
    warnings.insert(warnings.end(), exported.warnings.begin(), exported.warnings.end());
    Json examples = Json::array();
    for (const PoseSpaceExample& example : report.examples) examples.push_back(exampleBlock(example));
    Json next = Json::array();
    for (const SculptHint& hint : report.next) next.push_back(hintBlock(character, *result.model, hint));
    Json drivers = Json::array();
    for (const PoseDriver& driver : result.model->poseSpace.drivers)
      drivers.push_back({{"name", driver.name}, {"kind", driverKindName(driver.kind)}, {"weight", driver.weight}});

    std::string text = fmt::format("{}: {}\n", output_, report.sentence());
    for (const PoseSpaceExample& example : report.examples) {
      text += fmt::format("  {:20} before {:8.4f} %  after {:8.4f} %  left out {:8.4f} %\n", example.name,
                          example.before.rmsPercent, example.after.rmsPercent, example.leaveOneOut.rmsPercent);
    }
    text += "  " + exported.sentence() + "\n";
    if (!report.next.empty()) text += fmt::format("  sculpt next: between {}\n", report.next[0].between);
    for (const std::string& warning : warnings) text += "  warning: " + warning + "\n";
    console.result(text, {{"space", report.space},
                          {"kernel", report.kernel},
                          {"radius", report.radius},
                          {"condition", report.condition},
                          {"weighted", options_.weighted},
                          {"groups", report.groups},
                          {"touched", report.touched},
                          {"coverage", report.coverage},
                          {"drivers", drivers},
                          {"before", errorBlock(report.before)},
                          {"after", errorBlock(report.after)},
                          {"leaveOneOut", errorBlock(report.leaveOneOut)},
                          {"examples", examples},
                          {"exported",
                           {{"morphs", exported.morphs},
                            {"bytes", exported.bytes},
                            {"error", errorBlock(exported.error.total)},
                            {"model", errorBlock(exported.model.total)}}},
                          {"sculptNext", next},
                          {"warnings", warnings},
                          {"output", output_},
                          {"lost", lost}});
  }

  std::string character_;
  std::string examples_;
  std::string output_;
  std::string radius_ = "auto";
  std::string fade_ = "auto";
  std::string mirror_ = "off";
  std::string report_;
  PoseSpaceOptions options_;
  PoseSpaceExportOptions export_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Command> makePsdCommand() {
  return std::make_unique<PsdCommand>();
}

}  // namespace sinew::cli
