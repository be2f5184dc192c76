// Multi-weight enveloping: Wang and Phillips (SCA 2002). Each coordinate c of a posed point has its own weights:
//   y_c = sum_i sum_j m_i,cj (T_i)_cj v_j,   j = 1..4, v_4 = 1,
// so a point with n joints has three least-squares problems of 4 n unknowns and a row per example.
// Departures: solved for the correction of the convex weights, m_i,cj = w_i + d, by a truncated SVD of least norm, so
// that directions that the examples do not determine stay linear blend skinning; in the frame of the skeleton's root,
// since weights of single matrix entries mean something else in every frame.
#include "sinew/learn/fit/multi_weight.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/math/decompositions.h"

namespace sinew::fit {
namespace {

constexpr const char* kMultiWeightWhere = "multi-weight enveloping";
constexpr Index kMultiWeightGrain = 64;

using Entries = Eigen::Matrix<double, 12, Eigen::Dynamic>;

/// Row 4 c + j of a column of weights multiplies entry (c, j) of the joint's matrix.
Index entry(Index coordinate, Index place) {
  return 4 * coordinate + place;
}

Eigen::Vector4d homogeneous(const Vec3& point) {
  return {point.x(), point.y(), point.z(), 1};
}

/// d of least norm that fits rows * d to wanted, without directions that the examples hardly determine.
Eigen::VectorXd truncatedLeastSquares(const Eigen::MatrixXd& rows, const Eigen::VectorXd& wanted, double cutOff) {
  // A cut-off of 1e-2 on singular values is one of 1e-4 on those of the Gram matrix, far above its rounding.
  const SymmetricEigen gram = symmetricEigen(rows.transpose() * rows);
  const Eigen::VectorXd& values = gram.values;
  const double least = std::max(cutOff * cutOff, 1e-14) * values[values.size() - 1];
  Eigen::VectorXd along = gram.vectors.transpose() * (rows.transpose() * wanted);
  for (Index k = 0; k < values.size(); ++k) along[k] = values[k] > least ? along[k] / values[k] : 0;
  return gram.vectors * along;
}

class PointFit {
 public:
  PointFit(const FitProblem& problem, const std::vector<std::vector<Affine>>& rootFromRest,
           const std::vector<Points>& targets, const MultiWeightOptions& options)
      : problem_(problem), rootFromRest_(rootFromRest), targets_(targets), options_(options) {}

  [[nodiscard]] Entries operator()(Index point, const std::vector<Influence>& column) const {
    const auto joints = static_cast<Index>(column.size());
    const auto examples = static_cast<Index>(problem_.exampleCount());
    const Eigen::Vector4d rest = homogeneous(problem_.rest.col(point));
    Entries weights(12, joints);
    for (Index i = 0; i < joints; ++i) weights.col(i).setConstant(column[toSize(i)].weight);
    Eigen::MatrixXd rows(examples, 4 * joints);
    Eigen::VectorXd wanted(examples);
    for (Index c = 0; c < 3; ++c) {
      for (Index e = 0; e < examples; ++e) {
        const auto example = toSize(e);
        const double factor = std::sqrt(problem_.factor(example, point));
        wanted[e] = targets_[example](c, point);
        for (Index i = 0; i < joints; ++i) {
          const Influence& influence = column[toSize(i)];
          const Eigen::RowVector4d moved =
              rootFromRest_[example][influence.binding].matrix().row(c).cwiseProduct(rest.transpose());
          rows.block<1, 4>(e, 4 * i) = factor * moved;
          wanted[e] -= influence.weight * moved.sum();
        }
        wanted[e] *= factor;
      }
      const Eigen::VectorXd found = truncatedLeastSquares(rows, wanted, options_.cutOff);
      for (Index i = 0; i < joints; ++i) {
        for (Index j = 0; j < 4; ++j) weights(entry(c, j), i) += found[4 * i + j];
      }
    }
    return weights;
  }

 private:
  const FitProblem& problem_;
  const std::vector<std::vector<Affine>>& rootFromRest_;
  const std::vector<Points>& targets_;
  const MultiWeightOptions& options_;
};

void check(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns,
           const std::vector<Affine>& worldFromRoot, const MultiWeightOptions& options) {
  SINEW_CHECK(static_cast<Index>(columns.size()) == problem.pointCount(), kMultiWeightWhere,
              fmt::format("weights for {} points, but there are {} points", columns.size(), problem.pointCount()));
  SINEW_CHECK(
      worldFromRoot.size() == problem.exampleCount(), kMultiWeightWhere,
      fmt::format("root transforms for {} examples, but there are {}", worldFromRoot.size(), problem.exampleCount()));
  SINEW_CHECK(options.cutOff >= 0 && options.cutOff < 1, kMultiWeightWhere,
              fmt::format("the cut-off is {}; it must be between 0 and 1", options.cutOff));
  for (const Affine& root : worldFromRoot) {
    SINEW_CHECK(std::abs(root.linear().determinant()) > 0 && root.matrix().allFinite(), kMultiWeightWhere,
                "the root of the skeleton has scale 0 in an example");
  }
}

}  // namespace

MultiWeightModel fitMultiWeight(const FitProblem& problem, const std::vector<std::vector<Influence>>& columns,
                                const std::vector<Affine>& worldFromRoot, const MultiWeightOptions& options) {
  check(problem, columns, worldFromRoot, options);
  std::vector<std::vector<Affine>> rootFromRest(problem.exampleCount());
  std::vector<Points> targets(problem.exampleCount());
  for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
    const Affine rootFromWorld = worldFromRoot[e].inverse(Eigen::Affine);
    for (const Affine& joint : problem.worldFromRest[e]) rootFromRest[e].push_back(rootFromWorld * joint);
    targets[e] = (rootFromWorld.linear() * problem.targets[e]).colwise() + rootFromWorld.translation();
  }
  MultiWeightModel model;
  model.rest = problem.rest;
  model.bindings.resize(columns.size());
  model.weights.resize(columns.size());
  const PointFit fit(problem, rootFromRest, targets, options);
  parallelFor(problem.pointCount(), kMultiWeightGrain, [&](Index p) {
    const auto point = toSize(p);
    for (const Influence& influence : columns[point]) model.bindings[point].push_back(influence.binding);
    model.weights[point] = fit(p, columns[point]);
  });
  return model;
}

Points playMultiWeight(const MultiWeightModel& model, const std::vector<Affine>& worldFromRest,
                       const Affine& worldFromRoot) {
  const Affine rootFromWorld = worldFromRoot.inverse(Eigen::Affine);
  std::vector<Affine> rootFromRest;
  for (const Affine& joint : worldFromRest) rootFromRest.push_back(rootFromWorld * joint);
  Points moved(3, model.rest.cols());
  parallelFor(moved.cols(), kMultiWeightGrain, [&](Index p) {
    const auto point = toSize(p);
    const Eigen::Vector4d rest = homogeneous(model.rest.col(p));
    Vec3 inRoot = Vec3::Zero();
    for (std::size_t i = 0; i < model.bindings[point].size(); ++i) {
      const auto& matrix = rootFromRest[model.bindings[point][i]].matrix();
      for (Index c = 0; c < 3; ++c) {
        for (Index j = 0; j < 4; ++j)
          inRoot[c] += model.weights[point](entry(c, j), static_cast<Index>(i)) * matrix(c, j) * rest[j];
      }
    }
    moved.col(p) = worldFromRoot * inRoot;
  });
  return moved;
}

}  // namespace sinew::fit
