// Two searches along a line.
//
// Parabola: phi(0), phi(h), then phi(2h) where that went down and phi(-h) if it did not, then the vertex of the
// parabola through the three. The best of all is kept.
//
// Brent: golden steps until the minimum is bracketed, then Brent's method (Brent 1973, chapter 5; Press et al.,
// Numerical Recipes, section 10.2): parabolas through the three best points, golden sections where those fail.
// Departure: the three points of the bracket are the first parabola, where the textbook starts with golden sections.
#include "sinew/math/line_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sinew {
namespace {

constexpr double kGrow = 1.618034;
constexpr double kGolden = 0.381966;
constexpr double kRelative = 1e-3;  // of the position found: Powell needs the shape of f more than the last digit
constexpr int kMostExpansions = 40;
constexpr int kMostRefinements = 25;

/// Position of the extremum of the parabola through three points, and its second difference.
std::pair<double, double> vertex(double a, double fa, double b, double fb, double c, double fc) {
  const double ab = (fb - fa) / (b - a);
  const double bc = (fc - fb) / (c - b);
  const double curvature = (bc - ab) / (c - a);
  return {0.5 * (a + b) - 0.5 * ab / curvature, curvature};
}

}  // namespace

void LineSearch::start(LineSearchKind kind, double valueAtZero, double step) {
  kind_ = kind;
  phase_ = Phase::First;
  rounds_ = 0;
  step_ = step;
  trial_ = step;
  best_ = 0;
  bestValue_ = valueAtZero;
  a_ = 0;
  fa_ = valueAtZero;
}

bool LineSearch::feed(double value) {
  if (value < bestValue_) {
    best_ = trial_;
    bestValue_ = value;
  }
  return kind_ == LineSearchKind::Parabola ? feedParabola(value) : feedBrent(value);
}

bool LineSearch::feedParabola(double value) {
  switch (phase_) {
    case Phase::First:
      b_ = trial_;
      fb_ = value;
      trial_ = fb_ < fa_ ? 2 * step_ : -step_;
      phase_ = Phase::Second;
      return false;
    case Phase::Second: {
      c_ = trial_;
      fc_ = value;
      const auto [place, curvature] = vertex(a_, fa_, b_, fb_, c_, fc_);
      if (curvature > 0 && std::isfinite(place)) {
        trial_ = std::clamp(place, -8 * step_, 8 * step_);
      } else {  // it opens downwards: go on past the lower end
        trial_ = fb_ < fa_ || fc_ < fa_ ? 2 * c_ : a_;
      }
      phase_ = Phase::Vertex;
      return trial_ == a_ || trial_ == b_ || trial_ == c_;
    }
    default:
      return true;
  }
}

bool LineSearch::feedBrent(double value) {
  switch (phase_) {
    case Phase::First:
      b_ = trial_;
      fb_ = value;
      if (!(fb_ < fa_)) {  // also where it is not finite
        std::swap(a_, b_);
        std::swap(fa_, fb_);
      }
      trial_ = b_ + kGrow * (b_ - a_);
      phase_ = Phase::Expand;
      return false;
    case Phase::Expand:
      c_ = trial_;
      fc_ = value;
      if (!(fc_ < fb_)) return beginRefining();
      if (++rounds_ > kMostExpansions) return true;
      a_ = b_;
      fa_ = fb_;
      b_ = c_;
      fb_ = fc_;
      trial_ = b_ + kGrow * (b_ - a_);
      return false;
    default:
      narrow(value);
      return ++rounds_ > kMostRefinements || refine();
  }
}

bool LineSearch::beginRefining() {
  low_ = std::min(a_, c_);
  high_ = std::max(a_, c_);
  x_ = b_;
  fx_ = fb_;
  const bool cIsNext = fc_ < fa_;
  w_ = cIsNext ? c_ : a_;
  fw_ = cIsNext ? fc_ : fa_;
  v_ = cIsNext ? a_ : c_;
  fv_ = cIsNext ? fa_ : fc_;
  moved_ = movedBefore_ = high_ - low_;
  rounds_ = 0;
  phase_ = Phase::Refine;
  return refine();
}

bool LineSearch::refine() {
  const double middle = 0.5 * (low_ + high_);
  const double tolerance = kRelative * (std::abs(x_) + 0.1 * step_);
  if (std::abs(x_ - middle) <= 2 * tolerance - 0.5 * (high_ - low_)) return true;
  const auto [place, curvature] = vertex(v_, fv_, x_, fx_, w_, fw_);
  const bool usable = curvature > 0 && std::isfinite(place) && place > low_ && place < high_ &&
                      std::abs(place - x_) < 0.5 * std::abs(movedBefore_);
  movedBefore_ = moved_;
  if (usable) {
    moved_ = place - x_;
    if (place - low_ < 2 * tolerance || high_ - place < 2 * tolerance) moved_ = middle > x_ ? tolerance : -tolerance;
  } else {
    movedBefore_ = x_ >= middle ? low_ - x_ : high_ - x_;
    moved_ = kGolden * movedBefore_;
  }
  if (std::abs(moved_) < tolerance) moved_ = moved_ > 0 ? tolerance : -tolerance;
  trial_ = x_ + moved_;
  return false;
}

void LineSearch::narrow(double value) {
  if (value <= fx_) {
    (trial_ >= x_ ? low_ : high_) = x_;
    v_ = w_;
    fv_ = fw_;
    w_ = x_;
    fw_ = fx_;
    x_ = trial_;
    fx_ = value;
    return;
  }
  (trial_ < x_ ? low_ : high_) = trial_;
  if (value <= fw_ || w_ == x_) {
    v_ = w_;
    fv_ = fw_;
    w_ = trial_;
    fw_ = value;
  } else if (value <= fv_ || v_ == x_ || v_ == w_) {
    v_ = trial_;
    fv_ = value;
  }
}

}  // namespace sinew
