#include "learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "console.h"
#include "shapes.h"
#include "sinew/base/text.h"
#include "sinew/character/mirror.h"
#include "sinew/character/pose_space.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/choose_examples.h"

namespace sinew::cli {

void LearnFiles::declareInputs(Arguments& arguments) {
  arguments.input("CHARACTER", character, "the rigged character");
  inputs.declare(arguments, "examples.json: poses and their sculpts, or sequences",
                 "continue even if a sculpt contradicts the character or its pose");
  arguments.fields(shares);
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

void LearnFiles::checkWords(const std::string& what) const {
  inputs.checkWords();
  if (!output.empty()) {
    const std::filesystem::path path(output);
    if (!isGltf(path)) {
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

namespace {

/// Named drivers that the picked examples move, with a warning for others.
std::vector<Driver> driversOf(const Character& character, const ExampleSet& picked, LearnSet& read) {
  std::vector<Driver> moved = movedDrivers(character, picked);
  if (moved.empty() || moved.size() == picked.drivers.size()) return picked.drivers;
  std::vector<std::string> still;
  for (const Driver& driver : picked.drivers) {
    if (std::none_of(moved.begin(), moved.end(), [&](const Driver& one) { return one.joint == driver.joint; }))
      still.push_back(driver.joint);
  }
  read.warnings.push_back(
      fmt::format("no picked example moves the {} {}, so {} nothing; --pick {} keeps an example for "
                  "each of the drivers",
                  still.size() == 1 ? "driver" : "drivers", quotedNames(still),
                  still.size() == 1 ? "it drives" : "they drive", picked.drivers.size()));
  return moved;
}

/// Sets examples aside and picks among the others.
void divide(const LearnFiles& files, const Character& character, LearnSet& read) {
  ExampleFiles& all = *read.files;
  const ExampleShares& shares = files.shares;
  std::vector<std::size_t> held;
  if (shares.holdOut > 0) held = holdOutExamples(character, all.outline(), shares.holdOut);
  std::vector<std::size_t> others;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!std::binary_search(held.begin(), held.end(), k)) others.push_back(k);
  }
  const std::size_t candidates = others.size();
  if (shares.pick > 0) {
    const SomeExamples some(all, others);
    std::vector<double> errors;
    for (const std::size_t k : others) errors.push_back(all.plainErrors()[k]);
    std::vector<std::size_t> picked = pickExamples(character, some.outline(), errors, toSize(shares.pick));
    for (std::size_t& k : picked) k = others[k];
    others = std::move(picked);
    read.notes.push_back(fmt::format("{} of {} are learned, picked by their poses and the error of plain skinning",
                                     others.size(), counted(candidates, "example", "examples")));
  }
  std::vector<Driver> drivers = all.outline().drivers;
  if (others.size() < candidates) drivers = driversOf(character, SomeExamples(all, others).outline(), read);
  if (!held.empty()) read.heldOut = std::make_unique<SomeExamples>(all, std::move(held));
  read.learned = std::make_unique<SomeExamples>(all, std::move(others), std::move(drivers));
}

/// From this many gigabytes on it is said that all examples are in memory at once.
constexpr double kMuchMemory = 2;

void mirror(const LearnFiles& files, const Character& character, LearnSet& read) {
  const double gigabytes = 1e-9 * 2 * 3 * sizeof(double) * static_cast<double>(read.learned->size()) *
                           static_cast<double>(character.mesh.vertexCount());
  if (gigabytes > kMuchMemory) {
    read.warnings.push_back(fmt::format(
        "--mirror holds all examples and their mirror images in memory, about {:.0f} GB; --pick learns fewer",
        gigabytes));
  }
  MirrorResult mirrored =
      mirrorExamples(character, readAll(*read.learned),
                     {.axis = choiceNamed<MirrorAxis>(files.mirror, "axis"), .force = files.inputs.force});
  read.notes.push_back(mirrored.map.report.sentence);
  read.notes.insert(read.notes.end(), mirrored.notes.begin(), mirrored.notes.end());
  read.mirrored = std::make_unique<ExampleSet>(std::move(mirrored.set));
  read.learned = std::make_unique<ExamplesInMemory>(*read.mirrored);
}

}  // namespace

LearnSet readLearnSet(const LearnFiles& files, const CharacterFile& file, const Console& console) {
  LearnSet read;
  read.files = files.inputs.open(file, files.character, console);
  read.files->check(console.fileProgress(Console::kRead / 2, Console::kRead));
  read.notes = read.files->notes();
  read.warnings = read.files->warnings();
  for (std::string& places : furtherPlaces(file.character.mesh, "learned")) read.warnings.push_back(std::move(places));
  blaming(files.inputs.name(), [&] { divide(files, file.character, read); });
  if (files.mirror != kNoMirror) mirror(files, file.character, read);
  for (const std::string& note : read.notes) console.note(note);
  console.warn(read.warnings);
  return read;
}

std::string HeldOut::sentence() const {
  return fmt::format("{} held out: rms {:.4g} % (plain skinning {:.4g} %)",
                     counted(names.size(), "example", "examples"), learned.total.rmsPercent, plain.total.rmsPercent);
}

void noteHeldOut(const HeldOut& heldOut, const Console& console, LearnSet& read) {
  read.notes.push_back(heldOut.sentence());
  if (heldOut.learned.total.rms <= heldOut.plain.total.rms) return;
  const std::string warning = fmt::format(
      "at the examples that were held out, the result is worse than plain skinning ({:.4g} % against {:.4g} %); learn "
      "from more examples, or from poses nearer to these",
      heldOut.learned.total.rmsPercent, heldOut.plain.total.rmsPercent);
  read.warnings.push_back(warning);
  console.warn({warning});
}

std::optional<HeldOut> measureHeldOut(const LearnSet& read, const Character& before, const Character& learned,
                                      const Playback& playback) {
  if (!read.heldOut) return std::nullopt;
  HeldOut result{.plain = errorOfExamples(before, {}, *read.heldOut),
                 .learned = errorOfExamples(learned, playback, *read.heldOut),
                 .names = {}};
  for (const Example& example : read.heldOut->outline().examples) result.names.push_back(example.name);
  return result;
}

void addSources(const LearnSet& read, const std::optional<HeldOut>& heldOut, nlohmann::ordered_json& json) {
  if (read.files->frames() > 0) json["frames"] = read.files->frames();
  if (!heldOut) return;
  nlohmann::ordered_json block = errorBlock(heldOut->learned.total);
  block["examples"] = heldOut->names.size();
  block["names"] = heldOut->names;
  block["before"] = errorBlock(heldOut->plain.total);
  json["heldOut"] = std::move(block);
}

}  // namespace sinew::cli
