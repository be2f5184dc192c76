#include "sinew/picture/camera.h"

#include <gtest/gtest.h>

#include <limits>

#include "picture/scenes.h"
#include "sinew/base/error.h"
#include "sinew/base/random.h"

namespace sinew::picture::camera_test {
namespace {

Points randomPoints(std::uint32_t seed, int count) {
  Lcg random(seed);
  Points points(3, count);
  for (Index i = 0; i < count; ++i) points.col(i) = random.vector().cwiseProduct(Vec3(3, 1, 2)) + Vec3(10, -4, 2);
  return points;
}

TEST(FitCamera, HasAllPointsWithinTheMarginAndTouchesIt) {
  std::uint32_t seed = 1;
  for (const double aspect : {0.5, 1.0, 2.0}) {
    for (const double azimuth : {-120.0, 0.0, 30.0, 90.0}) {
      for (const double elevation : {-90.0, -30.0, 0.0, 12.0, 90.0}) {
        const Points points = randomPoints(seed++, 60);
        const ViewAngles view{.azimuth = azimuth, .elevation = elevation, .margin = 0.1};
        const Camera camera = fitCamera(points, aspect, view);
        double widest = 0;
        for (Index i = 0; i < points.cols(); ++i) {
          const Vec3 p = camera.project(points.col(i));
          EXPECT_GT(p.z(), 0);
          widest = std::max({widest, std::abs(p.x()) / aspect, std::abs(p.y())});
        }
        EXPECT_LE(widest, 0.8 + 1e-9) << azimuth << " " << elevation;
        EXPECT_GE(widest, 0.8 - 1e-6) << azimuth << " " << elevation;
      }
    }
  }
}

TEST(FitCamera, ServesSeveralPointSetsAtOnce) {
  const Points a = randomPoints(5, 30);
  const Points b = randomPoints(6, 30).array() + 4;
  const std::array<const Points*, 2> sets{&a, &b};
  const Camera camera = fitCamera(sets, 1.5);
  for (const Points* points : sets) {
    for (Index i = 0; i < points->cols(); ++i) {
      const Vec3 p = camera.project(points->col(i));
      EXPECT_LE(std::abs(p.x()), 1.5);
      EXPECT_LE(std::abs(p.y()), 1);
    }
  }
}

TEST(FitCamera, LooksFromWhereTheAnglesSay) {
  const BoundingBox box{Vec3(-1, -1, -1), Vec3(1, 1, 1)};
  const auto direction = [&](const ViewAngles& view) -> Vec3 {
    const Camera camera = fitCamera(box, 1, view);
    return (camera.eye - camera.target).normalized();
  };
  EXPECT_TRUE(direction({.azimuth = 0, .elevation = 0}).isApprox(Vec3(0, 0, 1), 1e-12));
  EXPECT_TRUE(direction({.azimuth = 90, .elevation = 0}).isApprox(Vec3(1, 0, 0), 1e-12));
  EXPECT_TRUE(direction({.azimuth = 17, .elevation = 90}).isApprox(Vec3(0, 1, 0), 1e-12));
  EXPECT_TRUE(direction({.azimuth = 0, .elevation = 0, .up = Vec3(0, 0, 1)}).isApprox(Vec3(0, -1, 0), 1e-12));
}

TEST(FitCamera, AcceptsNoPointsOnePointAndHugeCoordinates) {
  EXPECT_GT((fitCamera(Points(3, 0), 1).eye - fitCamera(Points(3, 0), 1).target).norm(), 0);
  const Points one = Vec3(5, 6, 7);
  const Camera camera = fitCamera(one, 1);
  EXPECT_NEAR(camera.project(Vec3(5, 6, 7)).head<2>().norm(), 0, 1e-9);
  EXPECT_NO_THROW(checkCamera(camera, "test"));
  Points huge = randomPoints(3, 10) * 1e60;
  EXPECT_NO_THROW(checkCamera(fitCamera(huge, 1), "test"));
}

TEST(FitCamera, RefusesBadNumbersWithTheRemedy) {
  const auto message = [](const ViewAngles& view, double aspect) -> std::string {
    try {
      static_cast<void>(fitCamera(BoundingBox{}, aspect, view));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message({.fieldOfView = 170}, 1).find("1 to 120"), std::string::npos);
  EXPECT_NE(message({.elevation = 91}, 1).find("-90 to 90"), std::string::npos);
  EXPECT_NE(message({.margin = 0.5}, 1).find("0 to 0.4"), std::string::npos);
  EXPECT_NE(message({}, 0).find("positive"), std::string::npos);
  Points points = Vec3(1, std::numeric_limits<double>::quiet_NaN(), 0);
  EXPECT_THROW(static_cast<void>(fitCamera(points, 1)), Error);
}

TEST(Camera, ProjectsTheTargetToTheMiddle) {
  Camera camera;
  camera.eye = Vec3(3, 4, 5);
  camera.target = Vec3(-1, 0.5, 2);
  const Vec3 p = camera.project(camera.target);
  EXPECT_NEAR(p.x(), 0, 1e-12);
  EXPECT_NEAR(p.y(), 0, 1e-12);
  EXPECT_NEAR(p.z(), (camera.eye - camera.target).norm(), 1e-12);
  EXPECT_TRUE((camera.viewFromWorld() * camera.viewFromWorld().transpose()).isIdentity(1e-12));
}

}  // namespace
}  // namespace sinew::picture::camera_test
