#include "sinew/deform/placed_mesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "sinew/deform/rest_in_world.h"
#include "support/test_arm.h"

namespace sinew::placed_mesh_test {
namespace {

/// A triangle in the xy plane, facing +z, that node 0 places where it is and node 1 elsewhere.
struct Placed {
  Character character;
  std::vector<MeshInstance> instances;

  explicit Placed(const LocalTransform& second) {
    character.skeleton = Skeleton({Joint{"first", -1, {}}, Joint{"second", -1, second}});
    character.mesh.points.resize(3, 3);
    character.mesh.points << 0, 1, 0, 0, 0, 1, 0, 0, 0;
    character.mesh.normals = Points::Zero(3, 3);
    character.mesh.normals.row(2).setOnes();
    character.mesh.faces.add(Triangle{0, 1, 2});
    character.mesh.parts.push_back(
        {.name = "triangle", .vertexCount = 3, .faceCount = 1, .node = 0, .instances = 2, .skinned = false});
    character.skin.bindings = {{0, Affine::Identity(), -1}};
    character.skin.weights = SkinWeights::rigid(1, 3, 0);
    MeshInstance instance;
    instance.node = 1;
    instance.swaps = {{0, {1, Affine::Identity(), -1}}};
    instances.push_back(instance);
  }
};

Vec3 faceNormal(const Mesh& mesh, std::size_t face) {
  const auto corners = mesh.faces[face];
  const Vec3 a = mesh.points.col(corners[0]);
  return (Vec3(mesh.points.col(corners[1])) - a).cross(Vec3(mesh.points.col(corners[2])) - a).normalized();
}

TEST(PlacedMesh, WithoutInstancesIsThePosedCharacter) {
  const Character arm = test::testArm();
  PlacedPoser poser(arm, {});
  EXPECT_EQ(poser.pose(restPose(arm)), posePoints(arm, restPose(arm)));
  EXPECT_EQ(poser.vertexCount(), arm.mesh.vertexCount());
  EXPECT_EQ(restMesh(arm, {}).faces.corner, arm.mesh.faces.corner);
}

TEST(PlacedMesh, EveryPlaceHasVerticesOfItsOwn) {
  const Placed placed({.translation = Vec3(5, 0, 0)});
  PlacedPoser poser(placed.character, placed.instances);
  const Mesh mesh = poser.mesh(restPose(placed.character));
  ASSERT_EQ(mesh.vertexCount(), 6);
  EXPECT_EQ(mesh.points.col(1), Vec3(1, 0, 0));
  EXPECT_EQ(mesh.points.col(4), Vec3(6, 0, 0));
  ASSERT_EQ(mesh.parts.size(), 2u);
  EXPECT_NE(mesh.parts[0].mesh, mesh.parts[1].mesh);
  EXPECT_EQ(mesh.parts[1].node, 1);
  EXPECT_EQ(mesh.faces[1][0], 3u);
  EXPECT_EQ(std::vector<std::uint32_t>(poser.vertex().begin(), poser.vertex().end()),
            (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}));
}

TEST(PlacedMesh, AMirroredPlaceKeepsItsOutsideOutside) {
  // Mirrored in x, then turned half around z: the outside still is +z.
  LocalTransform second{.translation = Vec3(0, 0, 3), .scale = Vec3(-1, 1, 1)};
  const Placed placed(second);
  const Mesh mesh = restMesh(placed.character, placed.instances);
  EXPECT_GT(faceNormal(mesh, 0).z(), 0.99);
  EXPECT_GT(faceNormal(mesh, 1).z(), 0.99) << "the face is turned about";
  EXPECT_EQ(mesh.points.col(mesh.faces[1][0]), Vec3(0, 0, 3)) << "but begins with the same corner";
  EXPECT_GT(mesh.normals(2, 0), 0.99);
  EXPECT_GT(mesh.normals(2, 4), 0.99);
}

TEST(PlacedMesh, NormalsOfAMorphedMirroredPlacePointOutwards) {
  Placed placed({.scale = Vec3(-1, 1, 1)});
  MorphTarget lift;
  lift.deltas = Points::Zero(3, 3);
  lift.deltas(2, 1) = 0.1;
  lift.defaultWeight = 1;
  placed.character.morphs.push_back(lift);
  placed.instances[0].morphWeights = {1};
  const Mesh mesh = restMesh(placed.character, placed.instances);
  EXPECT_GT(mesh.normals(2, 1), 0.9);
  EXPECT_GT(mesh.normals(2, 4), 0.9);
  EXPECT_NEAR(mesh.points(2, 4), 0.1, 1e-12);
}

TEST(PlacedMesh, APlaceKeepsMorphWeightsOfItsOwn) {
  Placed placed({.translation = Vec3(5, 0, 0)});
  MorphTarget lift;
  lift.deltas = Points::Zero(3, 3);
  lift.deltas(2, 1) = 1;
  placed.character.morphs.push_back(lift);
  placed.instances[0].morphWeights = {0.25};
  PlacedPoser poser(placed.character, placed.instances);
  Pose pose = restPose(placed.character);
  pose.morphWeights = {1};
  const Points points = poser.pose(pose);
  EXPECT_EQ(points(2, 1), 1);
  EXPECT_EQ(points(2, 4), 0.25);
}

TEST(PlacedMesh, RestInWorldMakesEveryPlaceAMeshToBind) {
  Placed placed({.translation = Vec3(5, 0, 0), .rotation = Quat(0, 0, 0, 1)});
  MorphTarget stretch;
  stretch.deltas = Points::Zero(3, 3);
  stretch.deltas(0, 1) = 1;
  placed.character.morphs.push_back(stretch);
  placed.instances[0].morphWeights = {0.5};
  const Character world = restInWorld(placed.character, placed.instances);
  ASSERT_EQ(world.mesh.vertexCount(), 6);
  EXPECT_FALSE(world.hasSkin());
  EXPECT_LT((Vec3(world.mesh.points.col(4)) - Vec3(4, 0, 0)).norm(), 1e-12);
  ASSERT_EQ(world.morphs.size(), 2u);
  EXPECT_EQ(world.morphs[1].firstVertex, 3);
  EXPECT_EQ(world.morphs[1].defaultWeight, 0.5);
  EXPECT_LT((Vec3(world.morphs[1].deltas.col(1)) - Vec3(-1, 0, 0)).norm(), 1e-12) << "turned half around z";
}

TEST(PlacedMesh, WrittenColumnsFindTheFirstPlaceByCount) {
  const Placed placed({.translation = Vec3(5, 0, 0)});
  const auto columns = writtenColumns(placed.character, 6);
  ASSERT_TRUE(columns.has_value());
  EXPECT_EQ(*columns, (std::vector<Index>{0, 1, 2}));
  EXPECT_FALSE(writtenColumns(placed.character, 5).has_value());
}

}  // namespace
}  // namespace sinew::placed_mesh_test
