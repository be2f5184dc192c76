// Which joints move a vertex, and by how much.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/types.h"

namespace sinew {

struct Influence {
  std::uint32_t binding = 0;  ///< row: index into Skin::bindings
  double weight = 0;
  friend bool operator==(const Influence&, const Influence&) = default;
};

/// Sparse bindings x vertices: a column per vertex, largest weight first, non-negative, sum 1. Checked when it is made.
class SkinWeights {
 public:
  SkinWeights() = default;
  /// `offsets` has V + 1 entries, column v is influences[offsets[v], offsets[v + 1]). Sums within 1e-3 of 1 are scaled
  /// to 1, zero weights are dropped, columns sorted; anything else throws and names the vertex and the value.
  SkinWeights(std::size_t bindingCount, std::vector<std::uint32_t> offsets, std::vector<Influence> influences);
  /// From a column per vertex; the same rules.
  static SkinWeights fromColumns(std::size_t bindingCount, std::span<const std::vector<Influence>> columns);
  /// Every vertex on one binding with weight 1.
  static SkinWeights rigid(std::size_t bindingCount, Index vertexCount, std::uint32_t binding);

  [[nodiscard]] Index vertexCount() const { return static_cast<Index>(offsets_.size()) - 1; }
  [[nodiscard]] std::size_t bindingCount() const { return bindingCount_; }
  [[nodiscard]] bool empty() const { return vertexCount() == 0; }
  [[nodiscard]] std::span<const Influence> operator[](Index vertex) const {
    const auto v = toSize(vertex);
    return {influences_.data() + offsets_[v], influences_.data() + offsets_[v + 1]};
  }
  [[nodiscard]] int maxInfluences() const;
  /// The weight of one binding at a vertex, 0 if it has none.
  [[nodiscard]] double weight(Index vertex, std::uint32_t binding) const;
  /// Keeps the `most` largest of each vertex and scales them back to sum 1.
  [[nodiscard]] SkinWeights limited(int most) const;
  /// The same for a skin with more bindings, appended; a count below the current one changes nothing.
  [[nodiscard]] SkinWeights widened(std::size_t bindingCount) const {
    SkinWeights wide = *this;
    if (bindingCount > bindingCount_) wide.bindingCount_ = bindingCount;
    return wide;
  }

  friend bool operator==(const SkinWeights&, const SkinWeights&) = default;

 private:
  std::size_t bindingCount_ = 0;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<Influence> influences_;
};

/// How weights are stored in a file. Integers sum to exactly 255 or 65535 if the weights are multiples of that.
enum class WeightFormat { Bits8, Bits16, Float };
constexpr auto choiceRows(WeightFormat) {
  return choiceTable<WeightFormat>(
      {{WeightFormat::Bits8, "u8"}, {WeightFormat::Bits16, "u16"}, {WeightFormat::Float, "f32"}});
}

/// A joint as a skin sees it: glTF's inverse bind matrix belongs to the pair of skin and joint, so two skins on one
/// joint are two bindings.
struct Binding {
  int joint = 0;
  Affine jointFromRest = Affine::Identity();
  int skin = 0;  ///< bindings of one skin share a rest space, so one vertex may use any of them; -1: of a mesh without
                 ///< a skin, which follows its node
};

struct Skin {
  std::vector<Binding> bindings;
  SkinWeights weights;
};

/// Tools that change a column drop weights below this and normalise the others: such weights are invisible and cost an
/// influence.
inline constexpr double kLeastWeight = 1e-4;

}  // namespace sinew
