// sinew info: what is in a file, and what is wrong with it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "shapes.h"
#include "sinew/character/validate.h"
#include "sinew/character/weld.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/io/poses.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNames = 100;  ///< of joints, that are all printed
constexpr std::size_t kShownNames = 12;  ///< of more than that

int maxSkinInfluences(const Character& character) {
  std::size_t most = 0;
  for (const MeshPart& part : character.mesh.parts) {
    if (!part.skinned) continue;
    for (Index v = part.firstVertex; v < part.firstVertex + part.vertexCount; ++v)
      most = std::max(most, character.skin.weights[v].size());
  }
  return static_cast<int>(most);
}

Json describeParts(const Mesh& mesh) {
  Json parts = Json::array();
  for (const MeshPart& part : mesh.parts) {
    parts.push_back({{"name", part.name},
                     {"mesh", part.mesh},
                     {"firstVertex", part.firstVertex},
                     {"vertices", part.vertexCount},
                     {"faces", part.faceCount},
                     {"skinned", part.skinned},
                     {"instances", part.instances}});
  }
  return parts;
}

Json describeClips(const Character& character) {
  Json clips = Json::array();
  for (std::size_t i = 0; i < character.clips.size(); ++i) {
    clips.push_back({{"index", i}, {"name", character.clips[i].name}, {"seconds", character.clips[i].seconds()}});
  }
  return clips;
}

Json describeHelpers(const Character& character) {
  Json helpers = Json::array();
  for (const HelperJoint& helper : character.helpers) {
    helpers.push_back({{"name", character.skeleton[helper.joint].name},
                       {"rule", helperRule(character.skeleton, helper)},
                       {"kind", nameOf(helper.kind)},
                       {"source", character.skeleton[helper.source].name}});
  }
  return helpers;
}

Json describe(const std::string& path, const CharacterFile& file) {
  const Character& character = file.character;
  const BoundingBox box =
      boundingBox(PlacedPoser(character, instancesOf(file), file.playback()).pose(restPose(character)));
  Json jointNames = Json::array();
  for (const int joint : skinJoints(character)) jointNames.push_back(character.skeleton[joint].name);
  Json morphNames = Json::array();
  for (const MorphTarget& morph : character.morphs) morphNames.push_back(morph.name);
  Json poseNames = Json::array();
  for (const SavedPose& saved : file.poses) poseNames.push_back(saved.name);
  int instances = 0;
  for (const MeshPart& part : character.mesh.parts) instances = std::max(instances, part.instances);
  Json problems = file.problems;
  for (const Problem& problem : findProblems(character)) problems.push_back(problem.sentence);
  return {{"file", path},
          {"format", file.format},
          {"vertices", character.mesh.vertexCount()},
          {"points", weldCharacter(character, character.mesh.points).pointCount()},
          {"faces", character.mesh.faces.size()},
          {"triangles", triangulate(character.mesh).size()},
          {"joints", jointNames.size()},
          {"nodes", character.skeleton.size()},
          {"maxInfluences", maxSkinInfluences(character)},
          {"instances", instances},
          {"diagonal", box.diagonal()},
          {"low", {box.low.x(), box.low.y(), box.low.z()}},
          {"high", {box.high.x(), box.high.y(), box.high.z()}},
          {"clips", describeClips(character)},
          {"morphTargets", morphNames.size()},
          {"morphTargetNames", morphNames},
          {"jointNames", jointNames},
          {"helpers", describeHelpers(character)},
          {"parts", describeParts(character.mesh)},
          {"poses", poseNames},
          {"blocks", file.blocks},
          {"problems", problems}};
}

std::string text(const Json& info) {
  std::string lines = fmt::format("{} ({})\n", info["file"].get<std::string>(), info["format"].get<std::string>());
  lines +=
      fmt::format("  mesh      {} vertices, {} points, {} triangles, diagonal {:.6g}\n", info["vertices"].get<int>(),
                  info["points"].get<int>(), info["triangles"].get<int>(), info["diagonal"].get<double>());
  for (const Json& part : info["parts"]) {
    lines += fmt::format(
        "  part      '{}' {} vertices from {}{}{}\n", part["name"].get<std::string>(), part["vertices"].get<int>(),
        part["firstVertex"].get<int>(), part["skinned"].get<bool>() ? ", skinned" : "",
        part["instances"].get<int>() == 1 ? "" : fmt::format(", placed {} times", part["instances"].get<int>()));
  }
  if (info["joints"].get<int>() > 0) {
    lines +=
        fmt::format("  skin      {} of {}, at most {}\n", counted(info["joints"].get<std::size_t>(), "joint", "joints"),
                    counted(info["nodes"].get<std::size_t>(), "node", "nodes"),
                    counted(info["maxInfluences"].get<std::size_t>(), "influence", "influences"));
    std::string names;
    const std::size_t count = info["jointNames"].size();
    const std::size_t shown = count > kMostNames ? kShownNames : count;
    for (std::size_t j = 0; j < shown; ++j)
      names += (names.empty() ? "" : ", ") + info["jointNames"][j].get<std::string>();
    if (shown < count) names += fmt::format(" and {} more (--json lists all)", count - shown);
    lines += "  joints    " + names + "\n";
  }
  for (const Json& helper : info["helpers"])
    lines += fmt::format("  helper    {}: {}\n", helper["name"].get<std::string>(), helper["rule"].get<std::string>());
  for (const Json& clip : info["clips"]) {
    lines += fmt::format("  clip      {} '{}' {:.3f} s\n", clip["index"].get<int>(), clip["name"].get<std::string>(),
                         clip["seconds"].get<double>());
  }
  for (const Json& morph : info["morphTargetNames"])
    lines += fmt::format("  morph     '{}'\n", morph.get<std::string>());
  for (const Json& pose : info["poses"]) lines += fmt::format("  pose      '{}'\n", pose.get<std::string>());
  for (const Json& block : info["blocks"]) lines += fmt::format("  block     {}\n", block.get<std::string>());
  for (const Json& problem : info["problems"]) lines += fmt::format("  problem   {}\n", problem.get<std::string>());
  if (info["problems"].empty()) lines += "  no problems found\n";
  return lines;
}

class InfoCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.inputs("FILE", files_, "files to inspect");
    arguments.option("--examples", "FILE.json", examples_,
                     "also match the sculpts of an examples file to the character");
  }

  int run(Console& console) override {
    Json all = Json::array();
    std::string lines;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::string& path = files_[i];
      const double share = 1.0 / static_cast<double>(files_.size());
      const double from = share * static_cast<double>(i);
      ReadOptions reading = console.reading(from, from + share);
      reading.tolerant = true;
      const CharacterFile file = readCharacter(path, reading);
      all.push_back(describe(path, file));
      lines += text(all.back());
      if (!examples_.empty()) lines += describeExamples(file, console, all.back());
    }
    console.result(lines, all.size() == 1 ? all[0] : Json{{"files", all}});
    return Done;
  }

 private:
  /// Adds `examples` to the JSON object; returns the same for display.
  std::string describeExamples(const CharacterFile& file, const Console& console, Json& json) const {
    ExamplesFile examples = readExamples(examples_, file, {.force = true, .rules = console.rules()});
    for (std::string& places : furtherPlaces(file.character.mesh, "compared with the examples"))
      examples.warnings.push_back(std::move(places));
    Json names = Json::array();
    std::string lines;
    for (const Example& example : examples.set.examples) {
      names.push_back(example.name);
      lines += fmt::format("  example   {}\n", example.name);
    }
    console.warn(examples.warnings);
    for (const std::string& note : examples.notes) lines += fmt::format("  note      {}\n", note);
    json["examples"] = {
        {"count", names.size()}, {"names", names}, {"notes", examples.notes}, {"warnings", examples.warnings}};
    return lines;
  }

  std::vector<std::string> files_;
  std::string examples_;
};

}  // namespace

std::unique_ptr<Command> makeInfoCommand() {
  return std::make_unique<InfoCommand>();
}

}  // namespace sinew::cli
