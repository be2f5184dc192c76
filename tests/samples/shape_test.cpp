// What makes the built-in characters believable: fingers, feet on the ground, a torso, ears and shoulders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "sinew/deform/posing.h"
#include "sinew/math/laplacian.h"
#include "sinew/samples/samples.h"

namespace sinew::shape_test {
namespace {

// Connected pieces of the part of the mesh whose vertices are `kept`.
int piecesOf(const Mesh& mesh, const std::function<bool(const Vec3&)>& kept) {
  std::vector<WeightedEdge> edges;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto face = mesh.faces[f];
    for (std::size_t k = 0; k < face.size(); ++k) {
      const std::uint32_t u = face[k];
      const std::uint32_t v = face[(k + 1) % face.size()];
      if (kept(mesh.points.col(u)) && kept(mesh.points.col(v))) edges.push_back({u, v, 1});
    }
  }
  const std::vector<std::uint32_t> pieceOf = connectedPieces(mesh.vertexCount(), edges);
  std::set<std::uint32_t> pieces;
  for (std::uint32_t v = 0; v < pieceOf.size(); ++v) {
    if (kept(mesh.points.col(v))) pieces.insert(pieceOf[v]);
  }
  return static_cast<int>(pieces.size());
}

// A hand's joint has x from the wrist to the knuckles; its thumb points to the front, +z.
void expectFingers(const Sample& sample, const std::string& hand) {
  SCOPED_TRACE(hand + " of " + sample.character.name + " with " + std::to_string(sample.character.mesh.vertexCount()));
  PosedJoints rest;
  poseJoints(sample.character, restPose(sample.character), rest);
  const Affine joint = rest.worldFromJoint[static_cast<std::size_t>(sample.character.skeleton.index(hand))];
  const Vec3 wrist = joint.translation();
  const Vec3 along = joint.linear().col(0);
  const double outwards = wrist.x() > 0 ? 1 : -1;
  const auto beyond = [&](const Vec3& x, double least) {
    return outwards * x.x() > std::abs(wrist.x()) - 0.05 && (x - wrist).dot(along) > least;
  };
  // Two centimetres beyond the knuckles there are four fingers, the whole hand hangs together, and the thumb stands
  // off.
  EXPECT_EQ(piecesOf(sample.character.mesh, [&](const Vec3& x) { return beyond(x, 0.108); }), 4);
  EXPECT_EQ(piecesOf(sample.character.mesh, [&](const Vec3& x) { return beyond(x, 0.0); }), 1);
  EXPECT_EQ(piecesOf(sample.character.mesh,
                     [&](const Vec3& x) {
                       return beyond(x, 0.0) && (x - wrist - (x - wrist).dot(along) * along).z() > 0.052;
                     }),
            1);
}

TEST(SampleShapes, HandsHaveFourFingersAndAThumb) {
  for (const Index vertices : {Index{1000}, Index{10000}}) {
    const Sample biped = makeSample("biped", {.vertices = vertices});
    expectFingers(biped, "hand_l");
    expectFingers(biped, "hand_r");
    expectFingers(makeSample("limb", {.vertices = vertices}), "hand");
  }
}

TEST(SampleShapes, FeetStandFlatInACrouchAndASquat) {
  const Sample biped = makeSample("biped", {.vertices = 10000});
  const Points& rest = biped.character.mesh.points;
  int poses = 0;
  for (const ExampleSet* set : {&biped.examples, &biped.heldOut}) {
    for (const Example& example : set->examples) {
      if (example.name != "crouch" && example.name != "squat") continue;
      SCOPED_TRACE(example.name);
      ++poses;
      double highest = 0;
      for (Index v = 0; v < rest.cols(); ++v) {
        if (rest(1, v) < 0.006) highest = std::max(highest, std::abs(example.points(1, v)));
      }
      EXPECT_LT(highest, 0.012) << "of the soles, metres off the ground";
      EXPECT_GT(example.points.row(1).minCoeff(), -0.006) << "nothing sinks in";
    }
  }
  EXPECT_EQ(poses, 2);
}

// Breadth of the trunk of the limb sample between two heights.
double breadth(const Points& points, double low, double high) {
  double left = 1e9;
  double right = -1e9;
  for (Index v = 0; v < points.cols(); ++v) {
    if (points(1, v) < low || points(1, v) > high || std::abs(points(0, v)) > 0.25) continue;
    left = std::min(left, points(0, v));
    right = std::max(right, points(0, v));
  }
  return right - left;
}

TEST(SampleShapes, TheLimbSitsOnATorsoWithAWaistAndHips) {
  const Points points = makeSample("limb", {.vertices = 8000}).character.mesh.points;
  const double chest = breadth(points, -0.02, 0.02);
  const double waist = breadth(points, -0.22, -0.18);
  const double hips = breadth(points, -0.40, -0.36);
  EXPECT_LT(waist, 0.92 * chest);
  EXPECT_LT(waist, 0.88 * hips);
  EXPECT_GT(breadth(points, -0.50, -0.46), 0.2) << "thighs";
}

TEST(SampleShapes, TheEarsOfTheQuadrupedAreThinLeavesThatOpenForwards) {
  const Sample dog = makeSample("quadruped", {.vertices = 15000});
  const Points& points = dog.character.mesh.points;
  const Vec3 face = Vec3(0.50, 0, 0.87).normalized();
  const Vec3 across = Vec3(0.87, 0, -0.50).normalized();
  // A slice through the middle of the left ear: breadth a, depth b.
  std::vector<std::pair<double, double>> slice;
  for (Index v = 0; v < points.cols(); ++v) {
    const Vec3 x = points.col(v);
    if (x.x() > 0 && x.y() > 0.852 && x.y() < 0.866) slice.emplace_back(x.dot(across), x.dot(face));
  }
  ASSERT_GT(slice.size(), 12u);
  const auto [low, high] = std::minmax_element(slice.begin(), slice.end());
  const double middle = 0.5 * (low->first + high->first);
  const double width = high->first - low->first;
  double front = -1e9;
  double back = 1e9;
  double rim = -1e9;
  for (const auto& [a, b] : slice) {
    rim = std::max(rim, b);
    if (std::abs(a - middle) > 0.2 * width) continue;
    front = std::max(front, b);
    back = std::min(back, b);
  }
  EXPECT_GT(width, 0.035);
  EXPECT_LT(front - back, 0.020) << "the leaf's thickness";
  EXPECT_GT(front - back, 0.003);
  EXPECT_GT(rim - front, 0.002) << "the rim stands before the hollow";
}

// Volume between the skin around a place and the middle of the rim of that patch.
double patchVolume(const Mesh& mesh, const Points& points, const Vec3& place, double radius) {
  const auto inside = [&](std::uint32_t v) { return (mesh.points.col(v) - place).norm() < radius; };
  std::vector<std::size_t> patch;
  Vec3 rim = Vec3::Zero();
  double count = 0;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto face = mesh.faces[f];
    const int in = static_cast<int>(std::count_if(face.begin(), face.end(), inside));
    if (in == 3) patch.push_back(f);
    if (in != 1 && in != 2) continue;
    for (const std::uint32_t v : face) {
      if (!inside(v)) continue;
      rim += points.col(v);
      ++count;
    }
  }
  rim /= count;
  double volume = 0;
  for (const std::size_t f : patch) {
    const auto face = mesh.faces[f];
    const Vec3 a = points.col(face[0]) - rim;
    volume += a.dot((Vec3(points.col(face[1])) - rim).cross(Vec3(points.col(face[2])) - rim)) / 6;
  }
  return volume;
}

TEST(SampleShapes, ShouldersOfTheQuadrupedKeepTheirVolume) {
  const Sample dog = makeSample("quadruped", {.vertices = 8000});
  for (const double side : {1.0, -1.0}) {
    const Vec3 shoulder(side * 0.09, 0.50, 0.215);
    const double rest = patchVolume(dog.character.mesh, dog.character.mesh.points, shoulder, 0.12);
    ASSERT_GT(rest, 0);
    for (const Example& example : dog.examples.examples) {
      const double posed = patchVolume(dog.character.mesh, example.points, shoulder, 0.12);
      RecordProperty(example.name + (side > 0 ? "_l" : "_r"), std::to_string(posed / rest));
      EXPECT_NEAR(posed / rest, 1, 0.1) << example.name << (side > 0 ? " left" : " right");
    }
  }
}

// How deep the outline over the shoulder, seen from above at one height, dips below the chord between places 5 cm
// before and behind.
double deepestDent(const Points& points, double low, double high) {
  constexpr double kStep = 0.01;
  std::vector<double> outline;
  for (double z = 0.06; z < 0.31; z += kStep) {
    double most = 0;
    for (Index v = 0; v < points.cols(); ++v) {
      if (points(1, v) > low && points(1, v) < high && std::abs(points(2, v) - z) < 1.5 * kStep)
        most = std::max(most, points(0, v));
    }
    outline.push_back(most);
  }
  double dent = 0;
  for (std::size_t k = 5; k + 5 < outline.size(); ++k) {
    dent = std::max(dent, 0.5 * (outline[k - 5] + outline[k + 5]) - outline[k]);
  }
  return dent;
}

TEST(SampleShapes, ShouldersOfTheQuadrupedFlowIntoTheRibs) {
  const Points points = makeSample("quadruped", {.vertices = 15000}).character.mesh.points;
  for (const double y : {0.46, 0.48, 0.50, 0.52, 0.54})
    EXPECT_LT(deepestDent(points, y - 0.015, y + 0.015), 0.006) << y;
}

}  // namespace
}  // namespace sinew::shape_test
