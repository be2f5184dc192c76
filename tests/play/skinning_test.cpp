#include "sinew/play/skinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "play/packed_character.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/pack/skin.h"
#include "sinew/play/aligned.h"
#include "sinew/samples/samples.h"
#include "support/allocations.h"
#include "support/message_of.h"

namespace sinew::skinning_test {
namespace {

using namespace play;

using test::chainCharacter;
using test::PackedCharacter;
using test::scatteredCharacter;

using FloatPoints = Eigen::Matrix<float, 3, Eigen::Dynamic>;
constexpr double kDiagonal = 3.46;  // of the test characters' box

struct Moved {
  FloatPoints positions;
  FloatPoints normals;
  std::vector<std::uint32_t> packedNormals;
};

enum class Operator { Linear, DualQuaternion };
constexpr Operator kOperators[] = {Operator::Linear, Operator::DualQuaternion};

std::span<float> floats(FloatPoints& points) {
  return {points.data(), static_cast<std::size_t>(points.size())};
}

std::vector<float> palette(Operator op, const PosedJoints& joints) {
  const bool linear = op == Operator::Linear;
  std::vector<float> result(joints.worldFromRest.size() * (linear ? kMatrixFloats : kDualQuaternionFloats));
  (linear ? packMatrices : packDualQuaternions)(joints.worldFromRest, result);
  return result;
}

SkinCall callOf(Operator op, const PackedSkin& skin, std::span<const float> palette, const SkinOutput& output) {
  return (op == Operator::Linear ? linearCall : dualQuaternionCall)(skin, palette, output);
}

void move(Operator op, const PackedSkin& skin, std::span<const float> palette, const SkinOutput& output) {
  playOnThreads(callOf(op, skin, palette, output));
}

/// Positions with normals of both forms.
Moved moved(Operator op, const PackedSkin& skin, const PosedJoints& joints, VertexOrder order) {
  const auto count = static_cast<Index>(order == VertexOrder::Packed ? skin.placeCount() : skin.vertexCount());
  const Index normals = skin.hasNormals() ? count : 0;
  Moved result{FloatPoints(3, count), FloatPoints(3, normals), std::vector<std::uint32_t>(normals)};
  const std::vector<float> transforms = palette(op, joints);
  move(op, skin, transforms, {floats(result.positions), {}, result.packedNormals, order});
  move(op, skin, transforms, {floats(result.positions), floats(result.normals), {}, order});
  return result;
}

FloatPoints unpacked(const std::vector<std::uint32_t>& packed) {
  FloatPoints normals(3, packed.size());
  for (std::size_t i = 0; i < packed.size(); ++i) {
    normals.col(static_cast<Index>(i)) = Eigen::Map<const Eigen::Vector3f>(unpackNormal(packed[i]).data());
  }
  return normals;
}

/// Packed normals are right within 0.2 degrees, and between half and full length. Steps of 1/511 in three directions
/// make 1.7e-3 in each of two roundings; the blend of opposite turns, which comes short, doubles that.
void expectDirections(const std::vector<std::uint32_t>& packed, const Points& truth) {
  const FloatPoints normals = unpacked(packed);
  for (Index v = 0; v < truth.cols(); ++v) {
    const double length = normals.col(v).cast<double>().norm();
    ASSERT_GT(length, 0.495) << v;
    ASSERT_LT(length, 1.0034) << v;
    ASSERT_LT((normals.col(v).cast<double>() / length - truth.col(v)).norm(), 3.5e-3) << v;
    ASSERT_EQ(packed[static_cast<std::size_t>(v)] >> 30, 0u);
  }
}

Points reference(Operator op, const PackedCharacter& c) {
  if (op == Operator::Linear) return LinearBlend(c.weights).deform(c.rest, c.joints);
  return DualQuaternionBlend(c.weights).deform(c.rest, c.joints);
}

Points referenceNormals(Operator op, const PackedCharacter& c) {
  std::vector<Mat3> turn(static_cast<std::size_t>(c.rest.cols()));
  if (op == Operator::Linear) {
    LinearBlend(c.weights).jacobians(c.joints, turn);
  } else {
    DeformScratch scratch;
    DualQuaternionBlend(c.weights).vertexRotations(c.joints, scratch, turn);
  }
  Points normals(3, c.rest.cols());
  for (Index v = 0; v < normals.cols(); ++v) {
    normals.col(v) = (turn[static_cast<std::size_t>(v)] * c.normals.col(v)).normalized();
  }
  return normals;
}

/// The largest distance between columns, relative to the diagonal.
double farthest(const FloatPoints& played, const Points& truth) {
  return (played.cast<double>() - truth).colwise().norm().maxCoeff() / kDiagonal;
}

PackedSkin pack(const PackedCharacter& c, const PackOptions& options = {}) {
  return packSkin(c.rest, c.normals, c.weights, options);
}

/// Counts of influences and vertices at the edges: single lanes, partly filled blocks, more joints than runs take.
std::vector<PackedCharacter> family() {
  std::vector<PackedCharacter> result;
  for (const int influences : {1, 2, 3, 4, 5, 8, 12}) {
    for (const Index vertices : {1, 15, 16, 17, 777}) result.push_back(chainCharacter(vertices, 14, influences));
    result.push_back(scatteredCharacter(300, 40, influences));
  }
  result.push_back(scatteredCharacter(100, 64, 20));
  return result;
}

TEST(Skinning, AgreesWithTheAuthoringOperatorsInDouble) {
  for (const Operator op : kOperators) {
    for (const PackedCharacter& c : family()) {
      const Points truth = reference(op, c);
      const Points normals = referenceNormals(op, c);
      const PackedSkin skin = pack(c);
      const Moved played = moved(op, skin, c.joints, VertexOrder::Original);
      EXPECT_LT(farthest(played.positions, truth), 1e-6) << skin.report().text();
      // A blend of opposite turns leaves little of a normal, and rounding grows by what was lost.
      EXPECT_LT((played.normals.cast<double>() - normals).colwise().norm().maxCoeff(), 2e-4) << skin.report().text();
      expectDirections(played.packedNormals, normals);
    }
  }
}

TEST(Skinning, PlaysTheBipedByRunsAlone) {
  const Sample sample = makeSample("biped", {.vertices = 5000});
  const Character& biped = sample.character;
  PackedCharacter c;
  c.rest = biped.mesh.points;
  computeNormals(c.rest, triangulate(biped.mesh), c.normals);
  c.weights = biped.skin.weights;
  Pose pose = restPose(biped);
  Lcg random(4);
  for (LocalTransform& local : pose.local) {
    local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.8 * random.symmetric(), random.vector().normalized()));
  }
  poseJoints(biped, pose, c.joints);
  const PackedSkin skin = pack(c);
  EXPECT_GT(skin.report().shareInRuns(), 0.99) << skin.report().text();
  const double diagonal = boundingBox(c.rest).diagonal();
  for (const Operator op : kOperators) {
    const Moved played = moved(op, skin, c.joints, VertexOrder::Original);
    EXPECT_LT(farthest(played.positions, reference(op, c)) * kDiagonal / diagonal, 1e-6);
    expectDirections(played.packedNormals, referenceNormals(op, c));
  }
}

TEST(Skinning, PositionsAloneAreThePositionsWithNormals) {
  for (const Operator op : kOperators) {
    for (const PackedCharacter& c : {chainCharacter(777, 14, 4), scatteredCharacter(300, 40, 4)}) {
      const PackedSkin bare = packSkin(c.rest, Points(3, 0), c.weights);
      EXPECT_FALSE(bare.hasNormals());
      const Moved alone = moved(op, bare, c.joints, VertexOrder::Original);
      const Moved both = moved(op, pack(c), c.joints, VertexOrder::Original);
      EXPECT_LT((alone.positions - both.positions).cwiseAbs().maxCoeff(), 2e-6f);
    }
  }
}

TEST(Skinning, KeepsTheRestShapeInTheRestPose) {
  for (const Operator op : kOperators) {
    PackedCharacter c = chainCharacter(777, 14, 4);
    for (Affine& motion : c.joints.worldFromRest) motion.setIdentity();
    const Moved played = moved(op, pack(c), c.joints, VertexOrder::Original);
    EXPECT_EQ(played.positions, c.rest.cast<float>());
    EXPECT_LT((played.normals - c.normals.cast<float>()).cwiseAbs().maxCoeff(), 3e-5f);
    EXPECT_LT((unpacked(played.packedNormals) - c.normals.cast<float>()).cwiseAbs().maxCoeff(), 2.1e-3f);
  }
}

TEST(Skinning, PackedOrderHoldsTheSameBitsInItsOwnOrder) {
  for (const Operator op : kOperators) {
    for (const PackedCharacter& c : {chainCharacter(5000, 14, 4), scatteredCharacter(301, 40, 4)}) {
      const PackedSkin skin = pack(c);
      const Moved original = moved(op, skin, c.joints, VertexOrder::Original);
      const Moved packed = moved(op, skin, c.joints, VertexOrder::Packed);
      for (Index i = 0; i < packed.positions.cols(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        const auto vertex = static_cast<Index>(skin.order()[place]);
        ASSERT_EQ(packed.positions.col(i), original.positions.col(vertex));
        ASSERT_EQ(packed.normals.col(i), original.normals.col(vertex));
        ASSERT_EQ(packed.packedNormals[place], original.packedNormals[skin.order()[place]]);
      }
    }
  }
}

TEST(Skinning, ChoosesTheHemisphereOfTheLargestWeightWhereJointsTurnFar) {
  // Turns of up to 3.1 radians about any axis: quaternions of a run lie in both hemispheres of each other, so that the
  // signs depend on which joint has the largest weight.
  PackedCharacter c = chainCharacter(2000, 14, 4, 3.1);
  const PackedSkin inRuns = pack(c);
  const PackedSkin oneByOne = pack(c, {.wantedRun = 100000, .leastRun = 100000});
  EXPECT_EQ(inRuns.report().verticesInRuns, 2000u);
  EXPECT_EQ(oneByOne.report().verticesInRuns, 0u);
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    c.joints = test::rigidPose(14, 3.1, seed);
    const Points truth = reference(Operator::DualQuaternion, c);
    for (const PackedSkin* skin : {&inRuns, &oneByOne}) {
      const Moved played = moved(Operator::DualQuaternion, *skin, c.joints, VertexOrder::Original);
      // Near-opposite quaternions cancel, so the blend loses digits there: most are exact, none is in the wrong place.
      const Eigen::VectorXd apart = (played.positions.cast<double>() - truth).colwise().norm() / kDiagonal;
      EXPECT_LT(apart.maxCoeff(), 1e-4) << seed;
      EXPECT_GT((apart.array() < 1e-6).count(), 1950) << seed;
    }
  }
}

TEST(Skinning, MovesRigidlyWithARigidMotionOfAllJoints) {
  PackedCharacter c = chainCharacter(777, 14, 4);
  const PackedSkin skin = pack(c);
  Affine motion = Affine::Identity();
  motion.linear() = Eigen::AngleAxisd(2.0, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  motion.translation() = Vec3(0.5, -1, 2);
  for (const Operator op : kOperators) {
    const Moved before = moved(op, skin, c.joints, VertexOrder::Packed);
    PosedJoints turned = c.joints;
    for (Affine& joint : turned.worldFromRest) joint = motion * joint;
    const Moved after = moved(op, skin, turned, VertexOrder::Packed);
    EXPECT_LT(farthest(after.positions, motion * before.positions.cast<double>()), 2e-6);
    EXPECT_LT((after.normals.cast<double>() - motion.linear() * before.normals.cast<double>()).cwiseAbs().maxCoeff(),
              2e-6);
  }
}

TEST(Skinning, NormalsKeepUnitLengthUnderScale) {
  PackedCharacter c = chainCharacter(777, 14, 4);
  for (std::size_t b = 0; b < c.joints.worldFromRest.size(); ++b) {
    c.joints.worldFromRest[b].linear() *= 0.5 + 0.3 * static_cast<double>(b);
  }
  const Moved played = moved(Operator::Linear, pack(c), c.joints, VertexOrder::Packed);
  EXPECT_LT((played.normals.colwise().norm().array() - 1).abs().maxCoeff(), 2e-6f);
}

TEST(Skinning, PackedNormalsComeAtUnitLengthWhereJointsScaleOrTurnFar) {
  PackedCharacter scaled = chainCharacter(777, 14, 4);
  for (Affine& motion : scaled.joints.worldFromRest) motion.linear() *= 3.0;
  PackedCharacter far = chainCharacter(777, 14, 4, 3.1);
  for (const PackedCharacter& c : {scaled, far}) {
    const Moved played = moved(Operator::Linear, pack(c), c.joints, VertexOrder::Original);
    expectDirections(played.packedNormals, referenceNormals(Operator::Linear, c));
  }
}

TEST(Skinning, ANormalOfZeroLengthStaysZero) {
  PackedCharacter c = chainCharacter(100, 4, 4);
  c.normals.setZero();
  for (const PackOptions& options : {PackOptions{}, PackOptions{.wantedRun = 1000, .leastRun = 1000}}) {
    for (const Operator op : kOperators) {
      const Moved played = moved(op, pack(c, options), c.joints, VertexOrder::Packed);
      EXPECT_EQ(played.normals.cwiseAbs().maxCoeff(), 0.0f);
      EXPECT_EQ(*std::max_element(played.packedNormals.begin(), played.packedNormals.end()), 0u);
    }
  }
}

TEST(Skinning, GivesTheSameBitsOnOneAndManyThreads) {
  const PackedCharacter c = chainCharacter(60000, 24, 4);
  const PackedSkin skin = pack(c);
  for (const Operator op : kOperators) {
    for (const VertexOrder order : {VertexOrder::Packed, VertexOrder::Original}) {
      const auto on = [&](int threads) {
        const ThreadLimit limit(threads);
        return moved(op, skin, c.joints, order);
      };
      const Moved one = on(1);
      for (const int threads : {2, 4}) {
        const Moved many = on(threads);
        EXPECT_EQ(one.positions, many.positions);
        EXPECT_EQ(one.normals, many.normals);
        EXPECT_EQ(one.packedNormals, many.packedNormals);
      }
    }
  }
}

TEST(Skinning, RangesInAnyOrderGiveTheSameBits) {
  for (const PackedCharacter& c : {chainCharacter(5000, 14, 4), scatteredCharacter(301, 40, 4)}) {
    const PackedSkin skin = pack(c);
    for (const Operator op : kOperators) {
      const std::vector<float> transforms = palette(op, c.joints);
      const Moved whole = moved(op, skin, c.joints, VertexOrder::Original);
      FloatPoints positions(3, static_cast<Index>(skin.vertexCount()));
      const SkinCall call = callOf(op, skin, transforms, {floats(positions), {}, {}, VertexOrder::Original});
      constexpr std::uint32_t kStep = 7;
      for (std::uint32_t end = call.blockCount(); end > 0; end -= std::min(end, kStep)) {
        call.run(end - std::min(end, kStep), end);
      }
      const PackedSkin bare = packSkin(c.rest, Points(3, 0), c.weights);
      EXPECT_EQ(positions, moved(op, bare, c.joints, VertexOrder::Original).positions);
      EXPECT_LT((positions - whole.positions).cwiseAbs().maxCoeff(), 2e-6f);
    }
  }
}

TEST(Skinning, StreamedStoresWriteTheSameBits) {
  for (const PackedCharacter& c : {chainCharacter(5000, 14, 4), scatteredCharacter(301, 40, 4)}) {
    const PackedSkin skin = pack(c);
    const std::size_t places = skin.placeCount();
    for (const Operator op : kOperators) {
      const Moved cached = moved(op, skin, c.joints, VertexOrder::Packed);
      AlignedFloats positions(3 * places);
      AlignedFloats normals(3 * places);
      std::vector<std::uint32_t, LineAllocator<std::uint32_t>> packed(places);
      const std::vector<float> transforms = palette(op, c.joints);
      move(op, skin, transforms, {positions, normals, {}, VertexOrder::Packed, Stores::Streamed});
      EXPECT_TRUE(std::equal(positions.begin(), positions.end(), cached.positions.data()));
      EXPECT_TRUE(std::equal(normals.begin(), normals.end(), cached.normals.data()));
      move(op, skin, transforms, {positions, {}, packed, VertexOrder::Packed, Stores::Streamed});
      EXPECT_TRUE(std::equal(packed.begin(), packed.end(), cached.packedNormals.begin()));
    }
  }
}

TEST(Skinning, AgreesOnEveryInstructionSetOfThisMachine) {
  const PackedCharacter smooth = chainCharacter(777, 14, 6, 1.2);
  const PackedCharacter far = chainCharacter(777, 14, 3, 2.5);
  const PackedCharacter scattered = scatteredCharacter(200, 40, 4);
  const std::vector<std::string_view> names = instructionSets();
  const std::set<std::string_view> sets(names.begin(), names.end());
  for (const std::string_view set : names) {
    for (const Operator op : kOperators) {
      for (const PackedCharacter* c : {&smooth, &far, &scattered}) {
        const Moved played = moved(op, pack(*c, {.instructionSet = set}), c->joints, VertexOrder::Original);
        EXPECT_LT(farthest(played.positions, reference(op, *c)), 2e-6) << set;
        EXPECT_LT((played.normals.cast<double>() - referenceNormals(op, *c)).cwiseAbs().maxCoeff(), 1e-4) << set;
        expectDirections(played.packedNormals, referenceNormals(op, *c));
      }
    }
  }
  EXPECT_EQ(pack(smooth).instructionSet(), names.front());
#if defined(__x86_64__)
  EXPECT_TRUE(sets.contains("SSE4"));
  EXPECT_EQ(sets.contains("AVX2"), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#endif
  EXPECT_EQ(sets.size(), names.size());
}

TEST(Skinning, DoesNotAllocate) {
  const ThreadLimit limit(1);
  const PackedCharacter c = chainCharacter(5000, 14, 4);
  const PackedSkin skin = pack(c);
  FloatPoints positions(3, static_cast<Index>(skin.placeCount()));
  FloatPoints normals(3, static_cast<Index>(skin.placeCount()));
  std::vector<std::uint32_t> packed(skin.placeCount());
  FloatPoints original(3, static_cast<Index>(skin.vertexCount()));
  for (const Operator op : kOperators) {
    std::vector<float> transforms = palette(op, c.joints);
    move(op, skin, transforms, {floats(positions)});
    const std::size_t before = test::allocationCount();
    (op == Operator::Linear ? packMatrices : packDualQuaternions)(c.joints.worldFromRest, transforms);
    move(op, skin, transforms, {floats(positions), floats(normals)});
    move(op, skin, transforms, {floats(positions), {}, packed});
    move(op, skin, transforms, {floats(original), {}, {}, VertexOrder::Original});
    EXPECT_EQ(test::allocationCount(), before);
  }
}

TEST(Skinning, RefusesWhatDoesNotFit) {
  const PackedCharacter c = chainCharacter(100, 6, 4);
  const PackedSkin skin = pack(c);
  std::vector<float> matrices = palette(Operator::Linear, c.joints);
  const std::size_t places = skin.placeCount();
  ASSERT_GT(places, 100u);
  std::vector<float> room(3 * places);
  std::vector<float> small(299);
  std::vector<std::uint32_t> packed(places);
  const auto says = [](const std::function<void()>& call, const char* words) {
    const std::string message = test::invalidArgumentOf(call);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  says([&] { skinLinear(skin, std::span(matrices).first(95), {room}); }, "95 floats");
  says([&] { skinLinear(skin, matrices, {small}); }, "room for 299 floats");
  says([&] { skinLinear(skin, matrices, {small, {}, {}, VertexOrder::Original}); }, "100 vertices need 300");
  says([&] { skinLinear(skin, matrices, {room, small}); }, "normals have room for 299");
  says([&] { skinLinear(skin, matrices, {room, {}, std::span(packed).first(7)}); }, "7 packed normals");
  std::vector<float> other(room.size());
  says([&] { skinLinear(skin, matrices, {room, other, packed}); }, "both forms");
  const PackedSkin bare = packSkin(c.rest, Points(3, 0), c.weights);
  says([&] { skinLinear(bare, matrices, {room, other}); }, "pack it with normals");
  AlignedFloats aligned(room.size() + 1);
  const auto crooked = std::span<float>(aligned).subspan(1);
  says([&] { skinLinear(skin, matrices, {crooked, {}, {}, VertexOrder::Packed, Stores::Streamed}); }, "64 bytes");
  says([&] { skinDualQuaternion(skin, matrices, {room}); }, "96 floats, 6 joints need 48");
  matrices[16 * 2 + 5] = std::numeric_limits<float>::infinity();
  says([&] { skinLinear(skin, matrices, {room}); }, "joint 2");
  const SkinCall call = linearCall(skin, palette(Operator::Linear, c.joints), {room});
  says([&] { call.run(0, call.blockCount() + 1); }, "there are");
  says([&] { call.run(2, 1); }, "blocks 2 to 1");
}

}  // namespace
}  // namespace sinew::skinning_test
