// The influences of every vertex as packing wants them: checked, largest first, without what a float sum cannot see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/play/packed_skin.h"

namespace sinew::play {

struct Influence {
  std::uint32_t joint = 0;
  double weight = 0;
};

/// A column per vertex: one influence or more, largest weight first, each joint once, sum 1.
class Influences {
 public:
  /// Throws in the name of `where`, with the vertex, on what breaks the rules of SkinArrays.
  Influences(const SkinArrays<double>& skin, const char* where);

  [[nodiscard]] std::size_t vertexCount() const { return starts_.size() - 1; }
  [[nodiscard]] std::span<const Influence> operator[](std::size_t vertex) const {
    return {all_.data() + starts_[vertex], all_.data() + starts_[vertex + 1]};
  }
  /// Before those too small to see were dropped.
  [[nodiscard]] std::size_t givenCount() const { return given_; }

 private:
  void addColumn(std::size_t vertex, const char* where);

  std::vector<std::size_t> starts_{0};
  std::vector<Influence> all_;
  std::vector<Influence> column_;  // the current one
  std::size_t given_ = 0;
};

}  // namespace sinew::play
