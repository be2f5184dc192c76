// What a page learns of jobs that run: when it connects, and when another document replaces theirs.
#include <gtest/gtest.h>

#include "session_harness.h"
#include "studio/net/codec.h"
#include "studio/sentence.h"

namespace sinew::studio::test::running_jobs_test {
namespace {

constexpr int kVertices = 8000;

Json hello(StudioRun& run) {
  return run.result("hello", {{"protocol", kProtocolVersion}});
}

/// The arm with its sculpts, and a fit that runs.
std::uint32_t startFit(StudioRun& run) {
  const Json read = run.result("examples.open");
  EXPECT_TRUE(read.contains("job")) << read;
  EXPECT_EQ(run.jobEnd(read["job"].get<int>()).value("fault", "?"), "");
  const Json started = run.result("fit.start", {{"helpers", "all"}});
  EXPECT_TRUE(started.contains("job")) << started;
  return started.value("job", 0u);
}

TEST(RunningJobs, AReloadedPageIsToldWhatRuns) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm", kVertices);
  EXPECT_EQ(hello(run)["jobs"], Json::array());
  const std::uint32_t job = startFit(run);
  run.reload(true);
  const Json jobs = hello(run)["jobs"];
  ASSERT_EQ(jobs.size(), 1u) << jobs;
  EXPECT_EQ(jobs[0]["job"], job);
  EXPECT_EQ(jobs[0]["what"], "fit");
  EXPECT_EQ(jobs[0]["title"], "Fitting the skin");
  EXPECT_EQ(run.ask("fit.start")["text"], "A fit is running");
  ASSERT_TRUE(run.ask("job.cancel", {{"job", job}})["ok"]);
  Json end;
  for (int i = 0; i < 12 && end.is_null(); ++i) end = run.jobEnd(static_cast<int>(job));
  EXPECT_FALSE(end.is_null());
  EXPECT_EQ(hello(run)["jobs"], Json::array());
}

TEST(RunningJobs, OpeningAnotherDocumentCancelsThemWithANotice) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm", kVertices);
  const std::uint32_t job = startFit(run);
  EXPECT_EQ(run.open({{"what", "sample:limb"}}).value("fault", "?"), "");
  const Json notice = run.page().wait([](const Json& heard) { return heard.value("event", "") == "warning"; });
  EXPECT_EQ(notice["text"], "Fitting on arm was cancelled, because another file was opened.");
  Json end;
  for (int i = 0; i < 12 && end.is_null(); ++i) end = run.jobEnd(static_cast<int>(job));
  EXPECT_TRUE(end["cancelled"]) << end;
  EXPECT_EQ(hello(run)["jobs"], Json::array());
}

TEST(RunningJobs, FaultsAreSentencesButNamesStayAsTheyAre) {
  EXPECT_EQ(asSentence("a fit is running"), "A fit is running");
  EXPECT_EQ(asSentence("arm.glb already exists"), "arm.glb already exists");
  EXPECT_EQ(asSentence("'arm' is locked"), "'arm' is locked");
  EXPECT_EQ(asSentence("max-influences is 0"), "max-influences is 0");
  EXPECT_EQ(asSentence("cancelled"), "cancelled");
  EXPECT_EQ(asSentence(""), "");
}

TEST(RunningJobs, WarningsNameOptionsWithoutTheirDashes) {
  EXPECT_EQ(withoutFlags("a larger --max-helpers 4 (--prior)"), "a larger 'max-helpers' 4 ('prior')");
  EXPECT_EQ(withoutFlags("rms 1 -- 2, a--b"), "rms 1 -- 2, a--b");
}

}  // namespace
}  // namespace sinew::studio::test::running_jobs_test
