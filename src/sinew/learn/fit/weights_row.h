// What the fit of weights prepares once: per row of candidate joints, and per thread.
#pragma once

#include <vector>

#include "sinew/learn/fit/influence_sets.h"
#include "sinew/learn/fit/weights_moments.h"
#include "sinew/learn/fit/weights_near.h"
#include "sinew/learn/fit/weights_solve.h"

namespace sinew::fit {

/// Joints of one row of candidates, and what is shared by its points.
struct Row {
  Row(const Character& character, const FitProblem& problem, std::size_t row)
      : candidates(problem.candidates[row]),
        moments(problem, row),
        sets(character, candidates),
        near(character, candidates),
        placeOf(character.skin.bindings.size(), -1) {
    // A binding of another skin counts as the row's own of the same joint: neighbours across a border.
    for (std::size_t b = 0; b < placeOf.size(); ++b) {
      for (std::size_t i = 0; i < candidates.size() && placeOf[b] < 0; ++i) {
        if (character.skin.bindings[candidates[i]].joint == character.skin.bindings[b].joint)
          placeOf[b] = static_cast<int>(i);
      }
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) placeOf[candidates[i]] = static_cast<int>(i);
  }

  const std::vector<std::uint32_t>& candidates;
  JointMoments moments;
  InfluenceSets sets;
  NearJoints near;
  std::vector<int> placeOf;  ///< per binding: its index in the candidates, or -1
};

/// Memory of one thread for one row.
struct Bench {
  explicit Bench(const Row& row)
      : joints(static_cast<Index>(row.candidates.size())), solver(row.sets, joints), mean(joints), weights(joints) {
    rules.start.resize(joints);
    rules.pull.resize(joints);
    rules.locked.assign(row.candidates.size(), 0);
  }

  Index joints;
  PointSolver solver;
  PointRules rules;
  Eigen::VectorXd mean;
  std::vector<char> near;
  Eigen::VectorXd weights;
  JointMoments::Block block;
  Eigen::MatrixXd columns;
  // The last fit of the chosen joints.
  SimplexScratch scratch;
  std::vector<int> chosen;
  std::vector<std::uint32_t> bindings;
  Eigen::MatrixXd gram;
  Eigen::VectorXd linear;
  Eigen::VectorXd last;
};

}  // namespace sinew::fit
