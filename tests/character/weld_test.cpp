#include "sinew/character/weld.h"

#include <gtest/gtest.h>

#include "sinew/character/turned_normals.h"

namespace sinew::weld_test {
namespace {

/// Two triangles at one place, as parts of one mesh or of two, each vertex on one binding with weight 1.
Character twoTriangles(int secondMesh, std::vector<Binding> bindings, std::uint32_t first, std::uint32_t second,
                       bool skinned = true) {
  Character character;
  character.skeleton = Skeleton({Joint{"a", -1, {}}, Joint{"b", -1, {}}});
  character.mesh.points.resize(3, 6);
  character.mesh.points << 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0;
  character.mesh.faces.add(Triangle{0, 1, 2});
  character.mesh.faces.add(Triangle{3, 4, 5});
  for (int p = 0; p < 2; ++p) {
    character.mesh.parts.push_back({.name = "part",
                                    .firstVertex = 3 * p,
                                    .vertexCount = 3,
                                    .firstFace = static_cast<std::size_t>(p),
                                    .faceCount = 1,
                                    .mesh = p == 0 ? 0 : secondMesh,
                                    .node = p,
                                    .skinned = skinned});
  }
  std::vector<std::vector<Influence>> columns(3, {{first, 1.0}});
  columns.resize(6, {{second, 1.0}});
  character.skin.weights = SkinWeights::fromColumns(bindings.size(), columns);
  character.skin.bindings = std::move(bindings);
  return character;
}

Index pointsOf(const Character& character) {
  return weldCharacter(character, character.mesh.points).pointCount();
}

const std::vector<Binding> kOneSkin{{0, Affine::Identity(), 0}, {1, Affine::Identity(), 0}};
const std::vector<Binding> kTwoSkins{{0, Affine::Identity(), 0}, {0, Affine::Identity(), 1}};
const std::vector<Binding> kTwoNodes{{0, Affine::Identity(), -1}, {1, Affine::Identity(), -1}};

TEST(WeldCharacter, ClosesTheSeamsOfOneMesh) {
  EXPECT_EQ(pointsOf(twoTriangles(0, kOneSkin, 0, 0)), 3);
}

TEST(WeldCharacter, JoinsMeshesThatOneSkinMovesAlike) {
  EXPECT_EQ(pointsOf(twoTriangles(1, kOneSkin, 1, 1)), 3);
}

TEST(WeldCharacter, KeepsMeshesApartThatOneSkinMovesDifferently) {
  EXPECT_EQ(pointsOf(twoTriangles(1, kOneSkin, 0, 1)), 6);
}

TEST(WeldCharacter, KeepsMeshesOfTwoSkinsApart) {
  EXPECT_EQ(pointsOf(twoTriangles(1, kTwoSkins, 0, 1)), 6);
}

TEST(WeldCharacter, KeepsMeshesOfTwoNodesApart) {
  const Character cubes = twoTriangles(1, kTwoNodes, 0, 1, /*skinned=*/false);
  const WeldMap map = weldCharacter(cubes, cubes.mesh.points);
  EXPECT_EQ(map.pointCount(), 6);
  EXPECT_EQ(map.firstVertex, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(unweldedPoints(map, weldedPoints(map, cubes.mesh.points)), cubes.mesh.points);
}

TEST(WeldCharacter, NormalsOfOneMeshDoNotTurnWithAnother) {
  Character cubes = twoTriangles(1, kTwoNodes, 0, 1, /*skinned=*/false);
  cubes.mesh.normals = Points::Zero(3, 6);
  cubes.mesh.normals.row(2).setOnes();
  Points moved = cubes.mesh.points;
  for (Index v = 3; v < 6; ++v) moved.col(v) = Vec3(moved(0, v), 0, moved(1, v));  // the second stands up
  const Points turned = turnedNormals(cubes.mesh, moved);
  EXPECT_LT((turned.leftCols(3).colwise() - Vec3(0, 0, 1)).norm(), 1e-12);
  EXPECT_LT((turned.rightCols(3).colwise() - Vec3(0, -1, 0)).norm(), 1e-9);
}

}  // namespace
}  // namespace sinew::weld_test
