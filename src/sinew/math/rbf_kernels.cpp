#include "sinew/math/rbf_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "sinew/base/error.h"
#include "sinew/base/text.h"

namespace sinew {
namespace {

double cubic(double r, double /*radius*/) {
  return r * r * r;
}
double thinPlate(double r, double /*radius*/) {
  return r > 0 ? r * r * std::log(r) : 0;
}
double linear(double r, double /*radius*/) {
  return r;
}
double gaussian(double r, double radius) {
  return std::exp(-(r / radius) * (r / radius));
}
double multiquadric(double r, double radius) {
  return std::sqrt(1 + (r / radius) * (r / radius));
}
double inverseMultiquadric(double r, double radius) {
  return 1 / multiquadric(r, radius);
}

constexpr RbfKernelRow kKernels[] = {
    {.name = "cubic", .value = cubic, .defaultDegree = 1},
    {.name = "thin-plate", .value = thinPlate, .neededDegree = 1, .defaultDegree = 1},
    {.name = "linear", .value = linear, .ridgeSign = -1},
    {.name = "gaussian", .value = gaussian, .usesRadius = true, .defaultRadii = 2.5},
    {.name = "multiquadric", .value = multiquadric, .usesRadius = true, .ridgeSign = -1, .defaultRadii = 2},
    {.name = "inverse-multiquadric", .value = inverseMultiquadric, .usesRadius = true, .defaultRadii = 2},
};

double jointEven(const BlockPair& pair) {
  return pair.dot * pair.dot + pair.xx * pair.yy;
}
double jointQuadratic(const BlockPair& pair) {
  return 4 * pair.dot + jointEven(pair);
}
double jointLinear(const BlockPair& pair) {
  return std::sqrt(pair.xx) + std::sqrt(pair.yy) - pair.distance;
}
/// x and y as chords of rotations: 2 sin(|x| / 2) along x, 2 from a half turn on.
double jointChord(const BlockPair& pair) {
  const auto perLength = [](double square) {
    const double length = std::sqrt(square);
    if (length < 1e-9) return 1.0;
    return 2 * std::sin(std::min(length, std::numbers::pi) / 2) / length;
  };
  const double x = perLength(pair.xx);
  const double y = perLength(pair.yy);
  BlockPair chords;
  chords.dot = x * y * pair.dot;
  chords.xx = x * x * pair.xx;
  chords.yy = y * y * pair.yy;
  return jointQuadratic(chords);
}
/// The cubic spline whose value and gradient are 0 at the anchor, and even quadratics.
double jointSmooth(const BlockPair& pair) {
  const double x = std::sqrt(pair.xx);
  const double y = std::sqrt(pair.yy);
  const double cubic = pair.distance * pair.distance * pair.distance - x * x * x - y * y * y + 3 * pair.dot * (x + y);
  return jointEven(pair) + cubic;
}
double nothing(const BlockPair& /*pair*/) {
  return 0;
}

constexpr RbfKernelRow kAdditiveKernels[] = {
    {.name = "joint-even", .block = jointEven},     {.name = "joint-quadratic", .block = jointQuadratic},
    {.name = "joint-linear", .block = jointLinear}, {.name = "joint-chord", .block = jointChord},
    {.name = "joint-smooth", .block = jointSmooth}, {.name = "none", .block = nothing},
};

}  // namespace

std::span<const RbfKernelRow> rbfKernels() {
  return kKernels;
}

std::span<const RbfKernelRow> additiveKernels() {
  return kAdditiveKernels;
}

const RbfKernelRow& rbfKernel(std::string_view name) {
  std::vector<std::string> names;
  for (const std::span<const RbfKernelRow> rows : {rbfKernels(), additiveKernels()}) {
    for (const RbfKernelRow& row : rows) {
      if (row.name == name) return row;
      names.emplace_back(row.name);
    }
  }
  throw Error(ErrorCode::NotFound, fmt::format("there is no kernel '{}'; did you mean '{}'? The kernels are: {}", name,
                                               nearestName(name, names), fmt::join(names, ", ")));
}

}  // namespace sinew
