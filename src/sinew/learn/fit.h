// Skins from examples: weights, helper joints and rest vertices fitted so that a plain skin does most of the work.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/compare.h"
#include "sinew/character/example_set.h"
#include "sinew/learn/helper_joints.h"

namespace sinew {

/// Helper joints that may be added.
enum class FitHelpers { None, Half, Bulge, All };
constexpr auto choiceRows(FitHelpers) {
  return choiceTable<FitHelpers>({{FitHelpers::None, "none"},
                                  {FitHelpers::Half, nameOf(HelperKind::Half)},
                                  {FitHelpers::Bulge, nameOf(HelperKind::Bulge)},
                                  {FitHelpers::All, "all"}});
}

struct FitOptions {
  int maxInfluences = 4;
  FitHelpers helpers = FitHelpers::None;
  bool rest = false;        ///< also move the rest vertices
  int rounds = 5;           ///< of the alternation of weights and rest
  double restDrift = 0.02;  ///< how far a rest vertex may move, in diagonals
  double restStiffness = 0.3;
  double leastGain = 0.01;  ///< a helper joint must lower some left-out error by this share
  int maxHelpers = -1;      ///< the most useful helper joints; -1: all that are useful
  double mostWorse = 0;     ///< how much larger an example's rms may become than it was, as a share of it
  std::string prior =
      "auto";             ///< pull towards the old weights: auto, or a strength in natural units (learn/fit/pulls.h)
  double smoothness = 0;  ///< pull towards the neighbours' weights, in the same units
  double normals = 0;
  WeightFormat quantize = WeightFormat::Float;  ///< rounded to what this format holds
  std::vector<std::string> locks{};             ///< joints whose weights stay as they are
  std::vector<std::uint32_t> lockedVertices{};  ///< vertices whose weights stay as they are
};

template <class Visitor>
void visitFields(FitOptions& o, Visitor&& visit) {
  visit(o.maxInfluences, {.name = "max-influences", .help = "joints per vertex", .least = 1, .most = 64});
  visit(o.helpers, {.name = "helpers",
                    .help = "helper joints to add where they lower the error: half-angle joints, bulge joints"});
  visit(o.rest, {.name = "rest", .help = "also fit the rest vertices"});
  visit(o.rounds, {.name = "rounds", .help = "alternations of weights and rest", .least = 1, .most = 100});
  visit(o.restDrift,
        {.name = "rest-drift", .help = "how far a rest vertex may move", .unit = "diagonals", .least = 0, .most = 1});
  visit(o.restStiffness, {.name = "rest-stiffness",
                          .help = "pull towards the original rest shape",
                          .symbol = "mu",
                          .least = 0,
                          .most = 1e4});
  visit(o.leastGain,
        {.name = "least-gain",
         .help = "a helper joint must lower the leave-one-out squared error of some example by this fraction",
         .least = 0,
         .most = 1});
  visit(o.maxHelpers, {.name = "max-helpers",
                       .help = "maximum number of helper joints, the most useful ones are kept; -1: unlimited",
                       .least = -1,
                       .most = 10000});
  visit(o.mostWorse, {.name = "most-worse",
                      .help = "how much the error of an example may increase, as a fraction",
                      .least = 0,
                      .most = 1e9});
  visit(o.prior, {.name = "prior",
                  .help = "pull towards the old weights: auto (chosen by leave-one-out error), or a strength; 1 is "
                          "neutral, 0.1 trusts the examples more, 10 the old weights",
                  .symbol = "mu"});
  visit(o.smoothness, {.name = "smooth",
                       .help = "pull towards the weights of the neighbours; 0: none, 0.1 slight, 1 clear, 10 strong",
                       .least = 0,
                       .most = 1e4});
  visit(o.normals, {.name = "normals",
                    .help = "weight of normal deviations; 0: positions only",
                    .unit = "diagonals per radian",
                    .least = 0,
                    .most = 10});
  visit(o.quantize, {.name = "quantize", .help = "how weights are stored; refitted after rounding"});
}

/// One half-step of a fit: what it did to the error.
struct FitStep {
  std::string what;  ///< "original", "weights", "rest", "rounding"
  double rms = 0;    ///< over all examples, scene units, weighed by confidence
};

struct FitExample {
  std::string name;
  ShapeError before;
  ShapeError capped;  ///< before the fit, with no more than maxInfluences joints per vertex
  ShapeError after;
  ShapeError leaveOneOut;  ///< of a fit without it
  double emphasis = 1;     ///< what it counted beyond its confidence, so as not to become worse
};

struct FitReport {
  ShapeError before;       ///< over all examples, unweighted
  ShapeError capped;       ///< the skin as it was, cut to maxInfluences joints per vertex: what the fit is held to.
                           ///< Equal to `before` where it has no more
  ShapeError after;        ///< as the written file plays
  ShapeError leaveOneOut;  ///< each example (of many: some at a time) with a fit that did not see it: strengths, and
                           ///< which of the helper joints stay, are chosen without it too. Large meshes are sampled
  bool leftOut = false;    ///< whether that was measured: not with fewer than two examples that count
  bool choiceLeftOut = false;  ///< whether it covers the choice of strengths and helper joints: not with two examples,
                               ///< of which one is left to choose by, and where there is nothing to choose
  std::vector<FitExample> examples;
  std::vector<HelperTrial> helpers;  ///< all that were tried
  std::vector<FitStep> steps;
  int iterations = 0;  ///< half-steps
  double diagonal = 0;
  double drift = 0;  ///< of the rest, largest, in diagonals
  double rmsDrift = 0;
  int maxInfluences = 0;
  std::vector<std::string> warnings;  ///< a sentence each
  double seconds = 0;

  [[nodiscard]] std::string sentence() const;
};

struct FitResult {
  Character character;  ///< with weights, helper joints (baked into every clip) and rest shape
  FitReport report;
};

/// Welded vertices keep equal weights; parts without a skin stay as they are. Throws BadInput for sizes that do not
/// fit, values that are not finite, no example, an unknown lock (NotFound).
FitResult fitSkin(const Character& character, const ExampleSet& set, const FitOptions& options = {},
                  const Progress& progress = {});

/// How much of the error each means can remove, per example.
struct FitStage {
  std::string name;  ///< "original", "weights", "helper joints", "rest shape", "pose-space correctives"
  ShapeError total;
  std::vector<ShapeError> examples;
  double leaveOneOut = 0;  ///< leave-one-out rms, scene units; 0: not measured
  std::size_t bytes = 0;   ///< added to the file and to memory, against the original
  int joints = 0;          ///< added
  int morphs = 0;          ///< added
};

struct FitExplanation {
  std::vector<std::string> examples;  ///< names
  std::vector<FitStage> stages;       ///< each on top of the one before
  FitStage multiWeight;               ///< multi-weight enveloping, for comparison: no engine plays it
  std::string advice;                 ///< one paragraph for display
};

/// The triage: weights alone, then helper joints, then the rest shape, and what is left for pose-space correctives.
FitExplanation explainFit(const Character& character, const ExampleSet& set, const FitOptions& options = {},
                          const Progress& progress = {});

}  // namespace sinew
