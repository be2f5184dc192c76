#include "sinew/pack/pose_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "pack/corrected_character.h"
#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/pack/skin.h"
#include "sinew/samples/samples.h"
#include "support/allocations.h"
#include "support/message_of.h"

namespace sinew::pack_pose_space_test {
namespace {

using play::kDualQuaternionFloats;
using play::kMatrixFloats;
using play::VertexOrder;
using test::messageOf;

using test::chainCharacter;
using test::plantedModel;
using test::rigged;
using test::scatteredCharacter;
using test::turnedPose;

using FloatPoints = Eigen::Matrix<float, 3, Eigen::Dynamic>;

constexpr DeltaSpace kSpaces[] = {DeltaSpace::Frame, DeltaSpace::Inverse, DeltaSpace::Forward, DeltaSpace::Layered};
constexpr const char* kBases[] = {"linear-blend", "dual-quaternion"};

std::span<float> floats(FloatPoints& points) {
  return {points.data(), static_cast<std::size_t>(points.size())};
}

PosedJoints posed(const Character& character, const Pose& pose) {
  PosedJoints joints;
  poseJoints(character, pose, joints);
  return joints;
}

std::vector<float> palette(const PackedPoseSpace& packed, const PosedJoints& joints) {
  const bool dual = packed.takesDualQuaternions();
  std::vector<float> result(joints.worldFromRest.size() * (dual ? kDualQuaternionFloats : kMatrixFloats));
  (dual ? packDualQuaternions : packMatrices)(joints.worldFromRest, result);
  return result;
}

FloatPoints played(const PackedPoseSpace& packed, const Character& character, const Pose& pose,
                   VertexOrder order = VertexOrder::Original) {
  const PosedJoints joints = posed(character, pose);
  PoseSpaceFrame frame = packed.frame();
  packed.update(pose, joints, frame);
  const std::size_t count = order == VertexOrder::Packed ? packed.skin().placeCount() : packed.skin().vertexCount();
  FloatPoints result(3, static_cast<Index>(count));
  packed.play(palette(packed, joints), frame, {.positions = floats(result), .order = order});
  return result;
}

PackedPoseSpace pack(const Character& character, const PoseSpaceModel& model,
                     const PackPoseSpaceOptions& options = {}) {
  return {character, Points(3, 0), model, options};
}

struct Truth {
  Points points;
  double diagonal = 0;
  double weights = 0;  ///< largest sum of the examples' weights in magnitude
};

Truth truthOf(const Character& character, const PoseSpaceModel& model, const Pose& pose) {
  const PoseSpaceDeformer deformer(character, std::make_shared<PoseSpaceModel>(model));
  Truth truth;
  truth.points.resize(3, character.mesh.vertexCount());
  DeformScratch scratch;
  deformer.deform(character.mesh.points, posed(character, pose), scratch, truth.points);
  truth.diagonal = boundingBox(character.mesh.points).diagonal();
  Eigen::MatrixXd weights(deformer.weights().shapeCount(), deformer.weights().groupCount());
  deformer.weights().evaluate(model.poseSpace.coordinates(character.skeleton, pose), weights);
  const auto moving = weights.rows() - static_cast<Index>(model.firstShape());
  truth.weights = weights.bottomRows(moving).cwiseAbs().colwise().sum().maxCoeff();
  return truth;
}

/// In diagonals.
double farthest(const FloatPoints& points, const Truth& truth) {
  return (points.cast<double>() - truth.points).colwise().norm().maxCoeff() / truth.diagonal;
}

/// What is promised: 1e-6 of the skinning, and 1e-5 of the deltas while the weights add up to 2.
double allowed(const Truth& truth, double tolerance = 1e-5) {
  return 1e-6 + tolerance * std::max(1.0, truth.weights / 2);
}

/// Runs of all lengths, single vertices, and more joints than runs take.
std::vector<Character> family() {
  std::vector<Character> result;
  for (const int influences : {1, 2, 3, 4, 6}) result.push_back(rigged(chainCharacter(1200, 14, influences)));
  result.push_back(rigged(chainCharacter(17, 14, 4)));
  result.push_back(rigged(scatteredCharacter(300, 40, 4)));
  result.push_back(rigged(scatteredCharacter(100, 64, 20)));
  return result;
}

TEST(PackedPoseSpace, AgreesWithTheDeformerInDoubleInEverySpaceAndOnBothOperators) {
  for (const Character& character : family()) {
    const Pose pose = turnedPose(character, 0.9, 77);
    for (const char* base : kBases) {
      for (const DeltaSpace space : kSpaces) {
        for (const int groups : {0, 3, 60}) {
          const PoseSpaceModel model =
              plantedModel(character, {.space = space, .base = base, .sparsity = 0.5, .groups = groups});
          const PackedPoseSpace packed = pack(character, model);
          const Truth truth = truthOf(character, model, pose);
          // The corrections must be there for the comparison to say something.
          ASSERT_GT(truth.weights, 0.5);
          EXPECT_LT(farthest(played(packed, character, pose), truth), allowed(truth))
              << nameOf(space) << ", " << base << ", " << groups << " groups; " << packed.report().text();
        }
      }
    }
  }
}

TEST(PackedPoseSpace, TurnsDeltasInTheHemisphereOfTheLargestWeightWhereJointsTurnFar) {
  const Character character = rigged(chainCharacter(2000, 14, 4));
  for (const DeltaSpace space : {DeltaSpace::Frame, DeltaSpace::Inverse}) {
    const PoseSpaceModel model = plantedModel(character, {.space = space});
    const PackedPoseSpace inRuns = pack(character, model);
    const PackedPoseSpace oneByOne = pack(character, model, {.skin = {.wantedRun = 100000, .leastRun = 100000}});
    EXPECT_EQ(inRuns.skin().report().verticesInRuns, 2000u);
    EXPECT_EQ(oneByOne.skin().report().verticesInRuns, 0u);
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
      const Pose pose = turnedPose(character, 2.5, seed);
      const Truth truth = truthOf(character, model, pose);
      for (const PackedPoseSpace* packed : {&inRuns, &oneByOne}) {
        const Eigen::VectorXd apart =
            (played(*packed, character, pose).cast<double>() - truth.points).colwise().norm() / truth.diagonal;
        // Near-opposite quaternions cancel, so a frame loses digits there: most are exact, none is a wrong one.
        EXPECT_LT(apart.maxCoeff(), 1e-4 * std::max(1.0, truth.weights)) << seed;
        EXPECT_GT((apart.array() < allowed(truth)).count(), 1990) << seed;
      }
    }
  }
}

TEST(PackedPoseSpace, LargeDeltasGetASecondTermAndStayWithinTheTolerance) {
  const Character character = rigged(chainCharacter(500, 14, 3));
  const Pose pose = turnedPose(character, 0.9, 78);
  for (const double size : {0.01, 0.1, 1.0, 10.0}) {
    for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
      const PoseSpaceModel model = plantedModel(character, {.space = DeltaSpace::Inverse, .size = size});
      const PackedPoseSpace packed = pack(character, model, {.tolerance = tolerance});
      const Truth truth = truthOf(character, model, pose);
      // Floats as large as the corrections cannot be finer than they are.
      const double rounding = 1e-6 * size * truth.weights;
      EXPECT_LT(farthest(played(packed, character, pose), truth), allowed(truth, tolerance) + rounding);
      const bool coarse = size / 32767 > 0.5 * tolerance;
      EXPECT_EQ(packed.report().meanTerms > 10, coarse) << size << " " << packed.report().text();
    }
  }
}

TEST(PackedPoseSpace, VerticesWithoutDeltasMoveBitForBitAsWithoutCorrections) {
  const Character character = rigged(chainCharacter(3000, 14, 4));
  const PoseSpaceModel model = plantedModel(character, {});
  PoseSpaceModel none = model;
  for (Points& deltas : none.deltas) deltas.setZero();
  const Pose pose = turnedPose(character, 0.9, 79);
  const PackedPoseSpace packed = pack(character, model);
  const FloatPoints corrected = played(packed, character, pose);
  // The same packed skin through the plain call.
  const PosedJoints joints = posed(character, pose);
  FloatPoints plain(3, 3000);
  play::skinLinear(packed.skin(), palette(packed, joints),
                   {.positions = floats(plain), .order = VertexOrder::Original});
  Index moved = 0;
  for (Index v = 0; v < 3000; ++v) {
    const bool touched =
        std::binary_search(model.vertices.begin(), model.vertices.end(), static_cast<std::uint32_t>(v));
    if (!touched) {
      ASSERT_EQ(corrected.col(v), plain.col(v)) << v;
    } else if (corrected.col(v) != plain.col(v)) {
      ++moved;
    }
  }
  EXPECT_EQ(moved, static_cast<Index>(model.vertices.size()));
}

TEST(PackedPoseSpace, BlocksStoreOnlyTheExamplesThatMoveThem) {
  const Character character = rigged(chainCharacter(4000, 6, 2));
  PoseSpaceModel model = plantedModel(character, {.examples = 9, .share = 1});
  // Each vertex is moved by one example of eight.
  for (Index i = 0; i < static_cast<Index>(model.vertices.size()); ++i) {
    for (Index k = 1; k < 9; ++k) {
      if (k != 1 + i % 8) model.deltas[static_cast<std::size_t>(k)].col(i).setZero();
    }
  }
  const PackedPoseSpace packed = pack(character, model);
  EXPECT_LT(packed.report().meanTerms, 2.0) << packed.report().text();
  EXPECT_LT(packed.report().bytesPerCorrection, 12.0) << packed.report().text();
  const Pose pose = turnedPose(character, 0.9, 80);
  const Truth truth = truthOf(character, model, pose);
  EXPECT_LT(farthest(played(packed, character, pose), truth), allowed(truth));
}

TEST(PackedPoseSpace, MeetsItsExamples) {
  const Character character = rigged(chainCharacter(1000, 14, 4));
  for (const DeltaSpace space : kSpaces) {
    const PoseSpaceModel model = plantedModel(character, {.space = space});
    const PackedPoseSpace packed = pack(character, model);
    for (const std::uint32_t example : {1u, 7u}) {
      const Pose pose = turnedPose(character, 1.5, example);
      PoseSpaceFrame frame = packed.frame();
      packed.update(pose, posed(character, pose), frame);
      for (std::size_t k = 0; k < frame.weights.size(); ++k) {
        EXPECT_NEAR(frame.weights[k], k + 1 == example ? 1 : 0, 1e-6);
      }
      const Truth truth = truthOf(character, model, pose);
      EXPECT_LT(farthest(played(packed, character, pose), truth), allowed(truth));
    }
  }
}

TEST(PackedPoseSpace, PlaysMoreExamplesThanAreSummedAtOnce) {
  const Character character = rigged(chainCharacter(700, 14, 4));
  for (const int groups : {0, 30}) {
    const PoseSpaceModel model = plantedModel(character, {.examples = 80, .groups = groups});
    const Pose pose = turnedPose(character, 0.9, 81);
    const Truth truth = truthOf(character, model, pose);
    EXPECT_LT(farthest(played(pack(character, model), character, pose), truth), allowed(truth));
  }
}

TEST(PackedPoseSpace, PlaysFewShapesOfManyExamples) {
  const Character character = rigged(chainCharacter(1200, 14, 4));
  const Pose pose = turnedPose(character, 0.9, 82);
  for (const DeltaSpace space : kSpaces) {
    for (const int groups : {0, 30}) {
      const PoseSpaceModel model =
          plantedModel(character, {.space = space, .examples = 200, .groups = groups, .rank = 7});
      const PackedPoseSpace packed = pack(character, model);
      const Truth truth = truthOf(character, model, pose);
      ASSERT_GT(truth.weights, 0.5);
      EXPECT_LT(farthest(played(packed, character, pose), truth), allowed(truth))
          << nameOf(space) << ", " << groups << " groups; " << packed.report().text();
      // Bytes of seven examples (twice where large weights need a second term), not of two hundred.
      const PoseSpaceModel seven = plantedModel(character, {.space = space, .examples = 8, .groups = groups});
      EXPECT_LT(packed.report().bytesPerCorrection, 2.2 * pack(character, seven).report().bytesPerCorrection)
          << nameOf(space) << ", " << groups << " groups";
    }
  }
}

TEST(PackedPoseSpace, PackedOrderHoldsTheSameBitsInItsOwnOrder) {
  const Character character = rigged(chainCharacter(3000, 14, 4));
  const Pose pose = turnedPose(character, 0.9, 82);
  for (const DeltaSpace space : kSpaces) {
    const PackedPoseSpace packed = pack(character, plantedModel(character, {.space = space, .groups = 40}));
    const FloatPoints original = played(packed, character, pose);
    const FloatPoints inPlace = played(packed, character, pose, VertexOrder::Packed);
    const auto order = packed.skin().order();
    for (Index i = 0; i < inPlace.cols(); ++i) {
      ASSERT_EQ(inPlace.col(i), original.col(order[static_cast<std::size_t>(i)]));
    }
  }
}

TEST(PackedPoseSpace, GivesTheSameBitsOnOneAndManyThreads) {
  const Character character = rigged(chainCharacter(60000, 24, 4));
  const Pose pose = turnedPose(character, 0.9, 83);
  for (const DeltaSpace space : kSpaces) {
    const PackedPoseSpace packed =
        pack(character, plantedModel(character, {.space = space, .examples = 4, .groups = 100}));
    const auto on = [&](int threads) {
      const ThreadLimit limit(threads);
      return played(packed, character, pose, VertexOrder::Packed);
    };
    const FloatPoints one = on(1);
    for (const int threads : {2, 4}) EXPECT_EQ(one, on(threads));
  }
}

TEST(PackedPoseSpace, AgreesOnEveryInstructionSetOfThisMachine) {
  const Character smooth = rigged(chainCharacter(777, 14, 6));
  const Character scattered = rigged(scatteredCharacter(200, 40, 4));
  for (const std::string_view set : play::instructionSets()) {
    for (const Character* character : {&smooth, &scattered}) {
      const Pose pose = turnedPose(*character, 0.9, 84);
      for (const char* base : kBases) {
        for (const DeltaSpace space : kSpaces) {
          const PoseSpaceModel model = plantedModel(*character, {.space = space, .base = base, .groups = 20});
          const Truth truth = truthOf(*character, model, pose);
          const PackedPoseSpace packed = pack(*character, model, {.skin = {.instructionSet = set}});
          EXPECT_EQ(packed.skin().instructionSet(), set);
          EXPECT_LT(farthest(played(packed, *character, pose), truth), 1e-6 + allowed(truth)) << set;
        }
      }
    }
  }
}

TEST(PackedPoseSpace, NormalsAreThoseOfTheSkinning) {
  const Character character = rigged(chainCharacter(2000, 14, 4));
  const Pose pose = turnedPose(character, 0.9, 85);
  const PosedJoints joints = posed(character, pose);
  for (const char* base : kBases) {
    const PackedPoseSpace packed(character, character.mesh.normals, plantedModel(character, {.base = base}));
    PoseSpaceFrame frame = packed.frame();
    packed.update(pose, joints, frame);
    const std::vector<float> transforms = palette(packed, joints);
    FloatPoints positions(3, static_cast<Index>(packed.skin().placeCount()));
    FloatPoints normals = positions;
    FloatPoints plainPositions = positions;
    FloatPoints plainNormals = positions;
    std::vector<std::uint32_t> small(static_cast<std::size_t>(positions.cols()));
    std::vector<std::uint32_t> plainSmall = small;
    packed.play(transforms, frame, {.positions = floats(positions), .normals = floats(normals)});
    const FloatPoints alone = played(packed, character, pose, VertexOrder::Packed);
    EXPECT_LT((positions - alone).cwiseAbs().maxCoeff(), 2e-6f);
    packed.play(transforms, frame, {.positions = floats(positions), .packedNormals = small});
    EXPECT_LT((positions - alone).cwiseAbs().maxCoeff(), 2e-6f);
    const auto skin = packed.takesDualQuaternions() ? play::skinDualQuaternion : play::skinLinear;
    skin(packed.skin(), transforms, {.positions = floats(plainPositions), .normals = floats(plainNormals)});
    EXPECT_EQ(normals, plainNormals);
    skin(packed.skin(), transforms, {.positions = floats(plainPositions), .packedNormals = plainSmall});
    EXPECT_EQ(small, plainSmall);
  }
}

TEST(PackedPoseSpace, CarriesTheBipedWithScaleInItsPose) {
  const Sample sample = makeSample("biped", {.vertices = 4000});
  const Character& biped = sample.character;
  Pose pose = turnedPose(biped, 0.6, 86);
  pose.local[2].scale = Vec3(1.1, 0.9, 1.2);
  for (const DeltaSpace space : kSpaces) {
    const PoseSpaceModel model = plantedModel(biped, {.space = space, .share = 0.2, .size = 0.02});
    const PackedPoseSpace packed = pack(biped, model);
    const Truth truth = truthOf(biped, model, pose);
    EXPECT_LT(farthest(played(packed, biped, pose), truth), allowed(truth)) << nameOf(space);
  }
}

TEST(PackedPoseSpace, WithoutTouchedVerticesItIsPlainSkinning) {
  const Character character = rigged(chainCharacter(300, 14, 4));
  const PoseSpaceModel model = plantedModel(character, {.share = 0});
  ASSERT_TRUE(model.vertices.empty());
  const Pose pose = turnedPose(character, 0.9, 87);
  const Truth truth = truthOf(character, model, pose);
  EXPECT_LT(farthest(played(pack(character, model), character, pose), truth), 1e-6);
}

TEST(PackedPoseSpace, DoesNotAllocate) {
  const ThreadLimit limit(1);
  const Character character = rigged(chainCharacter(3000, 14, 4));
  const Pose pose = turnedPose(character, 0.9, 88);
  const PosedJoints joints = posed(character, pose);
  for (const char* base : kBases) {
    for (const DeltaSpace space : kSpaces) {
      const PackedPoseSpace packed =
          pack(character, plantedModel(character, {.space = space, .base = base, .groups = 30}));
      PoseSpaceFrame frame = packed.frame();
      const std::vector<float> transforms = palette(packed, joints);
      FloatPoints positions(3, static_cast<Index>(packed.skin().placeCount()));
      FloatPoints original(3, static_cast<Index>(packed.skin().vertexCount()));
      const std::size_t before = test::allocationCount();
      packed.update(pose, joints, frame);
      packed.play(transforms, frame, {.positions = floats(positions)});
      packed.play(transforms, frame, {.positions = floats(original), .order = VertexOrder::Original});
      EXPECT_EQ(test::allocationCount(), before) << base << " " << nameOf(space);
    }
  }
}

TEST(PackedPoseSpace, RefusesWhatDoesNotFit) {
  const Character character = rigged(chainCharacter(200, 14, 4));
  const PoseSpaceModel model = plantedModel(character, {});
  const auto says = [](const std::function<void()>& call, const char* words) {
    const std::string message = messageOf(call);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  PoseSpaceModel rigid = model;
  rigid.base = "rigid";
  says([&] { pack(character, rigid); }, "corrects 'rigid'");
  PoseSpaceModel outside = model;
  outside.vertices.back() = 200;
  says([&] { pack(character, outside); }, "vertex 200");
  says([&] { pack(character, model, {.tolerance = 0}); }, "tolerance is 0");
  says([&] { pack(character, model, {.skin = {.instructionSet = "abacus"}}); }, "no instruction set 'abacus'");

  const PackedPoseSpace packed = pack(character, model);
  const Pose pose = turnedPose(character, 0.5, 1);
  PosedJoints joints = posed(character, pose);
  const std::vector<float> transforms = palette(packed, joints);
  FloatPoints room(3, static_cast<Index>(packed.skin().placeCount()));
  PoseSpaceFrame frame = packed.frame();
  const PoseSpaceFrame other = pack(character, plantedModel(character, {.examples = 5})).frame();
  says([&] { packed.play(transforms, other, {.positions = floats(room)}); }, "floats of weights");
  says([&] { packed.play(std::span(transforms).first(10), frame, {.positions = floats(room)}); }, "10 floats");
  says([&] { packed.play(transforms, frame, {.positions = floats(room).first(3)}); }, "room for 3 floats");
  joints.worldFromRest.pop_back();
  says([&] { packed.update(pose, joints, frame); }, "13 joints");
}

}  // namespace
}  // namespace sinew::pack_pose_space_test
