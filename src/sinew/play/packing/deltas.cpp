// Deltas d_kv of shapes k become rows of 16-bit numbers n with d = scale n. A segment of blocks has one scale per
// shape, its largest component / 32767, so a delta is off by at most half of that in each component. Where half a
// step is more than asked for, what is left over becomes a second term with a scale 65,534 times finer. Only shapes
// that move some vertex of a block are stored for it.
#include "sinew/play/packing/deltas.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew::play {
namespace {

constexpr double kMostShort = 32767;
/// Blocks of one segment: local scales are finer, but setting up a segment costs as much as a block or two.
constexpr std::uint32_t kSegmentBlocks = 64;

/// Which shapes move a vertex or a block, a bit each.
using Mask = std::vector<bool>;

class DeltaPacker {
 public:
  DeltaPacker(const PackedLayout& layout, std::uint32_t firstBlock, const DeltaSource& source)
      : layout_(layout), source_(source) {
    result_.firstBlock = firstBlock;
  }

  PackedDeltas pack() {
    const std::uint32_t first = result_.firstBlock;
    if (!source_.groupOf.empty()) findWeights();
    Mask mask = maskOf(first);
    std::int32_t group = groupOf(first);
    for (std::uint32_t b = first; b < layout_.blockCount;) {
      Mask nextMask = mask;
      std::int32_t nextGroup = group;
      std::uint32_t end = b + 1;
      for (; end < layout_.blockCount; ++end) {
        nextMask = maskOf(end);
        nextGroup = groupOf(end);
        if (end - b == kSegmentBlocks || nextMask != mask || nextGroup != group) break;
      }
      addSegment(b, end, mask, group);
      b = end;
      mask = nextMask;
      group = nextGroup;
    }
    return std::move(result_);
  }

 private:
  /// The column of the source for a place.
  [[nodiscard]] std::size_t column(std::size_t place) const {
    const auto found = std::lower_bound(source_.vertices.begin(), source_.vertices.end(), layout_.order[place]);
    return static_cast<std::size_t>(found - source_.vertices.begin());
  }

  [[nodiscard]] Mask maskOf(std::uint32_t block) const {
    Mask mask(source_.deltas.size(), false);
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      const std::size_t v = column(std::size_t{block} * kBlockLanes + lane);
      for (std::size_t k = 0; k < mask.size(); ++k) mask[k] = mask[k] || source_.moves(k, v);
    }
    return mask;
  }

  [[nodiscard]] std::int32_t groupOf(std::uint32_t block) const {
    if (source_.groupOf.empty()) return 0;
    const auto at = [&](std::size_t lane) { return source_.groupOf[column(std::size_t{block} * kBlockLanes + lane)]; };
    const std::uint32_t group = at(0);
    for (std::size_t lane = 1; lane < kBlockLanes; ++lane) {
      if (at(lane) != group) return kMixedGroups;
    }
    return static_cast<std::int32_t>(group);
  }

  void findWeights() {
    const std::size_t first = std::size_t{result_.firstBlock} * kBlockLanes;
    for (std::size_t place = first; place < layout_.order.size(); ++place) {
      const std::size_t group = source_.groupOf[column(place)];
      result_.weightsOf.push_back(static_cast<std::int32_t>(group * source_.deltas.size()));
    }
  }

  void addSegment(std::uint32_t first, std::uint32_t end, const Mask& mask, std::int32_t group) {
    DeltaSegment segment;
    segment.firstBlock = first;
    segment.blockCount = end - first;
    segment.firstTerm = static_cast<std::uint32_t>(result_.terms.size());
    segment.group = group;
    segment.firstShort = result_.shorts.size();
    for (std::size_t k = 0; k < mask.size(); ++k) {
      if (mask[k]) addTerms(first, end, k);
    }
    segment.terms = static_cast<std::uint32_t>(result_.terms.size()) - segment.firstTerm;
    putTerms(segment);
    result_.segmentOf.resize(result_.segmentOf.size() + segment.blockCount,
                             static_cast<std::uint32_t>(result_.segments.size()));
    result_.segments.push_back(segment);
  }

  void addTerms(std::uint32_t first, std::uint32_t end, std::size_t shape) {
    double largest = 0;
    for (std::size_t place = std::size_t{first} * kBlockLanes; place < std::size_t{end} * kBlockLanes; ++place) {
      const double* delta = source_.delta(shape, column(place));
      for (std::size_t c = 0; c < 3; ++c) largest = std::max(largest, std::abs(delta[c]));
    }
    const double scale = largest / kMostShort;
    result_.terms.push_back({static_cast<std::uint32_t>(shape), static_cast<float>(scale)});
    if (scale <= source_.step) return;
    result_.terms.push_back({static_cast<std::uint32_t>(shape), static_cast<float>(scale / (2 * kMostShort))});
  }

  void putTerms(const DeltaSegment& segment) {
    constexpr std::size_t kLineShorts = 32;
    const std::size_t end = segment.firstSingle() + (segment.odd() ? segment.blockCount * kSingleShorts : 0);
    result_.shorts.resize((end + kLineShorts - 1) / kLineShorts * kLineShorts);
    for (std::size_t i = 0; i < std::size_t{segment.blockCount} * kBlockLanes; ++i) {
      const std::size_t v = column(std::size_t{segment.firstBlock} * kBlockLanes + i);
      const DeltaTerm* terms = result_.terms.data() + segment.firstTerm;
      double left[3] = {0, 0, 0};
      for (std::uint32_t t = 0; t < segment.terms; ++t) {
        const bool second = t > 0 && terms[t - 1].shape == terms[t].shape;
        if (!second) std::copy_n(source_.delta(terms[t].shape, v), 3, left);
        for (std::size_t c = 0; c < 3; ++c) {
          // The scale is a float, so what is left after a whole step can be a hair more than half of one.
          const double number = std::clamp(std::round(left[c] / double{terms[t].scale}), -kMostShort, kMostShort);
          *shortAt(segment, i, t, c) = static_cast<std::int16_t>(number);
          left[c] -= number * double{terms[t].scale};
        }
      }
    }
  }

  /// Where component c of term t of the segment's vertex i lies.
  std::int16_t* shortAt(const DeltaSegment& segment, std::size_t i, std::uint32_t t, std::size_t c) {
    const std::size_t block = i / kBlockLanes;
    const std::size_t lane = i % kBlockLanes;
    if (t / 2 == segment.pairs()) {
      return result_.shorts.data() + segment.firstSingle() + block * kSingleShorts + c * kBlockLanes + lane;
    }
    return result_.shorts.data() + segment.firstShort + (block * segment.pairs() + t / 2) * kPairShorts +
           2 * (c * kBlockLanes + lane) + t % 2;
  }

  const PackedLayout& layout_;
  const DeltaSource& source_;
  PackedDeltas result_;
};

}  // namespace

bool DeltaSource::moves(std::size_t shape, std::size_t vertex) const {
  const double* d = delta(shape, vertex);
  return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) > least;
}

PackedDeltas packDeltas(const PackedLayout& layout, std::uint32_t firstBlock, const DeltaSource& source) {
  if (firstBlock == layout.blockCount) return {};
  return DeltaPacker(layout, firstBlock, source).pack();
}

std::vector<std::uint32_t> deltaPlaces(const DeltaSource& source) {
  const std::size_t count = source.vertices.size();
  std::vector<Mask> masks(count, Mask(source.deltas.size(), false));
  for (std::size_t k = 0; k < source.deltas.size(); ++k) {
    for (std::size_t v = 0; v < count; ++v) masks[v][k] = source.moves(k, v);
  }
  const auto group = [&](std::size_t v) { return source.groupOf.empty() ? 0u : source.groupOf[v]; };
  const auto before = [&](std::size_t a, std::size_t b) {
    return group(a) != group(b) ? group(a) < group(b) : masks[a] < masks[b];
  };
  std::vector<std::size_t> sorted(count);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), before);
  std::vector<std::uint32_t> places(count, 0);
  for (std::size_t i = 1; i < count; ++i) {
    places[sorted[i]] = places[sorted[i - 1]] + (before(sorted[i - 1], sorted[i]) ? 1 : 0);
  }
  return places;
}

}  // namespace sinew::play
