#include "sinew/learn/pose_space/gather.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/parallel.h"

namespace sinew::pose_space {
namespace {

constexpr Index kGatherGrain = 1024;
/// Shares of the least correction that are dropped, where many examples are decomposed in blocks.
constexpr double kNoise = 0.1;

/// The columns of some vertices, in place of all.
void keepColumns(const std::vector<std::uint32_t>& vertices, Points& all) {
  Points few(3, static_cast<Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) few.col(static_cast<Index>(i)) = all.col(vertices[i]);
  all = std::move(few);
}

class Gatherer {
 public:
  Gatherer(const Character& character, ExampleReader& reader, const GatherOptions& options)
      : reader_(reader),
        options_(options),
        vertices_(character.mesh.vertexCount()),
        // The inverse space needs a second part only where a pose is singular, which is not known before the end.
        mayLayer_(options.space == DeltaSpace::Inverse || options.space == DeltaSpace::Layered),
        touched_(toSize(vertices_), 0),
        singular_(touched_.size(), 0) {}

  Corrections run(const std::vector<std::size_t>& used, const Progress& progress) {
    const auto told = [&](std::size_t k) {
      report(progress, {static_cast<double>(k) / static_cast<double>(used.size()), "corrections"});
    };
    if (options_.lowRank) {
      const Index rows = 3 * vertices_ * (mayLayer_ ? 2 : 1);
      const auto columns = static_cast<Index>(used.size()) + 1;
      LowRankColumns few(rows, columns, LowRankColumns::capacityFor(rows, columns, options_.bytes),
                         {.touched = &touched_, .squares = std::pow(kNoise * options_.leastDelta, 2)});
      few.next();  // rest
      for (std::size_t k = 0; k < used.size(); ++k) {
        told(k);
        Eigen::Ref<Eigen::VectorXd> column = few.next();
        Eigen::Map<Points> delta(column.data(), 3, vertices_);
        Eigen::Map<Points> layer(column.data() + (mayLayer_ ? 3 * vertices_ : 0), 3, vertices_);
        store(used[k], delta, layer);
      }
      found_.few = few.finish();
      finish();
      return std::move(found_);
    }
    found_.deltas.assign(used.size() + 1, Points(3, 0));
    if (mayLayer_) found_.layer = found_.deltas;
    for (std::size_t k = 0; k < used.size(); ++k) {
      told(k);
      found_.deltas[k + 1].resize(3, vertices_);
      Points& layer = mayLayer_ ? found_.layer[k + 1] : found_.deltas[k + 1];
      layer.resize(3, vertices_);
      Eigen::Map<Points> deltaMap(found_.deltas[k + 1].data(), 3, vertices_);
      Eigen::Map<Points> layerMap(layer.data(), 3, vertices_);
      store(used[k], deltaMap, layerMap);
    }
    finish();
    if (!found_.layered) found_.layer.clear();
    for (std::vector<Points>* part : {&found_.deltas, &found_.layer}) {
      for (std::size_t k = 0; k < part->size(); ++k) {
        if (k == 0)
          (*part)[k] = Points::Zero(3, static_cast<Index>(found_.vertices.size()));
        else
          keepColumns(found_.vertices, (*part)[k]);
      }
    }
    return std::move(found_);
  }

 private:
  /// `layer` is of the same memory as `delta` if there is no second part.
  void store(std::size_t k, Eigen::Map<Points>& delta, Eigen::Map<Points>& layer) {
    reader_.read(k);
    parallelFor(vertices_, kGatherGrain, [&](Index v) {
      const Vec3 world = reader_.correction(v);
      const DeltaFrames::Stored stored = reader_.frames().store(v, world);
      delta.col(v) = stored.delta;
      if (mayLayer_) layer.col(v) = stored.layer;
      if (world.norm() <= options_.leastDelta) return;
      touched_[toSize(v)] = 1;
      if (stored.singular) singular_[toSize(v)] = 1;
    });
  }

  void finish() {
    for (std::size_t v = 0; v < touched_.size(); ++v) {
      if (touched_[v] != 0) found_.vertices.push_back(static_cast<std::uint32_t>(v));
    }
    found_.singular = static_cast<Index>(std::count(singular_.begin(), singular_.end(), 1));
    found_.layered = options_.space == DeltaSpace::Layered || found_.singular > 0;
  }

  ExampleReader& reader_;
  const GatherOptions& options_;
  Index vertices_;
  bool mayLayer_;
  std::vector<char> touched_;
  std::vector<char> singular_;
  Corrections found_;
};

}  // namespace

Corrections gatherCorrections(const Character& character, ExampleReader& reader, const std::vector<std::size_t>& used,
                              const GatherOptions& options, const Progress& progress) {
  return Gatherer(character, reader, options).run(used, progress);
}

void takeShapes(const Corrections& corrections, Index rank, std::vector<Points>& deltas, std::vector<Points>& layer,
                Eigen::MatrixXd& coefficients) {
  const auto kept = static_cast<Index>(corrections.vertices.size());
  coefficients = corrections.few.coefficients.topRows(rank);
  deltas.assign(toSize(rank), Points(3, kept));
  layer.assign(corrections.layered ? toSize(rank) : 0, Points(3, kept));
  const Index second = corrections.few.shapes.rows() / 2;  // where the second parts begin, if there are some
  parallelFor(rank, 1, [&](Index k) {
    const double largest = coefficients.row(k).cwiseAbs().maxCoeff();
    const double scale = largest > 0 ? largest : 1;
    coefficients.row(k) /= scale;
    for (Index i = 0; i < kept; ++i) {
      const Index row = 3 * static_cast<Index>(corrections.vertices[toSize(i)]);
      deltas[toSize(k)].col(i) = scale * corrections.few.shapes.block<3, 1>(row, k);
      if (corrections.layered) layer[toSize(k)].col(i) = scale * corrections.few.shapes.block<3, 1>(second + row, k);
    }
  });
}

}  // namespace sinew::pose_space
