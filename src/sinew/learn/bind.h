// First weights: which joints move which vertices, from the shape alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/character/mesh.h"
#include "sinew/character/skeleton.h"
#include "sinew/character/skin.h"

namespace sinew {

enum class BindMethod {
  Geodesic,  ///< distance over the surface
  Heat       ///< equilibrium of bone heat
};
constexpr auto choiceRows(BindMethod) {
  return choiceTable<BindMethod>({{BindMethod::Geodesic, "geodesic"}, {BindMethod::Heat, "heat"}});
}

struct BindOptions {
  BindMethod method = BindMethod::Geodesic;
  int maxInfluences = 4;         ///< joints per vertex
  double falloff = 1;            ///< geodesic: half the width of a blend, in radii of the limb around it
  double heat = 1;               ///< heat: c, how strongly the nearest bone attracts the skin
  double leastWeight = 0.002;    ///< smaller weights are dropped
  double weldTolerance = 1e-6;   ///< seams closer than this are one, in diagonals
  std::vector<int> joints = {};  ///< the joints that may move vertices; empty: all of the skeleton
};

template <class Visitor>
void visitFields(BindOptions& o, Visitor&& visit) {
  visit(o.method, {.name = "method", .help = "how the distance of a vertex to a bone is measured"});
  visit(o.maxInfluences, {.name = "max-influences", .help = "joints per vertex", .least = 1, .most = 64});
  visit(o.falloff, {.name = "falloff",
                    .help = "geodesic: half the width of a blend",
                    .unit = "limb radii",
                    .least = 0.01,
                    .most = 100});
  visit(o.heat, {.name = "heat",
                 .help = "heat: how strongly the nearest bone attracts the skin",
                 .symbol = "c",
                 .least = 1e-6,
                 .most = 1e6});
  visit(o.leastWeight, {.name = "least-weight", .help = "smaller weights are dropped", .least = 0, .most = 0.25});
  visit(
      o.weldTolerance,
      {.name = "weld-tolerance", .help = "weld seams closer than this", .unit = "diagonals", .least = 0, .most = 0.1});
}

struct BindStage {
  std::string name;
  double seconds = 0;
};

struct BindReport {
  int bones = 0;              ///< joints that have a bone
  int idle = 0;               ///< of those, how many move no vertex
  Index points = 0;           ///< unique points of the surface
  Index pieces = 0;           ///< connected pieces of it
  Index unreachedPieces = 0;  ///< pieces from which no bone is seen: each follows its nearest bone rigidly
  Index unreached = 0;        ///< the vertices of those pieces
  double seconds = 0;
  std::vector<BindStage> stages;
  std::vector<std::string> warnings;  ///< joints that move nothing, vertices that see no bone, a skeleton elsewhere

  /// One line for display.
  [[nodiscard]] std::string sentence() const;
};

struct BindResult {
  Skin skin;  ///< a binding per joint of options.joints (or of the skeleton), in that order
  BindReport report;
};

/// Influence sets and weights for a mesh and a skeleton at rest, both in world space. Vertices at one seam get equal
/// weights, bit for bit. Throws on values that are not finite, an unknown method, a joint that does not exist, or an
/// empty skeleton; never for a hard mesh. Cost: a few sparse factorisations of the surface, then up to three solves
/// with them per bone (docs/methods/binding.md).
BindResult bindSkin(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options = {},
                    const Progress& progress = {});

}  // namespace sinew
