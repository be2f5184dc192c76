// Poses of the quadruped. Rotations are (twist, swing, bend) in degrees. Front legs: +z of the upper bone reaches
// forward, of the lower one lifts the leg. Hind legs: +z of the upper bone reaches forward, of the lower one folds the
// knee.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sinew/samples/characters/quadruped.h"

namespace sinew::body {
namespace {

using Turns = std::vector<JointTurn>;

PoseSpec gaitPose(const std::string& name, const Turns& alike, const Turns& plain = {},
                  const Vec3& shift = Vec3::Zero()) {
  PoseSpec spec{name, plain, shift};
  for (const JointTurn& turn : alike) turnBoth(spec, turn.joint, turn.degrees);
  return spec;
}

// One leg at a phase of its cycle: swing forward while folded, then push back while straight.
void addLeg(PoseSpec& spec, bool front, bool left, double phase, double reach) {
  const double t = 2 * std::numbers::pi * phase;
  const double swing = std::sin(t);
  const double fold = std::pow(std::max(0.0, std::cos(t)), 2);
  Turns turns;
  if (front) {
    turns = {{"front_upper_l", {0, 0, reach * swing + 4}},
             {"front_lower_l", {0, 0, 1.9 * reach * fold - 0.25 * reach * swing}},
             {"front_pastern_l", {0, 0, 1.5 * reach * fold}},
             {"front_paw_l", {0, 0, -20 * fold}}};
  } else {
    turns = {{"hind_upper_l", {0, 0, reach * swing}},
             {"hind_lower_l", {0, 0, 1.3 * reach * fold + 0.35 * reach * swing}},
             {"hind_pastern_l", {0, 0, 1.0 * reach * fold - 0.1 * reach * swing}},
             {"hind_paw_l", {0, 0, -15 * fold}}};
  }
  for (const JointTurn& turn : turns) spec.turns.push_back(left ? turn : mirrored(turn));
}

PoseSpec gallop(const std::string& name, double phase) {
  PoseSpec spec{name, {}, {}};
  const double t = 2 * std::numbers::pi * phase;
  addLeg(spec, true, true, phase, 42);
  addLeg(spec, true, false, phase + 0.08, 42);
  addLeg(spec, false, true, phase + 0.42, 40);
  addLeg(spec, false, false, phase + 0.50, 40);
  const double gather = -std::sin(t);
  spec.turns.push_back({"pelvis", {0, 0, -8 * gather}});
  spec.turns.push_back({"spine", {0, 0, 10 * gather}});
  spec.turns.push_back({"chest", {0, 0, -4 * gather}});
  spec.turns.push_back({"neck", {0, 0, -14 + 8 * gather}});
  spec.turns.push_back({"head", {0, 0, 8 - 6 * gather}});
  spec.turns.push_back({"tail", {0, 0, 34 + 10 * gather}});
  spec.turns.push_back({"tail_middle", {0, 0, 14}});
  spec.rootShift = Vec3(0, 0.04 * std::cos(t), 0);
  return spec;
}

PoseSpec walk(const std::string& name, double phase) {
  PoseSpec spec{name, {}, {}};
  addLeg(spec, true, true, phase + 0.25, 20);
  addLeg(spec, true, false, phase + 0.75, 20);
  addLeg(spec, false, true, phase, 18);
  addLeg(spec, false, false, phase + 0.5, 18);
  const double sway = std::sin(2 * std::numbers::pi * phase);
  spec.turns.push_back({"spine", {0, 4 * sway, 0}});
  spec.turns.push_back({"tail", {0, 14 * sway, 10}});
  spec.turns.push_back({"head", {4 * sway, 0, -3}});
  return spec;
}

PoseSpec sit() {
  return gaitPose("sit",
                  {{"hind_upper_l", {0, 12, 26}},
                   {"hind_lower_l", {0, 0, 54}},
                   {"hind_pastern_l", {0, 0, 62}},
                   {"front_upper_l", {0, 0, -26}},
                   {"front_lower_l", {0, 0, -14}},
                   {"front_pastern_l", {0, 0, -2}}},
                  {{"pelvis", {0, 0, 46}},
                   {"spine", {0, 0, -6}},
                   {"chest", {0, 0, -2}},
                   {"neck", {0, 0, -16}},
                   {"head", {0, 0, -20}},
                   {"tail", {0, 0, 34}}},
                  {0, -0.28, 0.06});
}

PoseSpec bow() {
  return gaitPose("play_bow",
                  {{"front_upper_l", {0, 0, 58}},
                   {"front_lower_l", {0, 0, 34}},
                   {"front_pastern_l", {0, 0, -10}},
                   {"hind_upper_l", {0, 0, 14}},
                   {"hind_pastern_l", {0, 0, 6}}},
                  {{"pelvis", {0, 0, -24}},
                   {"neck", {0, 0, 26}},
                   {"head", {0, 0, 4}},
                   {"tail", {0, 0, 62}},
                   {"tail_middle", {0, 0, 20}}},
                  {0, -0.02, 0});
}

}  // namespace

void addQuadrupedPoses(BodySpec& spec) {
  constexpr int kGallop = 8;
  constexpr int kWalk = 4;
  for (int k = 0; k < kGallop; ++k)
    spec.examples.push_back(gallop(fmt::format("gallop{}", k + 1), static_cast<double>(k) / kGallop));
  for (int k = 0; k < kWalk; ++k)
    spec.examples.push_back(walk(fmt::format("walk{}", k + 1), static_cast<double>(k) / kWalk));
  spec.examples.push_back(sit());
  spec.examples.push_back(bow());
  spec.examples.push_back(gaitPose("sniff", {{"front_upper_l", {0, 0, 8}}},
                                   {{"neck", {0, 0, -70}}, {"head", {0, 0, 20}}, {"tail", {0, 0, 24}}}));
  spec.examples.push_back(gaitPose("look_left", {{"ear_l", {0, 0, 12}}},
                                   {{"neck", {10, -34, 0}}, {"head", {20, -34, 0}}, {"tail", {0, 25, 20}}}));
  spec.examples.push_back(gaitPose("look_right", {{"ear_l", {0, 0, -14}}},
                                   {{"neck", {-10, 34, 0}}, {"head", {-20, 34, 0}}, {"tail", {0, -25, 20}}}));
  spec.examples.push_back(
      gaitPose("howl", {{"front_upper_l", {0, 0, 10}}},
               {{"chest", {0, 0, 6}}, {"neck", {0, 0, 30}}, {"head", {0, 0, 42}}, {"tail", {0, 0, -14}}}));
  for (int k = 0; k < 3; ++k)
    spec.heldOut.push_back(gallop(fmt::format("gallop{}.5", 2 * k + 1), (2.0 * k + 0.5) / kGallop));
  spec.heldOut.push_back(walk("walk1.5", 0.5 / kWalk));
  spec.heldOut.push_back(gaitPose("look_up_left", {}, {{"neck", {5, -18, 14}}, {"head", {10, -18, 20}}}));
}

}  // namespace sinew::body
