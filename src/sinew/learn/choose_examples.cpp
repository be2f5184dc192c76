// Coverage: greedy farthest points (Gonzalez 1985) in the coordinates that the learner interpolates in,
//   next = argmax_k  e_k min_{c chosen} |x_k - x_c|
// where e_k is the error of plain skinning, so that frames that plain skinning already matches count little. Once there
// is only room left for the named drivers that no chosen example moves, those come first that move most of them.
#include "sinew/learn/choose_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/character/pose_space.h"

namespace sinew::choose_examples {
namespace {

/// Share of the mean error that every example counts at least.
constexpr double kLeastError = 0.05;
/// Radians, diagonals or weights: less is not moved.
constexpr double kMoved = 1e-4;

/// Columns: rest, then the examples; scaled, so that distances are those of the pose space.
Eigen::MatrixXd placesOf(const Character& character, const ExampleSet& outline, const PoseSpace& space) {
  Eigen::MatrixXd places(space.dimensions(), static_cast<Index>(outline.examples.size()) + 1);
  places.col(0) = space.coordinates(character.skeleton, restPose(character));
  for (std::size_t k = 0; k < outline.examples.size(); ++k)
    places.col(static_cast<Index>(k) + 1) = space.coordinates(character.skeleton, outline.examples[k].pose);
  return space.scales().asDiagonal() * places;
}

std::vector<std::size_t> usable(const ExampleSet& outline) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < outline.examples.size(); ++k) {
    if (outline.examples[k].confidence > 0) all.push_back(k);
  }
  return all;
}

Eigen::VectorXd importance(std::span<const double> errors) {
  Eigen::VectorXd values = Eigen::Map<const Eigen::VectorXd>(errors.data(), static_cast<Index>(errors.size()));
  const double mean = values.size() > 0 ? values.mean() : 0;
  if (!(mean > 0)) return Eigen::VectorXd::Ones(values.size());
  return values.cwiseMax(kLeastError * mean);
}

/// Examples at poses that are chosen already, where no others are left: evenly.
void fill(std::vector<std::size_t> rest, std::size_t count, std::vector<std::size_t>& chosen) {
  std::erase_if(rest, [&](std::size_t k) { return std::find(chosen.begin(), chosen.end(), k) != chosen.end(); });
  const std::size_t missing = count - chosen.size();
  for (std::size_t i = 0; i < missing; ++i) chosen.push_back(rest[i * rest.size() / missing]);
}

/// Per driver of the space and example: whether it moves the driver.
std::vector<std::vector<bool>> moversOf(const PoseSpace& space, const Eigen::MatrixXd& places) {
  std::vector<std::vector<bool>> moved;
  for (std::size_t d = 0; d < space.drivers.size(); ++d) {
    const auto rows = places.middleRows(space.firstRow(d), space.drivers[d].dimensions());
    const double least = kMoved * std::sqrt(space.drivers[d].weight);
    std::vector<bool>& row = moved.emplace_back();
    for (Index k = 1; k < places.cols(); ++k) row.push_back((rows.col(k) - rows.col(0)).norm() > least);
  }
  return moved;
}

/// Named drivers that no chosen example moves yet.
class Unmoved {
 public:
  Unmoved(const ExampleSet& outline, const PoseSpace& space, const Eigen::MatrixXd& places) {
    const std::vector<std::vector<bool>> moved = moversOf(space, places);
    for (const Driver& named : outline.drivers) {
      std::vector<bool> row(outline.examples.size(), false);
      for (std::size_t d = 0; d < moved.size(); ++d) {
        if (space.drivers[d].name != named.joint) continue;
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = row[k] || moved[d][k];
      }
      movers_.push_back(std::move(row));
    }
  }

  /// The examples to choose the next of `slots` from: all, or those that move most of these drivers.
  [[nodiscard]] std::vector<std::size_t> candidates(const std::vector<std::size_t>& all, std::size_t slots) const {
    if (movers_.size() < slots) return all;
    std::vector<std::size_t> best;
    std::ptrdiff_t most = 1;
    for (const std::size_t k : all) {
      const std::ptrdiff_t count =
          std::count_if(movers_.begin(), movers_.end(), [&](const auto& row) { return row[k]; });
      if (count < most) continue;
      if (count > most) best.clear();
      most = count;
      best.push_back(k);
    }
    return best.empty() ? all : best;
  }

  void choose(std::size_t k) {
    std::erase_if(movers_, [&](const auto& row) { return row[k]; });
  }

 private:
  std::vector<std::vector<bool>> movers_;  // per driver and example
};

/// Takes examples away from the drivers, as long as each driver keeps one.
class Remainder {
 public:
  Remainder(const PoseSpace& space, const Eigen::MatrixXd& places) : moved_(moversOf(space, places)) {
    for (const std::vector<bool>& row : moved_) movers_.push_back(std::count(row.begin(), row.end(), true));
  }

  bool take(std::size_t k) {
    for (std::size_t d = 0; d < moved_.size(); ++d) {
      if (moved_[d][k] && movers_[d] < 2) return false;
    }
    for (std::size_t d = 0; d < moved_.size(); ++d) movers_[d] -= moved_[d][k] ? 1 : 0;
    return true;
  }

 private:
  std::vector<std::vector<bool>> moved_;
  std::vector<std::ptrdiff_t> movers_;
};

/// What helps where none can be held out: of a share that is requested, and of folds, which must be held out.
constexpr const char* kShareRemedy = "add examples, or hold out none";
constexpr const char* kFoldsRemedy = "add examples that move the same joints";

void checkCount(std::size_t usable, const char* remedy) {
  SINEW_CHECK(usable >= 2, "examples",
              fmt::format("there {} only {} to learn from; holding out needs at least 2: {}",
                          usable == 1 ? "is" : "are", counted(usable, "example", "examples"), remedy));
}

void checkHeld(bool any, std::size_t usable, const char* remedy) {
  SINEW_CHECK(any, "examples",
              fmt::format("each of the {} examples is the only one that moves some joint, so none can be held out; {}",
                          usable, remedy));
}

}  // namespace
}  // namespace sinew::choose_examples

namespace sinew {

std::vector<std::size_t> pickExamples(const Character& character, const ExampleSet& outline,
                                      std::span<const double> errors, std::size_t count) {
  SINEW_CHECK(errors.size() == outline.examples.size(), "examples",
              fmt::format("{} errors for {} examples", errors.size(), outline.examples.size()));
  std::vector<std::size_t> all = choose_examples::usable(outline);
  if (all.size() <= count) return all;
  const PoseSpace space = choosePoseSpace(character, outline).space;
  const Eigen::MatrixXd places = choose_examples::placesOf(character, outline, space);
  const Eigen::VectorXd weight = choose_examples::importance(errors);
  std::vector<std::size_t> chosen;
  choose_examples::Unmoved unmoved(outline, space, places);
  Eigen::VectorXd nearest = (places.colwise() - places.col(0)).colwise().norm();
  while (chosen.size() < count) {
    std::size_t best = all.front();
    double largest = 0;
    for (const std::size_t k : unmoved.candidates(all, count - chosen.size())) {
      const double value = weight[static_cast<Index>(k)] * nearest[static_cast<Index>(k) + 1];
      if (value <= largest) continue;
      largest = value;
      best = k;
    }
    if (!(largest > 0)) break;
    chosen.push_back(best);
    unmoved.choose(best);
    const auto column = static_cast<Index>(best) + 1;
    nearest = nearest.cwiseMin((places.colwise() - places.col(column)).colwise().norm().transpose());
  }
  if (chosen.size() < count) choose_examples::fill(all, count, chosen);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<std::size_t> holdOutExamples(const Character& character, const ExampleSet& outline, double share) {
  const std::vector<std::size_t> all = choose_examples::usable(outline);
  SINEW_CHECK(share > 0 && share < 1, "examples",
              fmt::format("a share of {} cannot be held out; give one above 0 and below 1", share));
  choose_examples::checkCount(all.size(), choose_examples::kShareRemedy);
  const auto wanted = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::lround(share * static_cast<double>(all.size()))), 1, all.size() - 1);
  const PoseSpace space = choosePoseSpace(character, outline).space;
  choose_examples::Remainder remainder(space, choose_examples::placesOf(character, outline, space));
  std::vector<bool> tried(all.size(), false);
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < wanted; ++i) {
    // From the middle of each stretch outwards: 0, +1, -1, +2, ...
    const std::size_t middle = (2 * i + 1) * all.size() / (2 * wanted);
    for (std::size_t step = 0; step < 2 * all.size(); ++step) {
      const std::size_t away = (step + 1) / 2;
      if (step % 2 == 0 ? away > middle : middle + away >= all.size()) continue;
      const std::size_t place = step % 2 == 0 ? middle - away : middle + away;
      if (tried[place]) continue;
      tried[place] = true;
      if (!remainder.take(all[place])) continue;
      held.push_back(all[place]);
      break;
    }
  }
  choose_examples::checkHeld(!held.empty(), all.size(), choose_examples::kShareRemedy);
  std::sort(held.begin(), held.end());
  return held;
}

std::vector<std::vector<std::size_t>> foldsOfExamples(const Character& character, const ExampleSet& outline,
                                                      std::size_t count) {
  const std::vector<std::size_t> all = choose_examples::usable(outline);
  choose_examples::checkCount(all.size(), choose_examples::kFoldsRemedy);
  const PoseSpace space = choosePoseSpace(character, outline).space;
  const Eigen::MatrixXd places = choose_examples::placesOf(character, outline, space);
  std::vector<std::vector<std::size_t>> folds;
  for (std::size_t first = 0; first < std::min(count, all.size()); ++first) {
    choose_examples::Remainder remainder(space, places);
    std::vector<std::size_t> fold;
    for (std::size_t i = first; i < all.size(); i += count) {
      if (fold.size() + 1 < all.size() && remainder.take(all[i])) fold.push_back(all[i]);
    }
    if (!fold.empty()) folds.push_back(std::move(fold));
  }
  choose_examples::checkHeld(!folds.empty(), all.size(), choose_examples::kFoldsRemedy);
  return folds;
}

}  // namespace sinew
