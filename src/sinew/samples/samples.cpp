#include "sinew/samples/samples.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/samples/body/build.h"

namespace sinew {
namespace {

constexpr std::array kSamples{
    SampleRow{"arm", "an arm with a fist on two bones: elbow bend and forearm twist", 2, 11, 8000, &body::makeArm},
    SampleRow{"limb", "an arm on a shoulder with its hand: 3-DOF shoulder, elbow and wrist", 4, 22, 12000,
              &body::makeLimb},
    SampleRow{"biped", "an adult of 25 joints in an A-pose: spine, arms, hands, legs and feet", 25, 21, 24000,
              &body::makeBiped},
    SampleRow{"quadruped", "a dog given as meshes in many poses, without a skeleton", 0, 18, 15000,
              &body::makeQuadruped},
};

}  // namespace

std::span<const SampleRow> samples() {
  return kSamples;
}

Sample makeSample(std::string_view name, const SampleOptions& options, const Progress& progress) {
  std::vector<std::string> names;
  for (const SampleRow& row : kSamples) {
    names.emplace_back(row.name);
    if (row.name != name) continue;
    SampleOptions chosen = options;
    if (chosen.vertices == 0) chosen.vertices = row.defaultVertices;
    SINEW_CHECK(chosen.vertices >= kLeastSampleVertices && chosen.vertices <= kMostSampleVertices, "sample",
                fmt::format("{} vertices are requested, but a sample has {} to {}", chosen.vertices,
                            kLeastSampleVertices, kMostSampleVertices));
    SINEW_CHECK(!chosen.exact || row.name == "arm", "sample",
                fmt::format("'{}' has no exact form; only 'arm' does", row.name));
    return row.make(chosen, progress);
  }
  const std::string nearest = nearestName(name, names);
  std::string message = fmt::format("there is no sample '{}'", name);
  if (!nearest.empty()) message += fmt::format("; did you mean '{}'?", nearest);
  throw Error(ErrorCode::NotFound, message + fmt::format(" Samples: {}", fmt::join(names, ", ")), "sample");
}

}  // namespace sinew
