// Errors of learned skins at held-out poses, on any rigged character.
//   truth:   the dual-quaternion shape of a pose
//   poses:   some joints of the skin, chosen at random, each rotated by random Euler angles
//   score:   rms at held-out poses / the same of the plain skin; below 1 is better than the plain skin
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/fit.h"
#include "sinew/learn/helper_joints.h"
#include "sinew/learn/pose_space.h"

namespace sinew::bench {

struct GeneraliseSettings {
  int training = 8;
  int heldOut = 8;
  int joints = 6;       ///< turned in each pose
  double degrees = 45;  ///< of each Euler angle, at most
};

/// What is compared with the plain skin.
struct LearnedSkin {
  Character character;
  Playback playback = {};
};

struct GeneraliseRow {
  std::string name;
  std::function<LearnedSkin(const Character&, const ExampleSet&)> learn;
};

inline LearnedSkin fitted(const Character& character, const ExampleSet& set, FitHelpers helpers) {
  FitOptions options;
  options.helpers = helpers;
  return {fitSkin(character, set, options).character, {}};
}

inline LearnedSkin corrected(const Character& character, const ExampleSet& set, bool weighted) {
  PoseSpaceOptions options;
  options.weighted = weighted;
  return {character, std::make_shared<PoseSpaceDeformer>(character, learnPoseSpace(character, set, options).model)};
}

inline std::vector<GeneraliseRow> generaliseRows() {
  return {{"fit", [](const auto& c, const auto& s) { return fitted(c, s, FitHelpers::None); }},
          {"fit, helpers half", [](const auto& c, const auto& s) { return fitted(c, s, FitHelpers::Half); }},
          {"fit, helpers all", [](const auto& c, const auto& s) { return fitted(c, s, FitHelpers::All); }},
          {"psd", [](const auto& c, const auto& s) { return corrected(c, s, false); }},
          {"psd weighted", [](const auto& c, const auto& s) { return corrected(c, s, true); }}};
}

inline std::vector<int> jointsOfSkin(const Character& character) {
  std::vector<int> joints;
  for (const Binding& binding : character.skin.bindings) joints.push_back(binding.joint);
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

/// Numbers of neighbouring seeds have nothing to do with each other.
inline Lcg seeded(std::uint32_t seed) {
  Lcg random(seed * 2654435761u + 12345u);
  for (int i = 0; i < 16; ++i) random.uniform();
  return random;
}

inline Pose randomPose(const Character& character, const GeneraliseSettings& settings, Lcg& random) {
  std::vector<int> joints = jointsOfSkin(character);
  Pose pose = restPose(character);
  for (int turned = 0; turned < settings.joints && !joints.empty(); ++turned) {
    const auto at = static_cast<std::size_t>(random.uniform() * static_cast<double>(joints.size()));
    const Vec3 angles = settings.degrees * EIGEN_PI / 180 * random.vector();
    Quat& rotation = pose.local[static_cast<std::size_t>(joints[at])].rotation;
    rotation = rotation * Quat(Eigen::AngleAxisd(angles.z(), Vec3::UnitZ())) *
               Quat(Eigen::AngleAxisd(angles.y(), Vec3::UnitY())) * Quat(Eigen::AngleAxisd(angles.x(), Vec3::UnitX()));
    joints.erase(joints.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return pose;
}

inline ExampleSet randomExamples(const Character& character, int count, const GeneraliseSettings& settings,
                                 Lcg& random) {
  const DeformerPtr truth = makeSkinDeformer("dual-quaternion", character.skin);
  ExampleSet set;
  for (int k = 0; k < count; ++k) {
    Example example;
    example.name = fmt::format("pose{}", k + 1);
    example.pose = randomPose(character, settings, random);
    example.points = posePoints(character, example.pose, truth);
    set.examples.push_back(std::move(example));
  }
  return set;
}

/// Over all examples.
inline double rmsOf(const LearnedSkin& skin, const ExampleSet& set) {
  CharacterPoser poser(skin.character, skin.playback);
  double sum = 0;
  double count = 0;
  for (const Example& example : withHelperPoses(skin.character, set).examples) {
    sum += (poser.pose(example.pose) - example.points).squaredNorm();
    count += static_cast<double>(example.points.cols());
  }
  return std::sqrt(sum / count);
}

/// One number per row.
inline std::vector<double> generaliseScores(const Character& character, std::uint32_t seed,
                                            const std::vector<GeneraliseRow>& rows,
                                            const GeneraliseSettings& settings = {}) {
  Lcg random = seeded(seed);
  const ExampleSet training = randomExamples(character, settings.training, settings, random);
  const ExampleSet heldOut = randomExamples(character, settings.heldOut, settings, random);
  const double plain = rmsOf({character, {}}, heldOut);
  std::vector<double> scores;
  scores.reserve(rows.size());
  for (const GeneraliseRow& row : rows) scores.push_back(rmsOf(row.learn(character, training), heldOut) / plain);
  return scores;
}

}  // namespace sinew::bench
