#include "sinew/deform/pose_space_morphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew {
namespace {

constexpr const char* kWhere = "morph targets of a pose space";

RbfInterpolator interpolatorOf(const PoseSpaceModel& model, const PoseSpaceMorphs& morphs) {
  SINEW_CHECK(morphs.knots.rows() == model.poseSpace.dimensions(), kWhere,
              fmt::format("the knots have {} coordinates, the model's drivers {}", morphs.knots.rows(),
                          model.poseSpace.dimensions()));
  SINEW_CHECK(morphs.knotOf.size() == morphs.morphs.size(), kWhere,
              fmt::format("{} knots are named for {} morph targets", morphs.knotOf.size(), morphs.morphs.size()));
  const bool mixed = morphs.mixing.size() > 0;
  SINEW_CHECK(!mixed || (morphs.mixing.cols() == morphs.knots.cols() && morphs.mixing.allFinite()), kWhere,
              fmt::format("the mixing has {} columns for {} knots, or a value that is not a finite number",
                          morphs.mixing.cols(), morphs.knots.cols()));
  // Knot 0 is the rest pose, whose own function drives nothing.
  for (const int knot : morphs.knotOf) {
    SINEW_CHECK(
        knot >= (mixed ? 0 : 1) && knot < morphs.weightCount(), kWhere,
        fmt::format("a morph target belongs to {} {} of {}", mixed ? "weight" : "knot", knot, morphs.weightCount()));
  }
  return {morphs.knots, morphs.interpolation, model.poseSpace.scales(), {}, morphs.mixing};
}

/// What is left of a channel of weights without the rows of removed morph targets; false if nothing is.
bool shrinkChannel(const std::vector<bool>& removed, const Character& character, ClipChannel& channel) {
  std::vector<Index> kept;
  bool tells = false;  // something other than the defaults
  const Index perKey = channel.interpolation == Interpolation::CubicSpline ? 3 : 1;
  for (Index row = 0; row < channel.values.rows(); ++row) {
    const auto morph = toSize(channel.firstMorph + row);
    if (removed[morph]) continue;
    kept.push_back(row);
    for (Index column = 0; column < channel.values.cols(); ++column) {
      const double still = column % perKey == perKey / 2 ? character.morphs[morph].defaultWeight : 0;
      tells = tells || channel.values(row, column) != still;
    }
  }
  if (!tells) return false;
  const auto first = removed.begin() + channel.firstMorph + kept.front();
  channel.firstMorph = static_cast<int>(std::count(removed.begin(), first, false));
  channel.values = Eigen::MatrixXd(channel.values(kept, Eigen::all));
  return true;
}

}  // namespace

PoseSpaceWeights fadingOf(const PoseSpaceModel& model) {
  PoseSpaceModel first = withoutDeltas(model);
  if (model.weighted()) {
    first.groupOf = {0};
    first.groupWeights = model.groupWeights.leftCols(1);
  }
  return PoseSpaceWeights(first);
}

PoseSpaceMorphWeights::PoseSpaceMorphWeights(const PoseSpaceModel& model, const PoseSpaceMorphs& morphs)
    : morphs_(morphs), space_(model.poseSpace), fade_(fadingOf(model)), interpolator_(interpolatorOf(model, morphs)) {}

void PoseSpaceMorphWeights::evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates,
                                     Eigen::Ref<Eigen::VectorXd> weights) const {
  interpolator_.weights(coordinates, weights);
  weights *= fade_.fade(coordinates);
}

Eigen::VectorXd PoseSpaceMorphWeights::evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates) const {
  SINEW_CHECK(coordinates.size() == space_.dimensions(), kWhere,
              fmt::format("got {} coordinates, but the drivers have {}", coordinates.size(), space_.dimensions()));
  Eigen::VectorXd weights(interpolator_.weightCount());
  evaluate(coordinates, weights);
  return weights;
}

void PoseSpaceMorphWeights::apply(const Skeleton& skeleton, PoseSpaceMorphScratch& scratch, Pose& pose) const {
  scratch.coordinates.resize(space_.dimensions());
  scratch.weights.resize(interpolator_.weightCount());
  space_.coordinates(skeleton, pose, scratch.coordinates);
  evaluate(scratch.coordinates, scratch.weights);
  for (std::size_t m = 0; m < morphs_.morphs.size(); ++m) {
    const auto morph = toSize(morphs_.morphs[m]);
    SINEW_CHECK(
        morphs_.morphs[m] >= 0 && morph < pose.morphWeights.size(), kWhere,
        fmt::format("morph target {} is driven, but the pose has {}", morphs_.morphs[m], pose.morphWeights.size()));
    pose.morphWeights[morph] = scratch.weights[morphs_.knotOf[m]];
  }
}

void PoseSpaceMorphWeights::apply(const Skeleton& skeleton, Pose& pose) const {
  PoseSpaceMorphScratch scratch;
  apply(skeleton, scratch, pose);
}

void silencePoseSpaceMorphs(const PoseSpaceMorphs& morphs, Pose& pose) {
  for (const int morph : morphs.morphs) {
    if (morph >= 0 && toSize(morph) < pose.morphWeights.size()) {
      pose.morphWeights[toSize(morph)] = 0;
    }
  }
}

void removePoseSpaceMorphs(const PoseSpaceMorphs& morphs, Character& character) {
  if (morphs.empty()) return;
  std::vector<bool> removed(character.morphs.size(), false);
  for (const int morph : morphs.morphs) {
    SINEW_CHECK(morph >= 0 && toSize(morph) < removed.size(), kWhere,
                fmt::format("morph target {} is to be removed, but the character has {}", morph, removed.size()));
    removed[toSize(morph)] = true;
  }
  if (!morphs.clip.empty()) std::erase_if(character.clips, [&](const Clip& clip) { return clip.name == morphs.clip; });
  for (Clip& clip : character.clips) {
    std::vector<ClipChannel> kept;
    for (ClipChannel& channel : clip.channels) {
      if (channel.path == ClipPath::Weights && !shrinkChannel(removed, character, channel)) continue;
      kept.push_back(std::move(channel));
    }
    clip.channels = std::move(kept);
  }
  std::vector<MorphTarget> kept;
  for (std::size_t m = 0; m < removed.size(); ++m) {
    if (!removed[m]) kept.push_back(std::move(character.morphs[m]));
  }
  character.morphs = std::move(kept);
}

}  // namespace sinew
