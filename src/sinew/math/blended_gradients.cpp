// Sumner, Zwicker, Gotsman and Popovic 2005, section 3: the nonlinear feature space of deformation gradients. We blend
// S - I instead of S, so that weights need not sum to 1 and b = 0 is the rest pose.
//
// dm/db_p = [Jl(w) w_p]x R S + R (S_p - I), Jl = I + (1 - cos t) / t^2 [w]x + (t - sin t) / t^3 [w]x^2, t = |w|.
#include "sinew/math/blended_gradients.h"

#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/rigid_fit.h"
#include "sinew/math/rotation.h"
#include "sinew/math/row_kernels.h"

namespace sinew {
namespace {

constexpr Index kBlendedGradientsGrain = 512;
constexpr Index kFields = 9;
constexpr double kSeries = 1e-3;  ///< below this angle the quotients are taken by their series

using Fields = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, kFields>>;

Mat3 skew(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

/// exp of a rotation vector and the left Jacobian of exp there.
struct Turn {
  Mat3 rotation;
  Mat3 jacobian;
};

Turn turnOf(const Vec3& w) {
  const double t2 = w.squaredNorm();
  const double t = std::sqrt(t2);
  double a = 0;  // sin t / t
  double b = 0;  // (1 - cos t) / t^2
  double c = 0;  // (t - sin t) / t^3
  if (t < kSeries) {
    a = 1 - t2 / 6;
    b = 0.5 - t2 / 24;
    c = 1.0 / 6 - t2 / 120;
  } else {
    const double sine = std::sin(t);
    const double half = std::sin(0.5 * t);
    a = sine / t;
    b = 2 * half * half / t2;
    c = (t - sine) / (t2 * t);
  }
  const Mat3 W = skew(w);
  const Mat3 W2 = W * W;
  return {Mat3::Identity() + a * W + b * W2, Mat3::Identity() + b * W + c * W2};
}

/// Rotation vector and stretch of one item at the weights.
struct Blend {
  Turn turn;
  Mat3 gradient;
};

/// The examples with a weight are between these two.
struct Span {
  Index first;
  Index count;
};

Span weighted(const Eigen::VectorXd& weights) {
  Index first = 0;
  Index end = weights.size();
  while (first < end && weights[first] == 0) ++first;
  while (end > first && weights[end - 1] == 0) --end;
  return {first, end - first};
}

Blend blendOf(const Fields& fields, const Eigen::VectorXd& weights, const Span& span) {
  Eigen::Matrix<double, kFields, 1> sum;
  for (Index f = 0; f < kFields; ++f)
    sum[f] = fields.col(f).segment(span.first, span.count).dot(weights.segment(span.first, span.count));
  Mat3 stretch;
  stretch << 1 + sum[3], sum[4], sum[5], sum[4], 1 + sum[6], sum[7], sum[5], sum[7], 1 + sum[8];
  Blend blend{turnOf(sum.head<3>()), Mat3::Zero()};
  blend.gradient.noalias() = blend.turn.rotation * stretch;
  return blend;
}

}  // namespace

SignedPolar signedPolar(const Mat3& matrix) {
  if (matrix.determinant() > 0) {
    const Mat3 rotation = nearestRotation(matrix);
    const Mat3 stretch = rotation.transpose() * matrix;
    return {rotation, 0.5 * (stretch + stretch.transpose())};
  }
  const auto [u, values, v] = svd3(matrix);
  Vec3 sign = Vec3::Ones();
  sign.z() = u.determinant() * v.determinant() < 0 ? -1 : 1;
  return {u * sign.asDiagonal() * v.transpose(), v * values.cwiseProduct(sign).asDiagonal() * v.transpose()};
}

BlendedGradients::BlendedGradients(Index items, Index examples)
    : items_(items),
      examples_(examples),
      width_((examples + kRowLanes) / kRowLanes * kRowLanes),
      data_(toSize(items * width_ * kFields), 0.0) {}

void BlendedGradients::set(Index item, Index example, const Mat3& gradient) {
  const SignedPolar polar = signedPolar(gradient);
  const Vec3 w = rotationVector(Quat(polar.rotation));
  double* fields = data_.data() + item * width_ * kFields + example;
  for (Index k = 0; k < 3; ++k) fields[k * width_] = w[k];
  const Mat3 s = polar.stretch - Mat3::Identity();
  const double values[] = {s(0, 0), s(0, 1), s(0, 2), s(1, 1), s(1, 2), s(2, 2)};
  for (Index k = 0; k < 6; ++k) fields[(3 + k) * width_] = values[k];
}

void BlendedGradients::blendItemWithDerivatives(Index item, const Eigen::VectorXd& weights, double* rows) const {
  const Fields fields(data_.data() + item * width_ * kFields, width_, kFields);
  const auto [turn, gradient] = blendOf(fields, weights, {0, examples_});
  Vec3 turns[9];
  for (Index k = 0; k < 3; ++k) {
    for (Index r = 0; r < 3; ++r) {
      // ([a]x d)_r = a_u d_v - a_v d_u with a = Jl w_p: the same as (d_v Jl_u - d_u Jl_v) . w_p.
      const Index u = (r + 1) % 3;
      const Index v = (r + 2) % 3;
      turns[3 * k + r] = gradient(v, k) * turn.jacobian.row(u) - gradient(u, k) * turn.jacobian.row(v);
    }
  }
  combineFields(fields.data(), width_, turns, turn.rotation, rows);
  for (Index k = 0; k < 3; ++k)
    for (Index r = 0; r < 3; ++r) rows[(3 * k + r) * width_ + examples_] = gradient(r, k);
}

void BlendedGradients::evaluate(const Eigen::VectorXd& weights, RowMatrix& blend) const {
  blend.resize(3 * items_, 3);
  const Span span = weighted(weights);  // one of hundreds where examples are reproduced
  parallelFor(items_, kBlendedGradientsGrain, [&](Index j) {
    const Fields fields(data_.data() + j * width_ * kFields, width_, kFields);
    // Row k of the output is column k of the gradient.
    Eigen::Map<Mat3>(blend.data() + 9 * j, 3, 3) = blendOf(fields, weights, span).gradient;
  });
}

void BlendedGradients::evaluateWithDerivatives(const Eigen::VectorXd& weights, RowMatrix& blend) const {
  const Index columns = 3 * width_;
  blend.resize(3 * items_, columns);
  parallelFor(items_, kBlendedGradientsGrain,
              [&](Index j) { blendItemWithDerivatives(j, weights, blend.data() + 3 * columns * j); });
}

Index BlendedGradients::turnsBeyond(double angle) const {
  Index count = 0;
  for (Index j = 0; j < items_; ++j) {
    const Fields fields(data_.data() + j * width_ * kFields, width_, kFields);
    count += (fields.leftCols<3>().rowwise().norm().array() > angle).count();
  }
  return count;
}

double BlendedGradients::squaredSlope() const {
  double sum = 0;
  for (Index j = 0; j < items_; ++j) {
    const Fields fields(data_.data() + j * width_ * kFields, width_, kFields);
    // [w]x is antisymmetric and S - I symmetric, so their squares add: 2 |w|^2 + |S - I|^2.
    sum += 2 * fields.leftCols<3>().squaredNorm() + fields.rightCols<6>().squaredNorm();
    for (const Index f : {4, 5, 7}) sum += fields.col(f).squaredNorm();
  }
  return sum;
}

}  // namespace sinew
