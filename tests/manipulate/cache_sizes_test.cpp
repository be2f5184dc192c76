// Eigen can size its blocks by the caches of the machine. Results must not depend on it: the same bits for any size.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <functional>

#include "manipulate/bending_bar.h"
#include "sinew/base/random.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/bind.h"
#include "sinew/learn/decompose.h"
#include "sinew/learn/fit.h"
#include "sinew/learn/invert.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/reduced_model.h"
#include "sinew/manipulate/reduced_ik.h"
#include "sinew/math/decompositions.h"
#include "sinew/samples/samples.h"
#include "support/allocations.h"

namespace sinew::cache_sizes_test {
namespace {

using Bits = std::vector<double>;

struct CacheSizes {
  std::ptrdiff_t l1;
  std::ptrdiff_t l2;
  std::ptrdiff_t l3;
};

constexpr std::ptrdiff_t kKib = 1024;
constexpr std::array<CacheSizes, 4> kMachines = {{{32 * kKib, 256 * kKib, 2048 * kKib},
                                                  {48 * kKib, 2048 * kKib, 266240 * kKib},
                                                  {64 * kKib, 1024 * kKib, 32768 * kKib},
                                                  {16 * kKib, 32 * kKib, 64 * kKib}}};

class CachesOf {
 public:
  explicit CachesOf(const CacheSizes& sizes)
      : before_{Eigen::l1CacheSize(), Eigen::l2CacheSize(), Eigen::l3CacheSize()} {
    Eigen::setCpuCacheSizes(sizes.l1, sizes.l2, sizes.l3);
  }
  ~CachesOf() { Eigen::setCpuCacheSizes(before_.l1, before_.l2, before_.l3); }
  CachesOf(const CachesOf&) = delete;
  CachesOf& operator=(const CachesOf&) = delete;

 private:
  CacheSizes before_;
};

void append(Bits& bits, const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  for (Index c = 0; c < matrix.cols(); ++c) bits.insert(bits.end(), matrix.col(c).begin(), matrix.col(c).end());
}

void append(Bits& bits, const SkinWeights& weights) {
  for (Index v = 0; v < weights.vertexCount(); ++v) {
    for (const Influence& influence : weights[v]) {
      bits.push_back(static_cast<double>(influence.binding));
      bits.push_back(influence.weight);
    }
  }
}

void append(Bits& bits, const ReducedModel& model) {
  append(bits, model.weights);
  append(bits, model.proxies.gradients);
  for (const std::vector<Affine>& controls : model.controls)
    for (const Affine& control : controls) append(bits, control.matrix());
}

void expectSameBits(const std::function<Bits()>& compute) {
  std::vector<Bits> found;
  for (const CacheSizes& machine : kMachines) {
    const CachesOf caches(machine);
    found.push_back(compute());
  }
  ASSERT_FALSE(found.front().empty());
  for (std::size_t m = 1; m < kMachines.size(); ++m)
    EXPECT_TRUE(found[m] == found.front()) << "with an L1 of " << kMachines[m].l1 / kKib << " KiB";
}

const Sample& exactArm() {
  static const Sample sample = makeSample("arm", {.exact = true});
  return sample;
}

Eigen::MatrixXd randomMatrix(Index rows, Index columns, unsigned seed) {
  Lcg random(seed);
  Eigen::MatrixXd matrix(rows, columns);
  for (double& value : matrix.reshaped()) value = random.symmetric();
  return matrix;
}

TEST(CacheSizes, ProductsAndDecompositionsHaveTheSameBits) {
  const Eigen::MatrixXd a = randomMatrix(300, 250, 1);
  const Eigen::MatrixXd b = randomMatrix(250, 210, 2);
  const Eigen::MatrixXd square = randomMatrix(250, 250, 3) + 30 * Eigen::MatrixXd::Identity(250, 250);
  const Eigen::MatrixXd definite = square * square.transpose();
  expectSameBits([&] {
    Bits bits;
    append(bits, a * b);
    append(bits, a.transpose() * a);
    append(bits, definite.selfadjointView<Eigen::Lower>() * b);
    append(bits, square.triangularView<Eigen::Upper>().solve(b));
    append(bits, square.transpose().triangularView<Eigen::Lower>().solve(b));
    append(bits, definite.llt().solve(b));
    append(bits, definite.ldlt().solve(b));
    append(bits, square.partialPivLu().solve(b));
    append(bits, upperFactor(a));
    append(bits, thinQr(a).q);
    append(bits, orthonormalBasis(a, 1e-9));
    append(bits, symmetricEigen(definite).vectors);
    append(bits, singularValues(a));
    return bits;
  });
}

TEST(CacheSizes, DragsOfReducedModelsHaveTheSameBitsWithoutAllocating) {
  const auto model = std::make_shared<const ReducedModel>(test::bendingBar(60));
  const std::vector<Index> handles = {0, 2, 4, 161, 320, 322};
  expectSameBits([&] {
    Bits bits;
    ReducedIk ik(model);
    ik.setHandles(handles);
    Points targets = model->rest(Eigen::all, handles);
    (void)ik.solve(targets);
    for (int step = 0; step < 3; ++step) (void)ik.solve(targets, IkStart::Warm);
    const std::size_t before = test::allocationCount();
    for (int step = 0; step < 5; ++step) {
      targets.col(5) += Vec3(-0.01, 0.06, 0.01);
      (void)ik.solve(targets, IkStart::Warm);
    }
    EXPECT_EQ(test::allocationCount(), before);
    for (const Affine& control : ik.solve(targets, IkStart::Warm).controls) append(bits, control.matrix());
    return bits;
  });
}

TEST(CacheSizes, ReducedModelsHaveTheSameBits) {
  const Sample sample = makeSample("quadruped", {.vertices = 1000});
  std::vector<Points> shapes;
  for (const Example& example : sample.examples.examples) shapes.push_back(example.points);
  expectSameBits([&] {
    Bits bits;
    append(bits, learnReducedModel(sample.character.mesh, shapes, {}, {}, {.kernelPoints = 600, .seeds = 150}).model);
    append(bits,
           decomposeSkin(sample.character.mesh, shapes, {}, {}, {.bones = 24, .rounds = 3, .exchanges = 1}).model);
    return bits;
  });
}

TEST(CacheSizes, FitsAndPoseSpacesHaveTheSameBits) {
  const Sample& arm = exactArm();
  expectSameBits([&] {
    Bits bits;
    append(bits, fitSkin(arm.character, arm.examples).character.skin.weights);
    const auto model = learnPoseSpace(arm.character, arm.examples, {.weighted = true}).model;
    append(bits, posePoints(arm.character, arm.heldOut.examples.front().pose,
                            std::make_shared<PoseSpaceDeformer>(arm.character, model)));
    return bits;
  });
}

TEST(CacheSizes, BindingAndInverseSkinningHaveTheSameBits) {
  const Sample& arm = exactArm();
  const Example& example = arm.examples.examples.front();
  PosedJoints joints;
  poseJoints(arm.character.skeleton, arm.character.skin.bindings, example.pose, joints);
  const DeformerPtr blend = makeSkinDeformer("linear-blend", arm.character.skin);
  expectSameBits([&] {
    Bits bits;
    for (const BindMethod method : {BindMethod::Geodesic, BindMethod::Heat})
      append(bits, bindSkin(arm.character.mesh, arm.character.skeleton, {.method = method}).skin.weights);
    for (const InvertMethod method : {InvertMethod::Newton, InvertMethod::Powell}) {
      append(bits, invertDeformer(blend, joints, arm.character.mesh.points, example.points, {.method = method}).deltas);
    }
    return bits;
  });
}

TEST(CacheSizes, DeformersHaveTheSameBits) {
  const Sample& arm = exactArm();
  expectSameBits([&] {
    Bits bits;
    for (const Example& example : arm.examples.examples) append(bits, posePoints(arm.character, example.pose));
    return bits;
  });
}

}  // namespace
}  // namespace sinew::cache_sizes_test
