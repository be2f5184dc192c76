#include "sinew/io/files/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "sinew/io/files/descriptor.h"

namespace sinew::child_process_test {
namespace {

using files::ChildProcess;
using files::ChildStart;
using files::Descriptor;

constexpr int kPipe = 3;
constexpr int kForeign = 40;

/// What a shell script writes to descriptor 3.
std::string saidBy(const std::string& script, bool isolated) {
  auto [ours, theirs] = files::makePipe();
  ChildProcess child;
  EXPECT_EQ(child.start({.words = {"/bin/sh", "-c", script},
                         .inherited = {{theirs.get(), kPipe}},
                         .isolated = isolated,
                         .restored = files::allSignals()}),
            0);
  theirs.close();
  std::string said;
  char letter = 0;
  while (::read(ours.get(), &letter, 1) == 1) said.push_back(letter);
  EXPECT_EQ(child.wait(), 0);
  return said;
}

TEST(ChildProcess, IsolatedHasOnlyWhatItInherits) {
  // Not closed on exec, as a descriptor of another library may be.
  const Descriptor foreign(::dup2(STDERR_FILENO, kForeign));
  const std::string script = "if [ -e /proc/self/fd/40 ]; then echo open >&3; else echo closed >&3; fi";
  EXPECT_EQ(saidBy(script, false), "open\n");
  EXPECT_EQ(saidBy(script, true), "closed\n");
  EXPECT_EQ(saidBy("in=$(readlink /proc/$$/fd/0); out=$(readlink /proc/$$/fd/1); err=$(readlink /proc/$$/fd/2)\n"
                   "echo $in $out $err >&3",
                   true),
            "/dev/null /dev/null /dev/null\n");
}

TEST(ChildProcess, IsKilledAndReapedWithItsOwner) {
  std::optional<ChildProcess> child(std::in_place);
  ASSERT_EQ(child->start({.words = {"/bin/sleep", "100"}, .isolated = true}), 0);
  const pid_t id = child->id();
  EXPECT_TRUE(child->running());
  EXPECT_FALSE(child->ended());
  EXPECT_EQ(::getpgid(id), id);
  child.reset();
  EXPECT_EQ(::waitpid(id, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, EndsWithoutBeingReaped) {
  ChildProcess child;
  ASSERT_EQ(child.start({.words = {"/bin/sh", "-c", "exit 7"}}), 0);
  while (!child.ended()) ::usleep(1000);
  EXPECT_TRUE(child.running());
  EXPECT_EQ(WEXITSTATUS(child.wait()), 7);
  EXPECT_FALSE(child.running());
}

TEST(ChildProcess, ReportsWhyItCannotStart) {
  ChildProcess child;
  EXPECT_EQ(child.start({.words = {"/no such program"}}), ENOENT);
  EXPECT_FALSE(child.running());
}

}  // namespace
}  // namespace sinew::child_process_test
