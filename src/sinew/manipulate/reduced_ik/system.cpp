// Der, Sumner and Popovic 2006, section 3: min_{T, b} |G T - m(b)|^2. The three coordinates share one matrix, so G is
// 3 J x 4 B with three right-hand sides.
//
// Departures: a weak prior T_lin(b) holds what G leaves free (translation, pieces that nothing couples). G is sparse (a
// proxy knows a few controls), so Q^T m is taken as R^-T (G_a^T m), a quarter of the work of a dense Q. The factor R
// belongs to the model, not to the handles: they only add a few dimensions to it (reduced_ik_handles).
#include "sinew/manipulate/reduced_ik/system.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/mesh.h"
#include "sinew/math/decompositions.h"

namespace sinew::reduced_ik {
namespace {

constexpr const char* kSystemWhere = "reduced IK";
constexpr double kDiagonal = 2;  ///< of the rest in the space of the unknowns
constexpr Index kChunk = 512;    ///< rows of G that are folded into the factor at a time

std::vector<Index> blendedExamples(const ReducedModel& model) {
  std::vector<Index> examples;
  for (Index p = 0; p < static_cast<Index>(model.exampleCount()); ++p) {
    if (p != model.restExample) examples.push_back(p);
  }
  return examples;
}

/// T of one example: [F | d] of every control in the scaled space, transposed.
Eigen::MatrixXd unknownsOf(const std::vector<Affine>& controls, double scale, const Vec3& centre) {
  Eigen::MatrixXd unknowns(4 * static_cast<Index>(controls.size()), 3);
  for (std::size_t i = 0; i < controls.size(); ++i) {
    const Index row = 4 * static_cast<Index>(i);
    unknowns.middleRows<3>(row) = controls[i].linear().transpose();
    unknowns.row(row + 3) = scale * (controls[i] * centre - centre).transpose();
  }
  return unknowns;
}

const ReducedModel& checked(const ReducedModel& model) {
  checkReducedModel(model, kSystemWhere);
  SINEW_CHECK(model.proxies.count() > 0, kSystemWhere,
              "the model has no proxies, so it cannot be posed by handles; learn it without --rigid");
  SINEW_CHECK(model.rest.cols() > 0, kSystemWhere, "the model has no vertices");
  return model;
}

}  // namespace

ReducedIkSystem::ReducedIkSystem(const ReducedModel& model, double prior)
    : prior_(prior),
      examples_(blendedExamples(checked(model))),
      gradients_(model.proxies.count(), static_cast<Index>(examples_.size())) {
  SINEW_CHECK(prior > 0, kSystemWhere, "the prior must be positive");
  const BoundingBox box = boundingBox(model.rest);
  centre_ = box.centre();
  scale_ = box.diagonal() > 0 ? kDiagonal / box.diagonal() : 1;
  setGradients(model);
  setShapes(model);
  factorise();
  reducedShapes_ = factor_.triangularView<Eigen::Upper>() * shapes_;
}

void ReducedIkSystem::setGradients(const ReducedModel& model) {
  const ReducedProxies& proxies = model.proxies;
  const Index controls = model.controlCount();
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < controls; ++i) {
    std::vector<GradientTerm> ofControl;
    for (Index j = 0; j < proxies.count(); ++j) {
      const Vec3 f = scale_ * (proxies.positions.col(j) - centre_);
      // c_i = [alpha_i I + f Dalpha_i ; Dalpha_i], 4 x 3.
      const double alpha = proxies.weights(i, j);
      const Vec3 slope = proxies.gradients.col(j).segment<3>(3 * i) / scale_;
      Eigen::Matrix<double, 4, 3> c;
      c << alpha * Mat3::Identity() + f * slope.transpose(), slope.transpose();
      ofControl.push_back({.row = 3 * j, .weight = alpha, .slope = slope, .place = f});
      for (int row = 0; row < 4; ++row) {
        for (int k = 0; k < 3; ++k) {
          if (c(row, k) != 0)
            entries.emplace_back(static_cast<int>(4 * i + row), static_cast<int>(3 * j + k), c(row, k));
        }
      }
    }
    terms_.add(std::move(ofControl));
  }
  transposed_.resize(4 * controls, 3 * proxies.count());
  transposed_.setFromTriplets(entries.begin(), entries.end());
}

void ReducedIkSystem::setShapes(const ReducedModel& model) {
  const Index count = exampleCount();
  const std::vector<Affine> still(toSize(model.controlCount()), Affine::Identity());
  const Eigen::MatrixXd rest = unknownsOf(still, scale_, centre_);
  shapes_.setZero(rest.rows(), 3 * width());
  for (Index r = 0; r < 3; ++r) shapes_.col(r * width() + count) = rest.col(r);
  for (Index p = 0; p < count; ++p) {
    const Eigen::MatrixXd shape = unknownsOf(model.controls[toSize(examples_[toSize(p)])], scale_, centre_);
    // The gradients that the example's own controls have at the proxies: then m(e_p) = G T_p exactly.
    const RowMatrix atProxies = transposed_.transpose() * shape;
    parallelFor(gradients_.itemCount(), 64,
                [&](Index j) { gradients_.set(j, p, atProxies.middleRows<3>(3 * j).transpose()); });
    for (Index r = 0; r < 3; ++r) shapes_.col(r * width() + p) = shape.col(r) - rest.col(r);
  }
  shapeProducts_.setZero(width(), width());
  addProducts(shapes_, 1, shapeProducts_);
  shapeProducts_.triangularView<Eigen::StrictlyLower>() = shapeProducts_.transpose();
}

// R of [prior I; G], a chunk of rows of G at a time: any number of proxies in the memory of one chunk, and without the
// loss of digits that G^T G would bring.
void ReducedIkSystem::factorise() {
  const Index n = transposed_.rows();
  factor_ = prior_ * Eigen::MatrixXd::Identity(n, n);
  const Eigen::SparseMatrix<double> byColumns(transposed_);
  for (Index first = 0; first < byColumns.cols(); first += kChunk) {
    const Index rows = std::min(kChunk, byColumns.cols() - first);
    Eigen::MatrixXd stacked(n + rows, n);
    stacked << factor_, Eigen::MatrixXd(byColumns.middleCols(first, rows).transpose());
    factor_ = upperFactor(stacked);
  }
}

void ReducedIkSystem::evaluate(const Eigen::VectorXd& weights, Evaluation& evaluation) const {
  const Index count = exampleCount();
  gradients_.evaluateWithDerivatives(weights, evaluation.blend);
  RowMatrix& projected = evaluation.projected;
  multiplyTerms(terms_, evaluation.blend, projected);
  // The prior's part of the target: prior T_lin, whose derivatives are constant.
  const double p2 = prior_ * prior_;
  projected += p2 * shapes_;
  for (Index r = 0; r < 3; ++r) {
    projected.col(r * width() + count).noalias() += p2 * (shapes_.middleCols(r * width(), count) * weights);
  }
  solveTransposed(factor_, projected);

  RowMatrix& normal = evaluation.normal;
  normal.setZero(width(), width());
  addProducts(evaluation.blend, 1, normal);
  addProducts(projected, -1, normal);
  // Products of the prior's rows: derivatives are T_p - T_rest, the value is T_rest + (T_p - T_rest) b.
  normal.topLeftCorner(count, count) += p2 * shapeProducts_.topLeftCorner(count, count);
  double square = shapeProducts_(count, count);
  for (Index p = 0; p < count; ++p) {
    const double product = shapeProducts_(p, count) + shapeProducts_.row(p).head(count).dot(weights);
    normal(p, count) += p2 * product;
    square += weights[p] * (product + shapeProducts_(p, count));
  }
  normal(count, count) += p2 * square;
  evaluation.unreached = std::max(0.0, normal(count, count));
}

void ReducedIkSystem::projectedMisfit(const Eigen::MatrixXd& unknowns, RowMatrix& misfit,
                                      Eigen::MatrixXd& projected) const {
  projectMisfit(terms_, unknowns, misfit, projected);
  solveTransposedColumns(factor_, projected);
}

void ReducedIkSystem::linearBlend(const Eigen::VectorXd& weights, Eigen::MatrixXd& unknowns) const {
  const Index count = exampleCount();
  unknowns.resize(shapes_.rows(), 3);
  for (Index r = 0; r < 3; ++r) {
    unknowns.col(r) = shapes_.col(r * width() + count);
    unknowns.col(r).noalias() += shapes_.middleCols(r * width(), count) * weights;
  }
}

void ReducedIkSystem::controlsOf(const Eigen::MatrixXd& unknowns, std::vector<Affine>& controls) const {
  controls.resize(toSize(unknowns.rows() / 4));
  for (std::size_t i = 0; i < controls.size(); ++i) {
    const Index row = 4 * static_cast<Index>(i);
    const Mat3 linear = unknowns.middleRows<3>(row).transpose();
    controls[i].linear() = linear;
    const Vec3 translation = unknowns.row(row + 3).transpose();
    controls[i].translation() = translation / scale_ + centre_ - linear * centre_;
  }
}

}  // namespace sinew::reduced_ik
