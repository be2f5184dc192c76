#include "sinew/play/packing/shapes.h"

#include <algorithm>
#include <cmath>

#include "sinew/play/packing/deltas.h"
#include "sinew/play/packing/refuse.h"

namespace sinew::play {
namespace {

void checkDeltas(const char* where, std::span<const std::span<const double>> deltas, std::size_t vertices) {
  for (std::size_t k = 0; k < deltas.size(); ++k) {
    require(deltas[k].size() == 3 * vertices, where, "shape ", k, " has ", deltas[k].size() / 3, " deltas for ",
            vertices, " vertices");
    const auto bad = std::find_if(deltas[k].begin(), deltas[k].end(), [](double d) { return !std::isfinite(d); });
    require(bad == deltas[k].end(), where, "a delta of shape ", k, " is not finite");
  }
}

void checkIndices(const char* where, const char* what, std::span<const std::uint32_t> indices, std::size_t most,
                  std::size_t vertices) {
  require(indices.empty() || indices.size() == vertices, where, "there are ", indices.size(), " ", what, " for ",
          vertices, " vertices; give one per vertex or none");
  require(most >= 1, where, "there are 0 ", what, "; give 1 or more");
  for (const std::uint32_t index : indices) {
    require(index < most, where, "a vertex names ", index, " of ", most, " ", what);
  }
}

}  // namespace

void checkShapes(const Shapes& shapes, std::size_t vertexCount, const char* where) {
  const std::size_t count = shapes.vertices.size();
  const std::size_t shapeCount = std::max(shapes.before.size(), shapes.after.size());
  require(shapes.before.empty() || shapes.after.empty() || shapes.before.size() == shapes.after.size(), where,
          shapes.before.size(), " shapes are added before skinning and ", shapes.after.size(),
          " after it; give equally many, or none of one kind");
  require(!shapes.turnsWithVertex || shapes.before.empty(), where,
          "deltas that turn with their vertex cannot be combined with deltas before skinning");
  require(shapeCount <= kMostShapes, where, "there are ", shapeCount, " shapes, ", kMostShapes, " can be played");
  for (std::size_t i = 0; i < count; ++i) {
    require(shapes.vertices[i] < vertexCount, where, "a shape moves vertex ", shapes.vertices[i], "; there are ",
            vertexCount);
    require(i == 0 || shapes.vertices[i - 1] < shapes.vertices[i], where, "vertex ", shapes.vertices[i],
            " comes after vertex ", i == 0 ? 0 : shapes.vertices[i - 1], "; they must ascend");
  }
  require(shapeCount > 0 || count == 0, where, "there are ", count, " vertices to correct, and no shape");
  checkIndices(where, "groups", shapes.groupOf, shapes.groupCount, count);
  checkIndices(where, "turns", shapes.turnOf, shapes.turnCount, count);
  checkDeltas(where, shapes.before, count);
  checkDeltas(where, shapes.after, count);
}

template <class T>
GatheredShapes<T>::GatheredShapes(const CorrectiveArrays<T>& shapes, std::size_t vertexCount)
    : vertices_(shapes.vertices.begin(), shapes.vertices.end()) {
  const auto isDense = [&](const std::span<const T>& deltas) { return deltas.size() == 3 * vertexCount; };
  const bool dense = shapes.vertices.empty() && shapes.groupOf.empty() && shapes.turnOf.empty() &&
                     std::all_of(shapes.before.begin(), shapes.before.end(), isDense) &&
                     std::all_of(shapes.after.begin(), shapes.after.end(), isDense);
  if (dense) findMoved(shapes, vertexCount);
  gather(shapes.before, dense, numbers_[0], spans_[0]);
  gather(shapes.after, dense, numbers_[1], spans_[1]);
  arrays_ = {vertices_,     spans_[0],        spans_[1],      shapes.turnsWithVertex,
             shapes.turnOf, shapes.turnCount, shapes.groupOf, shapes.groupCount};
}

template <class T>
void GatheredShapes<T>::findMoved(const CorrectiveArrays<T>& shapes, std::size_t vertexCount) {
  std::vector<bool> moves(vertexCount, false);
  for (const auto kind : {shapes.before, shapes.after}) {
    for (const std::span<const T> deltas : kind) {
      for (std::size_t i = 0; i < deltas.size(); ++i) moves[i / 3] = moves[i / 3] || deltas[i] != 0;
    }
  }
  for (std::uint32_t v = 0; v < vertexCount; ++v) {
    if (moves[v]) vertices_.push_back(v);
  }
}

template <class T>
void GatheredShapes<T>::gather(std::span<const std::span<const T>> shapes, bool dense,
                               std::vector<std::vector<double>>& numbers,
                               std::vector<std::span<const double>>& spans) const {
  for (const std::span<const T> deltas : shapes) {
    std::vector<double>& to = numbers.emplace_back();
    if (!dense) to.assign(deltas.begin(), deltas.end());
    for (std::size_t i = 0; dense && i < 3 * vertices_.size(); ++i) {
      to.push_back(deltas[std::size_t{3} * vertices_[i / 3] + i % 3]);
    }
  }
  spans.assign(numbers.begin(), numbers.end());
}

template class GatheredShapes<float>;
template class GatheredShapes<double>;

}  // namespace sinew::play
