// Writes the runs of a packed skin, one after the other.
#pragma once

#include <cstdint>
#include <span>

#include "sinew/play/packed_skin.h"
#include "sinew/play/packing/bone_sets.h"
#include "sinew/play/packing/influences.h"
#include "sinew/play/packing/layout.h"

namespace sinew::play {

class LayoutWriter {
 public:
  /// Keeps references.
  LayoutWriter(const SkinArrays<double>& skin, const Influences& influences, PackedLayout& layout)
      : skin_(skin), influences_(influences), layout_(layout) {}

  /// Of the runs that are added from now on.
  void setClass(std::uint32_t vertexClass) { vertexClass_ = vertexClass; }
  void addShared(const BoneGroup& group);
  /// Vertices one by one, in stretches by the next multiple of 4 influences.
  void addAlone(std::span<const std::uint32_t> vertices);

 private:
  void addPerVertex(std::size_t influences, std::span<const std::uint32_t> vertices);
  PackedRun& addRun(RunKind kind, std::size_t bones, std::span<const std::uint32_t> vertices);
  template <class Put>
  void forEachLane(const PackedRun& run, const Put& put) const;
  /// The floats of the block that holds vertex i of a run.
  float* restBlock(const PackedRun& run, std::size_t i);
  std::int16_t* normalBlock(const PackedRun& run, std::size_t i);
  void putShared(const PackedRun& run, std::span<const std::uint16_t> bones, std::size_t i, std::uint32_t vertex);
  /// After the normal and the weights.
  void putShortNormal(const PackedRun& run, std::size_t i);
  void putPerVertex(const PackedRun& run, std::size_t i, std::uint32_t vertex);

  const SkinArrays<double>& skin_;
  const Influences& influences_;
  PackedLayout& layout_;
  std::uint32_t vertexClass_ = 0;
};

}  // namespace sinew::play
