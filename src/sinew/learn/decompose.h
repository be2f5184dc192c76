// Skinning decomposition: a sequence of meshes as a plain skin of few bones that any engine plays (Le and Deng 2012).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/learn/reduced_model.h"

namespace sinew {

struct DecomposeOptions {
  int bones = 0;              ///< as many bones; 0: as many as the mean shift finds groups
  bool rigid = true;          ///< rotations and translations; false: affine maps
  int maxInfluences = 4;      ///< bones per vertex
  double cohesion = 0.003;    ///< how much each bone must move its vertices alone, relative to the blend
  int rest = -1;              ///< the example that is the rest; -1: the one nearest to all others
  int rounds = 12;            ///< alternations once the bones are found; up to twice as many once they are exchanged
  int exchanges = 12;         ///< bones that may move from where they serve least to where the error is largest
  int sampleVertices = 4000;  ///< that the bones are found on; the last rounds see all
  int lastRounds = 2;         ///< alternations on all vertices
  bool proxies = true;        ///< make what posing needs
  int seed = 1;               ///< of the random numbers
};

template <class Visitor>
void visitFields(DecomposeOptions& o, Visitor&& visit) {
  visit(o.maxInfluences, {.name = "max-influences", .help = "bones per vertex", .least = 1, .most = 16});
  visit(o.cohesion, {.name = "cohesion",
                     .help = "how much each bone must move its vertices alone; 0: no constraint",
                     .symbol = "mu",
                     .least = 0,
                     .most = 10});
  visit(o.rounds,
        {.name = "rounds", .help = "alternations of weights and transforms on a sample", .least = 0, .most = 1000});
  visit(o.exchanges, {.name = "exchanges",
                      .help = "how many bones may be moved to where the error is largest",
                      .least = 0,
                      .most = 1000});
  visit(
      o.sampleVertices,
      {.name = "sample-vertices", .help = "number of vertices used to find the bones", .least = 100, .most = 10000000});
  visit(o.lastRounds, {.name = "last-rounds", .help = "alternations on all vertices", .least = 1, .most = 1000});
  visit(o.seed, {.name = "seed", .help = "seed of the random numbers", .least = 0, .most = 2147483647});
}

/// As learnReducedModel, with weights and transforms fitted to each other; `rigid` in the model says which kind. Labels
/// give the bone of the largest weight on each triangle. The same checks; bit-identical on any number of threads. Cost:
/// the bones are found on a sample, so it hardly grows with the vertices except in the last rounds.
ReducedResult decomposeSkin(const Mesh& topology, std::span<const Points> examples,
                            std::span<const std::string> names = {}, const std::optional<Points>& rest = {},
                            const DecomposeOptions& options = {}, const Progress& progress = {});

}  // namespace sinew
