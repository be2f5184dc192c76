// Any text as a pose: every joint and morph target with finite numbers, or an Error. What was read comes back from what
// is written.
#include <cstdlib>

#include "fuzz_files.h"
#include "sinew/base/error.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace {

const sinew::Character& arm() {
  static const sinew::Character made = [] {
    sinew::Character arm = sinew::test::testArm(3, 3);
    arm.morphs.push_back({.name = "bulge", .deltas = sinew::Points::Ones(3, 3)});
    sinew::ClipChannel turn;
    turn.path = sinew::ClipPath::Rotation;
    turn.joint = 2;
    turn.times = {0, 1};
    turn.values = Eigen::MatrixXd::Identity(4, 2);
    arm.clips.push_back({"bend", {turn}});
    return arm;
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  sinew::fuzz::writeSeeds(
      *argc, *argv,
      {sinew::poseToText(arm(), sinew::test::bentArmPose(arm())),
       R"({"clip": "bend", "time": 0.5, "joints": {"lower": {"euler": [0, 0, 90]}}, "morphs": {"bulge": 0.5}})",
       "// a comment\n{\"joints\": {\"#1\": {\"rotation\": [0, 0, 0.38, 0.92], \"translation\": [0, 1, 0], \"scale\": "
       "[1, 1, 1]}}}"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = sinew::fuzz::scratch().write("pose.json", sinew::fuzz::textOf(data, size));
  try {
    const sinew::Pose pose = sinew::readPose(path, arm());
    for (const sinew::LocalTransform& local : pose.local) {
      if (!local.translation.allFinite() || !local.rotation.coeffs().allFinite() || !local.scale.allFinite())
        std::abort();
    }
    if (pose.morphWeights.size() != arm().morphs.size()) std::abort();
    const std::string again = sinew::fuzz::scratch().write("again.json", sinew::poseToText(arm(), pose));
    sinew::readPose(again, arm());
  } catch (const sinew::Error&) {
    return 0;
  }
  return 0;
}
