#include "sinew/io/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "formats_support.h"

namespace sinew::test::files_test {
namespace {

TEST(Files, ComeBackByteForByte) {
  const TemporaryFolder folder;
  std::string content(3'000'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31);
  writeFile(folder / "a b.bin", content);
  EXPECT_EQ(readFile(folder / "a b.bin"), content);
  writeFile(folder / "a b.bin", "new");
  EXPECT_EQ(readFile(folder / "a b.bin"), "new");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a b.bin"}) << "no temporary file stays";
}

TEST(Files, MissingEmptyAndFolderAreRefused) {
  const TemporaryFolder folder;
  expectRefused([&] { readFile(folder / "none"); }, {"none", "no such file", "check the path"});
  expectRefused([&] { readFile(folder.path()); }, {"is a folder"});
  expectRefused([&] { readFile(folder.write("empty", "")); }, {"empty", "is empty"});
}

TEST(Files, SeveralAreWrittenAllOrNone) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::filesystem::path, std::string>> good = {{folder / "a", "1"}, {folder / "b", "2"}};
  writeFiles(good);
  EXPECT_EQ(readFile(folder / "b"), "2");
  const std::vector<std::pair<std::filesystem::path, std::string>> bad = {{folder / "c", "1"}, {folder / "no/d", "2"}};
  expectRefused([&] { writeFiles(bad); }, {"no/d", "no folder"});
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "b"}));
}

TEST(Files, OutputsAppearTogetherWhenTheyAreCommitted) {
  const TemporaryFolder folder;
  OutputFiles outputs;
  outputs.makeFolder(folder / "made/below");
  outputs.add(folder / "a", "1");
  outputs.add(folder / "made/below/b", "2");
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  outputs.commit();
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "made"}));
  EXPECT_EQ(readFile(folder / "made/below/b"), "2");
}

TEST(Files, DiscardedOutputsLeaveNothingNotEvenTheirFolders) {
  const TemporaryFolder folder;
  folder.write("kept/old", "old");
  OutputFiles outputs;
  outputs.makeFolder(folder / "kept/new/below");
  outputs.add(folder / "kept/old", "new");
  outputs.add(folder / "kept/new/below/b", std::string().append(9'000'000, 'x'));
  outputs.discard();
  EXPECT_EQ(folder.names(), std::vector<std::string>{"kept"});
  EXPECT_FALSE(std::filesystem::exists(folder / "kept/new"));
  EXPECT_EQ(readFile(folder / "kept/old"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "kept"), {}), 1);
  for (const auto& later : {std::function<void()>([&] { outputs.add(folder / "a", "1"); }),
                            std::function<void()>([&] { outputs.commit(); })}) {
    try {
      later();
      ADD_FAILURE() << "went on after it was discarded";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Cancelled);
    }
  }
}

TEST(Files, ReadingStopsWhereProgressSaysSo) {
  const TemporaryFolder folder;
  const auto path = folder.write("large", std::string(5'000'000, 'x'));
  int asked = 0;
  EXPECT_THROW(readFile(path, [&](const ProgressState&) { return ++asked < 3; }), Error);
  EXPECT_EQ(asked, 3);
}

TEST(Files, AFolderThatCannotBeWrittenIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  expectRefused([&] { writeFile(folder / "a", "x"); }, {"a", "cannot be written", "choose another"});
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(Files, AKernelFolderIsRefused) {
  expectRefused([] { writeFile("/proc/sinew.obj", "x"); }, {"/proc/sinew.obj", "cannot be written"});
}

}  // namespace
}  // namespace sinew::test::files_test
