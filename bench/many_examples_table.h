// The part of docs/benchmarks.md on pose spaces of many examples: every number of it in one run.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "many_examples_cases.h"
#include "process_usage.h"
#include "sinew/learn/pose_space.h"
#include "sinew/pack/pose_space.h"
#include "sinew/play/aligned.h"
#include "skinning_table.h"

namespace sinew::bench {

/// A learned model on its packed character, at one pose.
class PlayedModel {
 public:
  PlayedModel(const Character& character, const PoseSpaceModel& model, const Pose& pose)
      : pose_(pose),
        packed_(character, Points(3, 0), model),
        frame_(packed_.frame()),
        palette_(packed_.skin().jointCount() * play::kMatrixFloats),
        positions_(3 * packed_.skin().placeCount()) {
    poseJoints(character.skeleton, character.skin.bindings, pose_, joints_);
    packMatrices(joints_.worldFromRest, palette_);
  }
  PlayedModel(const PlayedModel&) = delete;
  PlayedModel& operator=(const PlayedModel&) = delete;

  /// A whole frame: weights of the shapes, deltas, skinning.
  Way way(const std::string& name) {
    return {name, [this] {
              packed_.update(pose_, joints_, frame_);
              packed_.play(palette_, frame_, {positions_});
            }};
  }
  Way updateWay(const std::string& name) {
    return {name, [this] { packed_.update(pose_, joints_, frame_); }};
  }

 private:
  Pose pose_;
  PosedJoints joints_;
  PackedPoseSpace packed_;
  PoseSpaceFrame frame_;
  std::vector<float> palette_;
  play::AlignedFloats positions_;
};

class ManyExamplesTable {
 public:
  explicit ManyExamplesTable(bool quick) : quick_(quick) {}

  std::string text() {
    text_ =
        "## Many examples\n\nMade by `bench/bench_many_examples`. Seconds are processor time of all threads, reports "
        "included.\n\n";
    tube();
    biped();
    return text_;
  }

 private:
  void tube() {
    text_ +=
        "A tube of 976 vertices at random poses of a shoulder and an elbow (target: 200 examples in 2 s, 500 in 10 s; "
        "growth from 100 to 500 at most with the power 2.5):\n\n| examples | shapes | seconds |\n|---|---|---|\n";
    const test::Arm3 arm;
    double first = 0;
    double last = 0;
    for (const std::size_t count : {100u, 200u, 500u}) {
      const ExampleSet set = tubeExamples(arm, count);
      double least = 0;
      Index rank = 0;
      for (int round = 0; round < (quick_ ? 1 : 3); ++round) {
        const double seconds = processorSeconds([&] { rank = learnPoseSpace(arm.character, set).report.rank; });
        least = round == 0 ? seconds : std::min(least, seconds);
      }
      if (count == 100) first = least;
      last = least;
      text_ += fmt::format("| {} | {} | {:.2f} |\n", count, rank, least);
      fmt::print(stderr, "tube, {} examples: {:.2f} s\n", count, least);
    }
    text_ +=
        fmt::format("\nSeconds grow with the power {:.1f} of the examples.\n\n", std::log(last / first) / std::log(5));
  }

  void biped() {
    const Index vertices = quick_ ? 5000 : 100000;
    text_ += fmt::format(
        "The biped with {} vertices at random poses of an arm, bulging muscles. Examples are made while they are read "
        "(twice), which is part of the seconds. Memory is the peak of the process (target: at most 3 GB for 1,000 "
        "examples, in at most 4 times the time of 250). Playback is a whole frame of the packed runtime, nanoseconds "
        "per vertex of the mesh (target: at most 1.15 times that of 12 plain examples):\n\n"
        "| examples | shapes | centres | seconds | making examples, s | memory, GB | frame, ns | weights of a frame, "
        "us "
        "|\n|---|---|---|---|---|---|---|---|\n",
        vertices);
    std::vector<Row> rows;
    for (const std::size_t count : {12u, 250u, 1000u}) rows.push_back(learned(vertices, count));
    const Pose pose = ArmExamples(1000, 7).outline().examples[6].pose;
    std::vector<std::unique_ptr<PlayedModel>> played;
    std::vector<Way> ways;
    for (const Row& row : rows) {
      played.push_back(std::make_unique<PlayedModel>(character_, *row.model, pose));
      ways.push_back(played.back()->way(fmt::format("{}", row.examples)));
      ways.push_back(played.back()->updateWay(fmt::format("{} update", row.examples)));
    }
    const auto count = static_cast<std::size_t>(character_.mesh.vertexCount());
    const Times times = measure(ways, count, quick_ ? 2 : 10);
    for (const Row& row : rows) {
      const std::string name = fmt::format("{}", row.examples);
      text_ += fmt::format("| {} | {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.1f} |\n", row.examples, row.rank,
                           row.centres, row.seconds, row.making, row.gigabytes, times.at(name),
                           1e-3 * times.at(name + " update") * static_cast<double>(count));
    }
    text_ += fmt::format(
        "\n1,000 examples take {:.1f} times the seconds of 250, and their frames {:.2f} times those of 12 plain "
        "examples.\n",
        rows[2].seconds / rows[1].seconds, times.at("1000") / times.at("12"));
  }

  struct Row {
    std::size_t examples = 0;
    Index rank = 0;
    Index centres = 0;
    double seconds = 0;
    double making = 0;
    double gigabytes = 0;
    std::shared_ptr<const PoseSpaceModel> model;
  };

  Row learned(Index vertices, std::size_t count) {
    ArmExamples examples(vertices, count);
    character_ = examples.character();
    character_.skin.weights = character_.skin.weights.limited(kPeerInfluences);
    Row row;
    row.examples = count;
    Example example;
    row.making = 2 * processorSeconds([&] {
                   for (std::size_t k = 0; k < count; ++k) examples.read(k, example);
                 });
    row.seconds = processorSeconds([&] {
      PoseSpaceResult result = learnPoseSpace(examples.character(), examples);
      row.rank = result.report.rank;
      row.centres = result.report.centres;
      row.model = std::move(result.model);
    });
    row.gigabytes = 1e-9 * peakBytes();
    fmt::print(stderr, "biped, {} examples: {:.1f} s, {:.2f} GB\n", count, row.seconds, row.gigabytes);
    return row;
  }

  bool quick_;
  std::string text_;
  Character character_;
};

}  // namespace sinew::bench
