// The shapes of correctives in the form that packing takes, and their checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/play/correctives.h"

namespace sinew::play {

using Shapes = CorrectiveArrays<double>;

/// Throws in the name of `where` on what breaks the rules of CorrectiveArrays.
void checkShapes(const Shapes& shapes, std::size_t vertexCount, const char* where);

/// Shapes of T for every vertex, or for some, as shapes of double for the vertices that move. Defined for float and
/// double.
template <class T>
class GatheredShapes {
 public:
  GatheredShapes(const CorrectiveArrays<T>& shapes, std::size_t vertexCount);
  GatheredShapes(const GatheredShapes&) = delete;
  GatheredShapes& operator=(const GatheredShapes&) = delete;

  /// They refer to this object, and to the groups and turns that it was made of.
  [[nodiscard]] const Shapes& arrays() const { return arrays_; }

 private:
  void findMoved(const CorrectiveArrays<T>& shapes, std::size_t vertexCount);
  void gather(std::span<const std::span<const T>> shapes, bool dense, std::vector<std::vector<double>>& numbers,
              std::vector<std::span<const double>>& spans) const;

  std::vector<std::uint32_t> vertices_;
  std::vector<std::vector<double>> numbers_[2];  // before, after
  std::vector<std::span<const double>> spans_[2];
  Shapes arrays_;
};

}  // namespace sinew::play
