// Line searches that propose one trial at a time, so that many of them can share each evaluation.
#pragma once

#include <cstdint>

#include "sinew/math/powell.h"

namespace sinew {

/// Minimises phi(a), with phi(0) known. Use: start, then trial() and feed(phi(trial())) until feed returns that it is
/// done.
class LineSearch {
 public:
  void start(LineSearchKind kind, double valueAtZero, double step);
  [[nodiscard]] double trial() const { return trial_; }
  /// The value at trial(). True where the search is over.
  bool feed(double value);
  /// The best position found, 0 if nothing was better.
  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] double bestValue() const { return bestValue_; }

 private:
  enum class Phase : std::uint8_t { First, Second, Vertex, Expand, Refine };

  bool feedParabola(double value);
  bool feedBrent(double value);
  /// Sets the next trial inside the bracket; true if the bracket is small enough.
  bool refine();
  void narrow(double value);
  bool beginRefining();

  LineSearchKind kind_ = LineSearchKind::Brent;
  Phase phase_ = Phase::First;
  int rounds_ = 0;
  double step_ = 0;
  double trial_ = 0;
  double best_ = 0;
  double bestValue_ = 0;
  // Bracketing: a and b downhill, c beyond. Refining: low and high are the bracket; x the best, w and v the next two.
  double a_ = 0, fa_ = 0, b_ = 0, fb_ = 0, c_ = 0, fc_ = 0;
  double low_ = 0, high_ = 0, w_ = 0, fw_ = 0, v_ = 0, fv_ = 0, x_ = 0, fx_ = 0;
  double moved_ = 0, movedBefore_ = 0;
};

}  // namespace sinew
