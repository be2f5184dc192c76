// Errors over frames that come one after the other: memory is a number per vertex and frame.
#pragma once

#include <Eigen/Core>

#include "sinew/character/compare.h"

namespace sinew {

/// compareSequences for frames that need not be in memory together. Refuses what it refuses.
class SequenceComparison {
 public:
  /// `frames`: how many will be added.
  SequenceComparison(Index frames, double restDiagonal);
  void add(const ConstPointsRef& truth, const ConstPointsRef& other);
  /// After the last frame; the object is empty then.
  SequenceError finish();

 private:
  Index frames_ = 0;
  double diagonal_ = 0;
  Index vertices_ = -1;
  Index added_ = 0;
  Eigen::VectorXd distances_;
  double squares_ = 0;
  double spreads_ = 0;
  SequenceError error_;
};

}  // namespace sinew
