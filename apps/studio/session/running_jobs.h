// The jobs that run now, as a page that connects is told about them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "studio/document_info.h"
#include "studio/session/jobs.h"

namespace sinew::studio {

/// Used on the worker alone. From the start of a job until its end is told.
class RunningJobs {
 public:
  /// `title`: for people; empty: that of the table for `what`.
  void started(std::uint32_t job, const std::string& what, const std::string& title = {});
  void progressed(const JobProgress& progress);
  /// False: its document was closed meanwhile, so its result is dropped.
  bool ended(std::uint32_t job);

  [[nodiscard]] const std::vector<wire::JobInfo>& list() const { return jobs_; }

  /// A job that ends with its document.
  struct OfDocument {
    std::uint32_t job = 0;
    std::string activity;  ///< "Learning"; empty: nobody started it by hand
  };
  /// The document is replaced: these are to be cancelled.
  std::vector<OfDocument> dropOfDocument();

 private:
  std::vector<wire::JobInfo> jobs_;
  std::vector<std::uint32_t> dropped_;
};

}  // namespace sinew::studio
