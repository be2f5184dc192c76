// Examples in files: opened, imported and written by the library's readers and writers.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sinew/base/error.h"
#include "sinew/character/correspondence.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/deform/posing.h"
#include "sinew/io/file_rules.h"
#include "sinew/io/files.h"
#include "sinew/io/mesh_sequence.h"
#include "sinew/io/poses.h"
#include "sinew/io/sculpts.h"
#include "sinew/samples/samples.h"
#include "studio/modes/correct/correct_mode.h"

namespace sinew::studio::correct {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "examples.json";

/// The sample's pose on the character that a file made of it, whose mesh may have got a joint of its own.
Pose poseByNames(const Character& from, const Pose& pose, const Character& to) {
  Pose moved = restPose(to);
  for (int j = 0; j < from.skeleton.size(); ++j) {
    if (const auto joint = to.skeleton.find(from.skeleton[j].name)) moved.local[toSize(*joint)] = pose.local[toSize(j)];
  }
  return moved;
}

ExamplesFile sampleExamples(const std::string& name, Index vertices, const Character& character,
                            const sinew::Progress& progress) {
  Sample sample = makeSample(name, {.vertices = vertices}, progress);
  const MatchResult match =
      matchRest(posePoints(character, restPose(character)), posePoints(sample.character, restPose(sample.character)));
  if (match.unmatched > 0 || !match.plain())
    throw Error(
        ErrorCode::BadInput,
        fmt::format("the sculpts of the sample '{}' do not fit this character any more: {}", name, match.sentence));
  ExamplesFile file;
  for (Example& example : sample.examples.examples) {
    example.pose = poseByNames(sample.character, example.pose, character);
    example.points = carryOver(match, example.points, posePoints(character, example.pose));
    example.mask.clear();
    file.set.examples.push_back(std::move(example));
  }
  file.set.drivers = std::move(sample.examples.drivers);
  file.notes.push_back(fmt::format("{} sculpts of the sample '{}'.", file.set.examples.size(), name));
  return file;
}

/// What a job reads.
struct Source {
  CharacterFile file;
  fs::path path;       ///< of an examples file, or
  std::string sample;  ///< a sample's name
  Index sampleVertices = 0;
  FileRules rules = {};
};

ExamplesFile readSource(const Source& source, const sinew::Progress& progress) {
  const CharacterFile file = learner(source.file);
  if (!source.sample.empty()) return sampleExamples(source.sample, source.sampleVertices, file.character, progress);
  return readExamples(source.path, file, {.progress = progress, .rules = source.rules});
}

}  // namespace

struct ReadShapes {
  ExamplesFile file;  ///< without points and masks
  std::optional<PackedShape> rest;
  std::vector<PackedShape> examples;

  explicit ReadShapes(ExamplesFile from) : file(std::move(from)) {
    if (file.set.rest.cols() > 0) rest = packedShape(std::exchange(file.set.rest, Points(3, 0)), {});
    for (Example& example : file.set.examples)
      examples.push_back(packedShape(std::exchange(example.points, Points(3, 0)), std::exchange(example.mask, {})));
  }
};

wire::ExamplesOpenAnswer CorrectMode::open(const wire::ExamplesOpenCommand& asked) {
  context_.requireSkin();
  const Document& document = context_.document();
  Source source{.file = document.file, .path = {}, .sample = {}, .sampleVertices = context_.sampleVertices()};
  std::string title;
  if (asked.path.empty()) {
    const std::string offered = offeredExamples(document, context_.about().value("sample", ""));
    if (offered.empty())
      throw CommandFault("not-found", "there are no examples beside this character",
                         "Choose an examples file (.json).");
    if (offered.starts_with(kOfSample)) {
      source.sample = title = offered.substr(kOfSample.size());
    } else {
      source.path = offered;
    }
  } else {
    source.path = context_.confined(asked.path);
    std::error_code fault;
    if (fs::is_directory(source.path, fault)) source.path /= kManifest;
  }
  if (title.empty()) title = source.path.filename().string();
  source.rules = context_.rulesFor(source.path);
  // Only the folder was checked: the file in it may be a link.
  if (!source.path.empty()) checkInside(source.path, source.rules);
  auto read = std::make_shared<std::optional<ReadShapes>>();
  const auto from = std::make_shared<const Source>(std::move(source));
  const auto work = [from, read](const sinew::Progress& progress) { read->emplace(readSource(*from, progress)); };
  const auto done = [this, title, from, read, number = ++reading_](bool same) -> std::string {
    if (number != reading_) return {};  // others were asked for since
    if (!same)
      throw CommandFault("gone", "Another document was opened while the examples were read, so they were not kept.");
    adopt(title, from->file.character, **read);
    return fmt::format("{} examples of {}", (*read)->file.set.examples.size(), title);
  };
  return {.job = context_.startJob("examples", work, done, ModeContext::Earlier::AreReplaced)};
}

void CorrectMode::adopt(const std::string& title, const Character& readFor, ReadShapes& read) {
  if (!keepsExamples(readFor, context_.document().file.character))
    throw CommandFault("gone", "The character was changed while the examples were read, so they were not kept.");
  ExampleList after;
  std::vector<ExampleShapePtr> shapes;  // in use until they are committed
  const auto keep = [&](PackedShape& shape) {
    shapes.push_back(context_.storeShape(std::move(shape)));
    return shapes.back()->file;
  };
  if (read.rest) after.rest = keep(*read.rest);
  for (std::size_t k = 0; k < read.examples.size(); ++k) {
    Example& example = read.file.set.examples[k];
    after.examples.push_back({example.name, std::move(example.pose), example.confidence, keep(read.examples[k])});
  }
  after.drivers = read.file.set.drivers;
  commitList(fmt::format("Open examples of {}", title), std::move(after));
  context_.tell(wire::ExamplesOpenedEvent{.source = title, .notes = read.file.notes, .warnings = read.file.warnings});
}

wire::ExamplesImportAnswer CorrectMode::import(const wire::ExamplesImportCommand& asked) {
  const std::uint32_t view = checkedView(asked.view);
  const fs::path path = context_.confined(asked.path);
  const std::string name = freeName(asked.name.empty() ? path.stem().string() : asked.name, list().examples.size());
  const FileRules rules = context_.rulesFor(path);
  const Pose& pose = context_.document().views[view];
  const CharacterFile file = learner(context_.document().file);
  const Points posed = plainPoints(pose);
  ReadSculptOptions options{.rules = rules};
  // A rest mesh beside it tells how its vertices are ordered.
  if (const auto rest = restOfSequence(path.parent_path(), rules); rest && *rest != path) options.rest = *rest;
  SculptFile sculpt = readSculpt(path, file.character, posed, options);
  std::vector<double> mask;
  for (const bool known : sculpt.known) mask.push_back(known ? 1 : 0);
  commitExample(name, view, std::move(sculpt.points), std::move(mask));
  return {.name = name, .notes = sculpt.notes, .warnings = sculpt.warnings};
}

wire::ExamplesSaveAnswer CorrectMode::save(const wire::ExamplesSaveCommand& asked) {
  context_.requireSkin();
  if (list().examples.empty()) throw CommandFault("bad-input", "there are no examples to save", "Add one first.");
  if (asked.path.starts_with("upload:"))
    throw CommandFault("bad-input", "examples cannot be saved to a file that was dropped");
  fs::path path = context_.confined(asked.path);
  if (path.extension() != ".json") path /= kManifest;
  const Document& document = context_.document();
  const CharacterFile file = learner(document.file);
  const ExampleSet set = learnedSet(document);
  OutputFiles files;
  files.makeFolder(path.parent_path());
  const std::vector<fs::path> written = writeExamples(path, file.character, set, &files);
  // Only the folder was checked: a file of that name may be a link.
  for (const fs::path& one : written) (void)context_.confined(one.string());
  const auto there = std::count_if(written.begin(), written.end(), [](const fs::path& one) { return fs::exists(one); });
  if (there > 0 && !asked.replace)
    throw CommandFault("exists",
                       fmt::format("{} of the {} files already {} in {}", there, written.size(),
                                   there == 1 ? "exists" : "exist", path.parent_path().string()),
                       "Choose another folder, or replace them.");
  files.commit();
  return {.path = path.string(), .files = static_cast<std::uint32_t>(written.size())};
}

}  // namespace sinew::studio::correct
