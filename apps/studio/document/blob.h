// Bulk data for the page: arrays in one block of bytes, named by its content, so that a page fetches each once.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "studio/messages.h"

namespace sinew::studio {

/// What an array of a blob is.
enum class ArrayKind : std::uint32_t {
  Rest = 1,            ///< f32, 3 x vertices: before skinning, relative to `Centre`
  Triangles = 2,       ///< u32, 3 x triangles
  Normals = 3,         ///< f32, 3 x vertices
  InfluenceStart = 4,  ///< u32, vertices + 1
  Bindings = 5,        ///< u32, per influence
  Weights = 6,         ///< f32, per influence
  PointOfVertex = 7,   ///< u32, per vertex: welded point
  Uvs = 8,             ///< f32, 2 x vertices
  Neighbours = 9,      ///< u32, vertex pairs of edges, 2 x edges
  Labels = 10,         ///< u32, per triangle: control group
  Proxies = 11,        ///< f32, 3 x proxies
  Scalars = 12,        ///< f32, per vertex: a field to colour by
  Centre = 13,         ///< f32, 3
  ProxyWeights = 14,   ///< f32, controls x proxies
  Vertices = 20,       ///< u32: which vertices the other arrays are about
  Shares = 21          ///< f32, per entry of `Vertices`: of a soft selection
};
enum class ArrayType : std::uint32_t { F32 = 1, U32 = 2 };

/// "SKB1", u32 version, u32 n, n x {u32 kind, u32 type, u64 offset, u64 bytes, u32 rows, u32 columns}; arrays on
/// multiples of 64 bytes.
class BlobWriter {
 public:
  void add(ArrayKind kind, std::uint32_t rows, const std::vector<float>& values);
  void add(ArrayKind kind, std::uint32_t rows, const std::vector<std::uint32_t>& values);
  [[nodiscard]] Bytes finish() const;

 private:
  struct Entry {
    ArrayKind kind;
    ArrayType type;
    std::uint32_t rows;
    std::uint32_t columns;
    Bytes bytes;
  };
  std::vector<Entry> entries_;
};

/// 32 hexadecimal digits of the content.
std::string contentName(std::span<const std::uint8_t> bytes);

/// The blobs that the page may ask for. Safe to use from several threads.
class BlobStore {
 public:
  /// Returns its name.
  std::string put(Bytes bytes);
  /// Null where there is none of that name.
  [[nodiscard]] std::shared_ptr<const Bytes> find(const std::string& name) const;
  /// Counts as new again: what is oldest is forgotten first, once all together are many bytes.
  void keep(const std::string& name);

 private:
  void forgetOldest();

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Bytes>> blobs_;
  std::deque<std::string> order_;  // the newest last
};

}  // namespace sinew::studio
