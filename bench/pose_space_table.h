// The part of docs/benchmarks.md on pose-space deformation: every number of it in one run.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "pose_space_cases.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/learn/pose_space.h"
#include "skinning_table.h"

namespace sinew::bench {

/// Cases of one character, each under a name.
class CorrectedCases {
 public:
  explicit CorrectedCases(const PosedBiped& biped) : biped_(biped), plain_(biped) {
    ways_.push_back(plain_.way("plain"));
  }

  void add(const std::string& name, const CorrectionCase& wanted) {
    stages_.push_back(std::make_unique<CorrectedStage>(biped_, wanted));
    ways_.push_back(stages_.back()->way(name));
  }
  void addUpdate(const std::string& name) { ways_.push_back(stages_.back()->updateWay(name)); }
  void addPlain(const std::string& name) { ways_.push_back(stages_.back()->plainWay(name)); }

  [[nodiscard]] const play::CorrectiveReport& report() const { return stages_.back()->packed.report(); }
  [[nodiscard]] Times measured(double seconds) const {
    return measure(ways_, static_cast<std::size_t>(biped_.character.mesh.vertexCount()), seconds);
  }

 private:
  const PosedBiped& biped_;
  PlainStage plain_;
  std::vector<std::unique_ptr<CorrectedStage>> stages_;
  std::vector<Way> ways_;
};

/// Sculpts at random poses: the biped moved by dual quaternions, with waves that touch every vertex.
inline ExampleSet sculpts(const PosedBiped& biped, int count) {
  const Character& character = biped.character;
  const DualQuaternionBlend sculptor(character.skin);
  ExampleSet set;
  Lcg random(9);
  for (int k = 0; k < count; ++k) {
    Example example;
    example.name = fmt::format("example {}", k + 1);
    example.pose = restPose(character);
    for (const int j : drivingJoints(character.skeleton)) {
      LocalTransform& local = example.pose.local[static_cast<std::size_t>(j)];
      local.rotation = local.rotation * Quat(Eigen::AngleAxisd(random.symmetric(), random.vector().normalized()));
    }
    PosedJoints joints;
    poseJoints(character, example.pose, joints);
    Points waves = character.mesh.points;
    const double size = boundingBox(waves).diagonal();
    const Vec3 shift = random.vector();
    for (double& c : waves.reshaped()) c += 0.003 * size * std::sin(20 * c / size + shift.x());
    example.points = sculptor.deform(waves, joints);
    set.examples.push_back(std::move(example));
  }
  return set;
}

class PoseSpaceTable {
 public:
  explicit PoseSpaceTable(double seconds) : seconds_(seconds) {}

  std::string text(const std::vector<Index>& sizes) {
    const ThreadLimit one(1);
    out_ << kOpening;
    const PosedBiped biped = posedBiped(100000);
    spaces(biped);
    growth(sizes);
    byExamples(biped);
    byGroups(biped);
    learning(biped);
    return out_.str();
  }

 private:
  static constexpr const char* kOpening =
      "## Pose-space deformation\n\n"
      "`PackedPoseSpace` on the same character: the weights of the examples, the deltas and the skinning of a frame, "
      "against plain packed linear blend in the same run. 8 examples including the rest pose, each of which moves "
      "every corrected vertex by up to 2 % of the diagonal. `plain loop` is a straightforward implementation "
      "in scalar floats with the weights given. `build/release/bench/bench_pose_space` alone runs the same cases "
      "under Google Benchmark.\n\n";

  void spaces(const PosedBiped& biped) {
    struct Row {
      const char* name;
      CorrectionCase wanted;
      const char* limit;
    };
    std::vector<Row> rows;
    for (const double share : {0.2, 1.0}) {
      const bool some = share < 1;
      rows.push_back({"inverse", {.space = DeltaSpace::Inverse, .share = share}, some ? "1.5" : "3.5"});
      rows.push_back({"frame", {.space = DeltaSpace::Frame, .share = share}, some ? "1.8" : "5"});
      rows.push_back({"forward", {.space = DeltaSpace::Forward, .share = share}, ""});
      rows.push_back({"layered", {.space = DeltaSpace::Layered, .share = share}, ""});
      rows.push_back({"frame on dual quaternions", {.share = share, .base = "dual-quaternion"}, ""});
    }
    CorrectedCases cases(biped);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      cases.add(fmt::format("{}", i), rows[i].wanted);
      const bool peer = rows[i].wanted.base == "linear-blend" &&
                        (rows[i].wanted.space == DeltaSpace::Inverse || rows[i].wanted.space == DeltaSpace::Frame);
      if (peer) cases.addPlain(fmt::format("peer {}", i));
    }
    const Times t = cases.measured(seconds_);
    out_ << fmt::format("Plain packed linear blend: {:.2f} ns per vertex.\n\n", t.at("plain"))
         << "| space | corrected | ns per vertex | times plain linear blend | target (at most) | plain loop, ns |\n"
         << "|---|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double time = t.at(fmt::format("{}", i));
      const auto peer = t.find(fmt::format("peer {}", i));
      out_ << fmt::format("| {} | {:.0f} % | {:.2f} | {:.2f} | {} | {} |\n", rows[i].name, 100 * rows[i].wanted.share,
                          time, time / t.at("plain"), rows[i].limit,
                          peer == t.end() ? "" : fmt::format("{:.2f}", peer->second));
    }
    out_ << "\n";
  }

  void growth(const std::vector<Index>& sizes) {
    out_ << "### Vertices\n\nNanoseconds per vertex: the cost is proportional to the vertices while the deltas fit "
            "into the caches. Beyond that (1,000,000 vertices, 42 MB) memory bandwidth dominates.\n\n"
            "| vertices | plain | inverse 20 % | frame 20 % | inverse 100 % | frame 100 % | weights of a frame, us |\n"
            "|---|---|---|---|---|---|---|\n";
    for (const Index size : sizes) {
      const PosedBiped biped = posedBiped(size);
      CorrectedCases cases(biped);
      cases.add("inverse some", {.space = DeltaSpace::Inverse});
      cases.add("frame some", {.space = DeltaSpace::Frame});
      cases.addUpdate("update");
      cases.add("inverse all", {.space = DeltaSpace::Inverse, .share = 1});
      cases.add("frame all", {.space = DeltaSpace::Frame, .share = 1});
      const Times t = cases.measured(seconds_ / 2);
      const Index vertices = biped.character.mesh.vertexCount();
      out_ << fmt::format("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} |\n", vertices, t.at("plain"),
                          t.at("inverse some"), t.at("frame some"), t.at("inverse all"), t.at("frame all"),
                          1e-3 * t.at("update") * static_cast<double>(vertices));
    }
    out_ << "\n";
  }

  void byExamples(const PosedBiped& biped) {
    out_ << "### Examples\n\n100,000 vertices, nanoseconds per vertex. With 16 and more "
            "examples the weights need their second 16 bits at this pose.\n\n"
            "| examples | frame 20 % | frame 100 % | bytes per corrected vertex | weights of a frame, us |\n"
            "|---|---|---|---|---|\n";
    for (const int examples : {4, 8, 16, 32}) {
      CorrectedCases cases(biped);
      cases.add("some", {.examples = examples});
      cases.addUpdate("update");
      cases.add("all", {.share = 1, .examples = examples});
      const Times t = cases.measured(seconds_ / 4);
      const auto vertices = static_cast<double>(biped.character.mesh.vertexCount());
      out_ << fmt::format("| {} | {:.2f} | {:.2f} | {:.0f} | {:.1f} |\n", examples, t.at("some"), t.at("all"),
                          cases.report().bytesPerCorrection, 1e-3 * t.at("update") * vertices);
    }
    out_ << "\n";
  }

  void byGroups(const PosedBiped& biped) {
    out_ << "### Weighted models\n\nEach group of vertices has its own example weights; 20 % of 100,000 vertices "
            "corrected, space `frame`.\n\n"
            "| groups | in blocks of mixed groups | whole frame, ns per vertex | weights of a frame, us |\n"
            "|---|---|---|---|\n";
    for (const int groups : {1, 16, 128, 1024}) {
      CorrectedCases cases(biped);
      cases.add("frame", {.groups = groups});
      cases.addUpdate("update");
      const Times t = cases.measured(seconds_ / 8);
      const auto vertices = static_cast<double>(biped.character.mesh.vertexCount());
      out_ << fmt::format("| {} | {:.0f} % | {:.2f} | {:.1f} |\n", groups, 100 * cases.report().mixed, t.at("frame"),
                          1e-3 * t.at("update") * vertices);
    }
    out_ << "\n";
  }

  void learning(const PosedBiped& biped) {
    const ExampleSet set = sculpts(biped, 20);
    double best = std::numeric_limits<double>::infinity();
    Index touched = 0;
    const auto learn = [&] {
      const auto start = std::chrono::steady_clock::now();
      touched = learnPoseSpace(biped.character, set).report.touched;
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    };
    for (int i = 0; i < 3; ++i) learn();
    out_ << fmt::format(
        "### Learning\n\n`learnPoseSpace` with its report (leave-one-out errors, hints) from 20 examples on {} "
        "vertices, of which {} are corrected: {:.2f} s on one thread (target: under 2 s).\n",
        biped.character.mesh.vertexCount(), touched, best);
  }

  std::ostringstream out_;
  double seconds_;
};

}  // namespace sinew::bench
