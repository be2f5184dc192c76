// Meshes in several poses, learned once per program: the quadruped sample, and real data where it is there.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "sinew/character/mesh.h"
#include "sinew/learn/reduced_model.h"
#include "sinew/samples/characters/quadruped.h"
#include "sinew/samples/samples.h"
#include "support/obj_points.h"

namespace sinew::test {

struct PosedMeshes {
  std::string name;
  std::vector<Triangle> triangles;
  std::vector<Points> examples;  ///< as they came, not aligned
  std::shared_ptr<const ReducedModel> model;
  std::vector<Index> handles;  ///< spread over the body; a prefix of them is spread too

  /// Example p, aligned to the rest.
  [[nodiscard]] Points aligned(std::size_t p) const {
    const Eigen::Isometry3d alignedFromInput = model->inputFromAligned[p].inverse();
    return (alignedFromInput.linear() * examples[p]).colwise() + alignedFromInput.translation();
  }
  [[nodiscard]] double diagonal() const { return boundingBox(model->rest).diagonal(); }
  [[nodiscard]] std::vector<Index> firstHandles(std::size_t count) const {
    return {handles.begin(), handles.begin() + static_cast<std::ptrdiff_t>(count)};
  }
};

inline Mesh meshOf(const Points& points, const std::vector<Triangle>& triangles) {
  Mesh mesh;
  mesh.points = points;
  for (const Triangle& t : triangles) mesh.faces.add(t);
  return mesh;
}

/// Every triangle of an OBJ without quads.
inline std::vector<Triangle> objTriangles(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<Triangle> triangles;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("f ", 0) != 0) continue;
    std::istringstream words(line.substr(2));
    Triangle t{};
    for (std::uint32_t& corner : t) {
      std::string word;
      words >> word;
      corner = static_cast<std::uint32_t>(std::stoul(word)) - 1;
    }
    triangles.push_back(t);
  }
  return triangles;
}

/// Vertices at the ends of the limbs, nose, tail and ears, and some on the body.
inline std::vector<Index> quadrupedHandles(const Points& standing) {
  const body::QuadrupedLandmarks& at = body::kQuadruped;
  const auto right = [](const Vec3& left) { return Vec3(-left.x(), left.y(), left.z()); };
  const std::vector<Vec3> places = {at.nose,    at.tailTip,        at.frontToe, right(at.frontToe),
                                    at.hindToe, right(at.hindToe), at.earTip,   right(at.earTip),
                                    at.withers, at.pelvis,         at.elbow,    right(at.elbow),
                                    at.knee,    right(at.knee),    at.neck,     at.tailMiddle,
                                    at.hock,    right(at.hock),    at.carpus,   right(at.carpus)};
  std::vector<Index> handles;
  for (const Vec3& place : places) {
    Index nearest = 0;
    (standing.colwise() - place).colwise().squaredNorm().minCoeff(&nearest);
    handles.push_back(nearest);
  }
  return handles;
}

inline PosedMeshes quadruped(Index vertices = 3000) {
  const Sample sample = makeSample("quadruped", {.vertices = vertices});
  PosedMeshes posed;
  posed.name = "quadruped";
  posed.triangles = triangulate(sample.character.mesh);
  for (const Example& example : sample.examples.examples) posed.examples.push_back(example.points);
  posed.model = std::make_shared<const ReducedModel>(
      learnReducedModel(meshOf(sample.character.mesh.points, posed.triangles), posed.examples, {}, {}, {}, {}).model);
  posed.handles = quadrupedHandles(sample.character.mesh.points);
  return posed;
}

/// Poses of the example data (`horse-poses`, `elephant-poses`), without the neutral rest.
inline PosedMeshes posesOf(const std::string& name, std::vector<Index> handles) {
  const TemporaryFolder folder;
  if (!unpackData(name, folder.path())) throw std::runtime_error("no " + name + " in the example data");
  const std::filesystem::path root = folder.path() / name;
  std::filesystem::remove(root / "rest.obj");
  PosedMeshes posed;
  posed.name = name;
  posed.triangles = objTriangles(root / "1.obj");
  posed.examples = objSequence(root);
  posed.model = std::make_shared<const ReducedModel>(
      learnReducedModel(meshOf(posed.examples[0], posed.triangles), posed.examples, {}, {}, {}, {}).model);
  posed.handles = std::move(handles);
  return posed;
}

inline PosedMeshes horse() {
  return posesOf("horse-poses", {2794, 8298, 6528, 7552, 5163, 2127, 221,  1453, 5579, 2803,
                                 654,  7777, 2291, 3725, 6685, 409,  1585, 6188, 327,  2907});
}

inline PosedMeshes elephant() {
  return posesOf("elephant-poses", {13689, 13619, 36554, 11917, 40495, 41630, 25485, 31854, 37579, 42316,
                                    5,     1416,  14088, 16407, 20427, 7946,  28465, 18033, 4209,  32001});
}

}  // namespace sinew::test
