// Transfer of a character between processes: a bit-exact round trip, and invalid data from a compromised process is
// refused.
#include "sinew/io/foreign/character_bytes.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/base/error.h"
#include "support/test_arm.h"

namespace sinew::test::character_bytes_test {
namespace {

/// An arm with all that the formats read through a library can have.
CharacterFile armOfBytes() {
  CharacterFile file;
  Character& arm = file.character;
  arm = testArm(4, 3);
  arm.mesh.parts = {{.name = "tube",
                     .vertexCount = arm.mesh.vertexCount(),
                     .faceCount = arm.mesh.faces.size(),
                     .node = 1,
                     .skinned = true}};
  arm.mesh.uvs = Eigen::Matrix2Xd::Random(2, 5);
  arm.mesh.cornerUv.assign(arm.mesh.faces.corner.size(), 3);
  MorphTarget morph{.name = "bulge", .deltas = Points::Random(3, 4), .defaultWeight = 0.25};
  arm.morphs.push_back(morph);
  ClipChannel turn{.path = ClipPath::Rotation, .joint = 2, .times = {-1, 0.5}, .values = Eigen::MatrixXd::Random(4, 2)};
  ClipChannel weigh{.path = ClipPath::Weights, .times = {0}, .values = Eigen::MatrixXd::Random(1, 1)};
  arm.clips.push_back({"wave", {turn, weigh}});
  file.problems = {"something is odd", ""};
  return file;
}

TEST(CharacterBytes, ComeBackBitForBit) {
  const CharacterFile file = armOfBytes();
  const std::string bytes = foreign::characterToBytes(file);
  const CharacterFile back = foreign::characterFromBytes(bytes);
  EXPECT_EQ(foreign::characterToBytes(back), bytes);
  EXPECT_EQ(back.character.mesh.points, file.character.mesh.points);
  EXPECT_EQ(back.character.skin.weights, file.character.skin.weights);
  EXPECT_EQ(back.character.skeleton[2].name, "lower");
  EXPECT_EQ(back.character.clips[0].channels[0].values, file.character.clips[0].channels[0].values);
  EXPECT_EQ(back.character.morphs[0].deltas, file.character.morphs[0].deltas);
  EXPECT_EQ(back.problems, file.problems);
}

TEST(CharacterBytes, CutOffAnywhereTheyAreRefused) {
  const std::string bytes = foreign::characterToBytes(armOfBytes());
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_THROW(foreign::characterFromBytes(std::string_view(bytes).substr(0, size)), Error) << size;
  EXPECT_THROW(foreign::characterFromBytes(bytes + "x"), Error);
}

TEST(CharacterBytes, SpoiledAnywhereTheyGiveASoundCharacterOrAnError) {
  const std::string bytes = foreign::characterToBytes(armOfBytes());
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    std::string spoiled = bytes;
    const std::size_t changes = 1 + random() % 4;
    for (std::size_t c = 0; c < changes; ++c) spoiled[random() % spoiled.size()] = static_cast<char>(random());
    try {
      checkCharacter(foreign::characterFromBytes(spoiled).character, "");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::BadInput);
    }
  }
}

}  // namespace
}  // namespace sinew::test::character_bytes_test
