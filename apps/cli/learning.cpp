#include "learning.h"

#include <fmt/format.h>

#include <filesystem>

#include "arguments.h"
#include "console.h"
#include "shapes.h"
#include "sinew/character/mirror.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/io/files.h"
#include "sinew/io/poses.h"

namespace sinew::cli {

void LearnFiles::declareInputs(Arguments& arguments) {
  arguments.input("CHARACTER", character, "the rigged character");
  arguments.required("--examples", "FILE", examples, "examples.json: poses and their sculpts");
  arguments.flag("--force", force, "continue even if a sculpt contradicts the character or its pose");
}

void LearnFiles::declareMirror(Arguments& arguments) {
  std::vector<std::string> words = choiceNames<MirrorAxis>();
  words.insert(words.begin(), kNoMirror);
  arguments.choice("--mirror", mirror, std::move(words),
                   "also learn the mirror images of the examples; the axis of the mirror plane");
}

void LearnFiles::declareReport(Arguments& arguments, const std::string& help) {
  arguments.option("--report", "FILE.html", report, help);
}

void LearnFiles::checkOutputs(const std::string& what) const {
  if (!output.empty()) {
    const std::filesystem::path path(output);
    if (path.extension() != ".glb" && path.extension() != ".gltf") {
      throw Error(ErrorCode::BadInput, fmt::format("cannot store {}; write a .glb or .gltf file", what), output);
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      throw Error(ErrorCode::Unwritable, "is a folder; give a file name", output);
    checkWritable(output);
  }
  if (!report.empty()) checkFolderWritable(report);
}

CharacterFile readLearner(const LearnFiles& files, const std::string& aim, const Console& console, bool* hadPoseSpace) {
  CharacterFile file = readCharacter(files.character, console.reading(0, Console::kRead / 2));
  if (hadPoseSpace != nullptr) *hadPoseSpace = file.poseSpace != nullptr;
  removePoseSpaceMorphs(file.poseSpaceMorphs, file.character);
  file.poseSpaceMorphs = {};
  file.poseSpace = nullptr;
  if (!file.character.hasSkin()) {
    throw Error(ErrorCode::BadInput, fmt::format("has no skin {}; bind it to a skeleton first (sinew bind)", aim),
                files.character);
  }
  return file;
}

LearnSet readLearnSet(const LearnFiles& files, const CharacterFile& file, const Console& console) {
  ExamplesFile read = readExamples(files.examples, file,
                                   {.force = files.force,
                                    .progress = console.fileProgress(Console::kRead / 2, Console::kRead),
                                    .rules = console.rules()});
  LearnSet learn{std::move(read.set), std::move(read.notes), std::move(read.warnings)};
  for (std::string& places : furtherPlaces(file.character.mesh, "learned")) learn.warnings.push_back(std::move(places));
  if (files.mirror != kNoMirror) {
    MirrorResult mirrored =
        mirrorExamples(file.character, learn.set, {.axis = choiceNamed<MirrorAxis>(files.mirror, "axis")});
    learn.notes.push_back(mirrored.map.report.sentence);
    learn.notes.insert(learn.notes.end(), mirrored.notes.begin(), mirrored.notes.end());
    learn.set = std::move(mirrored.set);
  }
  for (const std::string& note : learn.notes) console.note(note);
  console.warn(learn.warnings);
  return learn;
}

}  // namespace sinew::cli
