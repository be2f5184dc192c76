#include "sinew/character/correspondence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/character/mesh.h"
#include "support/obj_points.h"

namespace sinew::correspondence_test {
namespace {

/// A body without any symmetry: random points on a bent, tapering ellipsoid.
Points lopsidedBody(Index count, std::uint32_t seed = 1) {
  Lcg random(seed);
  Points points(3, count);
  for (Index v = 0; v < count; ++v) {
    const Vec3 p = random.vector().normalized();
    points.col(v) = Vec3(0.4 * p.x() + 0.2 * p.y() * p.y() + 0.3, 1.7 * p.y() + 0.9, 0.25 * p.z() * (1.5 + p.x()));
  }
  return points;
}

/// The same left and right of x = 0.
Points symmetricBody(Index half) {
  Points points(3, 2 * half);
  points.leftCols(half) = lopsidedBody(half);
  points.rightCols(half) = points.leftCols(half);
  points.row(0).tail(half) *= -1;
  return points;
}

std::vector<Index> shuffledOrder(Index count, std::uint32_t seed = 5) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  Lcg random(seed);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i + 1))]);
  }
  return order;
}

Points inOrder(const Points& points, const std::vector<Index>& order) {
  Points result(3, static_cast<Index>(order.size()));
  for (std::size_t i = 0; i < order.size(); ++i) result.col(static_cast<Index>(i)) = points.col(order[i]);
  return result;
}

/// The carried rest sculpt must lie on the character.
void expectCarriesOver(const MatchResult& match, const Points& character, const Points& sculpt) {
  const Points carried = carryOver(match, sculpt, character);
  EXPECT_LT((carried - character).colwise().norm().maxCoeff(), 1e-4 * boundingBox(character).diagonal())
      << match.sentence;
}

bool says(const MatchResult& match, const std::string& words) {
  return match.sentence.find(words) != std::string::npos;
}

TEST(Weld, SplitSeamsBecomeOnePointEach) {
  Points rest(3, 5);
  rest << 0, 1, 0, 1, 2,  //
      0, 0, 0, 0, 0,      //
      0, 0, 0, 0, 0;
  const WeldMap map = weld(rest);
  EXPECT_EQ(map.pointOfVertex, (std::vector<std::uint32_t>{0, 1, 0, 1, 2}));
  EXPECT_EQ(map.firstVertex, (std::vector<std::uint32_t>{0, 1, 4}));
  const Points points = weldedPoints(map, rest);
  EXPECT_EQ(points.cols(), 3);
  EXPECT_EQ(unweldedPoints(map, points), rest);
}

TEST(Weld, ToleranceIsInDiagonals) {
  Points rest(3, 3);
  rest << 0, 100, 100.005,  //
      0, 0, 0,              //
      0, 0, 0;
  EXPECT_EQ(weld(rest, 1e-4).pointCount(), 2);
  EXPECT_EQ(weld(rest, 1e-5).pointCount(), 3);
}

TEST(Weld, ChainsOfNearVerticesAreOnePoint) {
  Points rest = Points::Zero(3, 11);
  for (Index v = 0; v < 10; ++v) rest(0, v) = 0.009 * static_cast<double>(v);
  rest(0, 10) = 1;
  EXPECT_EQ(weld(rest, 0.01).pointCount(), 2);
}

TEST(Weld, RefusesWrongSizesAndValues) {
  const WeldMap map = weld(lopsidedBody(4));
  EXPECT_THROW(weldedPoints(map, lopsidedBody(5)), Error);
  EXPECT_THROW(unweldedPoints(map, lopsidedBody(5)), Error);
  EXPECT_THROW(weld(lopsidedBody(4), -1), Error);
  EXPECT_EQ(weld(Points(3, 0)).pointCount(), 0);
}

TEST(MatchRest, EqualShapesMatchByIndex) {
  const Points body = lopsidedBody(300);
  const MatchResult match = matchRest(body, body);
  EXPECT_EQ(match.method, MatchMethod::ByIndex);
  EXPECT_TRUE(match.plain());
  EXPECT_EQ(match.unmatched, 0);
  EXPECT_EQ(match.largestGap, 0);
  EXPECT_EQ(match.sentence, "matched by index");
}

TEST(MatchRest, ShuffledVerticesAreFoundByPosition) {
  const Points body = lopsidedBody(500);
  const std::vector<Index> order = shuffledOrder(500);
  const MatchResult match = matchRest(body, inOrder(body, order));
  EXPECT_EQ(match.method, MatchMethod::ByRestPosition);
  EXPECT_TRUE(match.plain());
  EXPECT_EQ(match.unmatched, 0);
  EXPECT_EQ(match.unusedSculpt, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(match.sculptVertex[static_cast<std::size_t>(order[i])], static_cast<std::int64_t>(i));
  }
}

TEST(MatchRest, VerticesSplitAtSeamsShareASculptVertex) {
  const Points sculpt = lopsidedBody(200);
  Points character(3, 260);
  character << sculpt, sculpt.leftCols(60);
  const MatchResult match = matchRest(character, sculpt);
  EXPECT_EQ(match.unmatched, 0);
  EXPECT_EQ(match.unusedSculpt, 0);
  for (std::size_t v = 0; v < 60; ++v) {
    EXPECT_EQ(match.sculptVertex[v], static_cast<std::int64_t>(v));
    EXPECT_EQ(match.sculptVertex[200 + v], static_cast<std::int64_t>(v));
  }
}

TEST(MatchRest, LipsThatTouchAtRestStayApart) {
  // Two vertices in one place, and one vertex elsewhere moved so that the index rule fails for the whole.
  Points body = lopsidedBody(100);
  body.col(41) = body.col(40);
  Points sculpt = body;
  sculpt.col(7) += Vec3(0.5, 0, 0);
  const MatchResult match = matchRest(body, sculpt);
  EXPECT_EQ(match.sculptVertex[40], 40);
  EXPECT_EQ(match.sculptVertex[41], 41);
  EXPECT_EQ(match.unmatched, 1);
}

TEST(MatchRest, CentimetresAreRecognised) {
  const Points body = lopsidedBody(400);
  for (const bool shuffled : {false, true}) {
    Points sculpt = 100 * body;
    if (shuffled) sculpt = inOrder(sculpt, shuffledOrder(400));
    const MatchResult match = matchRest(body, sculpt);
    EXPECT_EQ(match.scale, 0.01);
    EXPECT_TRUE(match.axes.isIdentity());
    EXPECT_TRUE(match.offset.isZero());
    EXPECT_EQ(match.unmatched, 0);
    EXPECT_TRUE(says(match, "centimetres to metres")) << match.sentence;
    expectCarriesOver(match, body, sculpt);
  }
}

TEST(MatchRest, OddScalesAreFoundToo) {
  const Points body = lopsidedBody(400);
  const Points sculpt = inOrder(body / 7.25, shuffledOrder(400));
  const MatchResult match = matchRest(body, sculpt);
  EXPECT_NEAR(match.scale, 7.25, 1e-6);
  EXPECT_EQ(match.unmatched, 0);
  EXPECT_TRUE(says(match, "scaled by 7.25")) << match.sentence;
}

TEST(MatchRest, ZUpIsTurnedToYUp) {
  const Points body = lopsidedBody(400);
  Points zUp(3, 400);
  zUp << body.row(0), -body.row(2), body.row(1);
  for (const bool shuffled : {false, true}) {
    const Points sculpt = shuffled ? inOrder(zUp, shuffledOrder(400)) : zUp;
    const MatchResult match = matchRest(body, sculpt);
    EXPECT_FALSE(match.mirrored);
    EXPECT_EQ(match.unmatched, 0);
    EXPECT_EQ(match.method, shuffled ? MatchMethod::ByRestPosition : MatchMethod::ByIndex);
    EXPECT_TRUE(says(match, "z up to y up")) << match.sentence;
    expectCarriesOver(match, body, sculpt);
  }
}

TEST(MatchRest, EveryTurnMirrorUnitAndOffsetIsUndone) {
  const Points body = lopsidedBody(100);
  int tried = 0;
  std::array<int, 3> order = {0, 1, 2};
  do {
    for (unsigned signs = 0; signs < 8; ++signs, ++tried) {
      Mat3 axes = Mat3::Zero();
      for (int row = 0; row < 3; ++row) axes(row, order[static_cast<std::size_t>(row)]) = (signs >> row & 1u) ? -1 : 1;
      const Points sculpt = inOrder(((axes * body) / 2.54).colwise() + Vec3(3, -1, 2), shuffledOrder(100));
      const MatchResult match = matchRest(body, sculpt);
      EXPECT_EQ(match.unmatched, 0) << match.sentence;
      EXPECT_EQ(match.axes, axes.transpose());
      EXPECT_EQ(match.mirrored, axes.determinant() < 0);
      EXPECT_TRUE(says(match, "inches to centimetres")) << match.sentence;
      expectCarriesOver(match, body, sculpt);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(tried, 48);
}

TEST(MatchRest, MirroredAsymmetricBodyIsDetected) {
  const Points body = lopsidedBody(400);
  Points sculpt = inOrder(body, shuffledOrder(400));
  sculpt.row(0) *= -1;
  const MatchResult match = matchRest(body, sculpt);
  EXPECT_TRUE(match.mirrored);
  EXPECT_EQ(match.unmatched, 0);
  EXPECT_TRUE(says(match, "mirrored in x")) << match.sentence;
}

TEST(MatchRest, MirroredBodyWithAScarIsDetectedByTheScar) {
  Points body = symmetricBody(300);
  body.col(5) += Vec3(0, 0, 0.05);
  Points sculpt = inOrder(body, shuffledOrder(600));
  sculpt.row(0) *= -1;
  EXPECT_TRUE(matchRest(body, sculpt).mirrored);
}

TEST(MatchRest, MirroredSymmetricBodyStaysAsItIs) {
  const Points body = symmetricBody(300);
  Points sculpt = inOrder(body, shuffledOrder(600));
  sculpt.row(0) *= -1;
  const MatchResult match = matchRest(body, sculpt);
  EXPECT_TRUE(match.plain()) << match.sentence;
  EXPECT_EQ(match.unmatched, 0);
}

TEST(MatchRest, KeptOrderTellsThatASymmetricBodyWasMirrored) {
  const Points body = symmetricBody(300);
  Points sculpt = body;
  sculpt.row(0) *= -1;
  const MatchResult match = matchRest(body, sculpt);
  EXPECT_EQ(match.method, MatchMethod::ByIndex);
  EXPECT_TRUE(match.mirrored);
}

TEST(MatchRest, SymmetricBodyTurnedOverIsTurnedNotMirrored) {
  const Points body = symmetricBody(300);
  Points zUp(3, 600);
  zUp << body.row(0), -body.row(2), body.row(1);
  const MatchResult match = matchRest(body, inOrder(zUp, shuffledOrder(600)));
  EXPECT_FALSE(match.mirrored) << match.sentence;
  EXPECT_EQ(match.unmatched, 0);
}

TEST(MatchRest, SculptOfTheHeadAloneLeavesTheRestUnmatched) {
  const Points body = lopsidedBody(1000);
  std::vector<Index> head;
  for (Index v = 0; v < body.cols(); ++v) {
    if (body(1, v) > 2.0) head.push_back(v);
  }
  for (const double scale : {1.0, 100.0}) {
    const Points sculpt = scale * inOrder(body, head);
    const MatchResult match = matchRest(body, sculpt);
    EXPECT_EQ(match.scale, 1 / scale) << match.sentence;
    EXPECT_EQ(match.unmatched, body.cols() - sculpt.cols());
    EXPECT_EQ(match.unusedSculpt, 0);
    EXPECT_TRUE(says(match, "have no match")) << match.sentence;
    const Points otherwise = Points::Constant(3, body.cols(), 7);
    const Points carried = carryOver(match, sculpt, otherwise);
    for (Index v = 0; v < body.cols(); ++v) {
      const Vec3 expected = body(1, v) > 2.0 ? Vec3(body.col(v)) : Vec3(7, 7, 7);
      EXPECT_LT((carried.col(v) - expected).norm(), 1e-12);
    }
  }
}

TEST(MatchRest, TransformsCanBeForbidden) {
  const Points body = lopsidedBody(200);
  const MatchResult match = matchRest(body, 100 * body, {.allowTransform = false});
  EXPECT_TRUE(match.plain());
  EXPECT_GT(match.unmatched, 190);
}

TEST(MatchRest, StrangersDoNotMatch) {
  const MatchResult match = matchRest(lopsidedBody(500, 1), lopsidedBody(400, 2));
  EXPECT_TRUE(match.plain());
  EXPECT_EQ(match.unmatched, 500);
  EXPECT_TRUE(says(match, "no match")) << match.sentence;
}

TEST(MatchRest, NoiseBelowTheToleranceIsAccepted) {
  const Points body = lopsidedBody(400);
  Lcg random(8);
  Points sculpt = inOrder(body, shuffledOrder(400));
  const double reach = 1e-4 * boundingBox(body).diagonal();
  for (Index v = 0; v < 400; ++v) sculpt.col(v) += 0.3 * reach * random.vector();
  const MatchResult match = matchRest(body, sculpt);
  EXPECT_EQ(match.unmatched, 0);
  EXPECT_GT(match.largestGap, 0);
  EXPECT_LE(match.largestGap, reach);
}

TEST(MatchRest, EmptyAndFlatShapesAreAnswered) {
  EXPECT_EQ(matchRest(Points(3, 0), lopsidedBody(3)).unmatched, 0);
  EXPECT_EQ(matchRest(lopsidedBody(3), Points(3, 0)).unmatched, 3);
  EXPECT_EQ(matchRest(Points::Zero(3, 1), Points::Zero(3, 1)).unmatched, 0);
  EXPECT_EQ(matchRest(Points::Zero(3, 2), Points::Ones(3, 5)).unmatched, 2);
}

TEST(CarryOver, RefusesASculptWithTooFewVertices) {
  const Points body = lopsidedBody(20);
  const MatchResult match = matchRest(body, body);
  EXPECT_THROW(carryOver(match, body.leftCols(10), body), Error);
  EXPECT_THROW(carryOver(match, body, body.leftCols(10)), Error);
  EXPECT_EQ(carryOver(match, body, body), body);
}

TEST(MatchRest, HorseInCentimetresZUpAndReorderedIsFound) {
  SINEW_NEEDS_DATA();
  const test::TemporaryFolder folder;
  if (!test::unpackData("horse-poses", folder.path())) GTEST_SKIP() << "horse-poses.tar.gz is not there";
  const Points rest = test::objPoints(folder.path() / "horse-poses" / "rest.obj");
  const Points posed = test::objPoints(folder.path() / "horse-poses" / "3.obj");
  ASSERT_GT(rest.cols(), 5000);
  const auto order = shuffledOrder(rest.cols());
  const auto asSculpt = [&](const Points& shape) {
    Points turned(3, shape.cols());
    turned << 100 * shape.row(0), -100 * shape.row(2), 100 * shape.row(1);
    return inOrder(turned, order);
  };
  const MatchResult match = matchRest(rest, asSculpt(rest));
  EXPECT_EQ(match.unmatched, 0) << match.sentence;
  EXPECT_EQ(match.scale, 0.01);
  EXPECT_FALSE(match.mirrored);
  const Points carried = carryOver(match, asSculpt(posed), rest);
  EXPECT_LT((carried - posed).colwise().norm().maxCoeff(), 1e-3 * boundingBox(rest).diagonal());
}

}  // namespace
}  // namespace sinew::correspondence_test
