// Any JSON in the place of one of Sinew's own blocks, in a file that is otherwise sound: the file is read, with the
// block or without it, or refused by an Error; what was read can be written and read again.
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "fuzz_files.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/gltf.h"
#include "sinew/io/nesting.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/reduced_model.h"
#include "support/test_arm.h"

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kBlocks = {"SINEW_pose_space", "SINEW_helper_joints", "SINEW_rest_shape", "SINEW_poses",
                                "SINEW_reduced_model"};
const std::filesystem::path kNowhere = "a folder that does not exist";

struct Glb {
  Json json;
  std::string rest;  ///< the chunks behind the JSON
};

Glb taken(const std::string& bytes) {
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 12, sizeof length);
  return {Json::parse(bytes.substr(20, length)), bytes.substr(20 + length)};
}

std::string joined(const Glb& glb) {
  std::string text = glb.json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const auto word = [](std::size_t value) {
    const auto narrow = static_cast<std::uint32_t>(value);
    return std::string(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  };
  return "glTF" + word(2) + word(20 + text.size() + glb.rest.size()) + word(text.size()) + "JSON" + text + glb.rest;
}

/// An arm with every block.
const Glb& whole() {
  static const Glb made = [] {
    sinew::CharacterFile file;
    sinew::Character& arm = file.character;
    arm = sinew::test::testArm(4, 3);
    sinew::ExampleSet set;
    sinew::Example bent;
    bent.name = "bent";
    bent.pose = sinew::test::bentArmPose(arm);
    bent.points = sinew::posePoints(arm, bent.pose).array() + 0.01;
    set.examples.push_back(bent);
    file.poseSpace = sinew::learnPoseSpace(arm, set).model;
    const std::vector<sinew::Points> shapes = {arm.mesh.points, bent.points};
    file.reduced = std::make_shared<const sinew::ReducedModel>(
        sinew::learnReducedModel(arm.mesh, shapes, {}, arm.mesh.points).model);
    file.examplesRest = arm.mesh.points;
    file.poses.push_back({"bent", bent.pose});
    return taken(sinew::gltfToMemory(kNowhere / "arm.glb", file).files.front().second);
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::vector<std::string> seeds;
  for (std::size_t b = 0; b < kBlocks.size(); ++b) {
    if (whole().json["extensions"].contains(kBlocks[b]))
      seeds.push_back(static_cast<char>(b) + whole().json["extensions"][kBlocks[b]].dump());
  }
  seeds.push_back(std::string(1, '\1') +
                  R"({"version": 1, "rules": [{"kind": "half", "joint": 2, "name": "lower", "source": 1,
 "sourceName": "upper", "share": 0.5}]})");
  sinew::fuzz::writeSeeds(*argc, *argv, seeds);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string text = sinew::fuzz::textOf(data + 1, size - 1);
  try {
    sinew::checkNesting(text, sinew::Notation::Json);
    Json block = Json::parse(text, nullptr, false);
    if (block.is_discarded()) return 0;
    Glb glb = whole();
    glb.json["extensions"][kBlocks[data[0] % kBlocks.size()]] = std::move(block);
    const sinew::CharacterFile file = sinew::readGltfFromMemory(joined(glb), kNowhere, "fuzz");
    const std::string written = sinew::gltfToMemory(kNowhere / "fuzz.glb", file).files.front().second;
    try {
      sinew::readGltfFromMemory(written, kNowhere, "fuzz");
    } catch (const sinew::Error& error) {
      throw std::logic_error(error.what());
    }
  } catch (const sinew::Error&) {
    return 0;
  }
  return 0;
}
