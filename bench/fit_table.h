// The part of docs/benchmarks.md on fitting weights: every number of it in one run.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "fit_cases.h"
#include "fit_peer.h"
#include "process_usage.h"
#include "sinew/base/parallel.h"

namespace sinew::bench {

template <class Call>
double secondsOf(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Best of a few, in seconds.
inline double fitSeconds(const FitStage& stage, int threads, int rounds = 3) {
  const ThreadLimit limit(threads);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i)
    best = std::min(best, secondsOf([&] { fit::fitWeights(stage.character, stage.problem); }));
  return best;
}

class FitTable {
 public:
  explicit FitTable(bool quick) : quick_(quick) {}

  std::string text() {
    out_ << kOpening;
    against(FitStage({.vertices = quick_ ? 10000 : 100000}));
    byJoints();
    byPoses();
    byVertices();  // last: the largest memory of the process is then its own
    return out_.str();
  }

 private:
  static constexpr const char* kOpening =
      "## Fitting weights\n\n"
      "`fitWeights`, at most 4 influences, on the biped at random poses that no weights match exactly (dual "
      "quaternions "
      "and waves). Joints beyond its own 25 take a share of another joint's rotation. `textbook` is a loop over the "
      "points "
      "on one thread: Lawson and Hanson's non-negative least squares on the full matrix of 3 rows per pose "
      "(Householder "
      "QR of the passive set), the 4 largest refitted; it is timed on every 50th point. "
      "`build/release/bench/bench_fit` alone runs the same under Google Benchmark.\n\n";

  void against(const FitStage& stage) {
    const Index points = stage.problem.pointCount();
    const BookFit book(stage.problem, 4);
    std::vector<std::vector<Influence>> columns;
    double one = std::numeric_limits<double>::infinity();
    double two = one;
    double loop = one;
    for (int round = 0; round < 3; ++round) {  // in turn, so that a busy moment hits all alike
      one = std::min(one, fitSeconds(stage, 1, 1));
      two = std::min(two, fitSeconds(stage, 2, 1));
      columns.clear();
      loop = std::min(loop, secondsOf([&] {
                        for (Index p = 0; p < points; p += kEvery) columns.push_back(book.weights(p));
                      }));
    }
    loop *= static_cast<double>(points) / static_cast<double>(columns.size());
    out_ << fmt::format("{} points, {} joints, {} poses:\n\n", points, stage.character.skin.bindings.size(),
                        stage.problem.exampleCount())
         << "| | seconds | us per point | speed-up over textbook |\n|---|---|---|---|\n";
    const auto row = [&](const char* name, double seconds) {
      out_ << fmt::format("| {} | {:.2f} | {:.1f} | {:.1f} |\n", name, seconds,
                          1e6 * seconds / static_cast<double>(points), loop / seconds);
    };
    row("one thread", one);
    row("two threads", two);
    row("textbook", loop);
    const Agreement agreed = agreement(stage, columns);
    out_ << fmt::format(
        "\nThe weights of the two differ by at most {:.1e} where both chose the same joints ({:.1f} % of "
        "the points); our squared error is {:.4f} of the textbook's.\n\n",
        agreed.worst, 100 * agreed.share, agreed.error);
  }

  struct Agreement {
    double worst = 0;  ///< difference of weights
    double share = 0;  ///< points with the same joints
    double error = 0;  ///< squared, of ours to theirs
  };

  static Agreement agreement(const FitStage& stage, const std::vector<std::vector<Influence>>& theirs) {
    fit::WeightFit ours = fit::fitWeights(stage.character, stage.problem);
    Agreement result;
    double own = 0;
    double other = 0;
    std::vector<std::vector<Influence>> columns = ours.columns;
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      const std::size_t p = k * static_cast<std::size_t>(kEvery);
      columns[p] = theirs[k];
      double worst = ours.columns[p].size() == theirs[k].size() ? 0 : 2;
      for (const Influence& i : theirs[k]) {
        double found = 2;
        for (const Influence& j : ours.columns[p]) {
          if (j.binding == i.binding) found = std::abs(j.weight - i.weight);
        }
        worst = std::max(worst, found);
      }
      if (worst > 1) continue;
      result.share += 1.0 / static_cast<double>(theirs.size());
      result.worst = std::max(result.worst, worst);
    }
    const std::vector<double> errors = fit::weightErrors(stage.problem, columns);
    for (std::size_t p = 0; p < errors.size(); p += static_cast<std::size_t>(kEvery)) {
      own += ours.errors[p];
      other += errors[p];
    }
    result.error = own / other;
    return result;
  }

  void byJoints() {
    out_ << "### Joints\n\n" << size() << " points, 40 poses, two threads.\n\n| joints | us per point |\n|---|---|\n";
    for (const int joints : {25, 50, 100, 200}) {
      const FitStage stage({.vertices = size(), .joints = joints});
      row(fmt::format("{}", joints), stage);
    }
    out_ << "\n";
  }

  void byPoses() {
    out_ << "### Poses\n\n" << size() << " points, 30 joints, two threads.\n\n| poses | us per point |\n|---|---|\n";
    for (const int poses : {5, 10, 20, 40, 80, 160}) {
      const FitStage stage({.vertices = size(), .poses = poses});
      row(fmt::format("{}", poses), stage);
    }
    out_ << "\n";
  }

  void byVertices() {
    out_ << "### Vertices\n\n30 joints, 40 poses, two threads: the time is proportional to the points. The memory is "
            "the "
            "peak of the process, with the character, its examples and the fit (target: at most 3 GB).\n\n"
            "| points | seconds | us per point | memory, GB |\n|---|---|---|---|\n";
    std::vector<Index> sizes = {10000, 100000};
    if (!quick_) sizes.push_back(1000000);
    for (const Index vertices : sizes) {
      Character character = jointedBiped(vertices, 30);
      const ExampleSet set = fitExamples(character, 39);
      const fit::FitProblem problem = fit::makeFitProblem(character, set);
      const ThreadLimit limit(2);
      const double seconds = secondsOf([&] { fit::fitWeights(character, problem); });
      out_ << fmt::format("| {} | {:.2f} | {:.1f} | {:.2f} |\n", problem.pointCount(), seconds,
                          1e6 * seconds / static_cast<double>(problem.pointCount()), 1e-9 * peakBytes());
    }
  }

  [[nodiscard]] Index size() const { return quick_ ? 5000 : 20000; }

  void row(const std::string& name, const FitStage& stage) {
    out_ << fmt::format("| {} | {:.1f} |\n", name,
                        1e6 * fitSeconds(stage, 2) / static_cast<double>(stage.problem.pointCount()));
  }

  static constexpr Index kEvery = 50;
  bool quick_;
  std::ostringstream out_;
};

}  // namespace sinew::bench
