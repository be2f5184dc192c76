#include "studio/modes/export/kept_morphs.h"

#include <algorithm>

#include "sinew/character/morph_deltas.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/learn/pose_space_morphs.h"

namespace sinew::studio::exporting {
namespace {

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
  for (Clip& clip : clips) {
    if (hasWeightsOf(file.poseSpaceMorphs, clip)) continue;
    bakePoseSpaceMorphs(file.character, *file.poseSpace, file.poseSpaceMorphs, framesPerSecond, clip);
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
