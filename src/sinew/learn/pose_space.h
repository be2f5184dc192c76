// Learns pose-space deformation from sculpted examples, and suggests what to sculpt next.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/compare.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/pose_space.h"

namespace sinew {

/// Kernel: a mixture by the errors of left-out examples.
inline constexpr const char* kAutomaticKernel = "auto";
/// PoseSpaceOptions::rank and centres where they are not a number.
inline constexpr int kAutomaticCount = 0;
inline constexpr int kFullRank = -1;
inline constexpr int kAllCentres = -1;

struct PoseSpaceOptions {
  DeltaSpace space = DeltaSpace::Frame;
  std::string kernel = kAutomaticKernel;  ///< a row of rbfKernels(), or auto
  double radius = 0;  ///< of kernels that have one, in pose coordinates; 0: from the distances of the examples
  double ridge = 1e-6;
  RbfPolynomial polynomial = RbfPolynomial::Auto;
  bool weighted = false;  ///< each vertex measures distances by the joints that move it
  bool fade = true;       ///< let corrections fade out far from every example
  RotationCoordinates coordinates = RotationCoordinates::RotationVector;
  std::string base = "linear-blend";  ///< the operator under the corrections, of skinDeformerNames()
  double regularisation = 0.1;        ///< mu of the layered space
  double leastDelta = 5e-7;           ///< vertices that no example moves farther are left alone, in diagonals
  int mostGroups = 512;               ///< weighted: at most this many groups of vertices
  int mostMixedGroups = 256;          ///< kernel auto: the same, fewer where examples are many
  /// Shapes of the corrections: few sculpts have one each; of many examples, as few as their errors allow.
  int rank = kAutomaticCount;
  /// Poses that the interpolation is made of: few sculpts all; of many examples, fewer where these are noisy.
  int centres = kAutomaticCount;
  double memory = 1024;       ///< megabytes for the corrections of many examples while they are learned
  bool allowRepeats = false;  ///< also learn from many examples that mostly repeat or contradict each other
};

/// What PoseSpaceOptions::kernel may be: auto, and the names of rbfKernels().
std::vector<std::string> poseSpaceKernelNames();

template <class Visitor>
void visitFields(PoseSpaceOptions& o, Visitor&& visit) {
  visit(o.space, {.name = "space", .help = "where corrections live"});
  visit(o.kernel,
        {.name = "kernel", .help = "how the influence of an example falls off", .names = poseSpaceKernelNames});
  visit(
      o.ridge,
      {.name = "ridge",
       .help =
           "smooths noisy sculpts: up to 1e-6 matches them, 0.1 smooths, 1 leaves half of the corrections, 10 a tenth",
       .symbol = "rho",
       .least = 0,
       .most = 1000});
  visit(o.polynomial,
        {.name = "polynomial", .help = "polynomial added to the kernels; auto: the default of the kernel"});
  visit(o.weighted, {.name = "weighted", .help = "each vertex measures pose distance by the joints that move it"});
  visit(o.coordinates, {.name = "coordinates", .help = "coordinates of a joint rotation"});
  visit(o.base, {.name = "base", .help = "the operator under the corrections", .names = skinDeformerNames});
  visit(o.regularisation, {.name = "regularisation",
                           .help = "layered: how much of a correction is added after skinning",
                           .symbol = "mu",
                           .least = 1e-8,
                           .most = 1e4});
  visit(o.leastDelta, {.name = "least-delta",
                       .help = "ignore vertices that no example moves farther than this",
                       .unit = "diagonals",
                       .least = 0,
                       .most = 0.1});
}

/// What became of one example.
struct PoseSpaceExample {
  std::string name;
  ShapeError before;       ///< plain skinning against the sculpt
  ShapeError after;        ///< the model against the sculpt
  ShapeError leaveOneOut;  ///< the model learned without this example against it
  double nearest = 0;      ///< distance to the nearest other example in pose space
  std::string nearestName;
};

/// A pose between the examples at which a further sculpt would help most.
struct SculptHint {
  Pose pose;
  Eigen::VectorXd coordinates;
  double predictedError = 0;  ///< scene units: how far predictions of the leave-one-out models differ there
  std::string between;        ///< "elbow90 and elbow120"
};

/// An interpolation that was tried.
struct PoseSpaceTrial {
  std::string name;        ///< "joint-even, local 0.03"
  std::string kernel;      ///< as math/rbf names it
  double leaveOneOut = 0;  ///< rms over vertices and examples where it alone predicts each example, scene units
  double share = 0;        ///< of the mixture that is used, mean over the vertices by the size of their corrections
};

struct PoseSpaceReport {
  DeltaSpace space = DeltaSpace::Frame;
  std::string kernel;
  double radius = 0;  ///< 0 if the kernel has none
  double condition = 1;
  Index touched = 0;  ///< vertices that are corrected
  Index groups = 1;
  double diagonal = 0;  ///< of the rest shape in world space: what percents are of
  Index rank = 0;       ///< shapes of the corrections
  Index centres = 0;    ///< poses that are interpolated, without rest
  double coverage = 0;  ///< share of poses between the examples' extremes that are within the fade distance
  ShapeError before;    ///< over all examples
  ShapeError after;
  ShapeError leaveOneOut;
  std::vector<PoseSpaceExample> examples;
  std::vector<PoseSpaceTrial> trials;  ///< kernel auto: what was tried
  std::vector<SculptHint> next;        ///< best first
  std::vector<std::string> warnings;   ///< a sentence each
  std::vector<std::string> repeats;    ///< of these, about examples that repeat or contradict each other
  double seconds = 0;

  /// One line for display.
  [[nodiscard]] std::string sentence() const;
};

struct PoseSpaceResult {
  std::shared_ptr<const PoseSpaceModel> model;
  PoseSpaceReport report;
};

/// The rest pose is always an example with no correction. Examples at one pose are averaged with a warning. Throws
/// BadInput for sizes that do not fit, values that are not finite, a driver that no example moves, no example at all.
/// Cost: one skinning per example and three right-hand sides per touched vertex of an (examples + dimensions) system.
PoseSpaceResult learnPoseSpace(const Character& character, ExampleSource& examples,
                               const PoseSpaceOptions& options = {}, const Progress& progress = {});
PoseSpaceResult learnPoseSpace(const Character& character, const ExampleSet& set, const PoseSpaceOptions& options = {},
                               const Progress& progress = {});

}  // namespace sinew
