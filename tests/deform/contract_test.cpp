// What deformer.h promises, for every row of the registry and for stacks.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/lattice.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/deform/pose_space.h"
#include "sinew/deform/stack.h"
#include "sinew/deform/wire.h"
#include "support/allocations.h"
#include "support/test_arm.h"

namespace sinew::contract_test {
namespace {

/// Operators that are made from options, over the test arm. Their controls follow its joints, so that they bend the
/// skin in a pose and keep it at rest.
constexpr int kRoot = 0;
constexpr int kUpper = 1;
constexpr int kLower = 2;

DeformerPtr lattice(PointSpace space) {
  LatticeOptions options;
  options.resolution = {4, 3, 2};
  options.restFromBox = boxBetween(Vec3(-0.9, -0.4, -0.4), Vec3(0.9, 0.4, 0.4));
  for (int i = 0; i < 24; ++i) options.controlBindings.push_back(i % 4 < 2 ? kUpper : kLower);
  options.placement = {.space = space, .follow = kRoot};
  options.outside = space == PointSpace::Posed ? LatticeOutside::PassThrough : LatticeOutside::Clamp;
  return std::make_shared<Lattice>(options);
}

Points line(const Vec3& from, const Vec3& to, Index points) {
  Points curve(3, points);
  for (Index i = 0; i < points; ++i) {
    curve.col(i) = from + (to - from) * (static_cast<double>(i) / static_cast<double>(points - 1));
  }
  return curve;
}

DeformerPtr wire(PointSpace space) {
  Wire along;
  along.reference = line(Vec3(-0.8, 0.2, 0), Vec3(0.8, 0.2, 0), 5);
  along.drivenBindings = {kUpper, kUpper, kUpper, kLower, kLower};
  along.radius = 0.5;
  Wire across;
  across.reference = line(Vec3(-0.3, -0.2, -0.3), Vec3(-0.3, -0.2, 0.3), 3);
  across.drivenBindings = {kLower};
  across.radius = 0.4;
  WireOptions options;
  options.wires = {along, across};
  options.exponent = 2;
  options.placement = {.space = space, .follow = kRoot};
  return std::make_shared<WireDeformer>(options);
}

DeformerPtr blend(const Character& arm) {
  return std::make_shared<LinearBlend>(arm.skin.weights);
}
DeformerPtr stackOf(std::vector<DeformerPtr> operators) {
  return std::make_shared<DeformerStack>(std::move(operators));
}

/// Corrections of the elbow on every third vertex, by hand: rest and two bends.
DeformerPtr corrections(const Character& arm, DeltaSpace space, DeformerPtr base = nullptr) {
  auto model = std::make_shared<PoseSpaceModel>();
  model->space = space;
  model->poseSpace.drivers.push_back({.kind = DriverKind::RotationVector, .source = kLower, .name = "lower"});
  model->names = {"rest", "bent", "folded"};
  model->poses = Eigen::MatrixXd::Zero(3, 3);
  model->poses(2, 1) = 1;
  model->poses(2, 2) = 2;
  for (Index v = 0; v < arm.mesh.vertexCount(); v += 3) model->vertices.push_back(static_cast<std::uint32_t>(v));
  const auto touched = static_cast<Index>(model->vertices.size());
  for (int k = 0; k < 3; ++k) {
    Points delta(3, touched);
    for (Index i = 0; i < touched; ++i) delta.col(i) = 0.02 * k * Vec3(std::sin(i), std::cos(2 * i), std::sin(k + i));
    model->deltas.push_back(delta);
    if (space == DeltaSpace::Layered) model->layer.push_back(-0.5 * delta);
  }
  return std::make_shared<PoseSpaceDeformer>(arm, model, std::move(base));
}

/// An operator over a character; the whole is invariant: it takes rest points and gives posed ones.
using Maker = std::function<DeformerPtr(const Character&)>;

std::map<std::string, Maker> makers() {
  std::map<std::string, Maker> all;
  for (const DeformerRow& row : deformers()) {
    if (row.source != DeformerSource::Skin) continue;
    all.emplace(row.name, [&row](const Character& arm) { return makeSkinDeformer(row.name, arm.skin); });
  }
  all["lattice"] = [](const Character& arm) { return stackOf({blend(arm), lattice(PointSpace::Posed)}); };
  all["lattice before the skin"] = [](const Character& arm) {
    return stackOf({lattice(PointSpace::Rest), blend(arm)});
  };
  all["wire"] = [](const Character& arm) { return stackOf({blend(arm), wire(PointSpace::Posed)}); };
  all["wire before the skin"] = [](const Character& arm) { return stackOf({wire(PointSpace::Rest), blend(arm)}); };
  all["pose-space"] = [](const Character& arm) { return corrections(arm, DeltaSpace::Frame); };
  all["pose-space before and after the skin"] = [](const Character& arm) {
    return corrections(arm, DeltaSpace::Layered);
  };
  all["pose-space under a lattice"] = [](const Character& arm) {
    return stackOf({corrections(arm, DeltaSpace::Forward), lattice(PointSpace::Posed)});
  };
  all["pose-space over a lattice"] = [](const Character& arm) {
    return stackOf({lattice(PointSpace::Rest), corrections(arm, DeltaSpace::Inverse)});
  };
  all["pose-space on pose-space"] = [](const Character& arm) {
    return corrections(arm, DeltaSpace::Layered, corrections(arm, DeltaSpace::Layered));
  };
  all["three operators"] = [](const Character& arm) {
    return stackOf({wire(PointSpace::Rest), makeSkinDeformer("dual-quaternion", arm.skin), lattice(PointSpace::Posed)});
  };
  all["stacks in a stack"] = [](const Character& arm) {
    return stackOf({stackOf({}), stackOf({lattice(PointSpace::Rest), wire(PointSpace::Rest)}), blend(arm),
                    stackOf({wire(PointSpace::Posed), lattice(PointSpace::Posed), wire(PointSpace::Posed)})});
  };
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, maker] : makers()) all.push_back(name);
  return all;
}

class DeformerContract : public testing::TestWithParam<std::string> {
 protected:
  void use(int rings, int sides) {
    arm = test::testArm(rings, sides);
    deformer = makers().at(GetParam())(arm);
  }
  [[nodiscard]] PosedJoints posed(const Pose& pose) const {
    PosedJoints joints;
    poseJoints(arm, pose, joints);
    return joints;
  }
  [[nodiscard]] std::string refusal(const ConstPointsRef& points, const PosedJoints& joints, Index room) const {
    DeformScratch scratch;
    Points moved(3, room);
    try {
      deformer->deform(points, joints, scratch, moved);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::BadInput);
      return error.what();
    }
    return "it was accepted";
  }

  Character arm;
  DeformerPtr deformer;
};

TEST_P(DeformerContract, IdentityPoseGivesTheRestShape) {
  use(21, 12);
  const Points moved = deformer->deform(arm.mesh.points, posed(restPose(arm)));
  EXPECT_LE((moved - arm.mesh.points).cwiseAbs().maxCoeff(), 1e-12 * boundingBox(arm.mesh.points).diagonal());
}

TEST_P(DeformerContract, PoseMovesTheSkin) {
  use(21, 12);
  Pose pose = restPose(arm);
  pose.local[kLower].rotation = Quat(Eigen::AngleAxisd(1.2, Vec3(0.3, 0, 1).normalized()));
  const Points moved = deformer->deform(arm.mesh.points, posed(pose));
  EXPECT_GT((moved - arm.mesh.points).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_TRUE(moved.allFinite());
}

TEST_P(DeformerContract, RootMotionCommutes) {
  use(21, 12);
  const Pose pose = test::bentArmPose(arm, 80, 50);
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.linear() = Eigen::AngleAxisd(2.3, Vec3(2, -1, 0.5).normalized()).toRotationMatrix();
  motion.translation() = Vec3(3, -2, 5);
  const Points here = deformer->deform(arm.mesh.points, posed(pose));
  const Points there = deformer->deform(arm.mesh.points, posed(movedBy(arm.skeleton, pose, motion)));
  const Points expected = (motion.linear() * here).colwise() + motion.translation();
  EXPECT_LE((there - expected).cwiseAbs().maxCoeff(), 1e-11);
}

TEST_P(DeformerContract, GivesTheSameBitsOnOneAndFourThreads) {
  use(241, 36);
  const PosedJoints joints = posed(test::bentArmPose(arm));
  const auto onThreads = [&](int threads) {
    const ThreadLimit limit(threads);
    return deformer->deform(arm.mesh.points, joints);
  };
  const Points one = onThreads(1);
  EXPECT_EQ(one, onThreads(4));
  EXPECT_EQ(one, onThreads(3));
}

TEST_P(DeformerContract, AllocatesNothingAfterTheFirstCall) {
  use(101, 30);
  const ThreadLimit one(1);
  const PosedJoints joints = posed(test::bentArmPose(arm));
  DeformScratch scratch;
  Points moved(3, arm.mesh.vertexCount());
  const std::size_t before = test::allocationCount();
  deformer->deform(arm.mesh.points, joints, scratch, moved);
  const std::size_t first = test::allocationCount();
  for (int i = 0; i < 5; ++i) deformer->deform(arm.mesh.points, joints, scratch, moved);
  EXPECT_EQ(test::allocationCount() - first, 0u) << "the first call made " << first - before;
  EXPECT_EQ(scratch.depth, 0u);
}

TEST_P(DeformerContract, AllocatesNothingOfItsOwnOnManyThreads) {
  use(151, 30);
  const ThreadLimit four(4);
  const PosedJoints joints = posed(test::bentArmPose(arm));
  DeformScratch scratch;
  Points moved(3, arm.mesh.vertexCount());
  for (int i = 0; i < 3; ++i) deformer->deform(arm.mesh.points, joints, scratch, moved);
  const std::size_t before = test::allocationCount();
  for (int i = 0; i < 10; ++i) deformer->deform(arm.mesh.points, joints, scratch, moved);
  // The pool of threads may still grow now and then; an allocation of the operator would count at least 10.
  EXPECT_LT(test::allocationCount() - before, 10u);
}

TEST_P(DeformerContract, RefusesPointsThatAreNotFinite) {
  use(5, 4);
  const PosedJoints joints = posed(restPose(arm));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Points points = arm.mesh.points;
    points(1, 7) = bad;
    EXPECT_NE(refusal(points, joints, points.cols()).find("at vertex 7"), std::string::npos);
  }
}

TEST_P(DeformerContract, RefusesTransformsThatAreNotFinite) {
  use(5, 4);
  PosedJoints joints = posed(restPose(arm));
  joints.worldFromRest[2].translation().y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(arm.mesh.points, joints, arm.mesh.vertexCount()).find("joint 2"), std::string::npos);
}

TEST_P(DeformerContract, RefusesSizesThatDoNotFitAndNamesThem) {
  use(5, 4);
  PosedJoints joints = posed(restPose(arm));
  const std::string fewerPoints = refusal(arm.mesh.points.leftCols(19), joints, 19);
  EXPECT_NE(fewerPoints.find("expects 20 vertices, but got 19"), std::string::npos) << fewerPoints;
  const std::string lessRoom = refusal(arm.mesh.points, joints, 18);
  EXPECT_NE(lessRoom.find("space for 18 vertices, but there are 20"), std::string::npos) << lessRoom;
  joints.worldFromRest.pop_back();
  const std::string fewerJoints = refusal(arm.mesh.points, joints, 20);
  EXPECT_NE(fewerJoints.find("expects 3 joints, but got 2"), std::string::npos) << fewerJoints;
}

TEST_P(DeformerContract, LeavesItsScratchUsableAfterARefusal) {
  use(5, 4);
  PosedJoints joints = posed(restPose(arm));
  DeformScratch scratch;
  Points moved(3, 20);
  Points bad = arm.mesh.points;
  bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(deformer->deform(bad, joints, scratch, moved), Error);
  deformer->deform(arm.mesh.points, joints, scratch, moved);
  EXPECT_EQ(moved, deformer->deform(arm.mesh.points, joints));
}

INSTANTIATE_TEST_SUITE_P(Operators, DeformerContract, testing::ValuesIn(names()), [](const auto& row) {
  std::string name = row.param;
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

TEST(Deformers, EveryRowHasItsContractTest) {
  const auto all = makers();
  for (const DeformerRow& row : deformers()) {
    EXPECT_TRUE(all.contains(std::string(row.name))) << "add a maker for '" << row.name << "' to this file";
    EXPECT_EQ(row.fromSkin != nullptr, row.source == DeformerSource::Skin) << row.name;
    EXPECT_FALSE(row.description.empty());
  }
}

TEST(Deformers, AreMadeByName) {
  const Character arm = test::testArm(5, 4);
  for (const DeformerRow& row : deformers()) {
    if (row.source != DeformerSource::Skin) continue;
    EXPECT_EQ(makeSkinDeformer(row.name, arm.skin)->name(), row.name);
  }
  EXPECT_EQ(lattice(PointSpace::Rest)->name(), deformerRow("lattice").name);
  EXPECT_EQ(wire(PointSpace::Rest)->name(), deformerRow("wire").name);
}

TEST(Deformers, RefuseUnknownNamesAndKindsThatNeedSettings) {
  const Character arm = test::testArm(5, 4);
  const auto message = [&](const char* name) {
    try {
      (void)makeSkinDeformer(name, arm.skin);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("linear"),
            "there is no deformer 'linear'; did you mean 'linear-blend'? There are: linear-blend, dual-quaternion, "
            "rigid, pose-space, lattice, wire");
  EXPECT_EQ(message("lattice"), "the deformer 'lattice' is not made from a skin; give its settings in a file");
  EXPECT_EQ(message("pose-space"), "the deformer 'pose-space' is not made from a skin alone");
}

TEST(Deformers, ShareAScratchOfDifferentSizesWithoutAllocating) {
  const Character arm = test::testArm(31, 12);
  const ThreadLimit one(1);
  PosedJoints joints;
  poseJoints(arm, test::bentArmPose(arm), joints);
  std::vector<DeformerPtr> all;
  for (const auto& [name, maker] : makers()) all.push_back(maker(arm));
  DeformScratch scratch;
  Points moved(3, arm.mesh.vertexCount());
  for (const DeformerPtr& deformer : all) deformer->deform(arm.mesh.points, joints, scratch, moved);
  const std::size_t before = test::allocationCount();
  for (const DeformerPtr& deformer : all) deformer->deform(arm.mesh.points, joints, scratch, moved);
  EXPECT_EQ(test::allocationCount(), before);
}

TEST(PoseSpaceDeformer, OutlivesItsCharacter) {
  Points kept;
  DeformerPtr deformer;
  PosedJoints joints;
  Points rest;
  {
    const Character arm = test::testArm(9, 6);
    deformer = corrections(arm, DeltaSpace::Frame);
    poseJoints(arm, test::bentArmPose(arm), joints);
    rest = arm.mesh.points;
    kept = deformer->deform(rest, joints);
  }
  EXPECT_EQ(deformer->deform(rest, joints), kept);
}

TEST(PoseSpaceDeformer, AddsItsCorrectionsToWhatIsUnderIt) {
  const Character arm = test::testArm(9, 6);
  PosedJoints joints;
  Pose pose = restPose(arm);
  pose.local[kLower].rotation = Quat(Eigen::AngleAxisd(2, Vec3::UnitZ()));
  poseJoints(arm, pose, joints);
  const DeformerPtr under = stackOf({lattice(PointSpace::Rest), blend(arm)});
  const auto corrected = [&](DeformerPtr base) {
    return Points(corrections(arm, DeltaSpace::Forward, std::move(base))->deform(arm.mesh.points, joints));
  };
  const Points added = corrected(under) - under->deform(arm.mesh.points, joints);
  EXPECT_GT(added.cwiseAbs().maxCoeff(), 0.01);
  EXPECT_LT((added - (corrected(blend(arm)) - blend(arm)->deform(arm.mesh.points, joints))).cwiseAbs().maxCoeff(),
            1e-12);
}

TEST(PoseSpaceDeformer, RefusesJointsWithoutTheirPoseAndABaseOfAnotherSize) {
  const Character arm = test::testArm(9, 6);
  PosedJoints joints;
  poseJoints(arm, restPose(arm), joints);
  joints.pose = {};
  try {
    (void)corrections(arm, DeltaSpace::Frame)->deform(arm.mesh.points, joints);
    ADD_FAILURE() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("follows the pose of 3 joints"), std::string::npos) << error.what();
  }
  const Character other = test::testArm(5, 4);
  EXPECT_THROW((void)corrections(arm, DeltaSpace::Frame, blend(other)), Error);
}

TEST(Allocations, AreCounted) {
  const std::size_t before = test::allocationCount();
  const Points points = Points::Zero(3, 100);    // Eigen calls malloc
  const auto number = std::make_unique<int>(3);  // operator new
  EXPECT_GE(test::allocationCount() - before, 2u) << points.cols() << *number;
}

}  // namespace
}  // namespace sinew::contract_test
