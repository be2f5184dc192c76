// What learning a reduced model and a skinning decomposition share: preparing examples, telling what became of them.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/learn/reduced_model.h"
#include "sinew/learn/reduced_model/checks.h"

namespace sinew::reduced_model {

/// Seconds per step.
class StageClock {
 public:
  void lap(std::string name);
  [[nodiscard]] const std::vector<ReducedStage>& stages() const { return stages_; }
  [[nodiscard]] double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  std::vector<ReducedStage> stages_;
};

struct PreparedExamples {
  ReducedSurface surface;
  TriangleGraph graph;
  Points rest;
  std::vector<Points> aligned;
  std::vector<Eigen::Isometry3d> inputFromAligned;
  std::vector<std::string> names;
  int restExample = -1;
};

/// Checks, repairs, chooses the rest (`rest`, else example `restIndex`, else the medoid) and aligns.
PreparedExamples prepareExamples(const Mesh& topology, std::span<const Points> examples,
                                 std::span<const std::string> names, const std::optional<Points>& rest, int restIndex,
                                 int seed, StageClock& clock);

/// Everything of the model that the examples alone decide.
void fillModel(const PreparedExamples& prepared, ReducedModel& model);

/// Labels of the topology's triangles: dropped ones take the label of a triangle at one of their vertices.
std::vector<std::uint32_t> labelsOfSource(const PreparedExamples& prepared, std::span<const std::uint32_t> labels);

/// Proxies of the model's weights, and their numbers for the report.
void addProxies(const PreparedExamples& prepared, ReducedResult& result);

/// Errors, counts and warnings of a finished model.
void fillReport(const PreparedExamples& prepared, const ReducedModel& model, ReducedReport& report);

/// A warning if there are fewer controls than requested (0: no request).
void remarkCount(Index asked, ReducedReport& report);

}  // namespace sinew::reduced_model
