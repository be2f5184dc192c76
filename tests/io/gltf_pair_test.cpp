// A .gltf and its .bin are written as a unit: whatever fails and whenever the process ends, there is the old pair or
// the new one.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "formats_support.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "support/fault_injection/fault_injection.h"
#include "support/test_arm.h"

namespace sinew::test::gltf_pair_test {
namespace {

namespace fs = std::filesystem;

CharacterFile armOf(double scale) {
  CharacterFile file;
  file.character = testArm(5, 5);
  file.character.mesh.points *= scale;
  return file;
}

/// The scale of the file on disk; throws if it cannot be read.
double scaleOf(const fs::path& path) {
  return readCharacter(path).character.mesh.points.row(0).maxCoeff();
}

TEST(GltfPair, TheBufferOfBeforeIsNotTouchedAndGoesAfterwards) {
  const TemporaryFolder folder;
  const fs::path path = folder / "arm.gltf";
  writeCharacter(path, armOf(1));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"arm.bin", "arm.gltf"}));
  writeCharacter(path, armOf(2));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"arm-2.bin", "arm.gltf"}));
  writeCharacter(path, armOf(3));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"arm.bin", "arm.gltf"}));
  writeCharacter(path, armOf(3));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"arm.bin", "arm.gltf"})) << "the same bytes, the same file";
  EXPECT_NEAR(scaleOf(path), 3, 1e-6);
}

TEST(GltfPair, BuffersOfOthersStay) {
  const TemporaryFolder folder;
  folder.write("arm.bin", "of someone else");
  writeCharacter(folder / "arm.gltf", armOf(1));
  EXPECT_EQ(readFile(folder / "arm.bin"), "of someone else");
  EXPECT_NEAR(scaleOf(folder / "arm.gltf"), 1, 1e-6);
  // Another .gltf that shares the buffer keeps it.
  fs::copy_file(folder / "arm.gltf", folder / "copy.gltf");
  writeCharacter(folder / "arm.gltf", armOf(2));
  EXPECT_NEAR(scaleOf(folder / "copy.gltf"), 1, 1e-6);
  EXPECT_NEAR(scaleOf(folder / "arm.gltf"), 2, 1e-6);
}

TEST(GltfPair, EveryFaultLeavesTheOldOrTheNewOne) {
  for (const char* how : {"EIO", "ENOSPC", "kill", "killafter"}) {
    for (const char* call : {"open", "write", "fsync", "close", "rename", "unlink"}) {
      for (int n = 1;; ++n) {
        SCOPED_TRACE(std::string(call) + ":" + std::to_string(n) + ":" + how);
        const TemporaryFolder folder;
        const fs::path path = folder / "arm.gltf";
        sinewFaultsSkipSync(1);
        writeCharacter(path, armOf(1));
        const GltfFiles packed = gltfToMemory(path, armOf(2));
        const std::string plan = std::string(call) + ":" + std::to_string(n) + ":" + how;
        // 0: written, 1: refused, 2: no fault occurred.
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
          const Faults faults(plan, folder.path().string());
          int code = 0;
          try {
            writeGltfFiles(packed);
          } catch (const std::exception&) {
            code = 1;
          }
          ::_exit(Faults::made() == 0 ? 2 : code);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        const double scale = scaleOf(path);
        EXPECT_TRUE(std::abs(scale - 1) < 1e-6 || std::abs(scale - 2) < 1e-6) << scale;
        const bool ended = WIFEXITED(status);
        if (ended && WEXITSTATUS(status) != 1) {
          EXPECT_NEAR(scale, 2, 1e-6) << "what is said to be written is there";
        }
        if (ended) {
          for (const std::string& name : folder.names()) EXPECT_FALSE(name.ends_with(".tmp")) << name;
        }
        sinewFaultsSkipSync(0);
        if (ended && WEXITSTATUS(status) == 2) break;
      }
    }
  }
}

}  // namespace
}  // namespace sinew::test::gltf_pair_test
