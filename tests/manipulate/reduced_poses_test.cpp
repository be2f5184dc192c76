// Reduced models learned from meshes, posed: what must hold on the quadruped sample always, and on the horse and the
// elephant of the literature where the data is there. One test per set, since each learns first.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "manipulate/posed_meshes.h"
#include "sinew/base/random.h"
#include "sinew/character/compare.h"
#include "sinew/learn/decompose.h"
#include "sinew/learn/reduced_proxies.h"
#include "sinew/manipulate/mesh_ik.h"
#include "sinew/manipulate/reduced_ik.h"
#include "sinew/manipulate/reduced_ik/system.h"
#include "sinew/math/decompositions.h"
#include "support/allocations.h"

namespace sinew::reduced_poses_test {
namespace {

using test::PosedMeshes;

Points skinned(const PosedMeshes& posed, const std::vector<Affine>& controls) {
  Points moved(3, posed.model->rest.cols());
  deformReduced(*posed.model, controls, moved);
  return moved;
}

double distortion(const Points& truth, const Points& other, double diagonal) {
  return compareSequences(std::vector<Points>{truth}, std::vector<Points>{other}, diagonal).distortion;
}

Points centred(const Points& points) {
  return points.colwise() - points.rowwise().mean();
}

Points moved(const Eigen::Isometry3d& by, const Points& points) {
  return (by.linear() * points).colwise() + by.translation();
}

/// Derivatives of the blend against central differences.
void checkDerivatives(const PosedMeshes& posed) {
  const ReducedIk ik(posed.model);
  const BlendedGradients& gradients = ik.system().gradients();
  const Index count = gradients.exampleCount();
  Lcg random(6);
  Eigen::VectorXd weights(count);
  for (double& w : weights) w = 0.3 * random.symmetric();
  RowMatrix all;
  RowMatrix more;
  RowMatrix less;
  gradients.evaluateWithDerivatives(weights, all);
  double worst = 0;
  for (Index p = 0; p < count; ++p) {
    gradients.evaluate(weights + 1e-5 * Eigen::VectorXd::Unit(count, p), more);
    gradients.evaluate(weights - 1e-5 * Eigen::VectorXd::Unit(count, p), less);
    for (Index r = 0; r < 3; ++r) {
      const Eigen::VectorXd difference = (more.col(r) - less.col(r)) / 2e-5;
      worst = std::max(worst, (difference - all.col(r * gradients.width() + p)).cwiseAbs().maxCoeff());
    }
  }
  EXPECT_LE(worst, 1e-6);
}

/// Examples from their own weights, with proxies and with the gradients of all vertices: the only error is that of the
/// fit.
void checkReconstruction(const PosedMeshes& posed, double most) {
  ReducedModel everywhere = *posed.model;
  everywhere.proxies = vertexProxies(everywhere.rest, posed.triangles, everywhere.weights);
  ReducedIk byProxies(posed.model);
  ReducedIk byVertices(std::make_shared<const ReducedModel>(everywhere));
  std::vector<Points> fit;
  std::vector<Points> proxy;
  std::vector<Points> full;
  const auto count = static_cast<Index>(posed.examples.size());
  for (std::size_t p = 0; p < posed.examples.size(); ++p) {
    const Eigen::Isometry3d& back = posed.model->inputFromAligned[p];
    const Eigen::VectorXd weights = Eigen::VectorXd::Unit(count, static_cast<Index>(p));
    fit.push_back(moved(back, skinned(posed, posed.model->controls[p])));
    proxy.push_back(moved(back, skinned(posed, byProxies.blend(weights).controls)));
    full.push_back(moved(back, skinned(posed, byVertices.blend(weights).controls)));
  }
  const double diagonal = posed.diagonal();
  const double fitted = compareSequences(posed.examples, fit, diagonal).distortion;
  const double byProxy = compareSequences(posed.examples, proxy, diagonal).distortion;
  const double byFull = compareSequences(posed.examples, full, diagonal).distortion;
  EXPECT_LE(byProxy, most);
  EXPECT_NEAR(byProxy, fitted, 0.05);
  EXPECT_NEAR(byFull, fitted, 0.05);
}

/// Examples from the original places of eight handles, turned as they came.
void checkExamplesFromHandles(const PosedMeshes& posed, double mostMean, double mostMax) {
  ReducedIk ik(posed.model);
  const std::vector<Index> handles = posed.firstHandles(8);
  ik.setHandles(handles);
  double sum = 0;
  double most = 0;
  for (const Points& example : posed.examples) {
    const IkResult& result = ik.solve(example(Eigen::all, handles));
    const double e = distortion(example, skinned(posed, result.controls), posed.diagonal());
    EXPECT_LE(result.residualMax, 1e-8 * posed.diagonal());
    EXPECT_LE(result.iterations, 10);
    EXPECT_TRUE(result.converged);
    sum += e;
    most = std::max(most, e);
  }
  EXPECT_LE(sum / static_cast<double>(posed.examples.size()), mostMean);
  EXPECT_LE(most, mostMax);
}

/// The rest, moved and turned by its handles.
void checkRigidMotions(const PosedMeshes& posed) {
  ReducedIk ik(posed.model);
  const std::vector<Index> handles = posed.firstHandles(8);
  ik.setHandles(handles);
  const Points& rest = posed.model->rest;
  const Points at = rest(Eigen::all, handles);
  const Vec3 shift(1, 2, 3);
  const Points translated = skinned(posed, ik.solve(at.colwise() + shift).controls);
  EXPECT_LE((translated - (rest.colwise() + shift)).colwise().norm().maxCoeff(), 1e-3);
  for (const double degrees : {30.0, 90.0, 180.0}) {
    const Mat3 turn = Eigen::AngleAxisd(degrees * 3.14159265358979323846 / 180, Vec3::UnitY()).toRotationMatrix();
    const IkResult& result = ik.solve(turn * at);
    EXPECT_TRUE(result.turned);
    EXPECT_LE(distortion(turn * rest, skinned(posed, result.controls), posed.diagonal()), 0.05) << degrees;
  }
  // Without the global rotation the shape has to bend: the limit of the plain method.
  ReducedIk plain(posed.model, {.rotation = IkRotation::Off});
  plain.setHandles(handles);
  const Mat3 turn = Eigen::AngleAxisd(3.14159265358979323846 / 6, Vec3::UnitY()).toRotationMatrix();
  const double bent = distortion(turn * rest, skinned(posed, plain.solve(turn * at).controls), posed.diagonal());
  EXPECT_GE(bent, 4);
  EXPECT_LE(bent, 35);
}

double volume(const Points& points, const std::vector<Triangle>& triangles) {
  double sum = 0;
  for (const Triangle& t : triangles) sum += points.col(t[0]).dot(points.col(t[1]).cross(points.col(t[2]))) / 6;
  return sum;
}

/// Area-weighted root mean square of (singular value - 1) of the triangles' gradients; counts those turned inside out.
double stretchOf(const PosedMeshes& posed, const Points& points, Index& flips) {
  const Points& rest = posed.model->rest;
  const std::vector<Mat3> gradients = triangleGradients(rest, points, posed.triangles);
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Triangle& t = posed.triangles[i];
    const double area = (rest.col(t[1]) - rest.col(t[0])).cross(rest.col(t[2]) - rest.col(t[0])).norm();
    const SignedPolar polar = signedPolar(gradients[i]);
    if (polar.stretch.determinant() <= 0) ++flips;
    sum += area * (symmetricEigen3(polar.stretch).values.array() - 1).square().sum() / 3;
    total += area;
  }
  return std::sqrt(sum / total);
}

/// Six handles, one of them dragged in each of four directions.
void checkDrags(const PosedMeshes& posed) {
  ReducedIk ik(posed.model, {.rotation = IkRotation::Off});
  const std::vector<Index> handles = posed.firstHandles(6);
  ik.setHandles(handles);
  const Points& rest = posed.model->rest;
  const double before = volume(rest, posed.triangles);
  Index flips = 0;
  for (Index i = 0; i < 6; ++i) {
    for (const Vec3& way : {Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(0.7, 0.7, 0)}) {
      Points targets = rest(Eigen::all, handles);
      targets.col(i) += 0.12 * posed.diagonal() * way;
      const IkResult& result = ik.solve(targets);
      const Points shape = skinned(posed, result.controls);
      EXPECT_LE(result.residualMax, 1e-8);
      EXPECT_LE(stretchOf(posed, shape, flips), 0.30) << "handle " << i << " along " << way.transpose();
      EXPECT_NEAR(volume(shape, posed.triangles) / before, 1, 0.15) << "handle " << i << " along " << way.transpose();
    }
  }
  EXPECT_EQ(flips, 0);
}

/// Half-way blends against those of the triangles themselves.
void checkHalfWays(const PosedMeshes& posed, double most) {
  std::vector<Points> aligned;
  std::vector<std::size_t> which;
  for (std::size_t p = 0; p < posed.examples.size(); ++p) {
    if (static_cast<int>(p) == posed.model->restExample) continue;
    aligned.push_back(posed.aligned(p));
    which.push_back(p);
  }
  MeshIk mesh(posed.model->rest, posed.triangles, aligned);
  ReducedIk ik(posed.model);
  double sum = 0;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const Points truth =
        mesh.blend(0.5 * Eigen::VectorXd::Unit(static_cast<Index>(which.size()), static_cast<Index>(i))).points;
    const Eigen::VectorXd weights =
        0.5 * Eigen::VectorXd::Unit(static_cast<Index>(posed.examples.size()), static_cast<Index>(which[i]));
    sum += distortion(centred(truth), centred(skinned(posed, ik.blend(weights).controls)), posed.diagonal());
  }
  EXPECT_LE(sum / static_cast<double>(which.size()), most);
}

/// Many handles at once, and no memory while dragging.
void checkManyHandles(const PosedMeshes& posed, double most) {
  ReducedIk ik(posed.model);
  std::vector<Index> many;
  Lcg random(2);
  for (int i = 0; i < 200; ++i)
    many.push_back(static_cast<Index>(random.uniform() * static_cast<double>(posed.model->rest.cols())));
  ik.setHandles(many);
  const Points& truth = posed.examples[1];
  EXPECT_LE(distortion(truth, skinned(posed, ik.solve(truth(Eigen::all, many)).controls), posed.diagonal()), most);

  const std::vector<Index> handles = posed.firstHandles(8);
  ik.setHandles(handles);
  Points targets = posed.model->rest(Eigen::all, handles);
  (void)ik.solve(targets);
  for (int i = 0; i < 3; ++i) (void)ik.solve(targets, IkStart::Warm);
  const std::size_t before = test::allocationCount();
  for (int i = 0; i < 5; ++i) {
    targets.col(0) += Vec3(0, 0.01, 0) * posed.diagonal();
    (void)ik.solve(targets, IkStart::Warm);
  }
  EXPECT_EQ(test::allocationCount(), before);
}

/// Best seconds of a Gauss-Newton step on the way to the examples.
/// The largest distortions, in percent of the diagonal.
struct Most {
  double reconstruction;
  double halfWays;
  double manyHandles;
};

void checkAll(const PosedMeshes& posed, const Most& most) {
  checkDerivatives(posed);
  checkReconstruction(posed, most.reconstruction);
  checkExamplesFromHandles(posed, 4, 8);
  checkRigidMotions(posed);
  checkDrags(posed);
  checkHalfWays(posed, most.halfWays);
  checkManyHandles(posed, most.manyHandles);
}

double stepSeconds(const PosedMeshes& posed) {
  ReducedIk ik(posed.model);
  const std::vector<Index> handles = posed.firstHandles(8);
  ik.setHandles(handles);
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    for (const Points& example : posed.examples)
      best = std::min(best, ik.solve(example(Eigen::all, handles)).secondsPerIteration);
  }
  return best;
}

TEST(ReducedPoses, QuadrupedFollowsItsHandles) {
  checkAll(test::quadruped(), {.reconstruction = 3, .halfWays = 3, .manyHandles = 3});
}

TEST(ReducedPoses, HorseFollowsItsHandles) {
  SINEW_NEEDS_DATA();
  checkAll(test::horse(), {.reconstruction = 2.3, .halfWays = 2, .manyHandles = 3});
}

TEST(ReducedPoses, ElephantFollowsItsHandlesInTheTimeOfTheHorse) {
  SINEW_NEEDS_DATA();
  const PosedMeshes posed = test::elephant();
  checkAll(posed, {.reconstruction = 3, .halfWays = 3, .manyHandles = 4});
  const PosedMeshes small = test::horse();
  const double large = stepSeconds(posed);
  EXPECT_LE(large, 5e-3);
  EXPECT_LE(large, 2 * stepSeconds(small));
}

/// Mean distortion of the examples from eight handles, of fitted controls with as many proxies as `examples` afford.
double fromHandles(const PosedMeshes& posed, const ReducedModel& model, std::size_t examples) {
  auto tried = std::make_shared<ReducedModel>(model);
  tried->proxies = makeProxies(model.rest, posed.triangles, model.weights, examples).proxies;
  ReducedIk ik(tried);
  const std::vector<Index> held = posed.firstHandles(8);
  ik.setHandles(held);
  double sum = 0;
  Points shape(3, model.rest.cols());
  for (const Points& example : posed.examples) {
    deformReduced(*tried, ik.solve(example(Eigen::all, held)).controls, shape);
    sum += distortion(example, shape, posed.diagonal()) / static_cast<double>(posed.examples.size());
  }
  return sum;
}

// Weights that are fitted make 400 groups here. With 180 proxies poses from few handles are a tenth worse.
TEST(ReducedPoses, FittedControlsHaveTheProxiesThatTheyNeed) {
  SINEW_NEEDS_DATA();
  const PosedMeshes posed = test::horse();
  const ReducedModel model = decomposeSkin(test::meshOf(posed.examples[0], posed.triangles), posed.examples, {}, {},
                                           {.bones = 35, .rigid = false})
                                 .model;
  EXPECT_GT(model.proxies.count(), 400);
  EXPECT_LE(model.proxies.count(), 450);
  EXPECT_LT(fromHandles(posed, model, posed.examples.size()), 0.95 * fromHandles(posed, model, 1000));
}

}  // namespace
}  // namespace sinew::reduced_poses_test
