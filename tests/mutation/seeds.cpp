#include "seeds.h"

#include <cmath>
#include <fstream>
#include <iterator>

#include "../cli/run_sinew.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace sinew::test {
namespace {

namespace fs = std::filesystem;

/// A small arm with a morph target and a clip.
Character seedArm() {
  Character arm = testArm(6, 4);
  arm.morphs.push_back({.name = "bulge", .deltas = 0.05 * Points::Ones(3, arm.mesh.vertexCount())});
  const Pose bent = bentArmPose(arm, 60, 20);
  ClipChannel turn{.path = ClipPath::Rotation, .joint = 2, .times = {0, 0.25}, .values = Eigen::MatrixXd(4, 2)};
  turn.values.col(0) = arm.skeleton[2].rest.rotation.coeffs();
  turn.values.col(1) = bent.local[2].rotation.coeffs();
  arm.clips.push_back({"bend", {turn}});
  return arm;
}

ExampleSet seedExamples(const Character& arm) {
  ExampleSet set;
  set.rest = posePoints(arm, restPose(arm));
  for (const double degrees : {45.0, 90.0}) {
    Example example;
    example.name = degrees < 60 ? "half" : "full";
    example.pose = bentArmPose(arm, degrees, 0);
    example.points = posePoints(arm, example.pose);
    for (Index v = 0; v < example.points.cols(); ++v)
      example.points(2, v) += 0.02 * std::sin(static_cast<double>(v)) * degrees / 90;
    set.examples.push_back(example);
  }
  return set;
}

void runForSeed(const std::vector<std::string>& words) {
  const CommandResult result = runSinew(words);
  if (result.exitCode != 0) throw std::runtime_error("a seed cannot be made: " + result.err);
}

}  // namespace

std::vector<Seed> makeSeeds(const fs::path& folder) {
  const auto in = [&](const std::string& name) { return (folder / name).string(); };
  CharacterFile file;
  file.character = seedArm();
  for (const char* name : {"arm.glb", "arm.gltf", "arm.obj", "arm.off"}) writeCharacter(in(name), file);
  const ExampleSet set = seedExamples(file.character);
  writeExamples(in("examples.json"), file.character, set);
  writePose(in("pose.json"), file.character, set.examples[1].pose);
  const std::vector<Points> frames = {set.rest, set.examples[0].points, set.examples[1].points};
  for (const char* name : {"cache.pc2", "cache.mdd"}) writePointCache(in(name), {frames, {}});
  runForSeed({"psd", in("arm.glb"), "--examples", in("examples.json"), "--force", "-q", "-o", in("psd.glb")});
  runForSeed({"fit", in("arm.glb"), "--examples", in("examples.json"), "--force", "--helpers", "all", "--rest", "-q",
              "-o", in("fit.glb")});
  runForSeed({"reduce", in("arm.glb"), "-q", "-o", in("reduced.glb")});

  const std::vector<std::vector<std::string>> character = {
      {"info", "@"},
      {"info", "@", "--json"},
      {"convert", "@", "-o", "%.glb"},
      {"convert", "@", "-o", "%.gltf"},
      {"convert", "@", "-o", "%.obj"},
      {"deform", "@", "--pose", "bend@0.2", "-o", "%.obj"},
      {"render", "@", "--size", "32x32", "-o", "%.png"},
      {"compare", "@", in("arm.glb")},
      {"drag", "@", "--pose", "bend@0.2", "--vertex", "9", "--move", "0,0.01,0", "-o", "%.glb"},
      {"evaluate", "@", "--examples", in("examples.json"), "--force"},
      {"invert", "@", "--pose", in("pose.json"), "--sculpt", in("full.obj"), "--force", "-o", "%.obj"},
      {"psd", "@", "--examples", in("examples.json"), "--force", "-o", "%.glb"},
      {"fit", "@", "--examples", in("examples.json"), "--force", "--helpers", "all", "-o", "%.glb"},
      {"reduce", "@", "-o", "%.glb"}};
  const std::vector<std::vector<std::string>> mesh = {
      {"info", "@"},
      {"convert", "@", "-o", "%.glb"},
      {"compare", "@", in("arm.obj")},
      {"bind", "@", "--skeleton", in("arm.glb"), "-o", "%.glb"},
      {"reduce", "@", "--rigid", "-o", "%.glb"},
      {"invert", in("arm.glb"), "--pose", in("pose.json"), "--sculpt", "@", "-o", "%.obj"}};
  const std::vector<std::vector<std::string>> model = {{"info", "@"},
                                                       {"pose", "@", "--handle", "3=0.1,0.2,0.3", "-o", "%.obj"},
                                                       {"reconstruct", "@", "-o", "%"},
                                                       {"convert", "@", "-o", "%.glb"}};
  const std::vector<std::vector<std::string>> pose = {
      {"deform", in("arm.glb"), "--pose", "@", "-o", "%.obj"},
      {"render", in("arm.glb"), "--pose", "@", "--size", "32x32", "-o", "%.png"}};
  const std::vector<std::vector<std::string>> examples = {
      {"info", in("arm.glb"), "--examples", "@"},
      {"psd", in("arm.glb"), "--examples", "@", "--force", "-o", "%.glb"},
      {"fit", in("arm.glb"), "--examples", "@", "--force", "-o", "%.glb"}};
  const auto deformer = [&](const std::string& kind) {
    return std::vector<std::vector<std::string>>{
        {"deform", in("arm.glb"), "--pose", "rest", "--deformer", "linear-blend", kind + ":@", "-o", "%.obj"}};
  };
  std::vector<Seed> seeds;
  const auto add = [&](const std::string& name, const std::vector<std::vector<std::string>>& commands) {
    seeds.push_back({name, readText(in(name)), commands});
  };
  add("arm.glb", character);
  add("psd.glb", character);
  add("fit.glb", character);
  add("arm.gltf", character);
  add("reduced.glb", model);
  add("arm.obj", mesh);
  add("arm.off", mesh);
  add("pose.json", pose);
  add("examples.json", examples);
  for (const char* name : {"cache.pc2", "cache.mdd"}) add(name, {{"reduce", in("arm.obj"), "@", "-o", "%.glb"}});
  seeds.push_back({"lattice.json",
                   R"({ "low": [-1, -1, -1], "high": [1, 1, 1], "resolution": [2, 2, 2], "follow": "upper",
  "outside": "pass", "border": 0.1, "displacements": [[0,0,0],[0,0,0],[0,0.2,0],[0,0.2,0],[0,0,0],[0,0,0],[0,0.2,0],[0,0.2,0]] })",
                   deformer("lattice")});
  seeds.push_back({"wire.json",
                   R"({ "wires": [ { "reference": [[-1,0,0],[0,0,0],[1,0,0]], "driven": [[-1,0,0],[0,0.2,0],[1,0,0]],
  "radius": 0.5, "scale": 1, "rotation": 1 } ], "exponent": 1, "follow": "lower" })",
                   deformer("wire")});
  seeds.push_back(
      {"options.json",
       R"({ "kernel": "cubic", "ridge": 0.001, "space": "frame", "threads": 1 })",
       {{"psd", in("arm.glb"), "--examples", in("examples.json"), "--force", "--options", "@", "-o", "%.glb"}}});
  for (Seed& seed : foreignSeeds()) seeds.push_back(std::move(seed));
  return seeds;
}

}  // namespace sinew::test
