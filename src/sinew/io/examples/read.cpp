// Reads an examples file: poses, sculpts, masks and drivers, all in the character's vertex order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/deform/posing.h"
#include "sinew/io/examples/match.h"
#include "sinew/io/files.h"
#include "sinew/io/poses.h"
#include "sinew/io/text/hand_written_json.h"

namespace sinew::examples {

namespace fs = std::filesystem;

namespace {

/// Of confidences and weights that are not 0: what is beyond would drown all others, or their squares overflow.
constexpr double kLeastWeight = 1e-6;
constexpr double kMostWeight = 1e6;

class ExamplesReader {
 public:
  ExamplesReader(const fs::path& manifest, const Character& character, const Points& madeOn,
                 const ReadExamplesOptions& options)
      : options_(options),
        manifest_(manifest),
        where_(manifest.string()),
        character_(character),
        matcher_(character, madeOn),
        needsPose_(character.hasSkin() && !skinJoints(character).empty()) {}

  ExamplesFile read();

 private:
  Example readExample(const text::HandJson& entry, std::size_t number);
  Pose readPoseOf(const text::HandJson& entry, const std::string& what);
  std::vector<double> readMask(const fs::path& path, Index sculptVertices) const;
  Driver readDriver(const text::HandJson& entry, std::size_t number) const;
  [[nodiscard]] std::string textOf(const text::HandJson& value, const std::string& what) const;
  /// Paths are relative to the manifest.
  [[nodiscard]] fs::path pathOf(const text::HandJson& value, const std::string& what) const {
    fs::path path = manifest_.parent_path() / fs::path(textOf(value, what));
    checkInside(path, options_.rules);
    return path;
  }

  /// The same for a file that must be there.
  [[nodiscard]] fs::path existingOf(const text::HandJson& value, const std::string& what) const {
    fs::path path = pathOf(value, what);
    std::error_code fault;
    if (fs::exists(path, fault)) return path;
    throw Error(ErrorCode::NotFound,
                fmt::format("{} refers to '{}', but there is no such file; check the path", what, path.string()),
                where_);
  }

  ReadExamplesOptions options_;
  fs::path manifest_;
  std::string where_;
  const Character& character_;
  SculptMatcher matcher_;
  bool needsPose_;
  std::vector<std::string> notes_;
  std::vector<std::string> doubts_;
  std::vector<Points> placed_;
};

std::string ExamplesReader::textOf(const text::HandJson& value, const std::string& what) const {
  if (!value.is_string() || value.get_ref<const std::string&>().empty())
    text::refuseJson(where_, fmt::format("{} must be a text, not {}", what, value.dump().substr(0, 40)));
  return value.get<std::string>();
}

Pose ExamplesReader::readPoseOf(const text::HandJson& entry, const std::string& what) {
  if (!entry.contains("pose")) {
    if (needsPose_)
      text::refuseJson(where_, fmt::format("{} has no 'pose'; give a pose file, or a clip and a time", what));
    return restPose(character_);
  }
  const text::HandJson& pose = entry["pose"];
  if (pose.is_object()) return text::poseFromJson(pose, character_, where_, &doubts_);
  const std::string text = textOf(pose, what + ": 'pose'");
  fs::path beside = pathOf(pose, what);
  std::error_code fault;
  // A file next to the manifest, or a pose as on the command line: CLIP@SECONDS and rest.
  const bool isFile = fs::exists(beside, fault) || (text != "rest" && text.find('@') == std::string::npos);
  if (!isFile) return readPose(text, character_, &doubts_);
  beside = existingOf(pose, what + ": 'pose'");
  return text::poseFromJson(text::parseHandJson(readFile(beside), beside.string(), "a pose file"), character_,
                            beside.string(), &doubts_);
}

std::vector<double> ExamplesReader::readMask(const fs::path& path, Index sculptVertices) const {
  const std::string where = path.string();
  const text::HandJson list = text::parseHandJson(readFile(path), where, "a mask");
  const auto count = toSize(character_.mesh.vertexCount());
  const auto sculpt = toSize(sculptVertices);
  if (!list.is_array() || (list.size() != sculpt && list.size() != count)) {
    text::refuseJson(where, fmt::format("a mask must be a list of {} numbers, one per vertex of its mesh{}", sculpt,
                                        list.is_array() ? fmt::format(", not {}", list.size()) : ""));
  }
  const std::vector<double> values = text::numbersOf(list, list.size(), "the mask", where);
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (values[v] < 0 || values[v] > 1)
      text::refuseJson(where, fmt::format("the mask has {} at vertex {}; values must be from 0 to 1", values[v], v));
  }
  return values.size() == sculpt ? matcher_.carryValues(values, sculptVertices) : values;
}

Example ExamplesReader::readExample(const text::HandJson& entry, std::size_t number) {
  const std::string what = fmt::format("example {}", number);
  text::checkObject(entry, {"name", "pose", "mesh", "confidence", "mask"}, what, where_);
  if (!entry.contains("mesh")) text::refuseJson(where_, fmt::format("{} has no 'mesh'; give its sculpt", what));
  const fs::path mesh = existingOf(entry["mesh"], what + ": 'mesh'");
  Example example;
  example.name = entry.contains("name") ? textOf(entry["name"], what + ": 'name'") : mesh.stem().string();
  example.pose = readPoseOf(entry, what);
  if (entry.contains("confidence")) {
    example.confidence = text::numberOf(entry["confidence"], what + ": 'confidence'", where_);
    if (example.confidence != 0 && !(example.confidence >= kLeastWeight && example.confidence <= kMostWeight)) {
      text::refuseJson(where_, fmt::format("{} has the confidence {}; it must be 0, or from {} to {}", what,
                                           example.confidence, kLeastWeight, kMostWeight));
    }
  }
  const Shape sculpt = readShape(mesh, options_.rules);
  const Points posed = posePoints(character_, example.pose);
  example.points = matcher_.carry(mesh, sculpt.points, posed);
  placed_.push_back(matcher_.holdsAllPlaces(sculpt.points.cols()) ? sculpt.points : Points(3, 0));
  for (std::string& doubt : matcher_.check(mesh, sculpt, example.points, posed, options_.force, needsPose_))
    doubts_.push_back(std::move(doubt));
  if (entry.contains("mask"))
    example.mask = readMask(existingOf(entry["mask"], what + ": 'mask'"), sculpt.points.cols());
  if (!matcher_.allMatched()) {
    if (example.mask.empty()) example.mask.assign(toSize(character_.mesh.vertexCount()), 1);
    for (Index v = 0; v < character_.mesh.vertexCount(); ++v) {
      if (!matcher_.isMatched(v)) example.mask[toSize(v)] = 0;
    }
  }
  return example;
}

Driver ExamplesReader::readDriver(const text::HandJson& entry, std::size_t number) const {
  const std::string what = fmt::format("driver {}", number);
  text::checkObject(entry, {"joint", "channel", "weight"}, what, where_);
  if (entry.contains("joint") == entry.contains("channel"))
    text::refuseJson(where_, fmt::format("{} needs either a 'joint' or a 'channel' (a morph target)", what));
  Driver driver;
  if (entry.contains("joint")) {
    driver.joint = textOf(entry["joint"], what + ": 'joint'");
    try {
      static_cast<void>(character_.skeleton.index(driver.joint));  // throws if there is none
    } catch (const Error& error) {
      throw error.in(where_);
    }
  } else {
    driver.joint = textOf(entry["channel"], what + ": 'channel'");
    const auto& morphs = character_.morphs;
    if (std::none_of(morphs.begin(), morphs.end(), [&](const MorphTarget& m) { return m.name == driver.joint; }))
      text::refuseJson(where_,
                       fmt::format("{} is the channel '{}', but no morph target has that name", what, driver.joint));
  }
  if (entry.contains("weight")) driver.weight = text::numberOf(entry["weight"], what + ": 'weight'", where_);
  if (driver.weight != 0 && !(driver.weight >= kLeastWeight && driver.weight <= kMostWeight)) {
    text::refuseJson(where_, fmt::format("{} has the weight {}; it must be 0, or from {} to {}", what, driver.weight,
                                         kLeastWeight, kMostWeight));
  }
  return driver;
}

ExamplesFile ExamplesReader::read() {
  const text::HandJson json = text::parseHandJson(readFile(manifest_), where_, "an examples file");
  text::checkObject(json, {"rest", "examples", "drivers"}, "the file", where_);
  if (!json.contains("examples") || !json["examples"].is_array() || json["examples"].empty())
    text::refuseJson(where_, "has no examples; list at least one under 'examples', with its pose and mesh");
  if (json.contains("rest")) matcher_.matchRestMesh(existingOf(json["rest"], "'rest'"), options_.rules, notes_);
  ExamplesFile file;
  std::unordered_set<std::string> names;
  for (const text::HandJson& entry : json["examples"]) {
    const auto done = static_cast<double>(file.set.examples.size());
    report(options_.progress, {done / static_cast<double>(json["examples"].size()), "reading examples"});
    file.set.examples.push_back(readExample(entry, file.set.examples.size() + 1));
    const std::string& name = file.set.examples.back().name;
    if (!names.insert(name).second)
      text::refuseJson(where_, fmt::format("has two examples named '{}'; rename one", name));
  }
  if (json.contains("drivers")) {
    if (!json["drivers"].is_array()) text::refuseJson(where_, "'drivers' must be a list of joints");
    for (const text::HandJson& entry : json["drivers"])
      file.set.drivers.push_back(readDriver(entry, file.set.drivers.size() + 1));
  }
  file.set.rest = matcher_.rest();
  file.placed = std::move(placed_);
  file.notes = std::move(notes_);
  file.warnings = std::move(doubts_);
  return file;
}

}  // namespace
}  // namespace sinew::examples

namespace sinew {

ExamplesFile readExamples(const fs::path& manifest, const Character& character, const ReadExamplesOptions& options) {
  return examples::ExamplesReader(manifest, character, Points(3, 0), options).read();
}

ExamplesFile readExamples(const fs::path& manifest, const CharacterFile& file, const ReadExamplesOptions& options) {
  return examples::ExamplesReader(manifest, file.character, file.examplesRest, options).read();
}

}  // namespace sinew
