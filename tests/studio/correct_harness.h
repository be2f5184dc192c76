// The mode Correct with an arm and two sculpts of it, for its tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "session_harness.h"
#include "sinew/deform/posing.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace sinew::studio::test::correct_test {

/// Half of the angle of a bend of 90 degrees.
inline constexpr float kHalf = 0.785398163f;

/// A tube with two sculpts whose elbow bulges, 2 % of its size at 90 degrees.
inline void writeArm(const Scratch& scratch) {
  CharacterFile file;
  file.character = sinew::test::testArm();
  writeCharacter(scratch / "root/arm.glb", file);
  ExampleSet set;
  for (const double degrees : {45.0, 90.0}) {
    Example example;
    example.name = fmt::format("bent{:.0f}", degrees);
    example.pose = sinew::test::bentArmPose(file.character, degrees, 0);
    example.pose.local[0] = restPose(file.character).local[0];
    example.points = posePoints(file.character, example.pose);
    for (Index v = 0; v < example.points.cols(); ++v) {
      const double x = file.character.mesh.points(0, v);
      example.points(2, v) += 0.1 * degrees / 90 * std::exp(-8 * x * x);
    }
    set.examples.push_back(std::move(example));
  }
  writeExamples(scratch / "root/examples.json", file.character, set);
}

class Correct : public ::testing::Test {
 protected:
  Correct() {
    writeArm(scratch);
    run.emplace(scratch, "arm.glb");
  }

  void openExamples() {
    const Json answer = run->result("examples.open");
    ASSERT_TRUE(answer.contains("job")) << answer;
    ASSERT_EQ(run->jobEnd(answer["job"].get<int>()).value("fault", "?"), "");
  }
  Json learn(const Json& args = Json::object()) {
    const std::size_t from = run->page().count();
    const Json answer = run->result("correct.learn", args);
    if (!answer.contains("job") || answer["job"] == 0) return answer;
    return run->page().wait([](const Json& heard) { return heard.value("event", "") == "learned"; }, from);
  }
  void show(const std::string& what) { EXPECT_TRUE(run->ask("correct.show", {{"shows", {what}}})["ok"]); }
  void goTo(int example) { EXPECT_TRUE(run->ask("examples.goto", {{"example", example}})["ok"]); }
  /// Points as the page draws them: skinned, then displaced.
  Points drawn() {
    run->page().forget();
    EXPECT_TRUE(run->ask("frame")["ok"]);
    const wire::Frame frame = run->page().told<wire::Frame>().at(0);
    Points points;
    run->onWorker(
        [&](Session& session) { points = posePoints(session.document().file.character, session.drawnViews().at(0)); });
    for (std::size_t i = 0; i < frame.moved.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis)
        points(axis, frame.moved[i]) += static_cast<double>(frame.offsets[3 * i + toSize(axis)]);
    }
    return points;
  }
  Points plain() {
    Points points;
    run->onWorker(
        [&](Session& session) { points = posePoints(session.document().file.character, session.document().views[0]); });
    return points;
  }
  ExampleSet examples() {
    ExampleSet set;
    run->onWorker([&](Session& session) { set = exampleSet(session.document()); });
    return set;
  }
  double diagonal() { return run->document()["diagonal"].get<double>(); }
  static double largest(const Points& a, const Points& b) { return (a - b).colwise().norm().maxCoeff(); }

  void bend(float half, bool live = false) {
    const Json joints = run->document()["joints"];
    std::uint32_t joint = 0;
    while (joints[joint]["name"] != "lower") ++joint;
    const Json at = joints[joint]["rest"]["translation"];
    run->send(wire::PoseSet{.live = live ? 1u : 0u,
                            .joints = {joint},
                            .rotations = {0, 0, std::sin(half), std::cos(half)},
                            .translations = {at[0], at[1], at[2]},
                            .scales = {1, 1, 1}});
    (void)run->document();
  }
  /// The vertex of the elbow that is highest in z.
  std::uint32_t elbow() {
    const Points points = plain();
    Index best = 0;
    run->onWorker([&](Session& session) {
      const Points& rest = session.document().file.character.mesh.points;
      (rest.row(2).array() - 4 * rest.row(0).array().abs()).maxCoeff(&best);
    });
    return static_cast<std::uint32_t>(best);
  }
  wire::SculptBegin brush(SculptTool tool, std::uint32_t drag, float radius = 0.4f) {
    return {.drag = drag, .tool = static_cast<std::uint32_t>(tool), .lead = elbow(), .radius = radius, .strength = 1};
  }
  /// Moves the elbow by this much, as one step.
  void grab(const Vec3& by, std::uint32_t drag) {
    const std::uint32_t vertex = elbow();
    const Json centre = run->document()["centre"];
    const Vec3 target = drawn().col(vertex) + by - Vec3(centre[0], centre[1], centre[2]);
    const std::array<float, 3> to = {static_cast<float>(target.x()), static_cast<float>(target.y()),
                                     static_cast<float>(target.z())};
    run->send(brush(SculptTool::Grab, drag));
    run->send(wire::DragMove{.drag = drag, .target = to});
    run->send(wire::DragEnd{.drag = drag, .commit = 1, .target = to});
    (void)run->document();
  }

  Scratch scratch;
  std::optional<StudioRun> run;
};

}  // namespace sinew::studio::test::correct_test
