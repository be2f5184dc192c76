#include "sinew/math/mean_shift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "support/message_of.h"

namespace sinew::mean_shift_test {
namespace {

/// Clouds of 40, 80, 120 ... points around corners of a cube in `dimensions`, each of the given width.
struct Clouds {
  Eigen::MatrixXf points;
  Eigen::MatrixXf centres;
};

Clouds makeClouds(Index dimensions, Index clouds, float width, std::uint32_t seed) {
  auto random = Lcg(seed);
  Clouds made;
  made.centres = Eigen::MatrixXf::Zero(dimensions, clouds);
  const Index count = 20 * clouds * (clouds + 1);
  made.points.resize(dimensions, count);
  Index next = 0;
  for (Index c = 0; c < clouds; ++c) {
    made.centres(c % dimensions, c) = c < dimensions ? 1.0F : -1.0F;
    for (Index i = 0; i < 40 * (c + 1); ++i, ++next) {
      for (Index d = 0; d < dimensions; ++d) {
        // Sum of four uniform numbers: nearly Gaussian, variance 4/3.
        double sum = 0;
        for (int k = 0; k < 4; ++k) sum += random.symmetric();
        made.points(d, next) = made.centres(d, c) + width * static_cast<float>(sum * std::sqrt(0.75));
      }
    }
  }
  return made;
}

TEST(MeanShift, FindsTheModesOfCloudsDensestFirst) {
  const Clouds clouds = makeClouds(10, 5, 0.03F, 1);
  const Modes modes = findModes(clouds.points, {}, clouds.points, {.bandwidth = 0.2});
  ASSERT_EQ(modes.centres.cols(), 5);
  for (Index m = 0; m < 5; ++m) {
    EXPECT_LT((modes.centres.col(m) - clouds.centres.col(4 - m)).norm(), 0.05) << m;
    EXPECT_EQ(modes.seeds[static_cast<std::size_t>(m)], 40 * (5 - m));
  }
  EXPECT_EQ(modes.unconverged, 0);
  const std::vector<std::uint32_t> labels = nearestModes(clouds.points, modes.centres);
  EXPECT_EQ(labels.front(), 4u);
  EXPECT_EQ(labels.back(), 0u);
}

TEST(MeanShift, ClimbsAsThePlainFormulaDoes) {
  const Clouds clouds = makeClouds(3, 3, 0.3F, 2);
  const double h = 0.25;
  const Eigen::MatrixXf seed = clouds.points.col(7);
  Eigen::VectorXd x = seed.col(0).cast<double>();
  for (int step = 0; step < 1000; ++step) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(3);
    double total = 0;
    for (Index i = 0; i < clouds.points.cols(); ++i) {
      const Eigen::VectorXd p = clouds.points.col(i).cast<double>();
      const double weight = std::exp(-(x - p).squaredNorm() / (2 * h * h));
      sum += weight * p;
      total += weight;
    }
    x = sum / total;
  }
  const Modes modes =
      findModes(clouds.points, {}, seed, {.bandwidth = h, .tolerance = 1e-5, .mostSteps = 1000, .leastSeeds = 1});
  ASSERT_EQ(modes.centres.cols(), 1);
  EXPECT_LT((modes.centres.col(0).cast<double>() - x).norm(), 1e-3 * h);
}

TEST(MeanShift, MergesEverythingUnderAWideKernel) {
  const Clouds clouds = makeClouds(6, 4, 0.05F, 3);
  EXPECT_EQ(findModes(clouds.points, {}, clouds.points, {.bandwidth = 5}).centres.cols(), 1);
}

TEST(MeanShift, WeighsPoints) {
  Eigen::MatrixXf points(1, 2);
  points << 0, 1;
  const std::vector<double> weights{1, 3};
  const Modes modes = findModes(points, weights, points, {.bandwidth = 10, .leastSeeds = 1});
  ASSERT_EQ(modes.centres.cols(), 1);
  EXPECT_NEAR(modes.centres(0, 0), 0.75, 0.01);
}

TEST(MeanShift, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Clouds clouds = makeClouds(12, 6, 0.2F, 4);
  const auto find = [&] { return findModes(clouds.points, {}, clouds.points, {.bandwidth = 0.3}); };
  Modes one;
  {
    const ThreadLimit limit(1);
    one = find();
  }
  const ThreadLimit limit(4);
  const Modes four = find();
  EXPECT_EQ(one.centres, four.centres);
  EXPECT_EQ(one.densities, four.densities);
}

TEST(MeanShift, RefusesABandwidthOfZero) {
  const Eigen::MatrixXf points = Eigen::MatrixXf::Zero(2, 3);
  EXPECT_EQ(test::messageOf([&] { findModes(points, {}, points, {.bandwidth = 0}); }),
            "mean shift: the bandwidth must be positive");
}

}  // namespace
}  // namespace sinew::mean_shift_test
