#include "studio/session/running_jobs.h"

#include <algorithm>
#include <string_view>

namespace sinew::studio {
namespace {

struct Row {
  std::string_view what;
  std::string_view title;     ///< empty: it runs in the background
  std::string_view activity;  ///< of those that end with their document
};

constexpr Row kRows[] = {
    {"fit", "Fitting the skin", "Fitting"},
    {"fit.learn", "Learning within the budget", "Learning"},
    {"fit.explain", "Explaining the error", "Explaining the error"},
    {"learn", "Learning the model", "Learning"},
    {"keep", "Keeping the model", "Keeping the model"},
    {"bind", "Binding", "Binding"},
    {"examples", "Reading examples", "Reading examples"},
    {"exportPlan", "Preparing the file in memory", ""},
    {"relearn", "", ""},
};
/// These go on without their document.
constexpr std::string_view kOnTheirOwn[] = {"export", "open"};

const Row* rowOf(std::string_view what) {
  const auto* const found =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.what == what; });
  return found == std::end(kRows) ? nullptr : found;
}

}  // namespace

void RunningJobs::started(std::uint32_t job, const std::string& what, const std::string& title) {
  wire::JobInfo info{.job = job, .what = what, .title = title};
  const Row* row = rowOf(what);
  if (title.empty() && what == "export") info.title = "Exporting";
  if (title.empty() && row != nullptr) info.title = row->title;
  jobs_.push_back(std::move(info));
}

void RunningJobs::progressed(const JobProgress& progress) {
  for (wire::JobInfo& info : jobs_) {
    if (info.job != progress.job) continue;
    info.fraction = progress.fraction;
    info.seconds = progress.seconds;
    info.stage = progress.stage;
  }
}

bool RunningJobs::ended(std::uint32_t job) {
  std::erase_if(jobs_, [&](const wire::JobInfo& info) { return info.job == job; });
  return std::erase(dropped_, job) == 0;
}

std::vector<RunningJobs::OfDocument> RunningJobs::dropOfDocument() {
  std::vector<OfDocument> jobs;
  for (const wire::JobInfo& info : jobs_) {
    if (std::find(std::begin(kOnTheirOwn), std::end(kOnTheirOwn), info.what) != std::end(kOnTheirOwn)) continue;
    if (std::find(dropped_.begin(), dropped_.end(), info.job) != dropped_.end()) continue;
    const Row* row = rowOf(info.what);
    dropped_.push_back(info.job);
    jobs.push_back({info.job, row == nullptr ? std::string() : std::string(row->activity)});
  }
  return jobs;
}

}  // namespace sinew::studio
