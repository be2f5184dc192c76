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

struct Finish {
  bool proxies = true;
  Index requested = 0;        ///< controls; 0: no request
  double proxiesBegin = 0.9;  ///< the fractions of the progress
  double errorsBegin = 0.95;
};

/// The last steps, once all else of the model is there: proxies of its weights, then errors, counts, warnings and times
/// for the report.
void finish(const PreparedExamples& prepared, const Finish& wanted, StageClock& clock, const Progress& progress,
            ReducedResult& result);

}  // namespace sinew::reduced_model
