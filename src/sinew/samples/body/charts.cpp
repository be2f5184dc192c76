// Capsule projection: u is the angle about the part's axis, cut on the side of the seam; v is the length along the
// axis, continued over the rounded ends by the angle there, so that caps keep an area.
#include "sinew/samples/body/charts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/base/error.h"

namespace sinew::body {
namespace {

constexpr double kMargin = 0.02;  ///< of a tile, on each side

struct ChartFrame {
  Vec3 origin, x, y, z;
  double length;

  explicit ChartFrame(const ChartSpec& spec) : origin(spec.start), length((spec.end - spec.start).norm()) {
    x = (spec.end - spec.start).normalized();
    y = -(spec.seam - spec.seam.dot(x) * x).normalized();
    z = x.cross(y);
  }

  /// u in [0, 1) with the seam at 0, v in metres.
  [[nodiscard]] Eigen::Vector2d project(const Vec3& point) const {
    const Vec3 p = point - origin;
    const double along = p.dot(x);
    const double radial = std::hypot(p.dot(y), p.dot(z));
    const double u = 0.5 + std::atan2(p.dot(z), p.dot(y)) / (2 * std::numbers::pi);
    const double clamped = std::clamp(along, 0.0, length);
    const double beyond = along - clamped;
    const double arc = beyond == 0 ? 0 : std::hypot(beyond, radial) * std::atan2(beyond, radial);
    return {u, clamped + arc};
  }
};

std::vector<int> chartOfJoint(const BodySpec& spec) {
  std::vector<int> chart;
  for (const JointSpec& joint : spec.joints) {
    const auto found =
        std::find_if(spec.charts.begin(), spec.charts.end(), [&](const ChartSpec& c) { return c.name == joint.chart; });
    if (found == spec.charts.end()) throw Error(ErrorCode::Internal, "no chart '" + joint.chart + "'");
    chart.push_back(static_cast<int>(found - spec.charts.begin()));
  }
  return chart;
}

std::vector<int> chartOfFace(const BodySpec& spec, const SkinWeights& weights, const Mesh& mesh) {
  const std::vector<int> ofJoint = chartOfJoint(spec);
  std::vector<int> chart(mesh.faces.size());
  std::vector<double> sum(spec.charts.size());
  for (std::size_t f = 0; f < chart.size(); ++f) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (const std::uint32_t v : mesh.faces[f]) {
      for (const Influence& influence : weights[v]) sum[ofJoint[influence.binding]] += influence.weight;
    }
    chart[f] = static_cast<int>(std::max_element(sum.begin(), sum.end()) - sum.begin());
  }
  return chart;
}

// Lays each chart into its tile of a square grid.
void pack(Mesh& mesh, const std::vector<int>& chartOfUv, std::size_t charts) {
  const double tiles = std::ceil(std::sqrt(static_cast<double>(charts)));
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Eigen::Vector2d> low(charts, Eigen::Vector2d::Constant(infinity));
  std::vector<Eigen::Vector2d> high(charts, Eigen::Vector2d::Constant(-infinity));
  for (std::size_t i = 0; i < chartOfUv.size(); ++i) {
    low[chartOfUv[i]] = low[chartOfUv[i]].cwiseMin(mesh.uvs.col(i));
    high[chartOfUv[i]] = high[chartOfUv[i]].cwiseMax(mesh.uvs.col(i));
  }
  for (std::size_t i = 0; i < chartOfUv.size(); ++i) {
    const int c = chartOfUv[i];
    const Eigen::Vector2d size = (high[c] - low[c]).cwiseMax(1e-9);
    const Eigen::Vector2d unit = (mesh.uvs.col(i) - low[c]).cwiseQuotient(size);
    const Eigen::Vector2d tile(std::fmod(c, tiles), std::floor(c / tiles));
    mesh.uvs.col(i) = (tile + Eigen::Vector2d::Constant(kMargin) + (1 - 2 * kMargin) * unit) / tiles;
  }
}

}  // namespace

void addCharts(const BodySpec& spec, const SkinWeights& weights, Mesh& mesh) {
  std::vector<ChartFrame> frames;
  for (const ChartSpec& chart : spec.charts) frames.emplace_back(chart);
  const std::vector<int> chart = chartOfFace(spec, weights, mesh);

  // A vertex has a column per chart and turn around the seam that its faces use: a short list per vertex.
  struct Column {
    int chart, turn;
    std::uint32_t index;
  };
  std::vector<std::vector<Column>> columns(mesh.points.cols());
  std::vector<Eigen::Vector2d> uvs;
  std::vector<int> chartOfUv;
  mesh.cornerUv.clear();
  mesh.cornerUv.reserve(mesh.faces.corner.size());
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const ChartFrame& frame = frames[chart[f]];
    const double reference = frame.project(mesh.points.col(mesh.faces[f][0])).x();
    std::array<int, 3> turns{};
    for (int k = 0; k < 3; ++k) {
      const double u = frame.project(mesh.points.col(mesh.faces[f][k])).x();
      turns[k] = static_cast<int>(std::lround(reference - u));
    }
    // Count turns from the least, so that a face across the seam is always at the far end.
    const int least = *std::min_element(turns.begin(), turns.end());
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t v = mesh.faces[f][k];
      const int turn = turns[k] - least;
      auto& known = columns[v];
      auto found = std::find_if(known.begin(), known.end(),
                                [&](const Column& c) { return c.chart == chart[f] && c.turn == turn; });
      if (found == known.end()) {
        known.push_back({chart[f], turn, static_cast<std::uint32_t>(uvs.size())});
        found = known.end() - 1;
        uvs.push_back(frame.project(mesh.points.col(v)) + Eigen::Vector2d(turn, 0));
        chartOfUv.push_back(chart[f]);
      }
      mesh.cornerUv.push_back(found->index);
    }
  }
  mesh.uvs.resize(2, static_cast<Index>(uvs.size()));
  for (std::size_t i = 0; i < uvs.size(); ++i) mesh.uvs.col(i) = uvs[i];
  pack(mesh, chartOfUv, spec.charts.size());
}

}  // namespace sinew::body
