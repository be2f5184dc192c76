#include "sinew/io/gltf/write/split.h"

#include <array>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace sinew::gltf {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

using Corners = std::array<std::uint32_t, 3>;

/// Splits polygons into triangles by corners instead of vertices, because a corner also has a texture coordinate.
class CornerTriangles {
 public:
  explicit CornerTriangles(const Mesh& mesh) : mesh_(mesh) {
    Mesh polygons;
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      if (mesh.faces[f].size() <= 3) continue;
      for (std::uint32_t c = mesh.faces.start[f]; c < mesh.faces.start[f + 1]; ++c) cornerOf_.push_back(c);
      polygons.faces.start.push_back(static_cast<std::uint32_t>(cornerOf_.size()));
    }
    polygons.points.resize(3, static_cast<Index>(cornerOf_.size()));
    polygons.faces.corner.resize(cornerOf_.size());
    std::iota(polygons.faces.corner.begin(), polygons.faces.corner.end(), 0u);
    for (std::size_t c = 0; c < cornerOf_.size(); ++c) {
      polygons.points.col(static_cast<Index>(c)) = mesh.points.col(mesh.faces.corner[cornerOf_[c]]);
    }
    triangles_ = triangulate(polygons);
    firstTriangle_.push_back(0);
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      const std::size_t size = mesh.faces[f].size();
      firstTriangle_.push_back(firstTriangle_.back() + (size > 3 ? size - 2 : 0));
    }
  }

  template <class Visit>
  void eachOf(std::size_t face, const Visit& visit) const {
    const std::uint32_t first = mesh_.faces.start[face];
    if (mesh_.faces[face].size() == 3) visit(Corners{first, first + 1, first + 2});
    for (std::size_t t = firstTriangle_[face]; t < firstTriangle_[face + 1]; ++t) {
      visit(Corners{cornerOf_[triangles_[t][0]], cornerOf_[triangles_[t][1]], cornerOf_[triangles_[t][2]]});
    }
  }

 private:
  const Mesh& mesh_;
  std::vector<std::uint32_t> cornerOf_;
  std::vector<Triangle> triangles_;
  std::vector<std::size_t> firstTriangle_;
};

/// Numbers the file vertices of one part while its corners are added.
class PartSplitter {
 public:
  PartSplitter(const Mesh& mesh, FreshPrimitive& primitive) : mesh_(mesh), out_(primitive) {
    const auto count = toSize(primitive.part.vertexCount);
    out_.vertices.resize(count);
    std::iota(out_.vertices.begin(), out_.vertices.end(), static_cast<std::uint32_t>(primitive.part.firstVertex));
    if (mesh.uvs.cols() > 0) out_.uvs.assign(count, kNone);
    nextCopy_.assign(count, kNone);
  }

  void add(std::uint32_t corner) {
    const std::uint32_t vertex = mesh_.faces.corner[corner];
    const std::uint32_t uv = mesh_.cornerUv.empty() ? vertex : mesh_.cornerUv[corner];
    out_.indices.push_back(fileVertex(vertex, uv));
  }

  /// Vertices that no corner uses take their own texture coordinate, or the first.
  void finish() {
    for (std::size_t v = 0; v < out_.uvs.size(); ++v) {
      if (out_.uvs[v] == kNone) out_.uvs[v] = mesh_.cornerUv.empty() ? out_.vertices[v] : 0;
    }
  }

 private:
  std::uint32_t fileVertex(std::uint32_t vertex, std::uint32_t uv) {
    const auto own = static_cast<Index>(vertex) - out_.part.firstVertex;
    if (own >= 0 && own < out_.part.vertexCount) return copyWith(static_cast<std::uint32_t>(own), uv);
    // A face may use a vertex of another part: it becomes a copy here.
    const auto [found, isNew] = foreign_.try_emplace(vertex, static_cast<std::uint32_t>(out_.vertices.size()));
    if (isNew) append(vertex, uv);
    return copyWith(found->second, uv);
  }

  /// The copy in the chain from `first` that has the texture coordinate, made where there is none.
  std::uint32_t copyWith(std::uint32_t first, std::uint32_t uv) {
    if (out_.uvs.empty()) return first;
    if (out_.uvs[first] == kNone) out_.uvs[first] = uv;
    std::uint32_t copy = first;
    while (out_.uvs[copy] != uv && mesh_.uvs.col(out_.uvs[copy]) != mesh_.uvs.col(uv)) {
      if (nextCopy_[copy] == kNone) {
        const auto made = static_cast<std::uint32_t>(out_.vertices.size());
        nextCopy_[copy] = made;
        append(out_.vertices[first], uv);
        return made;
      }
      copy = nextCopy_[copy];
    }
    return copy;
  }

  void append(std::uint32_t vertex, std::uint32_t uv) {
    out_.vertices.push_back(vertex);
    if (mesh_.uvs.cols() > 0) out_.uvs.push_back(uv);
    nextCopy_.push_back(kNone);
  }

  const Mesh& mesh_;
  FreshPrimitive& out_;
  std::vector<std::uint32_t> nextCopy_;
  std::unordered_map<std::uint32_t, std::uint32_t> foreign_;
};

std::vector<MeshPart> partsOf(const Mesh& mesh) {
  if (!mesh.parts.empty()) return mesh.parts;
  MeshPart whole;
  whole.vertexCount = mesh.vertexCount();
  whole.faceCount = mesh.faces.size();
  return {whole};
}

/// The part of each face: by the parts' own ranges where they cover all faces, else by the face's first vertex.
std::vector<std::size_t> partOfFaces(const Mesh& mesh, const std::vector<MeshPart>& parts) {
  std::vector<std::size_t> owner(mesh.faces.size(), 0);
  std::size_t next = 0;
  for (std::size_t p = 0; p < parts.size() && parts[p].firstFace == next; ++p) {
    const std::size_t end = std::min(next + parts[p].faceCount, owner.size());
    for (; next < end; ++next) owner[next] = p;
  }
  if (next == owner.size()) return owner;
  std::vector<std::size_t> partOfVertex;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    partOfVertex.insert(partOfVertex.end(), toSize(parts[p].vertexCount), p);
  }
  for (std::size_t f = 0; f < owner.size(); ++f) {
    if (!mesh.faces[f].empty()) owner[f] = partOfVertex[mesh.faces[f][0]];
  }
  return owner;
}

}  // namespace

SplitMesh splitMesh(const Mesh& mesh) {
  const std::vector<MeshPart> parts = partsOf(mesh);
  const std::vector<std::size_t> owner = partOfFaces(mesh, parts);
  const CornerTriangles triangles(mesh);
  SplitMesh split;
  std::vector<std::vector<std::size_t>> facesOf(parts.size());
  for (std::size_t f = 0; f < owner.size(); ++f) {
    facesOf[owner[f]].push_back(f);
    if (mesh.faces[f].size() > 3) ++split.polygons;
    if (mesh.faces[f].size() < 3) ++split.dropped;
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].vertexCount == 0) continue;
    FreshPrimitive primitive;
    primitive.part = parts[p];
    PartSplitter splitter(mesh, primitive);
    for (const std::size_t face : facesOf[p]) {
      triangles.eachOf(face, [&](const Corners& corners) {
        for (const std::uint32_t corner : corners) splitter.add(corner);
      });
    }
    splitter.finish();
    split.primitives.push_back(std::move(primitive));
  }
  return split;
}

}  // namespace sinew::gltf
