#include "sinew/pack/skin.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "play/packed_character.h"
#include "support/allocations.h"
#include "support/message_of.h"

namespace sinew::pack_skin_test {
namespace {

using test::chainCharacter;
using test::messageOf;
using test::PackedCharacter;

void says(const std::function<void()>& call, const char* words) {
  const std::string message = messageOf(call);
  EXPECT_NE(message.find(words), std::string::npos) << message;
}

TEST(PackSkin, TakesTheNormalsThatTheMeshHas) {
  const PackedCharacter c = chainCharacter(100, 6, 4);
  Character character;
  character.mesh.points = c.rest;
  character.skin.weights = c.weights;
  EXPECT_FALSE(packSkin(character).hasNormals());
  character.mesh.normals = c.normals;
  const play::PackedSkin skin = packSkin(character);
  EXPECT_TRUE(skin.hasNormals());
  EXPECT_EQ(skin.vertexCount(), 100u);
  EXPECT_EQ(skin.jointCount(), 6u);
}

TEST(PackSkin, WhatPlayRefusesIsAnErrorOfTheLibrary) {
  const PackedCharacter c = chainCharacter(100, 6, 4);
  says([&] { packSkin(c.rest.leftCols(99), Points(3, 0), c.weights); }, "99 vertices");
  says([&] { packSkin(c.rest, Points(3, 0), c.weights, {.mostMerged = 17}); }, "mostMerged is 17");
}

TEST(PackSkin, PalettesHoldTheTransforms) {
  const PackedCharacter c = chainCharacter(10, 3, 2);
  std::vector<float> matrices(3 * play::kMatrixFloats);
  std::vector<float> duals(3 * play::kDualQuaternionFloats);
  const std::size_t before = test::allocationCount();
  packMatrices(c.joints.worldFromRest, matrices);
  packDualQuaternions(c.joints.worldFromRest, duals);
  EXPECT_EQ(test::allocationCount(), before);
  for (std::size_t b = 0; b < 3; ++b) {
    const Affine& motion = c.joints.worldFromRest[b];
    const Eigen::Map<const Eigen::Matrix4f> matrix(matrices.data() + b * play::kMatrixFloats);
    EXPECT_LT((matrix.topRows<3>().cast<double>() - motion.matrix()).norm(), 1e-6);
    const Eigen::Map<const Eigen::Vector4f> real(duals.data() + b * play::kDualQuaternionFloats);
    const Quat turn(real.cast<double>());
    EXPECT_LT((turn.toRotationMatrix() - motion.linear()).norm(), 1e-6);
  }
}

TEST(PackSkin, RefusesPalettesThatDoNotFit) {
  const PackedCharacter c = chainCharacter(100, 6, 4);
  std::vector<float> room(95);
  says([&] { packMatrices(c.joints.worldFromRest, room); }, "6 joints need 96");
  PosedJoints scaled = c.joints;
  scaled.worldFromRest[3].linear() *= 1.01;
  std::vector<float> duals(48);
  says([&] { packDualQuaternions(scaled.worldFromRest, duals); }, "joint 3");
  PosedJoints mirrored = c.joints;
  mirrored.worldFromRest[1].linear().col(0) *= -1;
  says([&] { packDualQuaternions(mirrored.worldFromRest, duals); }, "joint 1");
}

}  // namespace
}  // namespace sinew::pack_skin_test
