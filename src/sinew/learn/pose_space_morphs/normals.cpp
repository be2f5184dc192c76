#include "sinew/learn/pose_space_morphs/normals.h"

#include <algorithm>

#include "sinew/base/parallel.h"

namespace sinew::pose_space_morphs {
namespace {

constexpr int kParts[6][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}};

}  // namespace

NormalTables::NormalTables(std::span<const std::vector<Mat3>> bones, const Eigen::VectorXd& sampleWeights,
                           const Eigen::MatrixXd& basis, const SkinWeights& weights,
                           std::span<const std::uint32_t> vertices)
    : targets_(basis.rows()) {
  for (const std::uint32_t vertex : vertices) {
    for (const Influence& a : weights[vertex]) {
      for (const Influence& b : weights[vertex]) {
        if (a.binding <= b.binding) placeOf_.try_emplace({a.binding, b.binding}, 0);
      }
    }
  }
  std::vector<Pair> pairs;
  for (auto& [pair, place] : placeOf_) {
    place = static_cast<Index>(pairs.size());
    pairs.push_back(pair);
  }
  tables_.resize(pairs.size());
  parallelFor(static_cast<Index>(pairs.size()), 1, [&](Index p) {
    const auto [first, second] = pairs[toSize(p)];
    Eigen::MatrixXd factors(6, basis.cols());
    for (Index s = 0; s < basis.cols(); ++s) {
      const Mat3& a = bones[toSize(s)][first];
      const Mat3& b = bones[toSize(s)][second];
      // Both orders of a pair at once.
      const Mat3 product = first == second ? Mat3(a.transpose() * a) : Mat3(a.transpose() * b + b.transpose() * a);
      for (int part = 0; part < 6; ++part) {
        factors(part, s) = sampleWeights[s] * product(kParts[part][0], kParts[part][1]);
      }
    }
    Eigen::MatrixXd& table = tables_[toSize(p)];
    table.setZero(targets_, 6 * targets_);
    Eigen::MatrixXd scaled(targets_, basis.cols());
    for (int part = 0; part < 6; ++part) {
      scaled = basis.array().rowwise() * factors.row(part).array();
      table.middleCols(part * targets_, targets_).triangularView<Eigen::Lower>() = scaled * basis.transpose();
    }
    for (int part = 0; part < 6; ++part) {
      auto block = table.middleCols(part * targets_, targets_);
      block.triangularView<Eigen::StrictlyUpper>() = block.transpose();
    }
  });
}

void NormalTables::normalOf(std::span<const Influence> influences, Eigen::MatrixXd& normal) const {
  normal.setZero(3 * targets_, 3 * targets_);
  for (const Influence& a : influences) {
    for (const Influence& b : influences) {
      if (a.binding > b.binding) continue;
      const Eigen::MatrixXd& table = tables_[toSize(placeOf_.at({a.binding, b.binding}))];
      const double factor = a.weight * b.weight;
      for (int part = 0; part < 6; ++part) {
        normal.block(kParts[part][0] * targets_, kParts[part][1] * targets_, targets_, targets_) +=
            factor * table.middleCols(part * targets_, targets_);
      }
    }
  }
}

}  // namespace sinew::pose_space_morphs
