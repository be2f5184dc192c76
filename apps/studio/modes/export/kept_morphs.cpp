#include "studio/modes/export/kept_morphs.h"

#include <algorithm>
#include <cmath>

#include "sinew/character/baked_keys.h"
#include "sinew/character/morph_deltas.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/deform/posing.h"

namespace sinew::studio::exporting {
namespace {

/// Linear weights between keys may be this far off, in diagonals.
constexpr double kBakeTolerance = 2e-5;

bool areStoredIn16Bits(const CharacterFile& file) {
  const std::vector<int>& learned = file.poseSpaceMorphs.morphs;
  return std::all_of(learned.begin(), learned.end(),
                     [&](int m) { return areFractions16(file.character.morphs[toSize(m)].deltas); });
}

bool hasWeightsOf(const PoseSpaceMorphs& morphs, const Clip& clip) {
  return std::any_of(clip.channels.begin(), clip.channels.end(), [&](const ClipChannel& channel) {
    if (channel.path != ClipPath::Weights) return false;
    const Index end = channel.firstMorph + channel.values.rows();
    return std::any_of(morphs.morphs.begin(), morphs.morphs.end(),
                       [&](int m) { return m >= channel.firstMorph && m < end; });
  });
}

bool drives(const PoseSpace& space, const ClipChannel& channel) {
  return channel.path == ClipPath::Weights ||
         std::any_of(space.drivers.begin(), space.drivers.end(), [&](const PoseDriver& driver) {
           return driver.kind != DriverKind::Channel && channel.joint == driver.source;
         });
}

/// The joint that places the mesh, as channels of weights name it.
int carrierOf(const Character& character) {
  for (const MeshPart& part : character.mesh.parts) {
    if (part.node >= 0) return part.node;
  }
  return 0;
}

/// How much an error of each weight shows.
Eigen::VectorXd sizesOf(const CharacterFile& file) {
  const std::vector<MorphTarget>& morphs = file.character.morphs;
  Eigen::VectorXd sizes = Eigen::VectorXd::Zero(static_cast<Index>(morphs.size()));
  for (const int m : file.poseSpaceMorphs.morphs) {
    const Points& deltas = morphs[toSize(m)].deltas;
    if (deltas.cols() > 0) sizes[m] = std::sqrt(deltas.colwise().squaredNorm().maxCoeff());
  }
  return sizes;
}

}  // namespace

std::optional<LearnedMorphs> learnedMorphsOf(const CharacterFile& file) {
  const PoseSpaceMorphs& morphs = file.poseSpaceMorphs;
  if (!file.poseSpace || morphs.empty()) return std::nullopt;
  // Knot 0 is the rest pose.
  const bool knots = morphs.mixing.size() == 0;
  return LearnedMorphs{static_cast<int>(morphs.weightCount() - (knots ? 1 : 0)),
                       knots ? MorphMethod::Knots : MorphMethod::Svd};
}

bool keepsMorphs(const CharacterFile& document, const ExportOptions& options) {
  const auto learned = learnedMorphsOf(document);
  if (!learned || !options.correctives) return false;
  if (!refitsMorphs(document)) return true;
  if (options.method != MorphMethod::Auto || (options.morphs != 0 && options.morphs != learned->morphs)) return false;
  return !options.quantize || areStoredIn16Bits(document);
}

void bakeKeptMorphs(const CharacterFile& file, double framesPerSecond, std::vector<Clip>& clips) {
  const Character& character = file.character;
  const PoseSpace& space = file.poseSpace->poseSpace;
  const PoseSpaceMorphWeights weights(*file.poseSpace, file.poseSpaceMorphs);
  const Eigen::VectorXd sizes = sizesOf(file);
  const double diagonal = boundingBox(posePoints(character, restPose(character))).diagonal();
  for (Clip& clip : clips) {
    if (hasWeightsOf(file.poseSpaceMorphs, clip)) continue;
    const std::vector<double> times = bakedTimes(
        clip, [&](const ClipChannel& channel) { return drives(space, channel); }, framesPerSecond);
    if (times.empty()) continue;
    PoseSpaceMorphScratch scratch;
    BakedCurve curve;
    curve.tolerance = kBakeTolerance * diagonal;
    curve.value = [&](double time) {
      Pose pose = restPose(character);
      sampleClip(clip, time, pose);
      weights.apply(character.skeleton, scratch, pose);
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(pose.morphWeights.data(), sizes.size()));
    };
    curve.gap = [&](const Eigen::VectorXd& first, const Eigen::VectorXd& last, double t, const Eigen::VectorXd& value) {
      return (value - ((1 - t) * first + t * last)).cwiseAbs().dot(sizes);
    };
    BakedKeys keys = bakeKeys(curve, times);
    for (Eigen::VectorXd& column : keys.columns) column = column.unaryExpr(&roundedToFile);
    ClipChannel baked;
    baked.path = ClipPath::Weights;
    baked.joint = carrierOf(character);
    baked.times = keys.times;
    baked.values = keys.values();
    std::erase_if(clip.channels, [](const ClipChannel& channel) { return channel.path == ClipPath::Weights; });
    clip.channels.push_back(std::move(baked));
  }
}

void dropKeptNormals(CharacterFile& file) {
  for (const int m : file.poseSpaceMorphs.morphs) file.character.morphs[toSize(m)].normalDeltas.resize(3, 0);
}

double learnedMorphBytes(const CharacterFile& read, bool quantized) {
  double bytes = 0;
  for (const int m : read.poseSpaceMorphs.morphs)
    bytes += static_cast<double>(morphBytes(read.character.morphs[toSize(m)], quantized));
  return bytes;
}

}  // namespace sinew::studio::exporting
