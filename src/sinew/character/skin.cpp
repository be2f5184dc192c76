#include "sinew/character/skin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew {
namespace {

constexpr double kSumTolerance = 1e-3;
/// Sums this near to 1 are 1 but for rounding: such weights keep their bits, so that k / 255 stays what it is.
constexpr double kRounding = 1e-12;
constexpr const char* kSkinWhere = "skin weights";

/// Checks one column, drops its zeros, scales it to sum 1 and sorts it. Returns the new end. Gives its own results
/// back.
std::vector<Influence>::iterator tidyColumn(std::vector<Influence>::iterator begin,
                                            std::vector<Influence>::iterator end, std::size_t bindingCount,
                                            Index vertex) {
  double sum = 0;
  for (auto it = begin; it != end; ++it) {
    SINEW_CHECK(it->binding < bindingCount, kSkinWhere,
                fmt::format("vertex {} refers to joint {} of a skin with {}", vertex, it->binding, bindingCount));
    SINEW_CHECK(std::isfinite(it->weight), kSkinWhere,
                fmt::format("vertex {} has a weight that is not a finite number", vertex));
    SINEW_CHECK(it->weight >= 0, kSkinWhere, fmt::format("vertex {} has the negative weight {}", vertex, it->weight));
    sum += it->weight;
  }
  SINEW_CHECK(std::abs(sum - 1) <= kSumTolerance, kSkinWhere,
              fmt::format("the weights of vertex {} sum to {}, not 1", vertex, sum));
  const auto last = std::remove_if(begin, end, [](const Influence& influence) { return influence.weight == 0; });
  if (std::abs(sum - 1) > kRounding) {
    for (auto it = begin; it != last; ++it) it->weight /= sum;
  }
  std::sort(begin, last, [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.binding < b.binding;
  });
  for (auto it = begin; it + 1 < last; ++it) {
    SINEW_CHECK(std::none_of(it + 1, last, [&](const Influence& other) { return other.binding == it->binding; }),
                kSkinWhere,
                fmt::format("vertex {} refers to joint {} twice; add the two weights", vertex, it->binding));
  }
  return last;
}

}  // namespace

SkinWeights::SkinWeights(std::size_t bindingCount, std::vector<std::uint32_t> offsets,
                         std::vector<Influence> influences)
    : bindingCount_(bindingCount), offsets_(std::move(offsets)), influences_(std::move(influences)) {
  SINEW_CHECK(!offsets_.empty() && offsets_.front() == 0 && offsets_.back() == influences_.size() &&
                  std::is_sorted(offsets_.begin(), offsets_.end()),
              kSkinWhere, "the column offsets do not cover the influences");
  auto write = influences_.begin();
  std::uint32_t begin = 0;
  for (std::size_t v = 0; v + 1 < offsets_.size(); ++v) {
    const std::uint32_t end = offsets_[v + 1];
    const auto last =
        tidyColumn(influences_.begin() + begin, influences_.begin() + end, bindingCount_, static_cast<Index>(v));
    write = std::move(influences_.begin() + begin, last, write);
    offsets_[v + 1] = static_cast<std::uint32_t>(write - influences_.begin());
    begin = end;
  }
  influences_.erase(write, influences_.end());
}

SkinWeights SkinWeights::fromColumns(std::size_t bindingCount, std::span<const std::vector<Influence>> columns) {
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  offsets.reserve(columns.size() + 1);
  for (const auto& column : columns) {
    influences.insert(influences.end(), column.begin(), column.end());
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  return {bindingCount, std::move(offsets), std::move(influences)};
}

SkinWeights SkinWeights::rigid(std::size_t bindingCount, Index vertexCount, std::uint32_t binding) {
  std::vector<std::uint32_t> offsets(toSize(vertexCount) + 1);
  for (std::size_t v = 0; v < offsets.size(); ++v) offsets[v] = static_cast<std::uint32_t>(v);
  return {bindingCount, std::move(offsets), std::vector<Influence>(toSize(vertexCount), {binding, 1.0})};
}

int SkinWeights::maxInfluences() const {
  std::uint32_t most = 0;
  for (std::size_t v = 0; v + 1 < offsets_.size(); ++v) most = std::max(most, offsets_[v + 1] - offsets_[v]);
  return static_cast<int>(most);
}

double SkinWeights::weight(Index vertex, std::uint32_t binding) const {
  for (const Influence& influence : (*this)[vertex]) {
    if (influence.binding == binding) return influence.weight;
  }
  return 0;
}

SkinWeights SkinWeights::limited(int most) const {
  SINEW_CHECK(most >= 1, kSkinWhere, fmt::format("a vertex needs at least 1 influence, not {}", most));
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  for (Index v = 0; v < vertexCount(); ++v) {
    const auto column = (*this)[v].first(std::min<std::size_t>((*this)[v].size(), toSize(most)));
    double sum = 0;
    for (const Influence& influence : column) sum += influence.weight;
    for (const Influence& influence : column) influences.push_back({influence.binding, influence.weight / sum});
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  return {bindingCount_, std::move(offsets), std::move(influences)};
}

}  // namespace sinew
