// A skinned mesh has no transform of its own, so KHR_mesh_quantization leaves the scale of 16-bit positions to the
// inverse bind matrices, which other tools change and which the base positions share. A morph target has a scale of its
// own already: its weight. So targets are divided by their largest number, and weights are multiplied by it.
#include "sinew/learn/pose_space_morphs/quantize.h"

#include <algorithm>

#include "sinew/character/morph_deltas.h"

namespace sinew::pose_space_morphs {
namespace {

/// Displacements may be this coarse, in diagonals.
constexpr double kCoarsest = 1e-5;

double largestOf(const Points& deltas) {
  return deltas.size() > 0 ? deltas.cwiseAbs().maxCoeff() : 0;
}

}  // namespace

void quantizeMorphs(double diagonal, PoseSpaceMorphs& morphs, Character& character) {
  const Index weights = morphs.weightCount();
  Eigen::VectorXd scales = Eigen::VectorXd::Zero(weights);
  Eigen::VectorXd normals = Eigen::VectorXd::Zero(weights);
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    const MorphTarget& morph = character.morphs[toSize(morphs.morphs[m])];
    const int weight = morphs.knotOf[m];
    scales[weight] = std::max(scales[weight], largestOf(morph.deltas));
    normals[weight] = std::max(normals[weight], largestOf(morph.normalDeltas));
  }
  for (Index k = 0; k < weights; ++k) {
    const double both = std::max(scales[k], normals[k]);
    if (both / kDeltaSteps <= kCoarsest * diagonal) scales[k] = both;
    if (!(scales[k] > 0)) scales[k] = 1;
  }
  if (morphs.mixing.size() == 0) morphs.mixing = Eigen::MatrixXd::Identity(weights, weights);
  morphs.mixing = scales.asDiagonal() * morphs.mixing;
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    MorphTarget& morph = character.morphs[toSize(morphs.morphs[m])];
    const double scale = scales[morphs.knotOf[m]];
    morph.deltas = toFractions16(morph.deltas / scale);
    if (morph.normalDeltas.size() == 0) continue;
    morph.normalDeltas /= scale;
    morph.normalDeltas = largestOf(morph.normalDeltas) <= 1 ? toFractions16(morph.normalDeltas)
                                                            : Points(morph.normalDeltas.cast<float>().cast<double>());
  }
}

}  // namespace sinew::pose_space_morphs
