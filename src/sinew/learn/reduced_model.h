// Learns a reduced deformable model from meshes with the same topology, without a skeleton or rig (Der, Sumner and
// Popovic 2006, on mean-shift skinning, James and Twigg 2005). docs/methods/reduced_models.md describes the steps.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/character/compare.h"
#include "sinew/character/mesh.h"
#include "sinew/deform/reduced_model.h"

namespace sinew {

struct ReducedOptions {
  int controls = 0;          ///< as many controls, within 10 % and never more; 0: as the bandwidth gives
  double bandwidth = 0;      ///< of the mean shift, degrees; 0: from the spread of the rotations
  int maxInfluences = 4;     ///< controls per vertex
  int rest = -1;             ///< the example that is the rest; -1: the one nearest to all others
  double ridge = 0.1;        ///< pull of control transforms towards their best rotation
  double prune = 0.05;       ///< weights below are left out, and the rest solved again
  double leastArea = 0.003;  ///< groups of triangles below this share of the area join a neighbour
  bool proxies = true;       ///< make what posing needs
  int kernelPoints = 6000;   ///< triangles that make the density of rotation sequences
  int seeds = 1500;          ///< triangles that climb it
  int seed = 1;              ///< of the random numbers
};

template <class Visitor>
void visitFields(ReducedOptions& o, Visitor&& visit) {
  visit(o.bandwidth, {.name = "bandwidth",
                      .help = "how much rotations of one control may differ; 0: from their spread",
                      .unit = "degrees",
                      .symbol = "h",
                      .least = 0,
                      .most = 180});
  visit(o.maxInfluences, {.name = "max-influences", .help = "controls per vertex", .least = 1, .most = 16});
  visit(o.ridge, {.name = "ridge",
                  .help = "pull of control transforms towards their best rotation",
                  .symbol = "lambda",
                  .least = 0,
                  .most = 1e6});
  visit(o.prune, {.name = "prune", .help = "drop weights below this", .least = 0, .most = 0.2});
  visit(o.leastArea, {.name = "least-area",
                      .help = "groups below this fraction of the area join a neighbour",
                      .least = 0,
                      .most = 0.2});
  visit(o.kernelPoints,
        {.name = "kernel-points", .help = "number of triangles that define the density", .least = 100, .most = 100000});
  visit(o.seeds,
        {.name = "mean-shift-seeds", .help = "number of triangles used as seeds", .least = 10, .most = 100000});
  visit(o.seed, {.name = "seed", .help = "seed of the random numbers", .least = 0, .most = 2147483647});
}

/// Time of one step.
struct ReducedStage {
  std::string name;
  double seconds = 0;
};

struct ReducedReport {
  Index vertices = 0;
  Index examples = 0;
  Index controls = 0;
  Index groups = 0;  ///< sets of vertices with the same controls; proxies are those of three vertices or more
  Index proxies = 0;
  int maxInfluences = 0;
  std::string restName;               ///< of the example that is the rest; empty if the rest was given
  double bandwidth = 0;               ///< degrees; 0 if there was nothing to cluster
  SequenceError fit;                  ///< of the skinned rest against the examples, used vertices only
  double leastDeterminant = 1;        ///< of the control transforms
  Eigen::VectorXd singularValues;     ///< of the proxies' gradient map, at a rest diagonal of 2, largest first
  Index zeroSingularValues = 0;       ///< below 1e-8 of the largest: 1 is right (translation)
  Index droppedFaces = 0;             ///< with a repeated index
  Index slivers = 0;                  ///< triangles too thin to have a rotation of their own
  Index unusedVertices = 0;           ///< without a face: they count in no error
  Index farTurns = 0;                 ///< controls that some example rotates by more than 150 degrees
  double diagonal = 0;                ///< of the rest's bounding box
  std::vector<std::string> warnings;  ///< a sentence each
  std::vector<ReducedStage> stages;
  double seconds = 0;

  /// One line for display.
  [[nodiscard]] std::string sentence() const;
};

struct ReducedResult {
  ReducedModel model;
  ReducedReport report;
};

/// `topology` gives the faces; its points are used only for triangulation. `names` may be empty. A given `rest` is not
/// an example, unless it equals one. Throws BadInput for a different number of vertices, a value that is not finite
/// (naming the example and the vertex), a mirrored example, no example, no face. Bit-identical on any number of
/// threads.
ReducedResult learnReducedModel(const Mesh& topology, std::span<const Points> examples,
                                std::span<const std::string> names = {}, const std::optional<Points>& rest = {},
                                const ReducedOptions& options = {}, const Progress& progress = {});

}  // namespace sinew
