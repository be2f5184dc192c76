// `quadruped`: a dog as a scanner would give it, meshes of one topology in many poses. They come from a skeleton that
// the sample does not hand out, with the same true skin as the other characters.
#include "sinew/samples/characters/quadruped.h"

#include "sinew/samples/body/build.h"

namespace sinew::body {
namespace {

std::vector<JointSpec> quadrupedTrunk() {
  const QuadrupedLandmarks& q = kQuadruped;
  std::vector<JointSpec> rows{
      joint("pelvis", "", q.pelvis, q.loin, kY, "trunk", 0.10),
      joint("spine", "pelvis", q.loin, q.withers, kY, "trunk", 0.10),
      joint("chest", "spine", q.withers, q.neck, kY, "trunk", 0.10),
      joint("neck", "chest", q.neck, q.head, kY, "head", 0.075),
      joint("head", "neck", q.head, q.nose, kY, "head", 0.045),
      joint("tail", "pelvis", q.tail, q.tailMiddle, kY, "tail", 0.045),
      joint("tail_middle", "tail", q.tailMiddle, q.tailLow, kY, "tail", 0.05),
      joint("tail_low", "tail_middle", q.tailLow, q.tailTip, kY, "tail", 0.045),
  };
  rows[3].gate = "head";
  rows[3].gateWidth = 0.06;
  rows[3].planes = {{q.neck + Vec3(0, -0.03, 0.02), q.head - q.neck, 0.085}};
  rows[5].gate = "tail";
  rows[5].gateWidth = 0.035;
  return rows;
}

std::vector<JointSpec> leftJoints() {
  const QuadrupedLandmarks& q = kQuadruped;
  std::vector<JointSpec> rows{
      joint("ear_l", "head", q.ear, q.earTip, kZ, "head", 0.018),
      joint("front_upper_l", "chest", q.shoulder, q.elbow, kZ, "front_l", 0.08),
      joint("front_lower_l", "front_upper_l", q.elbow, q.carpus, kZ, "front_l", 0.050),
      joint("front_pastern_l", "front_lower_l", q.carpus, q.frontPaw, -kZ, "front_l", 0.035),
      joint("front_paw_l", "front_pastern_l", q.frontPaw, q.frontToe, kY, "front_l", 0.026),
      joint("hind_upper_l", "pelvis", q.hip, q.knee, kZ, "hind_l", 0.08),
      joint("hind_lower_l", "hind_upper_l", q.knee, q.hock, -kZ, "hind_l", 0.055),
      joint("hind_pastern_l", "hind_lower_l", q.hock, q.hindPaw, kZ, "hind_l", 0.035),
      joint("hind_paw_l", "hind_pastern_l", q.hindPaw, q.hindToe, kY, "hind_l", 0.026),
  };
  rows[0].gate = "ear_l";
  rows[0].gateWidth = 0.015;
  const SoftPlane left{{0, 0.5, 0}, kX, 0.025};
  rows[1].planes = {{q.shoulder + Vec3(0, 0.020, -0.010), {0.25, -1, -0.10}, 0.100}, left};
  rows[1].gate = "front_l";
  rows[1].gateWidth = 0.055;
  rows[5].planes = {{q.hip + Vec3(0, -0.005, 0), {0.30, -1, 0.10}, 0.095}, left};
  rows[5].gate = "hind_l";
  rows[5].gateWidth = 0.055;
  return rows;
}

std::vector<Muscle> quadrupedLeftMuscles() {
  const QuadrupedLandmarks& q = kQuadruped;
  return {
      {"front_lower_l", kZ, q.shoulder + Vec3(0.02, -0.03, -0.05), q.elbow + Vec3(0.02, 0.06, -0.05), 0.050, 0.020, kX},
      {"front_upper_l", kZ, {0.10, 0.56, 0.20}, {0.10, 0.50, 0.26}, 0.060, 0.030, kX},
      {"front_upper_l", -kZ, {0.10, 0.54, 0.14}, {0.10, 0.48, 0.14}, 0.060, 0.010, kX},
      {"hind_upper_l", kZ, q.hip + Vec3(0.05, -0.02, -0.04), q.hip + Vec3(0.05, -0.10, -0.02), 0.065, 0.040, kX},
      {"hind_upper_l", -kZ, {0.07, 0.56, -0.36}, {0.08, 0.50, -0.38}, 0.055, 0.040, -kZ},
      {"hind_lower_l", -kZ, q.knee + Vec3(0, -0.03, -0.06), q.knee + Vec3(0, -0.06, -0.09), 0.045, 0.018, -kZ},
      {"hind_pastern_l", kZ, q.knee + Vec3(0, -0.04, -0.07), q.knee + Vec3(0, -0.08, -0.10), 0.040, 0.016, -kZ},
  };
}

}  // namespace

BodySpec quadrupedBody() {
  const QuadrupedLandmarks& q = kQuadruped;
  BodySpec spec;
  spec.name = "quadruped";
  spec.fine = 25000;
  spec.groups = quadrupedFlesh();
  spec.fineZones = {{{0, 0.825, 0.420}, kY, kY, 0.05, 0.50}};
  spec.joints = quadrupedTrunk();
  for (const JointSpec& row : leftJoints()) {
    spec.joints.push_back(row);
    spec.joints.push_back(mirrored(row));
  }
  spec.charts = {{"trunk", {0, 0.54, -0.33}, {0, 0.51, 0.30}, -kY},
                 {"head", q.neck, {0, 0.74, 0.60}, -kY},
                 {"tail", q.tail, q.tailTip, -kZ},
                 {"front_l", q.shoulder, q.frontPaw, -kX},
                 {"hind_l", q.hip, q.hindPaw, -kX}};
  spec.charts.push_back(mirrored(spec.charts[3]));
  spec.charts.push_back(mirrored(spec.charts[4]));
  for (const Muscle& muscle : quadrupedLeftMuscles()) {
    spec.muscles.push_back(muscle);
    spec.muscles.push_back(mirrored(muscle));
  }
  addQuadrupedPoses(spec);
  return spec;
}

Sample makeQuadruped(const SampleOptions& options, const Progress& progress) {
  Sample sample = buildSample(quadrupedBody(), options.vertices, progress);
  sample.character.skeleton = {};
  sample.character.skin = {};
  sample.character.clips.clear();
  for (MeshPart& part : sample.character.mesh.parts) part.skinned = false;
  for (ExampleSet* set : {&sample.examples, &sample.heldOut}) {
    set->drivers.clear();
    for (Example& example : set->examples) example.pose = {};
  }
  return sample;
}

}  // namespace sinew::body
