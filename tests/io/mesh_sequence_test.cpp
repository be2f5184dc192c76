// Point caches and sequences of meshes: round trips, and an error for everything that does not fit.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "formats_support.h"
#include "sinew/base/random.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/io/mesh_sequence.h"
#include "sinew/io/point_cache.h"
#include "support/test_arm.h"

namespace sinew::mesh_sequence_test {
namespace {

using test::expectRefused;
using test::TemporaryFolder;
using test::textOf;

PointCache cacheOf(Index points, std::size_t frames) {
  Lcg random(4);
  PointCache cache;
  for (std::size_t f = 0; f < frames; ++f) {
    Points& frame = cache.frames.emplace_back(3, points);
    for (double& value : frame.reshaped()) value = static_cast<double>(static_cast<float>(random.symmetric()));
    cache.times.push_back((10.0 + 2.0 * static_cast<double>(f)) / 24);
  }
  return cache;
}

TEST(PointCaches, ComeBackAsTheyWere) {
  const TemporaryFolder folder;
  const PointCache cache = cacheOf(7, 5);
  for (const char* name : {"a.pc2", "b.MDD"}) {
    writePointCache(folder / name, cache);
    const PointCache back = readPointCache(folder / name);
    ASSERT_EQ(back.frames.size(), 5u);
    for (std::size_t f = 0; f < 5; ++f) {
      EXPECT_EQ(back.frames[f], cache.frames[f]);
      EXPECT_NEAR(back.times[f], cache.times[f], 1e-6);
    }
  }
}

/// Bytes as the formats are described elsewhere, written by hand.
TEST(PointCaches, AreWhatOtherProgramsWrite) {
  const TemporaryFolder folder;
  const std::string pc2(
      "POINTCACHE2\0"
      "\1\0\0\0"
      "\1\0\0\0"
      "\0\0\0\0"
      "\0\0\x80\x3f"
      "\2\0\0\0"
      "\0\0\x80\x3f"
      "\0\0\0\x40"
      "\0\0\x40\xc0"
      "\0\0\0\0"
      "\0\0\0\0"
      "\0\0\0\x3f",
      56);
  const std::string mdd(
      "\0\0\0\2"
      "\0\0\0\1"
      "\0\0\0\0"
      "\x3d\x2a\xaa\xab"
      "\x3f\x80\0\0"
      "\x40\0\0\0"
      "\xc0\x40\0\0"
      "\0\0\0\0"
      "\0\0\0\0"
      "\x3f\0\0\0",
      40);
  PointCache cache;
  cache.frames = {Vec3(1, 2, -3), Vec3(0, 0, 0.5)};
  writePointCache(folder / "a.pc2", cache);
  writePointCache(folder / "a.mdd", cache);
  EXPECT_EQ(textOf(folder / "a.pc2"), pc2);
  EXPECT_EQ(textOf(folder / "a.mdd"), mdd);
  EXPECT_EQ(readPointCache(folder / "a.mdd").frames[0], Points(Vec3(1, 2, -3)));
}

TEST(PointCaches, RefuseWhatIsDamaged) {
  const TemporaryFolder folder;
  writePointCache(folder / "a.pc2", cacheOf(3, 2));
  writePointCache(folder / "a.mdd", cacheOf(3, 2));
  const std::string pc2 = textOf(folder / "a.pc2");
  const std::string mdd = textOf(folder / "a.mdd");
  const auto refused = [&](const std::string& name, const std::string& bytes, const std::vector<std::string>& words) {
    const auto path = folder.write(name, bytes);
    expectRefused([&] { readPointCache(path); }, words);
  };
  for (std::size_t length = 1; length < pc2.size(); ++length) refused("b.pc2", pc2.substr(0, length), {"b.pc2"});
  for (std::size_t length = 1; length < mdd.size(); ++length) refused("b.mdd", mdd.substr(0, length), {"b.mdd"});
  const auto changed = [](std::string bytes, std::size_t at, std::array<unsigned char, 4> word) {
    std::memcpy(bytes.data() + at, word.data(), 4);
    return bytes;
  };
  refused("c.pc2", changed(pc2, 0, {0x58, 0x58, 0x58, 0x58}), {"c.pc2", "begin"});
  refused("c.pc2", changed(pc2, 12, {2, 0, 0, 0}), {"version 2"});
  refused("c.pc2", changed(pc2, 16, {0xff, 0xff, 0xff, 0xff}), {"points", "too many"});
  refused("c.pc2", changed(pc2, 16, {0xff, 0xff, 0xff, 0x7f}), {"bytes"});
  refused("c.pc2", changed(pc2, 24, {0, 0, 0xc0, 0x7f}), {"not a valid time"});
  refused("c.pc2", changed(pc2, 28, {0, 0, 0, 0}), {"0 frames"});
  refused("c.pc2", changed(pc2, 40, {0, 0, 0xc0, 0x7f}), {"point 0 of frame 0", "finite"});
  refused("c.pc2", pc2 + "more", {"bytes"});
  refused("c.mdd", changed(mdd, 4, {0, 0, 0, 0}), {"0 points"});
  refused("c.mdd", changed(mdd, 12, {0, 0, 0, 0}), {"frame 1", "must not decrease"});
  expectRefused([&] { readPointCache(folder / "none.pc2"); }, {"none.pc2"});
  expectRefused([&] { readPointCache(folder.write("a.txt", "x")); }, {"a.txt", ".pc2"});
}

TEST(PointCaches, RefuseToHoldWhatTheyCannot) {
  const TemporaryFolder folder;
  PointCache cache = cacheOf(3, 4);
  cache.times[2] += 0.02;
  expectRefused([&] { writePointCache(folder / "a.pc2", cache); }, {"a.pc2", "frame 2", ".mdd"});
  writePointCache(folder / "a.mdd", cache);
  cache.frames[1].resize(3, 2);
  expectRefused([&] { writePointCache(folder / "b.mdd", cache); }, {"frame 1", "2 points"});
  expectRefused([&] { writePointCache(folder / "b.mdd", {}); }, {"nothing"});
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.mdd"});
}

/// The arm, bent more from shape to shape.
MeshSequence bentArms(std::size_t count) {
  const Character arm = test::testArm();
  MeshSequence sequence;
  sequence.topology = arm.mesh;
  for (std::size_t f = 0; f < count; ++f) {
    sequence.shapes.push_back(posePoints(arm, test::bentArmPose(arm, 10.0 * static_cast<double>(f), 0)));
    sequence.names.push_back("arm" + std::to_string(f + 1));
  }
  return sequence;
}

MeshSequence readAll(std::vector<std::filesystem::path> paths, const MeshSequenceOptions& options = {}) {
  return readMeshes(paths, options);
}

TEST(MeshSequences, FilesAndFoldersInNaturalOrder) {
  const TemporaryFolder folder;
  const MeshSequence arms = bentArms(11);
  writeMeshes(folder / "arms", arms);
  const MeshSequence back = readAll({folder / "arms"});
  EXPECT_EQ(back.names, arms.names);
  EXPECT_FALSE(back.rest);
  EXPECT_TRUE(back.times.empty());
  for (std::size_t f = 0; f < 11; ++f) EXPECT_EQ(back.shapes[f], arms.shapes[f]);
  EXPECT_EQ(back.topology.faces.corner, arms.topology.faces.corner);
  // The rest mesh of a folder is not one of the shapes.
  std::filesystem::rename(folder / "arms/arm1.obj", folder / "arms/rest.obj");
  const MeshSequence rested = readAll({folder / "arms"});
  EXPECT_EQ(rested.shapes.size(), 10u);
  ASSERT_TRUE(rested.rest);
  EXPECT_EQ(*rested.rest, arms.shapes[0]);
  EXPECT_EQ(rested.topology.points, arms.shapes[0]);
  // Files and folders together; names stay different.
  const MeshSequence both = readAll({folder / "arms/arm3.obj", folder / "arms"});
  EXPECT_EQ(both.names[0], "arm3");
  EXPECT_EQ(both.names[2], "arm3_2");
}

TEST(MeshSequences, ACacheNeedsItsMesh) {
  const TemporaryFolder folder;
  const MeshSequence arms = bentArms(3);
  writeMeshes(folder / "arms", arms);
  for (const char* name : {"motion.pc2", "motion.mdd"}) {
    writeMeshes(folder / name, arms);
    const MeshSequence back = readAll({folder / "arms/arm1.obj", folder / name});
    ASSERT_EQ(back.shapes.size(), 3u);
    EXPECT_EQ(back.names[2], "motion_0003");
    EXPECT_NEAR(back.times[2], 2.0 / 24, 1e-6);
    EXPECT_LT((back.shapes[2] - arms.shapes[2]).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_EQ(*back.rest, arms.shapes[0]);
    expectRefused([&] { readAll({folder / name}); }, {name, "faces", "mesh"});
    expectRefused(
        [&] {
          readAll({folder / "arms/arm1.obj", folder / "arms/arm2.obj", folder / name});
        },
        {"arm2.obj", "one mesh"});
  }
  writePointCache(folder / "other.pc2", cacheOf(5, 2));
  expectRefused([&] { readAll({folder / "arms/arm1.obj", folder / "other.pc2"}); }, {"other.pc2", "5 points", "252"});
}

TEST(MeshSequences, AClipGivesItsFrames) {
  const TemporaryFolder folder;
  CharacterFile file;
  file.character = test::testArm();
  ClipChannel turn{ClipPath::Rotation, Interpolation::Linear, 2, 0, {0, 0.5}, Eigen::MatrixXd(4, 2)};
  turn.values << 0, 0, 0, 0, 0, 1, 1, 0;
  file.character.clips = {{"wave", {turn}}, {"still", {turn}}};
  writeCharacter(folder / "arm.glb", file);
  const MeshSequence frames = readAll({folder / "arm.glb"});
  ASSERT_EQ(frames.shapes.size(), 13u);
  EXPECT_EQ(frames.names.front(), "wave_0001");
  EXPECT_NEAR(frames.times.back(), 0.5, 1e-9);
  const Character arm = readCharacter(folder / "arm.glb").character;
  EXPECT_EQ(frames.shapes[6], posePoints(arm, clipPose(arm, "wave", 0.25)));
  EXPECT_EQ(readAll({folder / "arm.glb"}, {.clip = "still", .framesPerSecond = 4}).names.back(), "still_0003");
  expectRefused([&] { readAll({folder / "arm.glb"}, {.clip = "run"}); }, {"run", "wave"});
  expectRefused([&] { readAll({folder / "arm.glb"}, {.framesPerSecond = 1e9}); }, {"wave", "frames"});
}

TEST(MeshSequences, MorphTargetsAreShapes) {
  const TemporaryFolder folder;
  CharacterFile file;
  file.character = test::testArm();
  for (const char* name : {"big", "bigger"}) {
    MorphTarget morph;
    morph.name = name;
    morph.deltas = 0.25 * file.character.mesh.points;
    morph.defaultWeight = 0.5;
    file.character.morphs.push_back(morph);
  }
  writeCharacter(folder / "arm.glb", file);
  const MeshSequence shapes = readAll({folder / "arm.glb"});
  EXPECT_EQ(shapes.names, (std::vector<std::string>{"arm", "big", "bigger"}));
  EXPECT_LT((shapes.shapes[1] - 1.25 * shapes.shapes[0]).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(MeshSequences, AnotherTopologyIsRefusedByName) {
  const TemporaryFolder folder;
  const auto a = folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
  const auto b = folder.write("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n");
  const auto c = folder.write("c.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto d = folder.write("d.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n");
  expectRefused([&] { readAll({a, b}); }, {"b.obj", "face 1", "a.obj"});
  expectRefused([&] { readAll({a, c}); }, {"c.obj", "3 vertices", "4"});
  expectRefused([&] { readAll({a, d}); }, {"d.obj", "1 faces", "2"});
  expectRefused([&] { readAll({}); }, {"no mesh"});
  expectRefused([&] { readAll({folder / "none"}); }, {"none", "no such"});
  std::filesystem::create_directory(folder / "empty");
  expectRefused([&] { readAll({folder / "empty"}); }, {"empty", "no readable meshes"});
  expectRefused([&] { writeMeshes(folder / "not/there", bentArms(1)); }, {"there", "folder"});
}

}  // namespace
}  // namespace sinew::mesh_sequence_test
