#include "sinew/learn/reduced_model.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "learn/moving_meshes.h"
#include "sinew/base/parallel.h"
#include "support/message_of.h"

namespace sinew::reduced_model_test {
namespace {

using test::MovingMeshes;

ReducedResult learn(const MovingMeshes& moving, const ReducedOptions& options = {}) {
  return learnReducedModel(moving.mesh, moving.examples, moving.names, {}, options);
}

struct Bounds {
  int leastControls;
  int mostControls;
  int leastProxies;
  int mostProxies;
  double gradientError;
};

void expectWithin(const Bounds& bounds, const MovingMeshes& moving, const ReducedResult& learned) {
  EXPECT_GE(learned.report.controls, bounds.leastControls) << learned.report.sentence();
  EXPECT_LE(learned.report.controls, bounds.mostControls);
  EXPECT_GE(learned.report.proxies, bounds.leastProxies);
  EXPECT_LE(learned.report.proxies, bounds.mostProxies);
  test::expectSoundModel(learned.model, 4);
  test::expectSoundProxies(learned.model, learned.report);
  EXPECT_LE(test::gradientError(moving.mesh, learned.model), bounds.gradientError);
}

TEST(ReducedModel, FindsTheTwoHalvesOfAFoldedTube) {
  // Rings so fine that the torn ones at the fold are too small to be controls.
  const MovingMeshes tube = test::movingTube(0, 320, 8);
  const ReducedResult learned = learnReducedModel(tube.mesh, tube.examples, {}, tube.rest);
  test::expectSoundProxies(learned.model, learned.report);
  ASSERT_EQ(learned.report.controls, 2) << learned.report.sentence();
  EXPECT_LT(learned.report.fit.distortion, 2);
  const std::vector<Triangle> triangles = triangulate(tube.mesh);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    double least = 1e300;
    double most = -1e300;
    for (const std::uint32_t v : triangles[t]) {
      least = std::min(least, tube.mesh.points(0, v));
      most = std::max(most, tube.mesh.points(0, v));
    }
    // Controls are numbered along the longest side, from its upper end.
    if (most < 1.9) {
      EXPECT_EQ(learned.model.labels[t], 1u);
    }
    if (least > 2.1) {
      EXPECT_EQ(learned.model.labels[t], 0u);
    }
  }
  test::expectSoundModel(learned.model, 4);
}

TEST(ReducedModel, LearnsTheQuadruped) {
  const MovingMeshes& moving = test::movingQuadruped(3000);
  const ReducedResult learned = learn(moving);
  EXPECT_LE(learned.report.fit.distortion, 1.3);
  expectWithin({18, 45, 50, 260, 0.15}, moving, learned);
}

TEST(ReducedModel, LeavesOutSmallWeights) {
  const ReducedResult learned = learn(test::movingQuadruped());
  for (Index v = 0; v < learned.model.rest.cols(); ++v)
    for (const Influence& influence : learned.model.weights[v]) EXPECT_GE(influence.weight, 0.05);
}

TEST(ReducedModel, GivesAsManyControlsAsAsked) {
  const MovingMeshes& moving = test::movingQuadruped();
  for (const int count : {1, 7, 20, 40}) {
    const ReducedResult learned = learn(moving, {.controls = count, .kernelPoints = 1500, .seeds = 400});
    EXPECT_LE(learned.report.controls, count);
    EXPECT_GE(static_cast<double>(learned.report.controls), 0.9 * count);
    test::expectSoundModel(learned.model, 4);
  }
}

TEST(ReducedModel, GivesTheSameBitsOnAnyNumberOfThreads) {
  const MovingMeshes& moving = test::movingQuadruped();
  ReducedResult one;
  {
    const ThreadLimit limit(1);
    one = learn(moving);
  }
  const ThreadLimit limit(4);
  const ReducedResult four = learn(moving);
  EXPECT_EQ(one.model.labels, four.model.labels);
  EXPECT_EQ(one.model.weights, four.model.weights);
  EXPECT_EQ(one.model.proxies.gradients, four.model.proxies.gradients);
  for (std::size_t e = 0; e < one.model.exampleCount(); ++e)
    for (std::size_t b = 0; b < one.model.controls[e].size(); ++b)
      EXPECT_EQ(one.model.controls[e][b].matrix(), four.model.controls[e][b].matrix());
}

TEST(ReducedModel, DoesNotDependOnUnitsOrPlace) {
  const MovingMeshes& moving = test::movingQuadruped();
  MovingMeshes other = moving;
  double turn = 0.3;
  for (Points& example : other.examples) {
    // Every example at a different place: the alignment removes it.
    const Mat3 rotation = Eigen::AngleAxisd(turn, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    example = ((100 * rotation) * example).colwise() + Vec3(500, 20 * turn, -3);
    turn += 0.4;
  }
  const ReducedResult here = learn(moving);
  const ReducedResult there = learn(other);
  EXPECT_EQ(there.report.restName, here.report.restName);
  EXPECT_EQ(there.report.controls, here.report.controls);
  EXPECT_EQ(there.report.proxies, here.report.proxies);
  EXPECT_NEAR(there.report.fit.distortion, here.report.fit.distortion, 0.02);
  EXPECT_NEAR(there.report.singularValues[0], here.report.singularValues[0], 0.02 * here.report.singularValues[0]);
}

TEST(ReducedModel, PutsExamplesBackWhereTheyCameFrom) {
  const MovingMeshes& moving = test::movingQuadruped();
  const ReducedResult learned = learn(moving);
  Points moved(3, learned.model.rest.cols());
  for (std::size_t e = 0; e < moving.examples.size(); ++e) {
    deformReduced(learned.model, learned.model.controls[e], moved);
    const Eigen::Isometry3d& back = learned.model.inputFromAligned[e];
    const Points input = (back.linear() * moved).colwise() + back.translation();
    const ShapeError error = compareShapes(moving.examples[e], input, learned.report.diagonal);
    EXPECT_NEAR(error.rms, learned.report.fit.perFrame[e].rms, 1e-9);
  }
}

TEST(ReducedModel, KeepsAGivenRestOutOfTheExamplesUnlessItIsOne) {
  const MovingMeshes& moving = test::movingQuadruped();
  const ReducedResult apart = learnReducedModel(moving.mesh, moving.examples, moving.names, moving.rest);
  EXPECT_EQ(apart.model.exampleCount(), moving.examples.size());
  EXPECT_EQ(apart.model.rest, *moving.rest);
  const ReducedResult among = learnReducedModel(moving.mesh, moving.examples, moving.names, moving.examples[2]);
  EXPECT_EQ(among.model.restExample, 2);
  const ReducedResult chosen = learn(moving, {.rest = 4});
  EXPECT_EQ(chosen.report.restName, moving.names[4]);
}

TEST(ReducedModel, BearsRepeatedExamplesAndPairs) {
  MovingMeshes moving = test::movingQuadruped();
  moving.examples = {moving.examples[3], moving.examples[5], moving.examples[3], moving.examples[5]};
  moving.names.clear();
  const ReducedResult repeated = learn(moving);
  test::expectSoundModel(repeated.model, 4);
  test::expectSoundProxies(repeated.model, repeated.report);
  moving.examples.resize(2);
  const ReducedResult pair = learn(moving);
  test::expectSoundModel(pair.model, 4);
  EXPECT_GT(pair.report.controls, 3);
}

TEST(ReducedModel, OfOneSingleMeshMovesAsAWhole) {
  MovingMeshes moving = test::movingQuadruped();
  moving.examples.resize(1);
  moving.names.resize(1);
  const ReducedResult learned = learn(moving);
  EXPECT_EQ(learned.report.controls, 1);
  EXPECT_EQ(learned.report.fit.distortion, 0);
  ASSERT_FALSE(learned.report.warnings.empty());
  EXPECT_NE(learned.report.warnings[0].find("a single mesh"), std::string::npos);
}

TEST(ReducedModel, CarriesASphereThatRidesOnAPart) {
  // A small sphere 0.05 beyond the end of the tube, moving with its far half: no control of its own.
  const MovingMeshes tube = test::movingTube(0, 320, 8);
  test::Surface ball = test::sphereSurface(0.05, 6, 8);
  ball.points.colwise() += Vec3(4.5, 0, 0);
  const auto withBall = [&](const Points& body, double degrees) {
    Points both(3, body.cols() + ball.points.cols());
    both << body, test::bentTube(ball.points, degrees);
    return both;
  };
  const test::Surface both = test::joined({*tube.rest, triangulate(tube.mesh)}, ball);
  std::vector<Points> examples;
  for (const double degrees : {-60.0, -25.0, 35.0, 80.0})
    examples.push_back(withBall(test::bentTube(*tube.rest, degrees), degrees));
  const ReducedResult learned = learnReducedModel(test::meshOf(both.points, both.triangles), examples, {}, both.points);
  EXPECT_EQ(learned.report.controls, 2);
  EXPECT_EQ(learned.report.zeroSingularValues, 1);
  EXPECT_EQ(learned.model.labels.back(), 0u);  // the far half, with which it moves
  test::expectSoundModel(learned.model, 4);
}

TEST(ReducedModel, GivesPiecesThatMoveApartControlsOfTheirOwn) {
  const MovingMeshes tubes = test::movingTubes(16, 12, [](double degrees) { return 0.1 + degrees / 300; });
  const ReducedResult learned = learnReducedModel(tubes.mesh, tubes.examples, {}, tubes.rest);
  EXPECT_EQ(learned.report.controls, 2);
  EXPECT_LT(learned.report.fit.distortion, 1e-6);
}

TEST(ReducedModel, DropsFacesWithARepeatedIndexAndVerticesWithoutAFace) {
  MovingMeshes moving = test::movingTube(1);
  const ReducedResult plain = learnReducedModel(moving.mesh, moving.examples, {}, moving.rest);
  const std::vector<std::uint32_t> line{3, 3, 7};
  moving.mesh.faces.add(line);
  const auto withPoint = [](const Points& points) {
    Points more(3, points.cols() + 1);
    more << points, Vec3(1000, 0, 0);
    return more;
  };
  moving.mesh.points = withPoint(moving.mesh.points);
  moving.rest = moving.mesh.points;
  double stray = 1;
  for (Points& example : moving.examples) {
    example = withPoint(example);
    example.rightCols(1) *= stray++;
  }
  const ReducedResult repaired = learnReducedModel(moving.mesh, moving.examples, {}, moving.rest);
  EXPECT_EQ(repaired.report.droppedFaces, 1);
  EXPECT_EQ(repaired.report.unusedVertices, 1);
  EXPECT_EQ(repaired.report.warnings.size(), 2u);
  EXPECT_EQ(repaired.report.controls, plain.report.controls);
  EXPECT_NEAR(repaired.report.fit.distortion, plain.report.fit.distortion, 1e-6);
  EXPECT_EQ(repaired.model.labels.size(), plain.model.labels.size() + 1);
}

TEST(ReducedModel, BearsTrianglesWithoutArea) {
  MovingMeshes moving = test::movingTube(1);
  // Vertex 40 falls onto its neighbour in one example, 200 everywhere.
  moving.examples[1].col(40) = moving.examples[1].col(41);
  for (Points& example : moving.examples) example.col(200) = example.col(201);
  moving.rest->col(200) = moving.rest->col(201);
  const ReducedResult learned = learnReducedModel(moving.mesh, moving.examples, {}, moving.rest);
  EXPECT_GE(learned.report.slivers, 1);
  test::expectSoundModel(learned.model, 4);
}

TEST(ReducedModel, RefusesWhatItCannotLearnFrom) {
  const MovingMeshes moving = test::movingTube(1);
  const auto refusal = [&](auto change, const ReducedOptions& options = {}) {
    MovingMeshes wrong = moving;
    wrong.names = {"a", "b", "c", "d"};
    change(wrong);
    return test::messageOf([&] { learnReducedModel(wrong.mesh, wrong.examples, wrong.names, wrong.rest, options); });
  };
  EXPECT_EQ(refusal([](MovingMeshes& m) { m.examples[2](1, 17) = std::numeric_limits<double>::quiet_NaN(); }),
            "reduced model: vertex 17 of 'c' has a coordinate that is not a finite number; repair or remove the mesh");
  EXPECT_EQ(refusal([](MovingMeshes& m) { m.examples[1].conservativeResize(3, 10); }),
            "reduced model: 'b' has 10 vertices, the others have 642; all meshes must be poses of the same mesh");
  EXPECT_EQ(refusal([](MovingMeshes& m) { m.examples[3].row(2) *= -1; }),
            "reduced model: 'd' is a mirror image of the rest; mirror it back, or remove it");
  EXPECT_EQ(refusal([](MovingMeshes& m) {
              m.examples.clear();
              m.names.clear();
            }),
            "reduced model: there is no mesh to learn from; give the meshes or a folder of them");
  EXPECT_EQ(refusal([](MovingMeshes& m) { m.mesh.faces = {}; }),
            "reduced model: the mesh has no face with three different vertices");
  EXPECT_NE(refusal([](MovingMeshes&) {}, {.maxInfluences = 0}).find("influences"), std::string::npos);
  EXPECT_NE(refusal([](MovingMeshes&) {}, {.rest = 9}).find("example 9"), std::string::npos);
  EXPECT_EQ(refusal([](MovingMeshes&) {}), "no error");
}

TEST(ReducedModel, FindsAMirroredExampleWhateverItsPose) {
  MovingMeshes moving = test::movingQuadruped();
  moving.examples[6].row(2) *= -1;
  EXPECT_NE(test::messageOf([&] { learn(moving); }).find("mirror image"), std::string::npos);
}

TEST(ReducedModel, StopsWhenAsked) {
  const MovingMeshes moving = test::movingTube(1);
  const auto stop = [](const ProgressState& state) { return state.fraction < 0.15; };
  try {
    learnReducedModel(moving.mesh, moving.examples, {}, moving.rest, {}, stop);
    FAIL() << "was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Cancelled);
  }
}

TEST(ReducedModel, LearnsTheHorse) {
  SINEW_NEEDS_DATA();
  const MovingMeshes moving = test::movingData("horse-poses");
  const ReducedResult learned = learn(moving);
  EXPECT_EQ(learned.model.restExample, 4);  // 5.obj
  EXPECT_LE(learned.report.fit.distortion, learned.report.controls >= 31 ? 1.3 : 2.2);
  expectWithin({25, 45, 50, 260, 0.12}, moving, learned);
}

TEST(ReducedModel, LearnsTheElephant) {
  SINEW_NEEDS_DATA();
  const MovingMeshes moving = test::movingData("elephant-poses");
  const ReducedResult learned = learn(moving);
  EXPECT_EQ(learned.model.restExample, 9);  // 10.obj
  EXPECT_LE(learned.report.fit.distortion, 2.6);
  expectWithin({18, 32, 60, 300, 0.13}, moving, learned);
}

}  // namespace
}  // namespace sinew::reduced_model_test
