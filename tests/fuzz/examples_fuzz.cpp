// Any text as an examples file beside a few meshes, poses and masks: an example set that fits the character, or an
// Error.
#include <cstdlib>

#include "fuzz_files.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace {

/// With a clip that bends it in two keys.
const sinew::Character& arm() {
  static const sinew::Character made = [] {
    sinew::Character arm = sinew::test::testArm(3, 3);
    sinew::ClipChannel channel{.path = sinew::ClipPath::Rotation, .joint = 2, .times = {}, .values = {}};
    channel.times = {0, 0.125};
    channel.values.resize(4, 2);
    channel.values.col(0) = sinew::restPose(arm).local[2].rotation.coeffs();
    channel.values.col(1) = sinew::test::bentArmPose(arm).local[2].rotation.coeffs();
    arm.clips.push_back({.name = "bend", .channels = {channel}});
    return arm;
  }();
  return made;
}

/// A folder with one example, its files, a mask, and a sequence as a point cache and as meshes.
const sinew::test::TemporaryFolder& scratch() {
  static const sinew::test::TemporaryFolder folder("sinew-fuzz");
  static const bool filled = [] {
    sinew::ExampleSet set;
    set.rest = sinew::posePoints(arm(), sinew::restPose(arm()));
    sinew::Example bent;
    bent.name = "bent";
    bent.pose = sinew::test::bentArmPose(arm());
    bent.points = sinew::posePoints(arm(), bent.pose);
    set.examples.push_back(bent);
    sinew::writeExamples(folder.file("examples.json"), arm(), set);
    sinew::writePointCache(folder.file("bend.pc2"), {{set.rest, bent.points, bent.points}, {}});
    sinew::writePointCache(folder.file("bend.mdd"), {{set.rest, bent.points}, {0, 0.1}});
    std::filesystem::create_directory(folder.file("frames"));
    for (const char* name : {"rest.obj", "bent.obj"})
      std::filesystem::copy_file(folder.file(name), std::filesystem::path(folder.file("frames")) / name);
    folder.write("mask.json", "[1, 1, 1, 0.5, 0.5, 0.5, 0, 0, 0]");
    return true;
  }();
  static_cast<void>(filled);
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::ifstream stream(scratch().file("examples.json"), std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  sinew::fuzz::writeSeeds(
      *argc, *argv,
      {written,
       R"({"rest": "rest.obj", "examples": [{"name": "a", "pose": {"joints": {"lower": {"euler": [0, 0, 90]}}},
 "mesh": "bent.obj", "mask": "mask.json", "confidence": 2}], "drivers": [{"joint": "lower", "weight": 0.5}]})",
       R"({"examples": [{"name": "s", "sequence": {"clip": "bend", "meshes": "bend.pc2", "fps": 24}, "confidence": 0.5},
 {"sequence": {"clip": 0, "meshes": "frames", "rest": "rest.obj"}, "mask": "mask.json"}]})",
       R"({"sequence": {"clip": {"file": "rest.obj", "name": "bend"}, "meshes": "bend.mdd"}})"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path manifest = scratch().write("fuzz.json", sinew::fuzz::textOf(data, size));
  try {
    const sinew::ExamplesFile read =
        sinew::readExamples(manifest, arm(), {.force = true, .rules = {.root = manifest.parent_path()}});
    for (const sinew::Example& example : read.set.examples) {
      if (example.points.cols() != arm().mesh.vertexCount() || !example.points.allFinite()) std::abort();
      if (!example.mask.empty() && example.mask.size() != static_cast<std::size_t>(example.points.cols())) std::abort();
      if (!(example.confidence >= 0)) std::abort();
    }
  } catch (const sinew::Error&) {
    return 0;
  }
  return 0;
}
