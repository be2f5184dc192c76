// glTF 2.0, section 3.6.2.4 (sparse accessors): indices and values of the vertices that move; all others are zero.
// KHR_mesh_quantization: 16-bit vertex data is padded to 8 bytes per vertex, sparse values are packed.
#include "sinew/io/gltf/container/deltas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "sinew/base/check.h"
#include "sinew/character/morph_deltas.h"

namespace sinew::gltf {
namespace {

constexpr const char* kQuantization = "KHR_mesh_quantization";
constexpr std::size_t kMostShortIndices = 65536;

template <class T>
void append(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

class DeltaAccessor {
 public:
  DeltaAccessor(const ConstPointsRef& deltas, bool fractions) : deltas_(deltas), fractions_(fractions) {
    for (Index v = 0; v < deltas.cols(); ++v) {
      if (!deltas.col(v).isZero(0)) moved_.push_back(v);
    }
  }

  [[nodiscard]] bool isSparse() const {
    const auto count = toSize(deltas_.cols());
    const DeltaBytes bytes = deltaBytes(count, moved_.size(), fractions_);
    return bytes.sparse < bytes.dense;
  }

  [[nodiscard]] Json json(Store& store, bool withBounds) const {
    Json accessor{{"componentType", static_cast<int>(fractions_ ? Component::Short : Component::Float)},
                  {"count", deltas_.cols()},
                  {"type", "VEC3"}};
    if (fractions_) accessor["normalized"] = true;
    if (withBounds && deltas_.cols() > 0) addBounds(accessor);
    if (isSparse()) {
      if (!moved_.empty()) accessor["sparse"] = sparse(store);
      return accessor;
    }
    std::string bytes;
    bytes.reserve(toSize(deltas_.cols()) * elementBytes());
    for (Index v = 0; v < deltas_.cols(); ++v) {
      appendColumn(bytes, v);
      if (fractions_) append(bytes, std::int16_t{0});
    }
    const std::size_t view = store.addView(bytes, Usage::Vertex);
    if (fractions_) store.setStride(view, 4 * sizeof(std::int16_t));
    accessor["bufferView"] = view;
    return accessor;
  }

 private:
  [[nodiscard]] std::int16_t fraction(double value) const {
    return static_cast<std::int16_t>(std::lround(value * kDeltaSteps));
  }

  /// Of a column, padded to 4 bytes.
  [[nodiscard]] std::size_t elementBytes() const { return fractions_ ? 4 * sizeof(std::int16_t) : 3 * sizeof(float); }

  void appendColumn(std::string& bytes, Index v) const {
    const auto column = deltas_.col(v);
    if (fractions_) {
      append(bytes, std::array{fraction(column.x()), fraction(column.y()), fraction(column.z())});
    } else {
      append(bytes, std::array{static_cast<float>(column.x()), static_cast<float>(column.y()),
                               static_cast<float>(column.z())});
    }
  }

  /// As they are stored: of fractions the whole numbers.
  void addBounds(Json& accessor) const {
    for (int row = 0; row < 3; ++row) {
      const double least = deltas_.row(row).minCoeff();
      const double most = deltas_.row(row).maxCoeff();
      if (fractions_) {
        accessor["min"].push_back(fraction(least));
        accessor["max"].push_back(fraction(most));
      } else {
        accessor["min"].push_back(static_cast<double>(static_cast<float>(least)));
        accessor["max"].push_back(static_cast<double>(static_cast<float>(most)));
      }
    }
  }

  [[nodiscard]] Json sparse(Store& store) const {
    const bool small = toSize(deltas_.cols()) <= kMostShortIndices;
    std::string indices;
    std::string values;
    values.reserve(moved_.size() * elementBytes());
    for (const Index v : moved_) {
      if (small) {
        append(indices, static_cast<std::uint16_t>(v));
      } else {
        append(indices, static_cast<std::uint32_t>(v));
      }
      appendColumn(values, v);
    }
    const auto component = static_cast<int>(small ? Component::UnsignedShort : Component::UnsignedInt);
    return Json{{"count", moved_.size()},
                {"indices", {{"bufferView", store.addView(indices, Usage::Other)}, {"componentType", component}}},
                {"values", {{"bufferView", store.addView(values, Usage::Other)}}}};
  }

  const ConstPointsRef& deltas_;
  bool fractions_;
  std::vector<Index> moved_;
};

}  // namespace

std::size_t addDeltas(Store& store, const ConstPointsRef& deltas, DeltaFormat format, bool withBounds) {
  SINEW_CHECK(deltas.cast<float>().allFinite(), "",
              "a displacement is too large for glTF, which has 32-bit floats; scale the character down");
  const bool fractions = format == DeltaFormat::Bits16 && areFractions16(deltas);
  if (fractions) store.require(kQuantization);
  return store.add(DeltaAccessor(deltas, fractions).json(store, withBounds));
}

}  // namespace sinew::gltf
