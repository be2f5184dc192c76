#include "sinew/learn/pose_space/example_reader.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/base/check.h"

namespace sinew::pose_space {
namespace {

constexpr const char* kReaderWhere = "pose-space deformation";

void checkShape(const Character& character, const Example& example) {
  SINEW_CHECK(example.points.cols() == character.mesh.vertexCount(), kReaderWhere,
              fmt::format("the example '{}' has {} vertices, the character {}; it must be a sculpt of this mesh",
                          example.name, example.points.cols(), character.mesh.vertexCount()));
  SINEW_CHECK(example.points.allFinite(), kReaderWhere,
              fmt::format("the example '{}' has a position that is not a finite number", example.name));
  SINEW_CHECK(example.mask.empty() || static_cast<Index>(example.mask.size()) == example.points.cols(), kReaderWhere,
              fmt::format("the mask of the example '{}' has {} entries for {} vertices", example.name,
                          example.mask.size(), example.points.cols()));
}

}  // namespace

ExampleReader::ExampleReader(const Character& character, ExampleSource& source, const Deformer& base, DeltaSpace space,
                             double regularisation)
    : character_(character), source_(source), base_(base), frames_(character, base, space, regularisation) {}

void ExampleReader::read(std::size_t k) {
  source_.read(k, example_);
  checkShape(character_, example_);
  poseJoints(character_, example_.pose, joints_);
  applyMorphs(character_, example_.pose.morphWeights, morphed_);
  skinned_.resize(3, morphed_.cols());
  base_.deform(morphed_, joints_, scratch_, skinned_);
  frames_.setPose(morphed_, joints_);
}

void checkOutline(const Character& character, const ExampleSet& outline) {
  SINEW_CHECK(character.hasSkin(), kReaderWhere,
              "the character has no skin to correct; bind it to a skeleton first (sinew bind)");
  SINEW_CHECK(!outline.examples.empty(), kReaderWhere, "there is no example to learn from; add one to the examples");
  const auto joints = toSize(character.skeleton.size());
  for (const Example& example : outline.examples) {
    SINEW_CHECK(example.pose.local.size() == joints && example.pose.morphWeights.size() == character.morphs.size(),
                kReaderWhere,
                fmt::format("the pose of the example '{}' is for {} joints and {} morph targets, the character has {} "
                            "and {}",
                            example.name, example.pose.local.size(), example.pose.morphWeights.size(), joints,
                            character.morphs.size()));
    SINEW_CHECK(
        std::isfinite(example.confidence) && example.confidence >= 0, kReaderWhere,
        fmt::format("the example '{}' has the confidence {}; it must be 0 or more", example.name, example.confidence));
  }
}

}  // namespace sinew::pose_space
