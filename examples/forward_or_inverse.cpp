// Compares corrections before skinning, after it, and in the rotating frame of the vertex: held-out errors on the exact
// arm, in 1e-4 of the diagonal: the table of docs/methods/forward_or_inverse.md.
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "sinew/sinew.h"

using namespace sinew;

namespace {

constexpr double kDegree = std::numbers::pi / 180;
using Turn = std::pair<double, double>;  // bend and twist in degrees
using Sculptor = std::function<Points(double bend, double twist)>;

std::vector<Example> sculpted(const Character& arm, const Sculptor& sculpt, const std::vector<Turn>& turns) {
  std::vector<Example> examples;
  for (const auto& [bend, twist] : turns) {
    Example example{"", exactArmPose(arm, bend * kDegree, twist * kDegree), {}, {}, 1};
    example.points = sculpt(bend * kDegree, twist * kDegree);
    examples.push_back(std::move(example));
  }
  return examples;
}

double heldOut(const Character& arm, const std::vector<Example>& truths, const Playback& playback) {
  std::vector<Points> shapes;
  std::vector<Points> wanted;
  for (const Example& truth : truths) {
    shapes.push_back(posePoints(arm, truth.pose, playback));
    wanted.push_back(truth.points);
  }
  return 1e2 * compareSequences(wanted, shapes, std::sqrt(4.32)).total.rmsPercent;
}

void row(const char* name, const Character& arm, const Sculptor& sculpt, const std::vector<Turn>& at,
         const std::vector<Turn>& between) {
  const ExampleSet set{{}, sculpted(arm, sculpt, at), {}};
  const std::vector<Example> truths = sculpted(arm, sculpt, between);
  std::printf("| %s | %.1f |", name, heldOut(arm, truths, {}));
  for (const DeltaSpace space : {DeltaSpace::Forward, DeltaSpace::Inverse, DeltaSpace::Layered, DeltaSpace::Frame}) {
    const auto model = learnPoseSpace(arm, set, {.space = space, .ridge = 0, .regularisation = 1}).model;
    std::printf(" %.1f |", heldOut(arm, truths, std::make_shared<PoseSpaceDeformer>(arm, model)));
  }
  std::printf("\n");
}

}  // namespace

int main() {
  const Character arm = makeExactArm().character;
  const auto plain = [&](double bend, double twist) { return posePoints(arm, exactArmPose(arm, bend, twist)); };
  // The bulge of the forearm alone, on the part that moves rigidly with the lower bone; and all but that part.
  const auto mixed = [&](bool forearm) {
    return [&, forearm](double bend, double twist) {
      Points points = plain(bend, twist);
      const Points truth = exactArmSculpt(bend, twist);
      for (Index v = 0; v < points.cols(); ++v) {
        if ((arm.mesh.points(0, v) > 0.5) == forearm) points.col(v) = truth.col(v);
      }
      return points;
    };
  };
  std::printf(
      "| sculpt, examples, scored at | plain | forward | inverse | layered, mu = 1 | frame "
      "|\n|---|---|---|---|---|---|\n");
  row("bulge of the forearm: 60, 120; at 30, 90", arm, mixed(true), {{60, 0}, {120, 0}}, {{30, 0}, {90, 0}});
  row("elbow and biceps: 60, 120; at 30, 90", arm, mixed(false), {{60, 0}, {120, 0}}, {{30, 0}, {90, 0}});
  row("all: 90; at 30, 45, 60", arm, exactArmSculpt, {{90, 0}}, {{30, 0}, {45, 0}, {60, 0}});
  row("all: 40, 80, 120, 160; at 20, 60, 100, 140", arm, exactArmSculpt, {{40, 0}, {80, 0}, {120, 0}, {160, 0}},
      {{20, 0}, {60, 0}, {100, 0}, {140, 0}});
  row("twist: 60, 120, 170; at 30, 90, 150", arm, exactArmSculpt, {{0, 60}, {0, 120}, {0, 170}},
      {{0, 30}, {0, 90}, {0, 150}});
  row("folded flat: 60, 120, 180; at 30, 90, 150", arm, exactArmSculpt, {{60, 0}, {120, 0}, {180, 0}},
      {{30, 0}, {90, 0}, {150, 0}});
}
