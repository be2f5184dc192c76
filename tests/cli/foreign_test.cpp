// Formats with a third-party importer are read in a separate process: however it ends, the command reports it in a
// sentence and keeps running.
#include "sinew/io/foreign.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "run_sinew.h"
#include "sinew/base/error.h"
#include "sinew/io/foreign/answer.h"
#include "sinew/io/foreign/character_bytes.h"
#include "support/sanitized.h"

namespace sinew::test::foreign_test {
namespace {

namespace fs = std::filesystem;

const std::string kPly =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
    "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";

/// Reads with a shell script in place of the program; returns the message of the refusal.
std::string refusalBy(const std::string& script, double seconds = 10, std::size_t megabytes = 0) {
  const TemporaryFolder folder;
  const std::string program = folder.write("program", "#!/bin/sh\n" + script + "\n");
  ::chmod(program.c_str(), 0700);
  const std::string file = folder.write("quad.ply", kPly);
  try {
    readForeign(file, {.rules = {.foreign = {.program = program, .seconds = seconds, .megabytes = megabytes}}});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Unreadable);
    EXPECT_EQ(error.where(), file);
    EXPECT_LT(error.message().size(), 200u);
    return error.message();
  }
  return "read";
}

void expectSays(const std::string& sentence, const std::string& words) {
  EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("; export it again"), std::string::npos) << sentence;
}

TEST(Foreign, AFileIsReadByTheProgramAsItIsReadHere) {
  const TemporaryFolder folder;
  const std::string file = folder.write("quad.ply", kPly);
  const CharacterFile there = readCharacter(file, {.rules = {.foreign = {.program = SINEW_COMMAND}}});
  const CharacterFile here = readCharacter(file, {.rules = {.foreign = {.inProcess = true}}});
  EXPECT_EQ(there.format, "PLY");
  EXPECT_EQ(there.character.mesh.faces[0].size(), 4u) << "a quad stays one";
  EXPECT_EQ(foreign::characterToBytes(there), foreign::characterToBytes(here));
}

TEST(Foreign, EveryWayToEndHasASentence) {
  expectSays(refusalBy("kill -SEGV $$"), "makes the importer crash (signal 11)");
  expectSays(refusalBy("kill -ABRT $$"), "makes the importer crash (signal 6)");
  expectSays(refusalBy("kill -KILL $$"), "the system ended the importer");
  expectSays(refusalBy("kill -XCPU $$"), "within 10 seconds");
  expectSays(refusalBy("exit 7"), "without a result (exit code 7)");
  expectSays(refusalBy("echo hello >&3"), "without a result (exit code 0)");
  expectSays(refusalBy("sleep 60", 0.3), "could not be read within 0.3 seconds");
  expectSays(refusalBy("cat /dev/zero >&3", 60), "expands to more than 128 MB");
}

/// An answer as from the reading process, printed by a script.
std::string refusalOf(foreign::ForeignOutcome outcome, const std::string& content) {
  const TemporaryFolder folder;
  const std::string answer = folder.write("answer", foreign::answerHeader(outcome, content.size()) + content);
  return refusalBy("cat '" + answer + "' >&3");
}

TEST(Foreign, AnswersThatMakeNoSenseAreRefused) {
  expectSays(refusalOf(foreign::ForeignOutcome::Read, "no character at all"), "returned an invalid result");
  expectSays(refusalOf(foreign::ForeignOutcome::Read, ""), "returned an invalid result");
  expectSays(refusalOf(static_cast<foreign::ForeignOutcome>(200), ""), "without a result");
  expectSays(refusalOf(foreign::ForeignOutcome::NoMemory, ""), "needs more than 640 MB");
  expectSays(refusalOf(foreign::ForeignOutcome::TooLarge, ""), "expands to more than 128 MB");
  EXPECT_EQ(refusalOf(foreign::ForeignOutcome::Refused, "is of no use; leave it"), "is of no use; leave it");
}

TEST(Foreign, AProgramThatCannotBeStartedIsNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.write("quad.ply", kPly);
  try {
    readForeign(file, {.rules = {.foreign = {.program = "/nowhere/at-all"}}});
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at-all"), std::string::npos) << error.what();
  }
}

TEST(Foreign, MemoryIsLimited) {
  if (kSanitized) GTEST_SKIP() << "the process reserves more addresses than any limit allows";
  const TemporaryFolder folder;
  // A small file with so many vertices that the process exceeds its memory limit.
  std::string text = kPly.substr(0, kPly.find("0 0 0\n"));
  text.replace(text.find("vertex 4"), 8, "vertex 500000");
  for (int v = 0; v < 500000; ++v) text += "0 0 0\n";
  text += "4 0 1 2 3\n";
  const std::string file = folder.write("many.ply", text);
  try {
    readForeign(file, {.rules = {.foreign = {.program = SINEW_COMMAND, .megabytes = 90}}});
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("needs more than 90 MB of memory"), std::string::npos) << error.what();
  }
  EXPECT_EQ(readForeign(file, {.rules = {.foreign = {.program = SINEW_COMMAND}}}).character.mesh.vertexCount(), 500000);
}

TEST(Foreign, LimitsGrowWithTheFile) {
  const ForeignLimits small = foreignLimits(1000, {});
  EXPECT_LT(small.seconds, 6);
  EXPECT_LT(small.memory, std::uint64_t{700} << 20);
  const ForeignLimits large = foreignLimits(100 << 20, {});
  EXPECT_GT(large.seconds, 100);
  EXPECT_GT(large.memory, std::uint64_t{8000} << 20);
  EXPECT_GT(large.output, std::uint64_t{4000} << 20);
}

/// Whether a process still runs; a zombie does not.
bool runs(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t end = text.rfind(')');
  return end != std::string::npos && text.size() > end + 2 && text[end + 2] != 'Z';
}

bool endsSoon(pid_t process) {
  for (int i = 0; i < 500; ++i) {
    if (!runs(process)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

/// A program that writes its process id to a file and then never ends.
std::string sleeper(const TemporaryFolder& folder) {
  std::string program =
      folder.write("program", "#!/bin/sh\necho $$ > '" + folder.file("pid.new") + "'\nmv '" + folder.file("pid.new") +
                                  "' '" + folder.file("pid") + "'\nexec sleep 300\n");
  ::chmod(program.c_str(), 0700);
  return program;
}

pid_t sleeperPid(const TemporaryFolder& folder) {
  for (int i = 0; i < 500 && !fs::exists(folder.file("pid")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return std::atoi(readText(folder.file("pid")).c_str());
}

TEST(Foreign, CancellingEndsTheProcess) {
  const TemporaryFolder folder;
  const std::string program = sleeper(folder);
  const std::string file = folder.write("quad.ply", kPly);
  const Progress untilStarted = [&](const ProgressState&) { return !fs::exists(folder.file("pid")); };
  try {
    readForeign(file, {.progress = untilStarted, .rules = {.foreign = {.program = program}}});
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Cancelled);
  }
  EXPECT_TRUE(endsSoon(sleeperPid(folder)));
}

/// The real reading process: its answer exceeds the capacity of the pipe, which is not read, so it blocks. Its parent
/// is killed, and it ends too.
TEST(Foreign, TheProcessEndsWithItsParent) {
  const TemporaryFolder folder;
  std::string text = kPly.substr(0, kPly.find("0 0 0\n"));
  text.replace(text.find("vertex 4"), 8, "vertex 20000");
  for (int v = 0; v < 20000; ++v) text += "0 0 0\n";
  const std::string file = folder.write("large.ply", text + "4 0 1 2 3\n");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);  // the read end stays open here and is never read
  const std::string script = "'" SINEW_COMMAND "' read-foreign-file $$ 300 671088640 100000000 strict faces '" + file +
                             "' & echo $! > '" + folder.file("pid.new") + "'; mv '" + folder.file("pid.new") + "' '" +
                             folder.file("pid") + "'; wait";
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    ::dup2(ends[1], foreign::kAnswerDescriptor);
    ::execl("/bin/sh", "sh", "-c", script.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  const pid_t reader = sleeperPid(folder);
  ASSERT_GT(reader, 0);
  // It has started to answer: it has read the file and is running.
  char first = 0;
  ASSERT_EQ(::read(ends[0], &first, 1), 1);
  EXPECT_TRUE(runs(reader));
  ::kill(parent, SIGKILL);
  int status = 0;
  ::waitpid(parent, &status, 0);
  EXPECT_TRUE(endsSoon(reader));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Foreign, TheWordWithoutItsArgumentsDoesNothing) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"read-foreign-file"},
                                                {"read-foreign-file", "1", "2", "3", "4", "strict", "faces", "x"},
                                                {"read-foreign-file", "1", "2", "x", "4", "strict", "faces", "x"}}) {
    const CommandResult result = runSinew(words);
    EXPECT_GE(result.exitCode, 64) << "of another process, or wrong arguments";
    EXPECT_LE(result.exitCode, 66);
    EXPECT_EQ(result.out + result.err, "");
  }
}

/// Files that made the importer crash or hang, each a few bytes long.
TEST(Foreign, FilesThatHarmTheImporterAreRefusedByTheCommand) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.ply", "ply\nformat ascii 1.0\n"},
      {"b.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nend_header\n"},
      {"c.dae",
       "<COLLADA version=\"1.4.1\"><library_geometries><geometry id=\"a\"><mesh><triangles count=\"1\"><p>0 0"},
      {"d.fbx", std::string("Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0", 27) + std::string(200, '\xff')},
  };
  for (const auto& [name, content] : files) {
    const CommandResult result = runSinew({"info", folder.write(name, content)});
    EXPECT_EQ(result.exitCode, 2) << name << result.out << result.err;
    EXPECT_NE(result.err.find(name), std::string::npos) << result.err;
  }
}

TEST(Foreign, TheStudioReadsBehindTheWallToo) {
  const TemporaryFolder folder;
  const TemporaryFolder state;
  const std::string file = folder.write("a.ply", "ply\nformat ascii 1.0\n");
  const CommandResult result = runSinew({"studio", file, "--no-open", "--port", "0", "--state", state.path().string()});
  EXPECT_EQ(result.exitCode, 2) << result.out << result.err;
  EXPECT_NE(result.err.find("a.ply"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("header without an end"), std::string::npos) << result.err;
}

TEST(Foreign, RareFormatsNeedTheirFlagInEveryCommand) {
  const TemporaryFolder folder;
  const std::string smd = folder.write(
      "arm.smd",
      "version 1\nnodes\n0 \"root\" -1\n1 \"tip\" 0\nend\nskeleton\ntime 0\n0 0 0 0 0 0 0\n1 0 1 0 0 0 0\nend\n"
      "triangles\nskin\n0 0 0 0 0 0 1 0 0 1 0 1\n0 1 0 0 0 0 1 1 0 1 0 1\n0 0 1 0 0 0 1 0 1 1 0 1\nend\n");
  const CommandResult refused = runSinew({"info", smd});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_NE(refused.err.find("--rare-formats"), std::string::npos) << refused.err;
  const CommandResult read = runSinew({"info", smd, "--rare-formats", "--json"});
  ASSERT_EQ(read.exitCode, 0) << read.err;
  const CommandResult converted = runSinew({"convert", smd, "--rare-formats", "-o", folder.file("arm.glb"), "-q"});
  EXPECT_EQ(converted.exitCode, 0) << converted.err;
}

}  // namespace
}  // namespace sinew::test::foreign_test
