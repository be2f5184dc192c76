#include "sinew/character/compare.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/character/mesh.h"
#include "support/obj_points.h"
#include "support/random_points.h"

namespace sinew::compare_test {
namespace {

using test::randomPoints;

TEST(Compare, FourVerticesByHand) {
  Points truth = Points::Zero(3, 4);
  Points other = truth;
  other.col(1) = Vec3(3, 0, 0);
  other.col(2) = Vec3(0, 4, 0);
  other.col(3) = Vec3(0, 0, 12);
  const ShapeError error = compareShapes(truth, other, 26);
  EXPECT_DOUBLE_EQ(error.rms, 6.5);  // sqrt((9 + 16 + 144) / 4)
  EXPECT_DOUBLE_EQ(error.rmsPercent, 25);
  EXPECT_DOUBLE_EQ(error.max, 12);
  EXPECT_EQ(error.maxVertex, 3);
  EXPECT_DOUBLE_EQ(error.p95, 12);  // rank ceil(3.8) = 4
}

TEST(Compare, PercentileTakesTheNearestRank) {
  for (const auto& [count, rank] :
       {std::pair<Index, Index>{100, 95}, {20, 19}, {21, 20}, {1, 1}, {1000, 950}, {3, 3}}) {
    Points truth = Points::Zero(3, count);
    Points other = truth;
    // Distances 1..n in a scrambled order (11 is prime to every count).
    for (Index v = 0; v < count; ++v) other(1, v) = static_cast<double>((v * 11) % count + 1);
    const ShapeError error = compareShapes(truth, other, 1);
    EXPECT_DOUBLE_EQ(error.p95, static_cast<double>(rank)) << count;
  }
}

TEST(Compare, TheFirstOfEquallyFarVerticesIsNamed) {
  Points other = Points::Zero(3, 5);
  other(0, 2) = -1;
  other(2, 4) = 1;
  EXPECT_EQ(compareShapes(Points::Zero(3, 5), other, 1).maxVertex, 2);
}

TEST(Compare, UniformOffsetGivesTheClosedForm) {
  // Each frame holds the 8 corners of a cube of side 2: |A - avg(A)|^2 = 8 * 3 per frame.
  Points cube(3, 8);
  for (Index v = 0; v < 8; ++v) cube.col(v) = Vec3((v & 1) != 0 ? 1 : -1, (v & 2) != 0 ? 1 : -1, (v & 4) != 0 ? 1 : -1);
  std::vector<Points> truth;
  std::vector<Points> other;
  const Vec3 offset(0.2, -0.1, 0.2);  // length 0.3
  for (int f = 0; f < 5; ++f) {
    truth.emplace_back(cube.colwise() + Vec3(f, 2 * f, 0));
    other.emplace_back(truth.back().colwise() + offset);
  }
  const double diagonal = std::sqrt(12.0);
  const SequenceError error = compareSequences(truth, other, diagonal);
  EXPECT_NEAR(error.total.rms, 0.3, 1e-14);
  EXPECT_NEAR(error.total.rmsPercent, 30 / diagonal, 1e-12);
  EXPECT_NEAR(error.total.p95, 0.3, 1e-14);
  EXPECT_NEAR(error.total.max, 0.3, 1e-14);
  // 100 * sqrt(V F d^2) / sqrt(V F 3) = 100 d / sqrt 3.
  EXPECT_NEAR(error.distortion, 100 * 0.3 / std::sqrt(3.0), 1e-12);
  // 1000 * sqrt(V F d^2) / sqrt(3 V F) * 2 / diagonal = 2000 d / (sqrt 3 diagonal) = 100.
  EXPECT_NEAR(error.erms, 100, 1e-11);
  ASSERT_EQ(error.perFrame.size(), 5u);
  for (const ShapeError& frame : error.perFrame) EXPECT_NEAR(frame.rms, 0.3, 1e-14);
}

TEST(Compare, DistortionDoesNotSeeWhereAFrameStands) {
  const Points shape = randomPoints(50, 3);
  const Points moved = shape.colwise() + Vec3(100, -50, 7);
  const Points noise = 0.01 * randomPoints(50, 4);
  const std::vector<Points> near = {shape};
  const std::vector<Points> far = {moved};
  const double a = compareSequences(near, std::vector<Points>{shape + noise}, 1).distortion;
  const double b = compareSequences(far, std::vector<Points>{moved + noise}, 1).distortion;
  EXPECT_NEAR(a, b, 1e-9 * a);
}

TEST(Compare, OneMovedVertexInOneFrame) {
  std::vector<Points> truth(4, randomPoints(25, 9));
  std::vector<Points> other = truth;
  other[2](1, 7) += 5;
  const SequenceError error = compareSequences(truth, other, 10);
  EXPECT_EQ(error.maxFrame, 2);
  EXPECT_EQ(error.total.maxVertex, 7);
  EXPECT_DOUBLE_EQ(error.total.max, 5);
  EXPECT_DOUBLE_EQ(error.total.rms, 0.5);  // sqrt(25 / 100)
  EXPECT_DOUBLE_EQ(error.total.p95, 0);
  EXPECT_DOUBLE_EQ(error.perFrame[2].rms, 1);
  EXPECT_DOUBLE_EQ(error.perFrame[0].rms, 0);
}

TEST(Compare, SequenceAgainstItselfIsZero) {
  const std::vector<Points> frames = {randomPoints(40, 1), randomPoints(40, 2)};
  const SequenceError error = compareSequences(frames, frames, 1);
  EXPECT_EQ(error.total.rms, 0);
  EXPECT_EQ(error.total.p95, 0);
  EXPECT_EQ(error.total.max, 0);
  EXPECT_EQ(error.distortion, 0);
  EXPECT_EQ(error.erms, 0);
}

TEST(Compare, SinglePointsHaveNoSpreadToMeasureAgainst) {
  const std::vector<Points> truth = {Points::Zero(3, 1)};
  const std::vector<Points> other = {Points::Ones(3, 1)};
  EXPECT_TRUE(std::isinf(compareSequences(truth, other, 1).distortion));
  EXPECT_EQ(compareSequences(truth, truth, 0).distortion, 0);
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  const Points four = randomPoints(4, 1);
  const Points five = randomPoints(5, 1);
  EXPECT_THROW(compareShapes(four, five, 1), Error);
  EXPECT_THROW(compareShapes(four, randomPoints(4, 2), 0), Error);
  EXPECT_THROW(compareShapes(four, randomPoints(4, 2), -1), Error);
  EXPECT_THROW(compareShapes(four, four, std::nan("")), Error);
  EXPECT_NO_THROW(compareShapes(four, four, 0));
  Points bad = four;
  bad(2, 3) = std::nan("");
  try {
    compareShapes(four, bad, 1);
    FAIL() << "a NaN was compared";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("vertex 3"), std::string::npos) << error.what();
  }
  const std::vector<Points> two = {four, four};
  EXPECT_THROW(compareSequences(two, std::vector<Points>{four}, 1), Error);
  EXPECT_THROW(compareSequences(two, std::vector<Points>{four, five}, 1), Error);
  EXPECT_THROW(compareSequences(std::vector<Points>{four, five}, std::vector<Points>{four, five}, 1), Error);
}

TEST(Compare, NothingAgainstNothingIsZero) {
  EXPECT_EQ(compareShapes(Points(3, 0), Points(3, 0), 0).maxVertex, -1);
  const SequenceError error = compareSequences({}, {}, 1);
  EXPECT_EQ(error.maxFrame, -1);
  EXPECT_TRUE(error.perFrame.empty());
}

TEST(Compare, MillionVerticesAreQuickAndTheSameOnAnyNumberOfThreads) {
  const Points truth = randomPoints(1'000'000, 5);
  const Points other = truth + 0.01 * randomPoints(1'000'000, 6);
  const auto start = std::chrono::steady_clock::now();
  const ShapeError many = compareShapes(truth, other, 2);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(seconds, 2);  // about 0.05 s on one core
  const ThreadLimit one(1);
  const ShapeError single = compareShapes(truth, other, 2);
  EXPECT_EQ(many.rms, single.rms);
  EXPECT_EQ(many.p95, single.p95);
  EXPECT_EQ(many.maxVertex, single.maxVertex);
  // Noise uniform in a cube of half side 0.01: rms = 0.01.
  EXPECT_NEAR(many.rms, 0.01, 1e-4);
}

TEST(Compare, HorseGallopAgainstItselfIsZeroAndAnOffsetIsSeen) {
  SINEW_NEEDS_DATA();
  const test::TemporaryFolder folder;
  if (!test::unpackData("horse-gallop", folder.path())) GTEST_SKIP() << "horse-gallop.tar.gz is not there";
  const std::vector<Points> frames = test::objSequence(folder.path() / "horse-gallop");
  ASSERT_GE(frames.size(), 10u);
  const double diagonal = boundingBox(frames.front()).diagonal();
  const SequenceError none = compareSequences(frames, frames, diagonal);
  EXPECT_EQ(none.total.max, 0);
  EXPECT_EQ(none.distortion, 0);
  EXPECT_EQ(none.erms, 0);
  std::vector<Points> moved = frames;
  for (Points& frame : moved) frame.row(1).array() += 0.01 * diagonal;
  const SequenceError error = compareSequences(frames, moved, diagonal);
  EXPECT_NEAR(error.total.rmsPercent, 1, 1e-9);
  EXPECT_NEAR(error.erms, 20 / std::sqrt(3.0), 1e-9);
}

}  // namespace
}  // namespace sinew::compare_test
