#include "sinew/learn/pose_space/scores.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/parallel.h"

namespace sinew::pose_space {
namespace {

constexpr Index kScoreGrain = 1024;
/// Distances that are kept for the percentile over all examples; of more, every so many vertices.
constexpr double kMostDistances = 8e6;

/// Distances of shapes to the examples, one after the other.
class AllDistances {
 public:
  AllDistances(Index vertices, std::size_t examples) : vertices_(vertices), squares_(Eigen::VectorXd::Zero(vertices)) {
    const double all = static_cast<double>(vertices) * static_cast<double>(examples);
    stride_ = std::max<Index>(1, static_cast<Index>(std::ceil(all / kMostDistances)));
    sampled_.reserve(static_cast<std::size_t>(all / static_cast<double>(stride_)) + examples);
  }

  ShapeError add(const Example& example, const Points& shape, double diagonal) {
    Eigen::VectorXd distances = vertexDistances(example.points, shape);
    for (std::size_t v = 0; v < example.mask.size(); ++v) {
      if (example.mask[v] == 0) distances[static_cast<Index>(v)] = 0;
    }
    for (Index v = 0; v < vertices_; v += stride_) sampled_.push_back(distances[v]);
    squares_ += distances.cwiseAbs2();
    ++examples_;
    ShapeError error = errorOfDistances(std::move(distances), diagonal);
    sum_ += error.rms * error.rms;
    if (total_.maxVertex < 0 || error.max > total_.max) {
      total_.max = error.max;
      total_.maxVertex = error.maxVertex;
    }
    return error;
  }

  [[nodiscard]] const Eigen::VectorXd& squares() const { return squares_; }

  [[nodiscard]] ShapeError total(double diagonal) {
    total_.rms = examples_ > 0 ? std::sqrt(sum_ / static_cast<double>(examples_)) : 0;
    total_.rmsPercent = diagonal > 0 ? 100 * total_.rms / diagonal : 0;
    total_.p95 =
        errorOfDistances(Eigen::Map<Eigen::VectorXd>(sampled_.data(), static_cast<Index>(sampled_.size())), diagonal)
            .p95;
    return total_;
  }

 private:
  Index vertices_;
  Index stride_ = 1;
  std::size_t examples_ = 0;
  double sum_ = 0;
  std::vector<double> sampled_;
  Eigen::VectorXd squares_;
  ShapeError total_;
};

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
  AllDistances before(vertices, used.size()), after(vertices, used.size()), without(vertices, used.size());
  report.examples.resize(used.size());
  Points moved(3, vertices);
  for (std::size_t k = 0; k < used.size(); ++k) {
    sinew::report(progress, {static_cast<double>(k) / static_cast<double>(used.size()), "errors"});
    reader.read(used[k]);
    const Example& example = reader.example();
    PoseSpaceExample& row = report.examples[k];
    row.name = example.name;
    row.before = before.add(example, reader.skinned(), diagonal);
    deformer.deform(reader.morphed(), reader.joints(), reader.scratch(), moved);
    row.after = after.add(example, moved, diagonal);
    correct(deformer.model(), leftOut, leftOut.weights(k), reader, moved);
    row.leaveOneOut = without.add(example, moved, diagonal);
  }
  report.before = before.total(diagonal);
  report.after = after.total(diagonal);
  report.leaveOneOut = without.total(diagonal);
  return {before.squares(), without.squares()};
}

}  // namespace sinew::pose_space
