// Weights of the shapes of a pose-space model: cardinal functions of its poses (math/rbf), mixed by terms, faded, and
// for low rank multiplied with the coefficients before any frame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/pose_space_weights.h"

namespace sinew {
namespace {

/// How far weights of shapes may exceed those of the examples.
constexpr double kMostBeyond = 1.5;

/// Cubes of distances grow without limit where no example is near: weights are scaled down together, so that no shape
/// is used much more than in the example that uses it most.
void limitWeights(const Eigen::VectorXd& most, Eigen::Ref<Eigen::VectorXd> weights) {
  double beyond = kMostBeyond;
  for (Index s = 0; s < weights.size(); ++s) {
    if (most[s] > 0) beyond = std::max(beyond, std::abs(weights[s]) / most[s]);
  }
  weights *= kMostBeyond / beyond;
}

constexpr const char* kPoseSpaceWeightsWhere = "weights of a pose space";
/// Corrections are full within this many of the examples' largest gaps, and zero at twice that distance.
constexpr double kReachGaps = 2;

/// How much a driver bends the skin of a group, 0 to 1, from the weight in distances, which is never below the floor.
double bending(double weight) {
  return std::max(0.0, (weight - kLeastGroupWeight) / (1 - kLeastGroupWeight));
}

/// Interpolators from which on tables of all pairs of poses are worth it, and their largest size in numbers.
constexpr std::size_t kManyInterpolators = 16;
constexpr double kMostPairs = 4e6;

/// Whether a term measures all groups alike.
bool isUniform(const PoseSpaceModel& model, Index term) {
  return !model.terms.empty() && model.terms[toSize(term)].uniform;
}

/// `mixing` and `pairs` as RbfInterpolator takes them.
RbfInterpolator termInterpolator(const PoseSpaceModel& model, Index group, Index index,
                                 const Eigen::MatrixXd& mixing = {}, const RbfPairs* pairs = nullptr) {
  const PoseSpace& space = model.poseSpace;
  const Eigen::VectorXd scales = model.weighted() ? space.scales(model.groupWeights.col(group)) : space.scales();
  RbfBlocks blocks;
  for (const PoseDriver& driver : space.drivers) blocks.sizes.push_back(driver.dimensions());
  if (model.terms.empty()) return {model.poses, model.interpolation, scales, blocks, mixing, pairs};
  const PoseSpaceTerm& term = model.terms[toSize(index)];
  RbfOptions options = term.interpolation;
  options.confidence = model.interpolation.confidence;
  if (term.uniform) return {model.poses, options, space.scales(), blocks, mixing, pairs};
  blocks.weights.resize(static_cast<Index>(space.drivers.size()));
  for (std::size_t d = 0; d < space.drivers.size(); ++d) {
    const auto row = static_cast<Index>(d);
    const double bends = model.weighted() ? bending(model.groupWeights(row, group)) : 1;
    blocks.weights[row] = space.drivers[d].weight * std::max(term.floor, bends);
  }
  return {model.poses, options, scales, blocks, mixing, pairs};
}

}  // namespace

PoseSpaceWeights::PoseSpaceWeights(const PoseSpaceModel& model)
    : settings_(withoutShapes(model)),
      asked_(additiveKernels().size(), 0),
      lowRank_(model.lowRank()),
      shapes_(static_cast<Index>(model.shapeCount())),
      groups_(model.weighted() ? model.groupWeights.cols() : 1),
      terms_(std::max<Index>(1, static_cast<Index>(model.terms.size()))) {
  if (model.weighted()) settings_.groupOf = {0};
  if (model.terms.empty()) settings_.shares = Eigen::MatrixXd::Ones(1, groups_);
  for (const PoseDriver& driver : model.poseSpace.drivers) blockSizes_.push_back(driver.dimensions());
  const auto ask = [&](const RbfOptions& interpolation) {
    const RbfKernelRow& kernel = rbfKernel(interpolation.kernel);
    if (kernel.block != nullptr) asked_[toSize(&kernel - additiveKernels().data())] = 1;
  };
  if (model.terms.empty()) ask(model.interpolation);
  for (const PoseSpaceTerm& term : model.terms) ask(term.interpolation);
  const auto local =
      std::find_if(model.terms.begin(), model.terms.end(), [](const auto& term) { return !term.uniform; });
  if (local != model.terms.end()) fadeTerm_ = local - model.terms.begin();
  build(model.coefficients);
}

/// Coefficients go into the matrices of the interpolators, so that a frame costs shapes x examples, not examples
/// squared. Uniform terms are built once.
void PoseSpaceWeights::build(const Eigen::MatrixXd& coefficients) {
  if (coefficients.size() > 0) most_ = coefficients.rowwise().lpNorm<Eigen::Infinity>();
  struct Wanted {
    Index group = 0;
    Index term = 0;
    bool weights = false;  // else only distances, for the fading
  };
  std::vector<Wanted> wanted(1);
  placeOf_.assign(toSize(groups_ * terms_), 0);
  common_.assign(toSize(terms_), 0);
  for (Index t = 0; t < terms_; ++t) {
    const bool uniform = isUniform(settings_, t);
    common_[toSize(t)] = uniform && groups_ > 1 ? 1 : 0;
    for (Index g = 0; g < groups_; ++g) {
      const bool weights = settings_.shares(t, g) != 0;
      if (!weights && t != fadeTerm_) continue;
      std::size_t& place = placeOf_[toSize(g * terms_ + t)];
      place = uniform && g > 0 ? placeOf_[toSize(t)] : 0;
      if (place == 0) {
        place = wanted.size();
        wanted.push_back({g, t, weights});
      }
      if (uniform) placeOf_[toSize(t)] = place;
      wanted[place].weights = wanted[place].weights || weights;
    }
  }
  interpolators_.resize(wanted.size());
  const double numbers = static_cast<double>(blockSizes_.size()) * std::pow(static_cast<double>(exampleCount()), 2);
  std::optional<RbfPairs> pairs;
  if (wanted.size() > kManyInterpolators && numbers <= kMostPairs)
    pairs = pairsOf(settings_.poses, blockSizes_, asked_);
  const Eigen::MatrixXd nothing(0, exampleCount());
  parallelFor(static_cast<Index>(wanted.size()) - 1, 1, [&](Index i) {
    const Wanted& one = wanted[toSize(i) + 1];
    interpolators_[toSize(i) + 1] = termInterpolator(settings_, one.group, one.term,
                                                     one.weights ? coefficients : nothing, pairs ? &*pairs : nullptr);
  });
}

double PoseSpaceWeights::reach(Index group) const {
  return settings_.fade ? kReachGaps * interpolator(group).largestGap(settings_.restGap) : 0;
}

double PoseSpaceWeights::fadeOf(double nearest, double reach) {
  if (reach <= 0) return 1;
  const double beyond = std::clamp(nearest / reach - 1, 0.0, 1.0);
  return 1 - beyond * beyond * (3 - 2 * beyond);
}

double PoseSpaceWeights::fade(const Eigen::Ref<const Eigen::VectorXd>& coordinates, Index group) const {
  const double whole = reach(group);
  return whole <= 0 ? 1 : fadeOf(interpolator(group).nearest(coordinates), whole);
}

void PoseSpaceWeights::evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates, RbfTables& tables,
                                Eigen::Ref<Eigen::MatrixXd> weights) const {
  SINEW_CHECK(weights.rows() == shapes_ && weights.cols() == groups_, kPoseSpaceWeightsWhere,
              fmt::format("there is room for {} x {} weights, but there are {} shapes and {} groups", weights.rows(),
                          weights.cols(), shapes_, groups_));
  fillTables(settings_.poses, blockSizes_, asked_, coordinates, tables);
  constexpr double kUnknown = -1;
  double nearestOfAll = kUnknown;  // if the groups fade alike
  tables.sums.resize(shapes_, terms_);
  for (Index t = 0; t < terms_; ++t) {
    if (common_[toSize(t)] == 0 || placeOf_[toSize(t)] == 0) continue;
    const RbfInterpolator& term = interpolator(0, t);
    auto sum = tables.sums.col(t);
    sum.setZero();
    if (term.weightCount() == shapes_) term.addWeights(coordinates, tables, 1, sum);
    if (t == fadeTerm_ && settings_.fade) nearestOfAll = term.nearest(tables);
  }
  parallelFor(groups_, 16, [&](Index g) {
    auto column = weights.col(g);
    column.setZero();
    double nearest = nearestOfAll;
    RbfNear near;  // of the terms that measure with the weights of this group
    for (Index t = 0; t < terms_; ++t) {
      const double part = share(g, t);
      if (part == 0) continue;
      if (common_[toSize(t)] != 0) {
        // With a shape per example, the share is a factor of each summand, as in earlier versions: their files keep
        // deforming to the same bits.
        if (lowRank_ || part == 1) {
          column += part * tables.sums.col(t);
        } else {
          interpolator(g, t).addWeights(coordinates, tables, part, column);
        }
        continue;
      }
      RbfNear* const shared = isUniform(settings_, t) ? nullptr : &near;
      const double distance = interpolator(g, t).addWeights(coordinates, tables, part, column, shared);
      if (t == fadeTerm_) nearest = distance;
    }
    if (lowRank_) limitWeights(most_, column);
    if (!settings_.fade) return;
    if (nearest == kUnknown) nearest = interpolator(g).nearest(tables);
    column *= fadeOf(nearest, reach(g));
  });
}

void PoseSpaceWeights::evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates,
                                Eigen::Ref<Eigen::MatrixXd> weights) const {
  RbfTables tables;
  evaluate(coordinates, tables, weights);
}

RbfLeftOut PoseSpaceWeights::weightsWithoutEach(Index group) const {
  const Index examples = exampleCount();
  RbfLeftOut sum{Eigen::MatrixXd::Zero(examples, examples), {}};
  for (Index t = 0; t < terms_; ++t) {
    if (share(group, t) == 0) continue;
    // The interpolators of a low-rank model know only the weights of shapes.
    const RbfLeftOut one = lowRank_ ? termInterpolator(settings_, group, t).weightsWithoutEach()
                                    : interpolator(group, t).weightsWithoutEach();
    sum.weights += share(group, t) * one.weights;
    std::vector<Index> either;
    std::set_union(sum.undetermined.begin(), sum.undetermined.end(), one.undetermined.begin(), one.undetermined.end(),
                   std::back_inserter(either));
    sum.undetermined = std::move(either);
  }
  if (!settings_.fade) return sum;
  const Eigen::Matrix2Xd gaps = interpolator(group).gapsWithoutEach(settings_.restGap);
  for (Index k = 0; k < examples; ++k) sum.weights.row(k) *= fadeOf(gaps(0, k), kReachGaps * gaps(1, k));
  return sum;
}

}  // namespace sinew
