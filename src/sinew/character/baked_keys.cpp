#include "sinew/character/baked_keys.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {
namespace {

/// A step has a key with the old value before it.
constexpr double kStepSeconds = 1e-3;
/// Positions at which a segment between two keys is tested, the middle first.
constexpr std::array kProbes{0.5, 0.25, 0.75};

class Refiner {
 public:
  explicit Refiner(const BakedCurve& curve) : curve_(curve) {}

  void add(double time) {
    Eigen::VectorXd value = curve_.value(time);
    if (!keys_.times.empty()) refine(keys_.times.back(), Eigen::VectorXd(keys_.columns.back()), time, value, 0);
    push(time, std::move(value));
  }

  BakedKeys take() { return std::move(keys_); }

 private:
  void push(double time, Eigen::VectorXd value) {
    keys_.times.push_back(time);
    keys_.columns.push_back(std::move(value));
  }

  [[nodiscard]] bool isOff(double begin, const Eigen::VectorXd& first, double end, const Eigen::VectorXd& last) const {
    return std::any_of(kProbes.begin(), kProbes.end(), [&](double t) {
      return curve_.gap(first, last, t, curve_.value(begin + t * (end - begin))) > curve_.tolerance;
    });
  }

  void refine(double begin, const Eigen::VectorXd& first, double end, const Eigen::VectorXd& last, int depth) {
    if (depth >= curve_.mostHalvings || !(curve_.tolerance > 0)) return;
    const double middle = roundedToFile(0.5 * (begin + end));
    if (!(middle > begin && middle < end) || !isOff(begin, first, end, last)) return;
    const Eigen::VectorXd value = curve_.value(middle);
    refine(begin, first, middle, value, depth + 1);
    push(middle, value);
    refine(middle, value, end, last, depth + 1);
  }

  const BakedCurve& curve_;
  BakedKeys keys_;
};

}  // namespace

double roundedToFile(double value) {
  return static_cast<double>(static_cast<float>(value));
}

std::vector<double> bakedTimes(const Clip& clip, const std::function<bool(const ClipChannel&)>& counts,
                               double framesPerSecond) {
  std::vector<double> bends;
  for (const ClipChannel& channel : clip.channels) {
    if (!counts(channel)) continue;
    for (const double time : channel.times) {
      if (channel.interpolation == Interpolation::Step && time > kStepSeconds) {
        bends.push_back(roundedToFile(time - kStepSeconds));
      }
      bends.push_back(roundedToFile(time));
    }
  }
  std::sort(bends.begin(), bends.end());
  bends.erase(std::unique(bends.begin(), bends.end()), bends.end());
  std::vector<double> times;
  for (std::size_t i = 0; i < bends.size(); ++i) {
    if (i > 0) {
      const double gap = bends[i] - bends[i - 1];
      const auto steps = static_cast<int>(std::ceil(gap * framesPerSecond - 1e-4));
      for (int k = 1; k < steps; ++k) times.push_back(roundedToFile(bends[i - 1] + gap * k / steps));
    }
    times.push_back(bends[i]);
  }
  return times;
}

Eigen::MatrixXd BakedKeys::values() const {
  Eigen::MatrixXd values(columns.empty() ? 0 : columns.front().size(), static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) values.col(static_cast<Index>(k)) = columns[k];
  return values;
}

BakedKeys bakeKeys(const BakedCurve& curve, const std::vector<double>& times) {
  Refiner refiner(curve);
  for (const double time : times) refiner.add(time);
  return refiner.take();
}

}  // namespace sinew
