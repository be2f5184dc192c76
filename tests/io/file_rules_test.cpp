// Anything but a regular file is refused immediately, and files cannot refer to others outside of the permitted folder.
#include "sinew/io/file_rules.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "formats_support.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace sinew::test::file_rules_test {
namespace {

namespace fs = std::filesystem;

TEST(FileRules, WhatLiesInsideIsKnownWithLinksFollowed) {
  const TemporaryFolder folder;
  folder.write("root/a/b.txt", "x");
  folder.write("rootless/c.txt", "x");
  const fs::path root = folder / "root";
  fs::create_symlink(folder / "rootless", root / "out");
  fs::create_symlink(root / "a", root / "in");
  EXPECT_TRUE(isInside(root / "a/b.txt", root));
  EXPECT_TRUE(isInside(root / "a/b.txt", root / ""));
  EXPECT_TRUE(isInside(root / "in/b.txt", root));
  EXPECT_TRUE(isInside(root, root));
  EXPECT_TRUE(isInside(root / "a/../a/new.txt", root));
  EXPECT_FALSE(isInside(root / "../rootless/c.txt", root));
  EXPECT_FALSE(isInside(folder / "rootless/c.txt", root)) << "a name that begins alike";
  EXPECT_FALSE(isInside(root / "out/c.txt", root)) << "a link that leads out";
  EXPECT_TRUE(isInside("/anywhere", {}));
}

/// A .gltf in `root`, with its buffer elsewhere.
fs::path gltfWithBuffer(const TemporaryFolder& folder, const std::string& uri) {
  CharacterFile file;
  file.character = testArm(3, 3);
  fs::create_directories(folder / "root");
  writeCharacter(folder / "root/arm.gltf", file);
  std::string text = textOf(folder / "root/arm.gltf");
  text.replace(text.find("arm.bin"), 7, uri);
  fs::rename(folder / "root/arm.bin", folder / "arm.bin");
  return folder.write("root/arm.gltf", text);
}

TEST(FileRules, BuffersOutsideOfTheRootAreRefused) {
  const TemporaryFolder folder;
  const fs::path gltf = gltfWithBuffer(folder, "../arm.bin");
  EXPECT_EQ(readCharacter(gltf).character.mesh.vertexCount(), 9) << "without a root anything goes";
  const ReadOptions rooted{.rules = {.root = folder / "root"}};
  expectRefused([&] { readCharacter(gltf, rooted); }, {"arm.gltf", "arm.bin", "outside"});
  EXPECT_EQ(readCharacter(gltf, {.rules = {.root = folder.path()}}).character.mesh.vertexCount(), 9);

  const fs::path linked = gltfWithBuffer(folder, "link.bin");
  fs::create_symlink(folder / "arm.bin", folder / "root/link.bin");
  expectRefused([&] { readCharacter(linked, rooted); }, {"link.bin", "outside"});
  fs::create_symlink(folder / "arm.bin", folder / "root/mesh.obj");
  expectRefused([&] { readCharacter(folder / "root/mesh.obj", rooted); }, {"mesh.obj", "outside"});
}

TEST(FileRules, PicturesOutsideOfTheRootAreNotPackedIntoAFile) {
  const TemporaryFolder folder;
  CharacterFile file;
  file.character = testArm(3, 3);
  fs::create_directories(folder / "root");
  writeCharacter(folder / "root/arm.gltf", file);
  folder.write("secret.png", "what no one may see");
  std::string text = textOf(folder / "root/arm.gltf");
  text.insert(text.find('{') + 1, R"("images": [{"uri": "../secret.png"}],)");
  folder.write("root/arm.gltf", text);
  const CharacterFile rooted = readCharacter(folder / "root/arm.gltf", {.rules = {.root = folder / "root"}});
  const LostList lost = writeCharacter(folder / "root/out.glb", rooted);
  EXPECT_EQ(textOf(folder / "root/out.glb").find("no one may see"), std::string::npos);
  ASSERT_FALSE(lost.empty());
  EXPECT_NE(lost.front().find("secret.png"), std::string::npos) << lost.front();
}

TEST(FileRules, MeshesOfExamplesOutsideOfTheRootAreRefused) {
  const TemporaryFolder folder;
  const Character arm = testArm(3, 3);
  CharacterFile sculpt;
  sculpt.character.mesh = arm.mesh;
  writeCharacter(folder / "sculpt.obj", sculpt);
  const fs::path manifest =
      folder.write("root/examples.json", R"({"examples": [{"name": "a", "pose": "rest", "mesh": "../sculpt.obj"}]})");
  EXPECT_EQ(readExamples(manifest, arm, {.force = true}).set.examples.size(), 1u);
  expectRefused([&] { readExamples(manifest, arm, {.force = true, .rules = {.root = folder / "root"}}); },
                {"sculpt.obj", "outside"});
}

TEST(FileRules, PipesDevicesAndFoldersAreRefusedAtOnceByEveryReader) {
  const TemporaryFolder folder;
  const Character arm = testArm(3, 3);
  const ReadOptions all{.rules = {.foreign = {.inProcess = true, .rareFormats = true}}};
  std::vector<std::string> names = {"cache.pc2", "cache.mdd", "examples.json", "text"};
  for (const FormatRow& row : formats()) names.push_back("a" + std::string(row.extensions.front()));
  for (const std::string& name : names) {
    const fs::path pipe = folder / name;
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    fs::create_directories(folder / "folder" / name);
    fs::create_directories(folder / "device");
    fs::create_symlink("/dev/zero", folder / "device" / name);
    const auto read = [&](const fs::path& path) {
      if (name.starts_with("cache")) {
        readPointCache(path);
      } else if (name == "examples.json") {
        readExamples(path, arm);
      } else if (name == "text") {
        readFile(path);
      } else {
        readCharacter(path, all);
      }
    };
    expectRefused([&] { read(pipe); }, {name, "not a regular file"});
    expectRefused([&] { read(folder / "device" / name); }, {name, "not a regular file"});
    expectRefused([&] { read(folder / "folder" / name); }, {name, "is a folder"});
  }
}

}  // namespace
}  // namespace sinew::test::file_rules_test
