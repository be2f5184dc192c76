// A skin in the form that is played: float, sorted into runs of vertices that follow the same joints. This header and
// all of `play` need the standard library only; what does not fit is refused with std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::play {

struct PackedLayout;
struct VertexClass;

/// A skinned mesh as plain arrays of T, float or double. They are only read while a skin is packed.
template <class T>
struct SkinArrays {
  std::span<const T> positions;                ///< of the rest shape: x y z per vertex
  std::span<const T> normals = {};             ///< x y z per vertex, or empty
  std::size_t jointCount = 0;                  ///< of the palette, at most 65,536
  std::span<const std::uint32_t> joints = {};  ///< of every influence, below jointCount
  std::span<const T> weights = {};             ///< of every influence, 0 or more; a vertex's sum to 1 within 0.001
  /// Vertex v has the influences [starts[v], starts[v + 1]). Empty: all vertices have equally many, as in glTF.
  std::span<const std::uint32_t> starts = {};
};

struct PackOptions {
  int wantedRun = 32;  ///< vertices: smaller groups of equal joints look for a run that has their joints, or unite
  int leastRun = 8;    ///< vertices: what stays smaller is blended one by one
  int mostMerged = 8;  ///< joints that a run made by uniting may have, 1 to 16
  /// One of instructionSets(), for the same bits on different machines; empty: the best of this one.
  std::string_view instructionSet = {};
};

/// What packing made of a skin.
struct PackReport {
  std::size_t vertices = 0;
  std::size_t runs = 0;             ///< stretches with shared joints
  std::size_t verticesInRuns = 0;   ///< the others are blended one by one
  std::size_t verticesMerged = 0;   ///< of those in runs: with a joint more than they need
  double meanInfluences = 0;        ///< joints per vertex as given
  double meanRunInfluences = 0;     ///< joints per vertex in runs as blended
  double bytesPerVertex = 0;        ///< read per frame for positions: rest and weights, padding included
  double bytesPerNormal = 0;        ///< read per frame for normals besides
  double bytesPerPackedNormal = 0;  ///< the same where normals are wanted in 4 bytes

  [[nodiscard]] double shareInRuns() const {
    return vertices > 0 ? static_cast<double>(verticesInRuns) / static_cast<double>(vertices) : 1.0;
  }
  /// One line.
  [[nodiscard]] std::string text() const;
};

/// Made once per mesh, then only read: any number of threads may play it. Copies share their memory.
class PackedSkin {
 public:
  /// All influences are kept. Weights below 2^-24, which a float sum cannot see, are dropped; sums are scaled to 1.
  /// Throws where sizes do not fit, an index is out of range or a value is not finite.
  explicit PackedSkin(const SkinArrays<float>& skin, const PackOptions& options = {});
  explicit PackedSkin(const SkinArrays<double>& skin, const PackOptions& options = {});
  /// For skins of several kinds of vertices, which never share a run: a class per vertex, or none.
  PackedSkin(const SkinArrays<double>& skin, std::span<const VertexClass> classes, const PackOptions& options);

  [[nodiscard]] std::size_t vertexCount() const;
  [[nodiscard]] std::size_t jointCount() const;
  [[nodiscard]] bool hasNormals() const;

  /// Places in packed order: a few more than vertices, since each run fills whole blocks of 16 and repeats its last
  /// vertex to do so. That keeps every store of the kernels a whole cache line.
  [[nodiscard]] std::size_t placeCount() const { return order().size(); }
  /// order()[i] is the vertex at place i. An engine gathers its other vertex streams by it once.
  [[nodiscard]] std::span<const std::uint32_t> order() const;
  /// A place of every vertex, to rewrite the index buffer once.
  [[nodiscard]] std::vector<std::uint32_t> placeOfVertex() const;

  /// That plays it, as Highway names it ("AVX3" is AVX-512).
  [[nodiscard]] std::string_view instructionSet() const;
  [[nodiscard]] const PackReport& report() const { return report_; }
  /// For the kernels.
  [[nodiscard]] const PackedLayout& layout() const { return *layout_; }

 private:
  std::shared_ptr<const PackedLayout> layout_;
  PackReport report_;
};

/// The instruction sets that this machine can play with, best first. Results differ between them by rounding.
std::vector<std::string_view> instructionSets();

}  // namespace sinew::play
