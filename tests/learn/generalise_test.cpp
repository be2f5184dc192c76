// Learned skins at new poses, on characters that were not used for tuning: never worse than the plain skin.
#include <gtest/gtest.h>

#include "bench/generalise.h"
#include "sinew/samples/samples.h"

namespace sinew::generalise_test {
namespace {

using bench::GeneraliseRow;
using bench::GeneraliseSettings;

std::vector<GeneraliseRow> rowsNamed(const std::string& word) {
  std::vector<GeneraliseRow> rows = bench::generaliseRows();
  std::erase_if(rows, [&](const GeneraliseRow& row) { return row.name.find(word) == std::string::npos; });
  return rows;
}

TEST(Generalise, PoseSpacesAreBetterThanThePlainSkinAtNewPoses) {
  for (const char* name : {"limb", "biped"}) {
    const Character character = makeSample(name, {.vertices = 2000}).character;
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
      for (const double score : bench::generaliseScores(character, seed, rowsNamed("psd")))
        EXPECT_LT(score, 0.9) << name << ", seed " << seed;
    }
  }
}

TEST(Generalise, PoseSpacesLearnMoreFromMoreExamples) {
  const Character character = makeSample("limb", {.vertices = 2000}).character;
  GeneraliseSettings many;
  many.training = 24;
  const std::vector<double> few = bench::generaliseScores(character, 1, rowsNamed("psd"));
  const std::vector<double> more = bench::generaliseScores(character, 1, rowsNamed("psd"), many);
  for (std::size_t r = 0; r < few.size(); ++r) EXPECT_LT(more[r], 0.85 * few[r]);
}

/// Of the sculpts of the biped, those that the others predict worse than plain skinning shows them.
TEST(Generalise, FewSculptsOfTheBipedArePredictedWorseThanPlainSkinning) {
  const Sample biped = makeSample("biped", {.vertices = 8000});
  const PoseSpaceReport report = learnPoseSpace(biped.character, biped.examples).report;
  int worse = 0;
  for (const PoseSpaceExample& example : report.examples) worse += example.leaveOneOut.rms > example.before.rms ? 1 : 0;
  EXPECT_LE(worse, 3);
  EXPECT_LT(report.leaveOneOut.rms, 0.9 * report.before.rms);
}

}  // namespace
}  // namespace sinew::generalise_test
