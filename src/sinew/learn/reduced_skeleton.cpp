#include "sinew/learn/reduced_skeleton.h"

#include <fmt/format.h>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/math/rigid_fit.h"

namespace sinew {
namespace {

/// Where each control sits: the mean of its vertices by squared weight, so that a joint stands where it reigns.
Points controlCentres(const Points& rest, const SkinWeights& weights) {
  Points centres = Points::Zero(3, static_cast<Index>(weights.bindingCount()));
  Eigen::VectorXd totals = Eigen::VectorXd::Zero(centres.cols());
  for (Index v = 0; v < rest.cols(); ++v) {
    for (const Influence& influence : weights[v]) {
      const double share = influence.weight * influence.weight;
      centres.col(influence.binding) += share * rest.col(v);
      totals[influence.binding] += share;
    }
  }
  const Vec3 middle = rest.cols() > 0 ? Vec3(rest.rowwise().mean()) : Vec3::Zero();
  for (Index c = 0; c < centres.cols(); ++c) {
    if (totals[c] > 0) {
      centres.col(c) /= totals[c];
    } else {
      centres.col(c) = middle;
    }
  }
  return centres;
}

/// Sum over vertices of the product of two controls' weights; and the mean place of those vertices.
struct Shared {
  Eigen::MatrixXd amount;
  std::vector<Vec3> place;  // of pair (a, b), a * controls + b

  Shared(const Points& rest, const SkinWeights& weights) {
    const auto n = static_cast<Index>(weights.bindingCount());
    amount = Eigen::MatrixXd::Zero(n, n);
    place.assign(static_cast<std::size_t>(n * n), Vec3::Zero());
    for (Index v = 0; v < rest.cols(); ++v) {
      for (const Influence& a : weights[v]) {
        for (const Influence& b : weights[v]) {
          if (a.binding == b.binding) continue;
          amount(a.binding, b.binding) += a.weight * b.weight;
          place[static_cast<std::size_t>(a.binding * n + b.binding)] += a.weight * b.weight * rest.col(v);
        }
      }
    }
  }
  [[nodiscard]] Vec3 placeOf(Index a, Index b) const {
    return place[static_cast<std::size_t>(a * amount.rows() + b)] / amount(a, b);
  }
};

}  // namespace

std::vector<int> controlHierarchy(const Points& rest, const SkinWeights& weights) {
  const auto n = static_cast<Index>(weights.bindingCount());
  std::vector<int> parents(static_cast<std::size_t>(n), -1);
  if (n == 0) return parents;
  const Points centres = controlCentres(rest, weights);
  const Shared shared(rest, weights);
  const double diagonal = std::max(boundingBox(rest).diagonal(), std::numeric_limits<double>::min());
  const Vec3 middle = rest.rowwise().mean();
  Index root = 0;
  (centres.colwise() - middle).colwise().squaredNorm().minCoeff(&root);

  // Prim's tree: the control that shares most with the tree comes next; one that shares nothing scores by its distance,
  // always below those that share.
  const auto score = [&](Index a, Index b) {
    const double both = shared.amount(a, b);
    return both > 1e-9 ? both : -(centres.col(a) - centres.col(b)).norm() / diagonal;
  };
  std::vector<std::uint8_t> inside(static_cast<std::size_t>(n), 0);
  inside[static_cast<std::size_t>(root)] = 1;
  for (Index added = 1; added < n; ++added) {
    double best = -std::numeric_limits<double>::infinity();
    Index child = -1;
    Index parent = -1;
    for (Index a = 0; a < n; ++a) {
      for (Index b = 0; b < n && inside[static_cast<std::size_t>(a)] != 0; ++b) {
        if (inside[static_cast<std::size_t>(b)] != 0 || score(a, b) <= best) continue;
        best = score(a, b);
        parent = a;
        child = b;
      }
    }
    parents[static_cast<std::size_t>(child)] = static_cast<int>(parent);
    inside[static_cast<std::size_t>(child)] = 1;
  }
  return parents;
}

}  // namespace sinew
