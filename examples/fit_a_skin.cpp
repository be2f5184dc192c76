// Fits the built-in arm to its sculpts: weights, helper joints and rest shape, and prints the error at held-out poses.
#include <cmath>
#include <cstdio>

#include "sinew/sinew.h"

namespace {

/// Rms over poses and vertices, in % of the diagonal.
double errorAt(const sinew::Character& character, const sinew::ExampleSet& truths) {
  double squares = 0;
  double count = 0;
  for (const sinew::Example& truth : sinew::withHelperPoses(character, truths).examples) {
    squares += (sinew::posePoints(character, truth.pose) - truth.points).squaredNorm();
    count += static_cast<double>(truth.points.cols());
  }
  return 100 * std::sqrt(squares / count) / sinew::boundingBox(character.mesh.points).diagonal();
}

}  // namespace

int main() {
  const sinew::Sample sample = sinew::makeSample("arm", {.vertices = 2000});

  const sinew::FitResult fit =
      sinew::fitSkin(sample.character, sample.examples,
                     {.helpers = sinew::FitHelpers::All, .rest = true, .quantize = sinew::WeightFormat::Bits8});
  std::printf("%s\n", fit.report.sentence().c_str());
  for (const std::string& warning : fit.report.warnings) std::printf("  %s\n", warning.c_str());
  for (const sinew::HelperTrial& trial : fit.report.helpers) {
    if (trial.kept) std::printf("  %-32s %s\n", trial.name.c_str(), trial.rule.c_str());
  }

  const double before = errorAt(sample.character, sample.heldOut);
  const double after = errorAt(fit.character, sample.heldOut);
  std::printf("at held-out poses: %.3f %% before, %.3f %% after\n", before, after);

  sinew::writeCharacter("fitted_arm.glb", fit.character);
  return after < before / 2 ? 0 : 1;
}
