#include "sinew/io/pipe_box.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "sinew/base/error.h"
#include "support/random_points.h"

namespace sinew::pipe_box_test {
namespace {

using test::randomPoints;

std::string box(const std::string& mode) {
  return "'" SINEW_TEST_BOX "' " + mode;
}

/// The failure of a command's first calls: the message and the duration.
struct Failure {
  std::string message;
  double seconds = 0;
  ErrorCode code = ErrorCode::Internal;
};

Failure failureOf(const std::string& command, Index count = 200, double timeout = 20, int calls = 5) {
  const auto begin = std::chrono::steady_clock::now();
  Failure failure;
  try {
    PipeBox pipe(command, {.timeout = timeout});
    Points moved;
    const Points points = randomPoints(count, 2);
    for (int i = 0; i < calls; ++i) pipe.move(points, moved);
  } catch (const Error& error) {
    failure.message = error.what();
    failure.code = error.code();
  }
  failure.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return failure;
}

void expectRefused(const Failure& failure, const std::string& word, double within) {
  EXPECT_EQ(failure.code, ErrorCode::BadInput) << failure.message;
  EXPECT_NE(failure.message.find(word), std::string::npos) << failure.message;
  EXPECT_NE(failure.message.find("black box '"), std::string::npos) << "names the command: " << failure.message;
  EXPECT_LT(failure.seconds, within) << failure.message;
}

/// Whether a process ends within some seconds; the process that inherits it may take a moment to reap it.
bool endsSoon(pid_t process) {
  for (int i = 0; i < 300; ++i) {
    std::ifstream state("/proc/" + std::to_string(process) + "/stat");
    std::string number;
    std::string name;
    std::string letter;
    if (!(state >> number >> name >> letter) || letter == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(PipeBox, CarriesEveryBitThereAndBack) {
  PipeBox pipe(box("echo"));
  const Points points = randomPoints(1000, 2);
  Points moved;
  for (int call = 1; call <= 3; ++call) {
    pipe.move(points, moved);
    EXPECT_EQ(points, moved);
    EXPECT_EQ(pipe.calls(), call);
  }
  Points other;
  pipe.map()(points.leftCols(7), other);
  EXPECT_EQ(other, points.leftCols(7)) << "the count may change";
}

TEST(PipeBox, LargeMeshesDoNotBlockABoxThatAnswersWhileItReads) {
  // `cat` writes before it has read all: 24 MB through pipes of 64 KB.
  PipeBox pipe("cat", {.timeout = 60});
  const Points points = randomPoints(1000000, 2);
  Points moved;
  pipe.move(points, moved);
  EXPECT_EQ(points, moved);
}

TEST(PipeBox, MeshWithoutPointsIsACallLikeAnyOther) {
  PipeBox pipe(box("echo"));
  Points moved(3, 5);
  pipe.move(Points(3, 0), moved);
  EXPECT_EQ(moved.cols(), 0);
}

TEST(PipeBox, ACommandThatEndsAtOnceIsRefused) {
  expectRefused(failureOf("exit 3"), "exit code 3", 5);
  expectRefused(failureOf("true"), "exit code 0", 5);
  expectRefused(failureOf("exit 3", 200000), "exit code 3", 5);
}

TEST(PipeBox, ACommandThatEndsLaterIsRefused) {
  expectRefused(failureOf(box("once")), "call 2", 5);
  expectRefused(failureOf(box("once"), 100000), "call 2", 5);
}

TEST(PipeBox, AMissingCommandIsNamed) {
  const Failure failure = failureOf("/no/such/box 2>/dev/null");
  expectRefused(failure, "could not be found", 5);
  EXPECT_NE(failure.message.find("/no/such/box"), std::string::npos);
}

TEST(PipeBox, ACrashIsRefused) {
  expectRefused(failureOf("exec " + box("crash") + " 2>/dev/null"), "signal 6", 5);
  expectRefused(failureOf("kill -SEGV $$"), "signal 11", 5);
}

TEST(PipeBox, AnotherNumberOfPointsIsRefused) {
  expectRefused(failureOf(box("short")), "declared 199 points in its answer to 200", 5);
}

TEST(PipeBox, GarbageIsRefused) {
  expectRefused(failureOf("yes"), "declared", 5);
  expectRefused(failureOf("yes", 300000), "declared", 5);
  expectRefused(failureOf("echo hello"), "declared", 5);
  expectRefused(failureOf(box("nan")), "not a finite number at vertex 4", 5);
}

TEST(PipeBox, SilenceIsATimeOut) {
  expectRefused(failureOf("sleep 30", 200, 0.3), "within 0.3 seconds", 5);
  expectRefused(failureOf("sleep 30", 200000, 0.3), "it has read", 5);
  expectRefused(failureOf("cat > /dev/null", 200, 0.3), "it has answered 0 of", 5);
  expectRefused(failureOf(box("half"), 200, 0.3), "it has answered", 5);
}

TEST(PipeBox, AfterAnErrorEveryCallIsTheSameError) {
  PipeBox pipe("exit 3");
  Points moved;
  std::string first;
  for (int call = 0; call < 3; ++call) {
    try {
      pipe.move(randomPoints(5, 2), moved);
      FAIL();
    } catch (const Error& error) {
      if (first.empty()) first = error.what();
      EXPECT_EQ(first, error.what());
    }
  }
}

TEST(PipeBox, TheProcessIsGoneWithTheObject) {
  const std::string note = ::testing::TempDir() + "/sinew_box_" + std::to_string(::getpid());
  {
    // A box that ignores the end of its input, with a child process.
    PipeBox pipe("sleep 60 & echo $$ $! > '" + note + "'; exec sleep 61");
    pid_t first = 0;
    pid_t second = 0;
    for (int i = 0; i < 500 && !(std::ifstream(note) >> first >> second); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::ifstream stream(note);
  pid_t shell = 0;
  pid_t background = 0;
  ASSERT_TRUE(stream >> shell >> background);
  std::remove(note.c_str());
  EXPECT_NE(::kill(shell, 0), 0) << "ended and reaped";
  EXPECT_TRUE(endsSoon(background));
}

TEST(PipeBox, TheProcessIsGoneWithItsParentEvenWhereTheObjectIsNotDestroyed) {
  const std::string note = ::testing::TempDir() + "/sinew_orphan_box_" + std::to_string(::getpid());
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    PipeBox pipe("sleep 60 & echo $$ $! > '" + note + "'; wait");
    pid_t first = 0;
    pid_t second = 0;
    while (!(std::ifstream(note) >> first >> second)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  std::ifstream stream(note);
  pid_t shell = 0;
  pid_t background = 0;
  ASSERT_TRUE(stream >> shell >> background);
  std::remove(note.c_str());
  EXPECT_TRUE(endsSoon(shell));
  EXPECT_TRUE(endsSoon(background));
}

TEST(PipeBox, RefusesOptionsThatMakeNoSense) {
  EXPECT_THROW(PipeBox(""), Error);
  EXPECT_THROW(PipeBox("cat", {.timeout = 0}), Error);
}

}  // namespace
}  // namespace sinew::pipe_box_test
