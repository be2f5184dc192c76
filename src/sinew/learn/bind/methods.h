// The binding methods: each computes weights from the visible bones of the points.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/bind.h"
#include "sinew/learn/bind/sight.h"

namespace sinew::bind {

/// What a method gets.
struct BindInput {
  const Surface& surface;
  std::span<const Bone> bones;
  std::span<const Seen> seen;
  std::span<const Follower> followers;
  const BindOptions& options;
  Progress progress;  ///< from 0 to 1 of the method alone
};

/// points x bones, not negative, rows sum to 1.
using WeightTable = Eigen::MatrixXd;

WeightTable geodesicWeights(const BindInput& input);
WeightTable heatWeights(const BindInput& input);

struct MethodRow {
  BindMethod method;
  WeightTable (*weights)(const BindInput&);
};
inline constexpr std::array kMethods = {MethodRow{BindMethod::Geodesic, geodesicWeights},
                                        MethodRow{BindMethod::Heat, heatWeights}};

}  // namespace sinew::bind
