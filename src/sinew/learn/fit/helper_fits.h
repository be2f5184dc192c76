// Fits of a skin with some helper joints and without others, scored at examples that each fit did not have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/fit/trials.h"
#include "sinew/learn/fit/weights.h"
#include "sinew/learn/fit/weights_near.h"
#include "sinew/learn/helper_joints.h"

namespace sinew::fit {

/// The weights of a point: a column for each fold that is left out.
using FoldColumns = std::vector<std::vector<Influence>>;

class HelperFits {
 public:
  /// `helpers` are the candidates among those of `all`, in the order of `trials`. All but `trials` must outlive it.
  HelperFits(const Character& all, const ExampleSet& set, std::span<const HelperJoint> helpers,
             const std::vector<HelperTrial>& trials, const HelperOptions& options, WeightOptions weights,
             const Progress& progress);

  [[nodiscard]] Index pointCount() const { return problem_.pointCount(); }
  /// Every point, ascending.
  [[nodiscard]] std::vector<Index> allPoints() const;
  /// Helpers that stay or go together: the two of a mirror pair, or one alone.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& units() const { return units_; }
  [[nodiscard]] std::size_t unitOf(std::size_t helper) const { return unitOf_[helper]; }
  /// The unit whose joint a binding is, or -1.
  [[nodiscard]] int unitOfBinding(std::uint32_t binding) const;
  /// Per binding 1: with all helpers.
  [[nodiscard]] std::vector<char> everythingAllowed() const { return std::vector<char>(helperOf_.size(), 1); }
  void permit(std::size_t unit, std::vector<char>& allowed) const;
  void forbid(std::size_t unit, std::vector<char>& allowed) const;
  /// Points that may use a unit.
  [[nodiscard]] std::vector<Index> reachOf(const std::vector<std::size_t>& units) const;
  /// Columns of some points, for each fold, with the bindings that are allowed.
  [[nodiscard]] std::vector<FoldColumns> fit(const std::vector<Index>& points, const std::vector<char>& allowed) const;
  /// Per example, summed over points: the squared error where it was left out.
  [[nodiscard]] Eigen::VectorXd leftOutErrors(const std::vector<Index>& points,
                                              const std::vector<FoldColumns>& columns) const;
  /// Per example: of the skin as it was, at least a share of their mean.
  [[nodiscard]] const Eigen::VectorXd& originalErrors() const { return originalErrors_; }
  /// By how much the left-out errors of the examples are lower with a unit.
  [[nodiscard]] double gainOf(const Eigen::VectorXd& fall) const;

 private:
  /// Mirror images are one unit, found by the mirror image of the source and what follows its name.
  void makeUnits(const std::vector<HelperTrial>& trials);
  /// Per point the joints that it may use: those next to its own, and where distant ones are in reach too, those that a
  /// fit of all gives weight.
  void setCandidates();
  void setOriginalErrors();

  const Character& all_;
  std::span<const HelperJoint> helpers_;
  const HelperOptions& options_;
  WeightOptions weights_;
  FitProblem problem_;
  Folds folds_;
  std::vector<int> partners_;  ///< per joint its mirror image, or -1
  std::vector<NearJoints> rows_;
  std::vector<std::vector<std::uint32_t>> candidates_;  ///< per point: bindings that may move it
  std::vector<int> helperOf_;                           ///< per binding: a candidate, or -1
  std::vector<std::vector<std::size_t>> units_;
  std::vector<std::size_t> unitOf_;  ///< per helper
  Eigen::VectorXd originalErrors_;
};

}  // namespace sinew::fit
