#include "sinew/picture/render.h"

#include <gtest/gtest.h>

#include <limits>

#include "picture/scenes.h"
#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/deform/posing.h"
#include "sinew/picture/skeleton.h"
#include "support/test_arm.h"

namespace sinew::picture::render_test {
namespace {

using test::brightness;
using test::countPixels;
using test::plainOptions;
using test::rectangle;
using test::Solid;
using test::sphere;
using test::squareCamera;

constexpr Rgba kRed{255, 0, 0};
constexpr Rgba kGreen{0, 255, 0};
constexpr Rgba kBlack{0, 0, 0};

Scene sceneOf(std::vector<Shape> shapes) {
  Scene scene;
  scene.shapes = std::move(shapes);
  return scene;
}

std::string messageOf(const Scene& scene, const Camera& camera, const RenderOptions& options) {
  try {
    static_cast<void>(renderScene(scene, camera, options));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(RenderScene, ATriangleCoversThePixelsWhoseMiddleItHolds) {
  // In pixels of a 20 x 20 picture: corners (2, 18), (18, 18), (2, 2), with rows from the top.
  Solid solid;
  solid.points.resize(3, 3);
  solid.points << -0.8, 0.8, -0.8, -0.8, -0.8, 0.8, 0, 0, 0;
  solid.triangles = {{0, 1, 2}};
  const Image image = renderScene(sceneOf({solid.shape(kRed)}), squareCamera(), plainOptions(20));
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) {
      const double px = x + 0.5;
      const double py = y + 0.5;
      const bool inside = px > 2 && py < 18 && (px - 2) <= (py - 2);
      EXPECT_EQ(image.at(x, y), inside ? kRed : kBlack) << x << " " << y;
    }
  }
}

TEST(RenderScene, TheNearerHidesTheFartherInAnyOrder) {
  const Solid near = rectangle(-0.3, -0.3, 0.3, 0.3, 0.4);
  const Solid far = rectangle(-0.9, -0.9, 0.9, 0.9, -0.5);
  const Image one = renderScene(sceneOf({near.shape(kRed), far.shape(kGreen)}), squareCamera(), plainOptions(64));
  const Image two = renderScene(sceneOf({far.shape(kGreen), near.shape(kRed)}), squareCamera(), plainOptions(64));
  EXPECT_EQ(one.rgba, two.rgba);
  EXPECT_EQ(one.at(32, 32), kRed);
  EXPECT_EQ(one.at(32, 15), kGreen);
  EXPECT_EQ(one.at(1, 1), kBlack);
  // Half a side of 0.3 at distance 0.6 is half the picture.
  EXPECT_EQ(countPixels(one, kRed), 32 * 32);
}

TEST(RenderScene, TrianglesThatCrossShareEachPixelByDepth) {
  Solid left = rectangle(-1, -1, 1, 1, 0);
  left.points.row(2) << 0.3, -0.3, -0.3, 0.3;  // nearer on the left
  const Solid flat = rectangle(-1, -1, 1, 1, 0);
  const Image image = renderScene(sceneOf({flat.shape(kGreen), left.shape(kRed)}), squareCamera(), plainOptions(40));
  EXPECT_EQ(image.at(10, 20), kRed);
  EXPECT_EQ(image.at(30, 20), kGreen);
}

TEST(RenderScene, AFineMeshHasNoCracks) {
  // A jittered grid in front of green: not one green sample may shine through.
  const int n = 60;
  Solid grid;
  grid.points.resize(3, (n + 1) * (n + 1));
  Lcg random(7);
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const bool border = i == 0 || j == 0 || i == n || j == n;
      const Vec3 jitter = random.vector() * (border ? 0 : 0.3 / n);
      grid.points.col(i * (n + 1) + j) = Vec3(-1.2 + 2.4 * i / n, -1.2 + 2.4 * j / n, 0) + jitter;
      if (i == n || j == n) continue;
      const auto v = static_cast<std::uint32_t>(i * (n + 1) + j);
      const auto w = v + n + 1;
      grid.triangles.push_back({v, w, w + 1});
      grid.triangles.push_back({v, w + 1, v + 1});
    }
  }
  const Solid behind = rectangle(-9, -9, 9, 9, -1);
  for (const int samples : {1, 4, 8, 16}) {
    RenderOptions options = plainOptions(150);
    options.samples = samples;
    const Image image = renderScene(sceneOf({behind.shape(kGreen), grid.shape(kRed)}), squareCamera(), options);
    EXPECT_EQ(countPixels(image, kRed), 150 * 150) << samples << " samples";
  }
}

TEST(RenderScene, AntialiasingShowsHowMuchOfAPixelIsCovered) {
  for (const int samples : {4, 8, 16}) {
    RenderOptions options = plainOptions(10);
    options.samples = samples;
    options.transparent = true;
    // The right side falls into the middle of column 7 (x = 7.5 of 10 pixels).
    const Solid solid = rectangle(-2, -2, 0.5, 2, 0);
    const Image image = renderScene(sceneOf({solid.shape(kRed)}), squareCamera(), options);
    EXPECT_EQ(image.at(6, 5).a, 255);
    EXPECT_NEAR(image.at(7, 5).a, 127.5, 1) << samples << " samples";
    EXPECT_EQ(image.at(8, 5).a, 0);
  }
}

TEST(RenderScene, TheSamePictureOnOneAndManyThreads) {
  const Solid ball = sphere(1, 40, 60);
  const Solid floor = rectangle(-2, -2, 2, 2, -1.2);
  Scene scene = sceneOf({ball.shape(), floor.shape(kGreen)});
  RenderOptions options{.width = 211, .height = 173};
  options.wireframe = true;
  const Camera camera = fitCamera(ball.points, 211.0 / 173);
  Image one;
  {
    const ThreadLimit limit(1);
    one = renderScene(scene, camera, options);
  }
  const ThreadLimit limit(4);
  for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(renderScene(scene, camera, options).rgba, one.rgba);
}

TEST(RenderScene, ScalarsGetTheColoursOfTheirScale) {
  const Solid solid = rectangle(-2, -2, 2, 2, 0);
  const std::vector<double> scalars(4, 3.0);
  Shape shape = solid.shape();
  shape.scalars = scalars;
  shape.scale = {2, 6, "weight"};
  const Image image = renderScene(sceneOf({shape}), squareCamera(), plainOptions(8));
  const Rgba wanted = scalarColour(shape.scale, 3.0);
  EXPECT_NEAR(image.at(4, 4).r, wanted.r, 2);
  EXPECT_NEAR(image.at(4, 4).g, wanted.g, 2);
  EXPECT_NEAR(image.at(4, 4).b, wanted.b, 2);
}

TEST(RenderScene, ScalarsAreInterpolatedInPerspective) {
  // A floor that runs away from the eye: half way along it is not half way up its picture.
  Solid floor;
  floor.points.resize(3, 4);
  floor.points << -1, 1, 1, -1, -1, -1, -1, -1, 0, 0, -4, -4;
  floor.triangles = {{0, 1, 2}, {0, 2, 3}};
  const std::vector<double> depth{0, 0, 4, 4};
  Shape shape = floor.shape();
  shape.scalars = depth;
  shape.scale = {0, 4, "grey"};
  const Image image = renderScene(sceneOf({shape}), squareCamera(), plainOptions(200));
  // Depth z in front of the eye (at 1) shows at y = -1 / z: row 100 + 100 / z. z = 3 is scalar 2.
  const Rgba wanted = scalarColour(shape.scale, 2.0);
  EXPECT_NEAR(image.at(100, 133).r, wanted.r, 4);
}

TEST(RenderScene, TriangleAndVertexColoursAreUsed) {
  const Solid solid = rectangle(-1, -1, 1, 1, 0);
  const std::vector<Rgba> triangles{kRed, kGreen};
  Shape shape = solid.shape();
  shape.triangleColours = triangles;
  Image image = renderScene(sceneOf({shape}), squareCamera(), plainOptions(20));
  EXPECT_EQ(image.at(15, 18), kRed);
  EXPECT_EQ(image.at(4, 1), kGreen);
  const std::vector<Rgba> vertices(4, kGreen);
  shape = solid.shape(kRed);
  shape.vertexColours = vertices;
  image = renderScene(sceneOf({shape}), squareCamera(), plainOptions(20));
  EXPECT_EQ(countPixels(image, kGreen), 400);
}

TEST(RenderScene, WhatCrossesTheEyeIsClipped) {
  // A floor from far in front of the eye to far behind it: everything below the horizon, nothing above.
  Solid floor;
  floor.points.resize(3, 4);
  floor.points << -1e4, 1e4, 1e4, -1e4, -1, -1, -1, -1, 1e4, 1e4, -1e4, -1e4;
  floor.triangles = {{0, 1, 2}, {0, 2, 3}};
  const Image image = renderScene(sceneOf({floor.shape(kRed)}), squareCamera(), plainOptions(100));
  for (int x = 0; x < 100; x += 9) {
    for (int y = 0; y < 49; y += 6) EXPECT_EQ(image.at(x, y), kBlack) << x << " " << y;
    for (int y = 51; y < 100; y += 6) EXPECT_EQ(image.at(x, y), kRed) << x << " " << y;
  }
  const Solid behind = rectangle(-9, -9, 9, 9, 5);
  EXPECT_EQ(countPixels(renderScene(sceneOf({behind.shape(kRed)}), squareCamera(), plainOptions(16)), kBlack), 256);
}

TEST(RenderScene, SizeAndPlaceOfTheSceneDoNotMatter) {
  const Solid ball = sphere(1, 24, 32);
  const RenderOptions options{.width = 90, .height = 90, .ground = false};
  const Image plain = renderScene(sceneOf({ball.shape()}), fitCamera(ball.points, 1), options);
  for (const double scale : {1e-9, 1e30}) {
    Solid scaled = ball;
    scaled.points *= scale;
    const Image image = renderScene(sceneOf({scaled.shape()}), fitCamera(scaled.points, 1), options);
    int different = 0;
    for (std::size_t i = 0; i < plain.rgba.size(); ++i)
      different += std::abs(plain.rgba[i] - image.rgba[i]) > 6 ? 1 : 0;
    EXPECT_LT(different, 40) << scale;
  }
}

TEST(RenderScene, NothingGivesTheBackground) {
  const Solid none;
  RenderOptions options = plainOptions(12);
  options.lit = true;
  EXPECT_EQ(countPixels(renderScene(sceneOf({}), squareCamera(), options), kBlack), 144);
  EXPECT_EQ(countPixels(renderScene(sceneOf({none.shape()}), squareCamera(), options), kBlack), 144);
  EXPECT_TRUE(none.triangles.empty());
}

TEST(RenderScene, TrianglesWithoutAreaAreLeftOut) {
  Solid solid = rectangle(-1, -1, 1, 1, 0);
  solid.triangles = {{0, 0, 0}, {0, 1, 1}, {2, 1, 2}};
  RenderOptions options = plainOptions(12);
  options.lit = true;
  options.ground = false;
  EXPECT_EQ(countPixels(renderScene(sceneOf({solid.shape(kRed)}), squareCamera(), options), kBlack), 144);
}

TEST(RenderScene, RefusesWhatItCannotDraw) {
  const Camera camera = squareCamera();
  Solid solid = rectangle(-1, -1, 1, 1, 0);
  RenderOptions options = plainOptions(12);
  options.width = 0;
  EXPECT_NE(messageOf(sceneOf({}), camera, options).find("1 to 16384"), std::string::npos);
  options.width = 16385;
  EXPECT_NE(messageOf(sceneOf({}), camera, options).find("16385"), std::string::npos);
  options = plainOptions(12);
  options.samples = 3;
  EXPECT_NE(messageOf(sceneOf({}), camera, options).find("3 samples"), std::string::npos);
  options = plainOptions(12);
  EXPECT_NE(messageOf(sceneOf({Shape{}}), camera, options).find("no points"), std::string::npos);
  solid.triangles.push_back({0, 1, 4});
  EXPECT_NE(messageOf(sceneOf({solid.shape()}), camera, options).find("vertex 4"), std::string::npos);
  solid.triangles.pop_back();
  const std::vector<double> scalars(3, 0.0);
  Shape shape = solid.shape();
  shape.scalars = scalars;
  EXPECT_NE(messageOf(sceneOf({shape}), camera, options).find("3 scalars"), std::string::npos);
  solid.points(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(messageOf(sceneOf({solid.shape()}), camera, options).find("shape 0"), std::string::npos);
}

TEST(RenderScene, TheInsideOfASurfaceIsDimmer) {
  const Solid front = rectangle(-2, -2, 2, 2, 0);
  Solid back = front;
  for (Triangle& t : back.triangles) std::swap(t[1], t[2]);
  RenderOptions options{.width = 16, .height = 16, .occlusionDirections = 0};
  const Rgba outside = renderScene(sceneOf({front.shape()}), squareCamera(), options).at(8, 8);
  const Rgba inside = renderScene(sceneOf({back.shape()}), squareCamera(), options).at(8, 8);
  EXPECT_LT(brightness(inside), 0.8 * brightness(outside));
}

TEST(RenderScene, LightComesFromTheUpperLeft) {
  const Solid ball = sphere(1, 48, 64);
  RenderOptions options{.width = 200, .height = 200, .ground = false};
  const Image image =
      renderScene(sceneOf({ball.shape()}), fitCamera(ball.points, 1, {.azimuth = 0, .elevation = 0}), options);
  EXPECT_GT(brightness(image.at(70, 65)), brightness(image.at(130, 140)) + 25);
}

TEST(RenderScene, HollowsAreDarkerThanOpenPlaces) {
  // A wide floor with a ball just above its middle.
  Solid floor;
  const int n = 40;
  floor.points.resize(3, (n + 1) * (n + 1));
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      floor.points.col(i * (n + 1) + j) = Vec3(-3 + 6.0 * i / n, -1.05, -3 + 6.0 * j / n);
      if (i == n || j == n) continue;
      const auto v = static_cast<std::uint32_t>(i * (n + 1) + j);
      const auto w = v + n + 1;
      floor.triangles.push_back({v, v + 1, w + 1});
      floor.triangles.push_back({v, w + 1, w});
    }
  }
  const Solid ball = sphere(1, 30, 40);
  const Camera camera = fitCamera(floor.points, 1, {.azimuth = 0, .elevation = 35});
  const RenderOptions options{.width = 200, .height = 200};
  const Image with = renderScene(sceneOf({floor.shape(), ball.shape()}), camera, options);
  const Vec3 near = camera.project(Vec3(0, -1.05, 0.9));
  const Vec3 open = camera.project(Vec3(2.2, -1.05, 2.2));
  const auto at = [&](const Vec3& p) {
    return brightness(with.at(static_cast<int>(100 + 100 * p.x()), static_cast<int>(100 - 100 * p.y())));
  };
  EXPECT_LT(at(near), at(open) - 20);
}

TEST(RenderScene, TheGroundIsShadowedUnderTheScene) {
  const Solid ball = sphere(1, 30, 40);
  const Camera camera = fitCamera(ball.points, 1, {.azimuth = 0, .elevation = 20, .margin = 0.25});
  RenderOptions options{.width = 200, .height = 200};
  const Image with = renderScene(sceneOf({ball.shape()}), camera, options);
  options.ground = false;
  const Image without = renderScene(sceneOf({ball.shape()}), camera, options);
  const Vec3 under = camera.project(Vec3(0.3, -1, 0.9));
  const int x = static_cast<int>(100 + 100 * under.x());
  const int y = static_cast<int>(100 - 100 * under.y());
  EXPECT_LT(brightness(with.at(x, y)), brightness(without.at(x, y)) - 15);
  EXPECT_NEAR(brightness(with.at(2, 2)), brightness(without.at(2, 2)), 2);
}

TEST(RenderScene, CreasesStaySharpAndRoundThingsSmooth) {
  // A cube with shared corners: each side has one brightness, also near its edges.
  Solid cube;
  cube.points.resize(3, 8);
  for (int i = 0; i < 8; ++i) {
    cube.points.col(i) = Vec3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1);
  }
  cube.triangles = {{4, 5, 7}, {4, 7, 6}, {1, 0, 2}, {1, 2, 3}, {5, 1, 3}, {5, 3, 7},
                    {0, 4, 6}, {0, 6, 2}, {6, 7, 3}, {6, 3, 2}, {0, 1, 5}, {0, 5, 4}};
  Camera camera;
  camera.eye = Vec3(0, 0, 30);
  camera.fieldOfView = 6;
  RenderOptions options{.width = 100, .height = 100, .occlusionDirections = 0, .ground = false};
  const Image image = renderScene(sceneOf({cube.shape()}), camera, options);
  EXPECT_NEAR(brightness(image.at(50, 50)), brightness(image.at(25, 30)), 3);
  options.creaseDegrees = 180;
  const Image smooth = renderScene(sceneOf({cube.shape()}), camera, options);
  EXPECT_GT(std::abs(brightness(smooth.at(24, 24)) - brightness(smooth.at(76, 76))), 20);
}

TEST(RenderScene, SeamsOfSplitVerticesAreNotSeen) {
  // The same sphere with every triangle on its own vertices looks the same.
  const Solid whole = sphere(1, 20, 24);
  Solid split;
  split.points.resize(3, static_cast<Index>(3 * whole.triangles.size()));
  for (std::size_t t = 0; t < whole.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      split.points.col(static_cast<Index>(3 * t + k)) = whole.points.col(whole.triangles[t][k]);
    }
    const auto first = static_cast<std::uint32_t>(3 * t);
    split.triangles.push_back({first, first + 1, first + 2});
  }
  const RenderOptions options{.width = 120, .height = 120};
  const Camera camera = fitCamera(whole.points, 1);
  const Image one = renderScene(sceneOf({whole.shape()}), camera, options);
  const Image two = renderScene(sceneOf({split.shape()}), camera, options);
  int worst = 0;
  for (std::size_t i = 0; i < one.rgba.size(); ++i) worst = std::max(worst, std::abs(one.rgba[i] - two.rgba[i]));
  EXPECT_LE(worst, 2);
}

TEST(RenderScene, WiresRunAlongFaceSidesOnly) {
  Mesh mesh;
  mesh.points = rectangle(-0.8, -0.8, 0.8, 0.8, 0).points;
  mesh.faces.add(std::array<std::uint32_t, 4>{0, 1, 2, 3});
  const std::vector<Triangle> triangles = triangulate(mesh);
  const std::vector<std::uint8_t> edges = visibleEdges(mesh);
  ASSERT_EQ(edges.size(), 2U);
  Shape shape;
  shape.points = &mesh.points;
  shape.triangles = triangles;
  shape.colour = kRed;
  RenderOptions options = plainOptions(100);
  options.wireframe = true;
  options.wireWidth = 2;
  options.wireColour = {0, 0, 255};
  const Image all = renderScene(sceneOf({shape}), squareCamera(), options);
  shape.visibleEdges = edges;
  const Image sides = renderScene(sceneOf({shape}), squareCamera(), options);
  EXPECT_LT(all.at(49, 50).r, 100) << "the diagonal";
  EXPECT_EQ(sides.at(49, 50), kRed);
  for (const Image* image : {&all, &sides}) {
    EXPECT_GT(image->at(10, 50).b, 150);
    EXPECT_GT(image->at(89, 50).b, 150);
    EXPECT_GT(image->at(50, 10).b, 150);
    EXPECT_GT(image->at(50, 89).b, 150);
  }
}

TEST(RenderScene, GhostsShineThroughAndStandOutInFront) {
  const Solid skin = rectangle(-2, -2, 2, 2, 0);
  const Solid bone = rectangle(-0.4, -0.4, 0.4, 0.4, -0.2);
  const Solid handle = rectangle(-0.1, -0.1, 0.1, 0.1, 0.2);
  Shape inside = bone.shape(kGreen);
  inside.ghost = true;
  Shape outside = handle.shape(kGreen);
  outside.ghost = true;
  RenderOptions options = plainOptions(60);
  options.ghostOpacity = 1;
  options.ghostOpacityInside = 0.5;
  const Image image = renderScene(sceneOf({skin.shape(kRed), inside, outside}), squareCamera(), options);
  EXPECT_EQ(image.at(30, 30), kGreen);
  EXPECT_GT(image.at(30, 22).g, 100);
  EXPECT_GT(image.at(30, 22).r, 100);
  EXPECT_EQ(image.at(5, 5), kRed);
}

TEST(RenderScene, APosedArmWithItsBonesFillsThePicture) {
  const Character arm = test::testArm();
  const Pose pose = test::bentArmPose(arm);
  const Points points = posePoints(arm, pose);
  PosedJoints posed;
  poseJoints(arm, pose, posed);
  const Geometry bones = boneGeometry(arm.skeleton, posed.worldFromJoint);
  const std::vector<Triangle> triangles = triangulate(arm.mesh);
  Shape skin;
  skin.points = &points;
  skin.triangles = triangles;
  const Camera camera = fitCamera(points, 1);
  const RenderOptions options{.width = 160, .height = 160};
  const Image bare = renderScene(sceneOf({skin}), camera, options);
  const Image image = renderScene(sceneOf({skin, bones.shape()}), camera, options);
  int blue = 0;
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 160; ++x)
      blue += image.at(x, y).b > image.at(x, y).r + 10 && image.at(x, y) != bare.at(x, y) ? 1 : 0;
  }
  EXPECT_GT(blue, 50);
}

}  // namespace
}  // namespace sinew::picture::render_test
