#include "sinew/learn/pose_space/scores.h"

#include "sinew/base/parallel.h"
#include "sinew/character/compare.h"

namespace sinew::pose_space {
namespace {

constexpr Index kScoreGrain = 1024;

/// Adds squared distances per vertex. Vertices that the example does not cover count as matched.
void addSquares(const Example& example, const Points& shape, Eigen::VectorXd& squares) {
  parallelFor(squares.size(), kScoreGrain, [&](Index v) {
    if (example.mask.empty() || example.mask[toSize(v)] != 0)
      squares[v] += (example.points.col(v) - shape.col(v)).squaredNorm();
  });
}

/// The current example with the corrections of these weights.
void correct(const PoseSpaceModel& model, const LeftOutPlayer& player, const Eigen::MatrixXd& weights,
             const ExampleReader& reader, Points& moved) {
  moved = reader.skinned();
  const std::vector<Points>& deltas = *player.deltas;
  const std::vector<Points>& layer = *player.layer;
  parallelFor(static_cast<Index>(model.vertices.size()), kScoreGrain, [&](Index i) {
    const auto place = toSize(i);
    const Index group = model.weighted() && weights.cols() > 1 ? static_cast<Index>(model.groupOf[place]) : 0;
    Vec3 before = Vec3::Zero();
    Vec3 after = Vec3::Zero();
    for (std::size_t j = 0; j < deltas.size(); ++j) {
      const double weight = weights(static_cast<Index>(j), group);
      if (weight == 0) continue;
      before += weight * deltas[j].col(i);
      if (!layer.empty()) after += weight * layer[j].col(i);
    }
    const auto v = static_cast<Index>(model.vertices[place]);
    moved.col(v) += reader.frames().world(v, before, after);
  });
}

}  // namespace

VertexSquares scoreExamples(const Character& character, const PoseSpaceDeformer& deformer, const LeftOutPlayer& leftOut,
                            ExampleReader& reader, const std::vector<std::size_t>& used, double diagonal,
                            PoseSpaceReport& report, const Progress& progress) {
  const Index vertices = character.mesh.vertexCount();
  SequenceErrors before(vertices, used.size(), diagonal);
  SequenceErrors after(vertices, used.size(), diagonal);
  SequenceErrors without(vertices, used.size(), diagonal);
  VertexSquares squares{Eigen::VectorXd::Zero(vertices), Eigen::VectorXd::Zero(vertices)};
  report.examples.resize(used.size());
  Points moved(3, vertices);
  for (std::size_t k = 0; k < used.size(); ++k) {
    sinew::report(progress, {static_cast<double>(k) / static_cast<double>(used.size()), "errors"});
    reader.read(used[k]);
    const Example& example = reader.example();
    PoseSpaceExample& row = report.examples[k];
    row.name = example.name;
    row.before = before.add(example.points, reader.skinned(), example.mask);
    addSquares(example, reader.skinned(), squares.before);
    deformer.deform(reader.morphed(), reader.joints(), reader.scratch(), moved);
    row.after = after.add(example.points, moved, example.mask);
    correct(deformer.model(), leftOut, leftOut.weights(k), reader, moved);
    row.leaveOneOut = without.add(example.points, moved, example.mask);
    addSquares(example, moved, squares.leftOut);
  }
  report.before = before.result().total;
  report.after = after.result().total;
  report.leaveOneOut = without.result().total;
  return squares;
}

}  // namespace sinew::pose_space
