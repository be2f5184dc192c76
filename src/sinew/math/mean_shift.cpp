// Comaniciu and Meer, "Mean shift", PAMI 2002, with a Gaussian kernel:
//   x <- sum_i w_i exp(-|x - p_i|^2 / (2 h^2)) p_i / sum_i w_i exp(-|x - p_i|^2 / (2 h^2))
// Search trees are of no use in 30 dimensions, but cells of a few dozen nearby points are separated where the density
// has modes: a group of nearby seeds visits only the cells within reach, by dense products.
#include "sinew/math/mean_shift.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"

namespace sinew {
namespace {

constexpr const char* kMeanShiftWhere = "mean shift";
constexpr Index kCell = 48;   // points per cell at most
constexpr Index kGroup = 24;  // seeds that move together
constexpr float kReach = 5;   // bandwidths: exp(-12.5) = 4e-6
constexpr Index kMeanShiftGrain = 512;
constexpr int kMergeEvery = 4;      // steps
constexpr float kTogether = 0.03F;  // bandwidths: seeds of a group that come nearer climb on as one

/// Orders columns so that every run of at most `leaf` between two `bounds` contains nearby ones: splits in half along
/// the coordinate with the largest spread.
struct Cells {
  std::vector<Index> order;
  std::vector<Index> bounds{0};

  Cells(const Eigen::MatrixXf& points, Index leaf) : order(toSize(points.cols())) {
    std::iota(order.begin(), order.end(), Index{0});
    split(points, 0, points.cols(), leaf);
  }

 private:
  void split(const Eigen::MatrixXf& points, Index begin, Index end, Index leaf) {
    if (end - begin <= leaf) {
      if (end > begin) bounds.push_back(end);
      return;
    }
    Eigen::VectorXf low = points.col(order[toSize(begin)]);
    Eigen::VectorXf high = low;
    for (Index i = begin; i < end; ++i) {
      const auto point = points.col(order[toSize(i)]);
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
    Index axis = 0;
    if (points.rows() > 0) (high - low).maxCoeff(&axis);
    const Index middle = begin + (end - begin) / 2;
    std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end, [&](Index a, Index b) {
      const float left = points(axis, a);
      const float right = points(axis, b);
      return left != right ? left < right : a < b;
    });
    split(points, begin, middle, leaf);
    split(points, middle, end, leaf);
  }
};

/// The sample in cells, each with a ball around it.
struct Sample {
  Eigen::MatrixXf points;
  Eigen::VectorXf squares;
  Eigen::VectorXf weights;
  std::vector<Index> bounds;
  Eigen::MatrixXf centres;
  std::vector<float> radii;

  Sample(const Eigen::MatrixXf& input, std::span<const double> inputWeights)
      : points(input.rows(), input.cols()), squares(input.cols()), weights(input.cols()) {
    Cells cells(input, kCell);
    bounds = std::move(cells.bounds);
    for (Index i = 0; i < input.cols(); ++i) {
      const Index from = cells.order[toSize(i)];
      points.col(i) = input.col(from);
      weights[i] = inputWeights.empty() ? 1.0F : static_cast<float>(inputWeights[toSize(from)]);
    }
    squares = points.colwise().squaredNorm().transpose();
    centres.resize(input.rows(), cellCount());
    for (Index c = 0; c < cellCount(); ++c) {
      const auto cell = points.middleCols(begin(c), size(c));
      centres.col(c) = cell.rowwise().mean();
      radii.push_back(std::sqrt((cell.colwise() - centres.col(c)).colwise().squaredNorm().maxCoeff()));
    }
  }

  [[nodiscard]] Index cellCount() const { return static_cast<Index>(bounds.size()) - 1; }
  [[nodiscard]] Index begin(Index cell) const { return bounds[toSize(cell)]; }
  [[nodiscard]] Index size(Index cell) const { return bounds[toSize(cell) + 1] - begin(cell); }
};

struct Shifted {
  Eigen::MatrixXf positions;
  Eigen::VectorXd densities;
  std::vector<std::uint8_t> arrived;
};

/// A group of active seeds. Seeds that have converged leave the group.
class Group {
 public:
  Group(const Sample& sample, float bandwidth, Eigen::MatrixXf seeds)
      : sample_(sample), bandwidth_(bandwidth), at_(std::move(seeds)) {}

  [[nodiscard]] const Eigen::MatrixXf& at() const { return at_; }
  [[nodiscard]] const Eigen::VectorXf& density() const { return density_; }

  /// One step of every seed; returns the squared moves.
  Eigen::VectorXf step() {
    const Index seeds = at_.cols();
    const Eigen::VectorXf centre = at_.rowwise().mean();
    const float radius = std::sqrt((at_.colwise() - centre).colwise().squaredNorm().maxCoeff());
    const Eigen::RowVectorXf squares = at_.colwise().squaredNorm();
    const float factor = -0.5F / (bandwidth_ * bandwidth_);
    sums_.setZero(at_.rows(), seeds);
    density_.setZero(seeds);
    for (Index c = 0; c < sample_.cellCount(); ++c) {
      const float reach = kReach * bandwidth_ + radius + sample_.radii[toSize(c)];
      if ((sample_.centres.col(c) - centre).squaredNorm() > reach * reach) continue;
      const auto cell = sample_.points.middleCols(sample_.begin(c), sample_.size(c));
      kernel_.noalias() = -2 * cell.transpose() * at_;
      kernel_.colwise() += sample_.squares.segment(sample_.begin(c), sample_.size(c));
      kernel_.rowwise() += squares;
      kernel_ = (factor * kernel_.array().max(0)).exp().matrix();
      kernel_.array().colwise() *= sample_.weights.segment(sample_.begin(c), sample_.size(c)).array();
      density_ += kernel_.colwise().sum().transpose();
      sums_.noalias() += cell * kernel_;
    }
    Eigen::VectorXf moves(seeds);
    for (Index s = 0; s < seeds; ++s) {
      // A seed beyond the reach of every point stays where it is.
      if (!(density_[s] > 0)) {
        moves[s] = 0;
        continue;
      }
      const Eigen::VectorXf next = sums_.col(s) / density_[s];
      moves[s] = (next - at_.col(s)).squaredNorm();
      at_.col(s) = next;
    }
    return moves;
  }

  void keep(const std::vector<Index>& seeds) {
    Eigen::MatrixXf kept(at_.rows(), static_cast<Index>(seeds.size()));
    for (std::size_t i = 0; i < seeds.size(); ++i) kept.col(static_cast<Index>(i)) = at_.col(seeds[i]);
    at_ = std::move(kept);
  }

 private:
  const Sample& sample_;
  float bandwidth_;
  Eigen::MatrixXf at_;
  Eigen::MatrixXf sums_;
  Eigen::MatrixXf kernel_;
  Eigen::VectorXf density_;
};

/// Active seeds: each represents itself and those that joined it.
struct Climbers {
  std::vector<std::vector<Index>> members;  // per column of the group

  void record(const Group& group, Index column, bool arrived, Shifted& shifted) const {
    for (const Index seed : members[toSize(column)]) {
      shifted.positions.col(seed) = group.at().col(column);
      shifted.densities[seed] = group.density()[column];
      shifted.arrived[toSize(seed)] = arrived ? 1 : 0;
    }
  }

  void keep(const std::vector<Index>& columns) {
    std::vector<std::vector<Index>> kept;
    for (const Index column : columns) kept.push_back(std::move(members[toSize(column)]));
    members = std::move(kept);
  }
};

/// Columns that no earlier one represents; near ones pass on their members.
std::vector<Index> joinNear(const Group& group, float near, const std::vector<Index>& columns, Climbers& climbers) {
  std::vector<Index> leaders;
  for (const Index column : columns) {
    const auto leader = std::find_if(leaders.begin(), leaders.end(), [&](Index other) {
      return (group.at().col(other) - group.at().col(column)).squaredNorm() < near * near;
    });
    if (leader == leaders.end()) {
      leaders.push_back(column);
      continue;
    }
    auto& mine = climbers.members[toSize(column)];
    auto& theirs = climbers.members[toSize(*leader)];
    theirs.insert(theirs.end(), mine.begin(), mine.end());
  }
  return leaders;
}

void shiftGroup(const Sample& sample, const Eigen::MatrixXf& seeds, const std::vector<Index>& members,
                const MeanShiftOptions& options, Shifted& shifted) {
  Eigen::MatrixXf start(seeds.rows(), static_cast<Index>(members.size()));
  Climbers climbers;
  for (std::size_t i = 0; i < members.size(); ++i) {
    start.col(static_cast<Index>(i)) = seeds.col(members[i]);
    climbers.members.push_back({members[i]});
  }
  const auto bandwidth = static_cast<float>(options.bandwidth);
  const auto least = static_cast<float>(options.tolerance * options.bandwidth);
  Group group(sample, bandwidth, std::move(start));
  for (int step = 0; step < options.mostSteps && !climbers.members.empty(); ++step) {
    const Eigen::VectorXf moves = group.step();
    std::vector<Index> going;
    for (Index column = 0; column < moves.size(); ++column) {
      const bool arrived = moves[column] < least * least;
      const bool last = arrived || step + 1 == options.mostSteps;
      if (last) climbers.record(group, column, arrived, shifted);
      if (!last) going.push_back(column);
    }
    if (step % kMergeEvery == kMergeEvery - 1) going = joinNear(group, kTogether * bandwidth, going, climbers);
    if (static_cast<Index>(going.size()) == moves.size()) continue;
    group.keep(going);
    climbers.keep(going);
  }
}

Shifted shiftSeeds(const Sample& sample, const Eigen::MatrixXf& seeds, const MeanShiftOptions& options) {
  Shifted shifted{seeds, Eigen::VectorXd::Zero(seeds.cols()), std::vector<std::uint8_t>(toSize(seeds.cols()), 0)};
  const Cells groups(seeds, kGroup);
  parallelFor(static_cast<Index>(groups.bounds.size()) - 1, 1, [&](Index g) {
    const auto first = groups.order.begin() + groups.bounds[toSize(g)];
    const auto last = groups.order.begin() + groups.bounds[toSize(g) + 1];
    shiftGroup(sample, seeds, {first, last}, options, shifted);
  });
  return shifted;
}

}  // namespace

Modes findModes(const Eigen::MatrixXf& points, std::span<const double> weights, const Eigen::MatrixXf& seeds,
                const MeanShiftOptions& options) {
  SINEW_CHECK(options.bandwidth > 0 && std::isfinite(options.bandwidth), kMeanShiftWhere,
              "the bandwidth must be positive");
  SINEW_CHECK(points.rows() == seeds.rows() && (weights.empty() || static_cast<Index>(weights.size()) == points.cols()),
              kMeanShiftWhere, "the numbers of points, weights and seeds do not match");
  SINEW_CHECK(points.cols() > 0 && seeds.cols() > 0, kMeanShiftWhere, "there are no points or no seeds");
  const Sample sample(points, weights);
  const Shifted shifted = shiftSeeds(sample, seeds, options);

  std::vector<Index> order(toSize(seeds.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return shifted.densities[a] > shifted.densities[b]; });
  Modes modes;
  std::vector<Index> leaders;
  std::vector<int> followers;
  const double merge = options.mergeDistance * options.bandwidth;
  for (const Index seed : order) {
    if (shifted.arrived[toSize(seed)] == 0) ++modes.unconverged;
    std::size_t mode = 0;
    while (mode < leaders.size() &&
           (shifted.positions.col(leaders[mode]) - shifted.positions.col(seed)).norm() >= merge)
      ++mode;
    if (mode == leaders.size()) {
      leaders.push_back(seed);
      followers.push_back(0);
    }
    ++followers[mode];
  }
  std::vector<std::size_t> kept;
  for (std::size_t m = 0; m < leaders.size(); ++m)
    if (followers[m] >= options.leastSeeds) kept.push_back(m);
  if (kept.empty()) kept.push_back(0);
  modes.centres.resize(points.rows(), static_cast<Index>(kept.size()));
  for (const std::size_t m : kept) {
    modes.centres.col(static_cast<Index>(modes.seeds.size())) = shifted.positions.col(leaders[m]);
    modes.densities.push_back(shifted.densities[leaders[m]]);
    modes.seeds.push_back(followers[m]);
  }
  return modes;
}

std::vector<std::uint32_t> nearestModes(const Eigen::MatrixXf& points, const Eigen::MatrixXf& centres) {
  SINEW_CHECK(points.rows() == centres.rows() && centres.cols() > 0, kMeanShiftWhere,
              "the dimensions of points and modes do not match");
  std::vector<std::uint32_t> nearest(toSize(points.cols()));
  const Eigen::VectorXf half = 0.5F * centres.colwise().squaredNorm().transpose();
  const Index blocks = (points.cols() + kMeanShiftGrain - 1) / kMeanShiftGrain;
  parallelFor(blocks, 1, [&](Index block) {
    const Index begin = block * kMeanShiftGrain;
    const Index count = std::min(kMeanShiftGrain, points.cols() - begin);
    // |p - c|^2 / 2 without |p|^2 / 2, which is the same for every mode.
    Eigen::MatrixXf distance = -centres.transpose() * points.middleCols(begin, count);
    distance.colwise() += half;
    for (Index i = 0; i < count; ++i) {
      Index best = 0;
      distance.col(i).minCoeff(&best);
      nearest[toSize(begin + i)] = static_cast<std::uint32_t>(best);
    }
  });
  return nearest;
}

}  // namespace sinew
