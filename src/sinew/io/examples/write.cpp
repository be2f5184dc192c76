// Writes an examples file and what it names, the manifest last: a run that was stopped leaves no manifest that names
// missing files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "sinew/base/check.h"
#include "sinew/deform/posing.h"
#include "sinew/io/files.h"
#include "sinew/io/obj.h"
#include "sinew/io/poses.h"
#include "sinew/io/text/hand_written_json.h"

namespace sinew::examples {

namespace fs = std::filesystem;

namespace {

/// A name that every file system takes, and that no file of this set has yet.
std::string fileName(const std::string& name, std::unordered_set<std::string>& taken) {
  std::string safe = name;
  for (char& c : safe) {
    if (static_cast<unsigned char>(c) < ' ' || std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos)
      c = '_';
  }
  if (safe.empty() || safe.front() == '.') safe.insert(0, "_");
  // Some file systems are not case-sensitive.
  const auto key = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  std::string unique = safe;
  for (int i = 2; !taken.insert(key(unique)).second; ++i) unique = fmt::format("{}-{}", safe, i);
  return unique;
}

class ExamplesWriter {
 public:
  ExamplesWriter(const fs::path& manifest, const Character& character, const ExampleSet& set, OutputFiles& files,
                 const Progress& progress)
      : files_(files),
        progress_(progress),
        manifest_(manifest),
        character_(character),
        set_(set),
        mesh_(character.mesh),
        hasPoses_(character.hasSkin() && !skinJoints(character).empty()) {
    mesh_.normals.resize(3, 0);
    // Other sets of the same character (heldout.json) keep their files in a folder of their own.
    const std::string stem = manifest.stem().string();
    if (stem != "examples") prefix_ = stem + "/";
  }

  std::vector<fs::path> write();

 private:
  void put(const std::string& relative, const std::string& content) {
    const fs::path path = manifest_.parent_path() / relative;
    if (path.has_parent_path()) files_.makeFolder(path.parent_path());
    files_.add(path, content);
    written_.push_back(path);
  }
  void putMesh(const std::string& relative, const Points& points) {
    SINEW_CHECK(
        points.cols() == character_.mesh.vertexCount(), "examples",
        fmt::format("'{}' has {} vertices, the character {}", relative, points.cols(), character_.mesh.vertexCount()));
    mesh_.points = points;
    put(relative, formatObj(mesh_));
  }
  std::string writeExample(const Example& example);

  OutputFiles& files_;
  const Progress& progress_;
  fs::path manifest_;
  const Character& character_;
  const ExampleSet& set_;
  Mesh mesh_;
  bool hasPoses_;  ///< a mesh that no skin moves has none worth writing
  std::string prefix_;
  std::unordered_set<std::string> names_{"rest"};
  std::vector<fs::path> written_;
};

/// Returns the example's line of the manifest.
std::string ExamplesWriter::writeExample(const Example& example) {
  const std::string name = fileName(example.name, names_);
  text::HandJson entry;
  entry["name"] = example.name;
  if (hasPoses_) {
    entry["pose"] = prefix_ + "poses/" + name + ".json";
    put(entry["pose"], poseToText(character_, example.pose));
  }
  entry["mesh"] = prefix_ + name + ".obj";
  putMesh(entry["mesh"], example.points);
  if (example.confidence != 1) entry["confidence"] = example.confidence;
  if (!example.mask.empty()) {
    entry["mask"] = prefix_ + "masks/" + name + ".json";
    put(entry["mask"], text::HandJson(example.mask).dump() + "\n");
  }
  return "    " + entry.dump();
}

std::vector<fs::path> ExamplesWriter::write() {
  checkFolderWritable(manifest_);
  putMesh("rest.obj", set_.rest.cols() > 0 ? set_.rest : posePoints(character_, restPose(character_)));
  std::vector<std::string> lines;
  for (const Example& example : set_.examples) {
    report(progress_, {static_cast<double>(lines.size()) / static_cast<double>(set_.examples.size()), "writing"});
    lines.push_back(writeExample(example));
  }
  std::string text = fmt::format("{{\n  \"rest\": \"rest.obj\",\n  \"examples\": [\n{}\n  ]", fmt::join(lines, ",\n"));
  if (!set_.drivers.empty()) {
    lines.clear();
    for (const Driver& driver : set_.drivers) {
      text::HandJson entry;
      entry["joint"] = driver.joint;
      if (driver.weight != 1) entry["weight"] = driver.weight;
      lines.push_back("    " + entry.dump());
    }
    text += fmt::format(",\n  \"drivers\": [\n{}\n  ]", fmt::join(lines, ",\n"));
  }
  files_.add(manifest_, text + "\n}\n");
  written_.push_back(manifest_);
  return std::move(written_);
}

}  // namespace
}  // namespace sinew::examples

namespace sinew {

std::vector<fs::path> writeExamples(const fs::path& manifest, const Character& character, const ExampleSet& set,
                                    OutputFiles* into, const Progress& progress) {
  OutputFiles own;
  std::vector<fs::path> written =
      examples::ExamplesWriter(manifest, character, set, into == nullptr ? own : *into, progress).write();
  own.commit();
  return written;
}

}  // namespace sinew
