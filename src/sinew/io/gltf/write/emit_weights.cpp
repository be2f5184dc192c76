// JOINTS_n and WEIGHTS_n (glTF 2.0, section 3.7.3.3): four influences per set, weights as floats or as whole numbers.
// Elements have 4, 8 or 16 bytes, so that they are aligned as vertex data must be.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/io/gltf/write/emit.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kPerSet = 4;
constexpr std::size_t kMostSmallJoints = 256;
constexpr std::size_t kMostJoints = 65536;

/// The weights of a vertex as floats whose sum is 1: rounding is put on the largest.
void roundToFloats(std::span<const Influence> column, std::span<float> rounded) {
  double others = 0;
  for (std::size_t k = 1; k < column.size(); ++k) {
    rounded[k] = static_cast<float>(column[k].weight);
    others += static_cast<double>(rounded[k]);
  }
  if (!column.empty()) rounded[0] = static_cast<float>(1.0 - others);
}

/// The weights of a vertex as integers whose sum is `whole`: rounded down, and the remainder goes to those that lost
/// most, the larger weight first. Multiples of 1 / whole are unchanged.
void roundToWhole(std::span<const Influence> column, std::uint32_t whole, std::span<std::uint32_t> rounded) {
  std::vector<double> lost(column.size());
  std::vector<std::size_t> order(column.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint32_t missing = whole;
  for (std::size_t k = 0; k < column.size(); ++k) {
    const double exact = std::max(column[k].weight, 0.0) * static_cast<double>(whole);
    rounded[k] = std::min(static_cast<std::uint32_t>(exact), missing);
    lost[k] = exact - static_cast<double>(rounded[k]);
    missing -= rounded[k];
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lost[a] > lost[b]; });
  for (std::size_t k = 0; missing > 0 && !order.empty(); k = (k + 1) % order.size(), --missing) ++rounded[order[k]];
}

/// The influences of all vertices, set by set.
struct Sets {
  std::vector<std::vector<std::uint32_t>> joints;
  std::vector<std::vector<std::uint32_t>> whole;  ///< empty for floats
  std::vector<Eigen::MatrixXf> floats;            ///< empty for whole numbers
};

/// Calls `round` for each vertex and writes the result into the sets; the joint is 0 where the weight is 0.
template <class Number, class Round, class Put>
void fillSets(const SkinWeights& weights, VertexList vertices, const SlotMap& slots, std::size_t most,
              const Round& round, const Put& put, Sets& sets) {
  std::vector<Number> rounded(most);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto column = weights[vertices[i]];
    round(column, std::span<Number>(rounded));
    for (std::size_t k = 0; k < column.size(); ++k) {
      if (!(rounded[k] > 0)) continue;
      sets.joints[k / kPerSet][kPerSet * i + k % kPerSet] = slots.ofBinding[column[k].binding];
      put(k / kPerSet, k % kPerSet, i, rounded[k]);
    }
  }
}

struct FormatOfWeights {
  WeightFormat format;
  Component component;
  std::uint32_t whole;  ///< the number that means 1
};
constexpr std::array kWholeFormats = {FormatOfWeights{WeightFormat::Bits16, Component::UnsignedShort, 65535},
                                      FormatOfWeights{WeightFormat::Bits8, Component::UnsignedByte, 255}};

}  // namespace

void setWeights(Store& store, Json& attributes, const SkinWeights& weights, VertexList vertices, const SlotMap& slots,
                WeightFormat format) {
  SINEW_CHECK(slots.count <= kMostJoints, "",
              fmt::format("a skin has {} joints, but glTF allows {}; reduce the skeleton", slots.count, kMostJoints));
  for (std::size_t n = 0; attributes.erase(fmt::format("JOINTS_{}", n)) > 0; ++n) {
    attributes.erase(fmt::format("WEIGHTS_{}", n));
  }
  std::size_t most = 1;
  for (const std::uint32_t vertex : vertices) most = std::max(most, weights[vertex].size());
  const std::size_t count = (most + kPerSet - 1) / kPerSet;
  Sets sets;
  sets.joints.assign(count, std::vector<std::uint32_t>(kPerSet * vertices.size(), 0));
  const auto* row = std::find_if(kWholeFormats.begin(), kWholeFormats.end(),
                                 [&](const FormatOfWeights& candidate) { return candidate.format == format; });
  if (row == kWholeFormats.end()) {
    sets.floats.assign(count, Eigen::MatrixXf::Zero(kPerSet, static_cast<Index>(vertices.size())));
    fillSets<float>(
        weights, vertices, slots, most, roundToFloats,
        [&](std::size_t set, std::size_t k, std::size_t i, float weight) {
          sets.floats[set](static_cast<Index>(k), static_cast<Index>(i)) = weight;
        },
        sets);
  } else {
    sets.whole.assign(count, std::vector<std::uint32_t>(kPerSet * vertices.size(), 0));
    fillSets<std::uint32_t>(
        weights, vertices, slots, most,
        [&](std::span<const Influence> column, std::span<std::uint32_t> rounded) {
          roundToWhole(column, row->whole, rounded);
        },
        [&](std::size_t set, std::size_t k, std::size_t i, std::uint32_t weight) {
          sets.whole[set][kPerSet * i + k] = weight;
        },
        sets);
  }
  const Component joints = slots.count <= kMostSmallJoints ? Component::UnsignedByte : Component::UnsignedShort;
  for (std::size_t n = 0; n < count; ++n) {
    attributes[fmt::format("JOINTS_{}", n)] = store.addWhole(sets.joints[n], kPerSet, joints, Usage::Vertex);
    attributes[fmt::format("WEIGHTS_{}", n)] =
        row == kWholeFormats.end()
            ? store.addFloats(sets.floats[n], Usage::Vertex, false)
            : store.addWhole(sets.whole[n], kPerSet, row->component, Usage::Vertex, /*normalized=*/true);
  }
}

}  // namespace sinew::gltf
