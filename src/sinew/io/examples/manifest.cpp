// Reads an examples file up to its shapes: poses, confidences, drivers, and where shapes and masks are.
#include "sinew/io/examples/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/error.h"
#include "sinew/io/examples/sequence.h"
#include "sinew/io/files.h"
#include "sinew/io/poses.h"
#include "sinew/io/text/hand_written_json.h"

namespace sinew::examples {

namespace fs = std::filesystem;

namespace {

/// Of confidences and weights that are not 0: what is beyond would drown all others, or their squares overflow.
constexpr double kLeastWeight = 1e-6;
constexpr double kMostWeight = 1e6;

class ManifestReader {
 public:
  ManifestReader(const fs::path& manifest, Plan& plan)
      : manifest_(manifest), where_(manifest.string()), character_(plan.character), plan_(plan) {}

  void read();

 private:
  void readExample(const text::HandJson& entry, std::size_t number);
  void readSculpt(const text::HandJson& entry, const std::string& what);
  void readSequence(const text::HandJson& entry, const std::string& what);
  [[nodiscard]] ClipSource readClip(const text::HandJson& sequence, const std::string& what) const;
  Pose readPoseOf(const text::HandJson& entry, const std::string& what);
  [[nodiscard]] double readConfidence(const text::HandJson& entry, const std::string& what) const;
  Driver readDriver(const text::HandJson& entry, std::size_t number) const;
  [[nodiscard]] std::string textOf(const text::HandJson& value, const std::string& what) const;
  /// Paths are relative to the manifest.
  [[nodiscard]] fs::path pathOf(const text::HandJson& value, const std::string& what) const {
    fs::path path = manifest_.parent_path() / fs::path(textOf(value, what));
    checkInside(path, plan_.rules);
    return path;
  }

  /// The same for a file or folder that must be there.
  [[nodiscard]] fs::path existingOf(const text::HandJson& value, const std::string& what) const {
    fs::path path = pathOf(value, what);
    std::error_code fault;
    if (fs::exists(path, fault)) return path;
    throw Error(ErrorCode::NotFound,
                fmt::format("{} refers to '{}', but there is no such file; check the path", what, path.string()),
                where_);
  }

  fs::path manifest_;
  std::string where_;
  const Character& character_;
  Plan& plan_;
};

std::string ManifestReader::textOf(const text::HandJson& value, const std::string& what) const {
  if (!value.is_string() || value.get_ref<const std::string&>().empty())
    text::refuseJson(where_, fmt::format("{} must be a text, not {}", what, value.dump().substr(0, 40)));
  return value.get<std::string>();
}

Pose ManifestReader::readPoseOf(const text::HandJson& entry, const std::string& what) {
  if (!entry.contains("pose")) {
    if (plan_.sculpts.inPose)
      text::refuseJson(where_, fmt::format("{} has no 'pose'; give a pose file, or a clip and a time", what));
    return restPose(character_);
  }
  const text::HandJson& pose = entry["pose"];
  if (pose.is_object()) return text::poseFromJson(pose, character_, where_, &plan_.warnings);
  const std::string text = textOf(pose, what + ": 'pose'");
  fs::path beside = pathOf(pose, what);
  std::error_code fault;
  // A file next to the manifest, or a pose as on the command line: CLIP@SECONDS and rest.
  const bool isFile = fs::exists(beside, fault) || (text != "rest" && text.find('@') == std::string::npos);
  if (!isFile) return readPose(text, character_, &plan_.warnings);
  beside = existingOf(pose, what + ": 'pose'");
  return text::poseFromJson(text::parseHandJson(readFile(beside), beside.string(), "a pose file"), character_,
                            beside.string(), &plan_.warnings);
}

double ManifestReader::readConfidence(const text::HandJson& entry, const std::string& what) const {
  if (!entry.contains("confidence")) return 1;
  const double confidence = text::numberOf(entry["confidence"], what + ": 'confidence'", where_);
  if (confidence != 0 && !(confidence >= kLeastWeight && confidence <= kMostWeight)) {
    text::refuseJson(where_, fmt::format("{} has the confidence {}; it must be 0, or from {} to {}", what, confidence,
                                         kLeastWeight, kMostWeight));
  }
  return confidence;
}

void ManifestReader::readExample(const text::HandJson& entry, std::size_t number) {
  const std::string what = fmt::format("example {}", number);
  text::checkObject(entry, {"name", "pose", "mesh", "sequence", "confidence", "mask"}, what, where_);
  if (!entry.contains("sequence")) return readSculpt(entry, what);
  if (entry.contains("mesh") || entry.contains("pose")) {
    text::refuseJson(where_, fmt::format("{} has both 'sequence' and '{}'; keep one", what,
                                         entry.contains("mesh") ? "mesh" : "pose"));
  }
  readSequence(entry, what);
}

void ManifestReader::readSculpt(const text::HandJson& entry, const std::string& what) {
  if (!entry.contains("mesh")) {
    text::refuseJson(where_,
                     fmt::format("{} has no 'mesh'; give its sculpt, or a 'sequence' of a clip and meshes", what));
  }
  const fs::path mesh = existingOf(entry["mesh"], what + ": 'mesh'");
  Example example;
  example.name = entry.contains("name") ? textOf(entry["name"], what + ": 'name'") : mesh.stem().string();
  example.pose = readPoseOf(entry, what);
  example.points = Points(3, 0);
  example.confidence = readConfidence(entry, what);
  const fs::path mask = entry.contains("mask") ? existingOf(entry["mask"], what + ": 'mask'") : fs::path();
  plan_.add(std::move(example), {meshFiles({mesh}, plan_.rules), 0, plan_.matcher, mask}, where_);
}

ClipSource ManifestReader::readClip(const text::HandJson& sequence, const std::string& what) const {
  if (!sequence.contains("clip"))
    text::refuseJson(where_, what + " has no 'clip'; give the clip of the character that its meshes follow");
  const text::HandJson& clip = sequence["clip"];
  const auto nameOf = [&](const text::HandJson& name) {
    return name.is_number_unsigned() ? fmt::format("{}", name.get<std::uint64_t>()) : textOf(name, what + ": 'clip'");
  };
  if (!clip.is_object()) return {.name = nameOf(clip)};
  text::checkObject(clip, {"file", "name"}, what + ": 'clip'", where_);
  if (!clip.contains("file")) text::refuseJson(where_, what + ": 'clip' has no 'file'; give the file of the clip");
  return {.name = clip.contains("name") ? nameOf(clip["name"]) : "",
          .file = existingOf(clip["file"], what + ": 'clip'")};
}

void ManifestReader::readSequence(const text::HandJson& entry, const std::string& what) {
  const text::HandJson& json = entry["sequence"];
  const std::string inside = what + ": 'sequence'";
  text::checkObject(json, {"clip", "meshes", "fps", "rest"}, inside, where_);
  if (!json.contains("meshes"))
    text::refuseJson(where_, inside + " has no 'meshes'; give a folder of meshes or a point cache (.pc2, .mdd)");
  SequenceFiles sequence{.clip = readClip(json, inside), .meshes = existingOf(json["meshes"], inside + ": 'meshes'")};
  if (json.contains("rest")) sequence.rest = existingOf(json["rest"], inside + ": 'rest'");
  if (json.contains("fps")) {
    sequence.framesPerSecond = text::numberOf(json["fps"], inside + ": 'fps'", where_);
    if (!(sequence.framesPerSecond > 0))
      text::refuseJson(where_, fmt::format("{} has the fps {}; it must be above 0", inside, sequence.framesPerSecond));
  }
  SequenceSettings settings;
  if (entry.contains("name")) settings.name = textOf(entry["name"], what + ": 'name'");
  settings.confidence = readConfidence(entry, what);
  if (entry.contains("mask")) settings.mask = existingOf(entry["mask"], what + ": 'mask'");
  addSequence(sequence, settings, where_, plan_);
}

Driver ManifestReader::readDriver(const text::HandJson& entry, std::size_t number) const {
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

void ManifestReader::read() {
  const text::HandJson json = text::parseHandJson(readFile(manifest_), where_, "an examples file");
  text::checkObject(json, {"rest", "examples", "sequence", "drivers"}, "the file", where_);
  const bool listed = json.contains("examples");
  if (listed ? !json["examples"].is_array() || json["examples"].empty() : !json.contains("sequence"))
    text::refuseJson(where_, "has no examples; list at least one under 'examples', with its pose and mesh");
  if (json.contains("rest")) {
    plan_.matcher->matchRestMesh(existingOf(json["rest"], "'rest'"), plan_.rules, plan_.notes);
    plan_.outline.rest = plan_.matcher->rest();
  }
  if (listed) {
    std::size_t number = 0;
    for (const text::HandJson& entry : json["examples"]) readExample(entry, ++number);
  }
  if (json.contains("sequence")) readSequence(json, "the file");
  if (!json.contains("drivers")) return;
  if (!json["drivers"].is_array()) text::refuseJson(where_, "'drivers' must be a list of joints");
  for (const text::HandJson& entry : json["drivers"])
    plan_.outline.drivers.push_back(readDriver(entry, plan_.outline.drivers.size() + 1));
}

}  // namespace

void readManifest(const fs::path& manifest, Plan& plan) {
  ManifestReader(manifest, plan).read();
}

}  // namespace sinew::examples
