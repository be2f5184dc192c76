// A skin of the library as the plain arrays that `play` takes: to pack it, or to hand it to a program that has only
// `play`.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/skin.h"
#include "sinew/play/packed_skin.h"

namespace sinew {

class PlainSkin {
 public:
  /// `normals` is 3 x 0 or has a column per vertex. Copies everything.
  PlainSkin(const ConstPointsRef& rest, const ConstPointsRef& normals, const SkinWeights& weights)
      : rest_(rest), normals_(normals), jointCount_(weights.bindingCount()) {
    for (Index v = 0; v < weights.vertexCount(); ++v) {
      for (const Influence& influence : weights[v]) {
        joints_.push_back(influence.binding);
        weights_.push_back(influence.weight);
      }
      starts_.push_back(static_cast<std::uint32_t>(joints_.size()));
    }
  }

  /// They refer to this object.
  [[nodiscard]] play::SkinArrays<double> arrays() const {
    return {{rest_.data(), toSize(rest_.size())},
            {normals_.data(), toSize(normals_.size())},
            jointCount_,
            joints_,
            weights_,
            starts_};
  }

 private:
  Points rest_;
  Points normals_;
  std::size_t jointCount_;
  std::vector<std::uint32_t> joints_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> starts_{0};
};

}  // namespace sinew
