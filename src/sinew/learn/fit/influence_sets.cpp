// Mohr and Gleicher (2003) choose the influences of a vertex by how rigidly each joint moves with it, and give no
// formula. Choosing by rigidity picks near-duplicates: helper joints move like the joint that they follow. So rigidity
// only gives the start; the full convex fit decides which influences stay (fit/weights_solve.cpp).
#include "sinew/learn/fit/influence_sets.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::fit {

InfluenceSets::InfluenceSets(const Character& character, const std::vector<std::uint32_t>& candidates)
    : helper_(candidates.size(), 0), helpersOf_(candidates.size()) {
  const auto joint = [&](std::size_t i) { return character.skin.bindings[candidates[i]].joint; };
  for (const HelperJoint& rule : character.helpers) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (joint(i) != rule.joint) continue;
      helper_[i] = 1;
      for (std::size_t s = 0; s < candidates.size(); ++s) {
        if (joint(s) == rule.source) helpersOf_[s].push_back(static_cast<int>(i));
      }
    }
  }
}

void InfluenceSets::mostRigid(const Eigen::Ref<const Eigen::VectorXd>& rigidity, const std::vector<char>& barred,
                              int most, std::vector<int>& places) const {
  places.clear();
  for (std::size_t i = 0; i < helper_.size(); ++i) {
    if (helper_[i] == 0 && barred[i] == 0) places.push_back(static_cast<int>(i));
  }
  const auto count = std::min(places.size(), toSize(most));
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count), places.end(),
                    [&](int a, int b) { return rigidity[a] != rigidity[b] ? rigidity[a] < rigidity[b] : a < b; });
  places.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (const int h : helpersOf_[toSize(places[k])]) {
      if (barred[toSize(h)] == 0) places.push_back(h);
    }
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

Eigen::VectorXd rigidityScores(const FitProblem& problem, Index point) {
  const auto& candidates = problem.candidates[problem.skinOf[toSize(point)]];
  Eigen::VectorXd scores = Eigen::VectorXd::Zero(static_cast<Index>(candidates.size()));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::vector<Vec3> back;
    std::vector<double> factors;
    Vec3 mean = Vec3::Zero();
    double sum = 0;
    bool invertible = true;
    for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
      const double factor = problem.factor(e, point);
      if (factor == 0) continue;
      const Affine& motion = problem.worldFromRest[e][candidates[i]];
      Mat3 inverse;
      bool ok = false;
      motion.linear().computeInverseWithCheck(inverse, ok);
      invertible = invertible && ok;
      if (!ok) break;
      back.emplace_back(inverse * (problem.targets[e].col(point) - motion.translation()));
      factors.push_back(factor);
      mean += factor * back.back();
      sum += factor;
    }
    double spread = 0;
    for (std::size_t k = 0; k < back.size(); ++k) spread += factors[k] * (back[k] - mean / sum).squaredNorm();
    scores[static_cast<Index>(i)] =
        invertible ? (sum > 0 ? std::sqrt(spread / sum) : 0) : std::numeric_limits<double>::infinity();
  }
  return scores;
}

}  // namespace sinew::fit
