// A picture of 42,000 triangles at 800 x 800: whole, by part, and as PNG bytes.
//
//   bench_render --benchmark_filter=Picture
#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "sinew/base/parallel.h"
#include "sinew/picture/png.h"
#include "sinew/picture/render.h"

namespace sinew::picture {
namespace {

/// A knotted tube with ripples: it hides parts of itself, as limbs do.
struct Knot {
  Points points;
  std::vector<Triangle> triangles;

  explicit Knot(int rings, int sides = 50) {
    const auto curve = [](double t) {
      return Vec3((2 + std::cos(3 * t)) * std::cos(2 * t), (2 + std::cos(3 * t)) * std::sin(2 * t),
                  1.6 * std::sin(3 * t));
    };
    points.resize(3, static_cast<Index>(rings) * sides);
    for (int i = 0; i < rings; ++i) {
      const double t = 2 * std::numbers::pi * i / rings;
      const Vec3 along = (curve(t + 1e-4) - curve(t - 1e-4)).normalized();
      const Vec3 side = along.cross(Vec3::UnitZ()).normalized();
      const Vec3 up = side.cross(along);
      for (int j = 0; j < sides; ++j) {
        const double angle = 2 * std::numbers::pi * j / sides;
        const double radius = 0.55 + 0.03 * std::sin(60 * t);
        points.col(static_cast<Index>(i) * sides + j) =
            curve(t) + radius * (std::cos(angle) * side + std::sin(angle) * up);
        const auto corner = [&](int ring, int k) {
          return static_cast<std::uint32_t>(ring % rings * sides + k % sides);
        };
        triangles.push_back({corner(i, j), corner(i + 1, j + 1), corner(i + 1, j)});
        triangles.push_back({corner(i, j), corner(i, j + 1), corner(i + 1, j + 1)});
      }
    }
  }
};

Scene sceneOf(const Knot& knot) {
  Shape shape;
  shape.points = &knot.points;
  shape.triangles = knot.triangles;
  Scene scene;
  scene.shapes.push_back(shape);
  return scene;
}

void render(benchmark::State& state, int threads, const RenderOptions& options) {
  const Knot knot(420);
  const Scene scene = sceneOf(knot);
  const Camera camera = fitCamera(knot.points, 1);
  const ThreadLimit limit(threads);
  while (state.KeepRunning()) benchmark::DoNotOptimize(renderScene(scene, camera, options).rgba.data());
  state.counters["triangles"] = static_cast<double>(knot.triangles.size());
}

void picture(benchmark::State& state) {
  render(state, 1, {});
}
void pictureOnAllCores(benchmark::State& state) {
  render(state, 0, {});
}
void pictureWithoutOcclusion(benchmark::State& state) {
  render(state, 1, {.occlusionDirections = 0});
}
void pictureWithOneSample(benchmark::State& state) {
  render(state, 1, {.samples = 1, .occlusionDirections = 0});
}
BENCHMARK(picture)->Name("Picture/OneCore")->Unit(benchmark::kMillisecond);
BENCHMARK(pictureOnAllCores)->Name("Picture/AllCores")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(pictureWithoutOcclusion)->Name("Picture/OneCore/WithoutOcclusion")->Unit(benchmark::kMillisecond);
BENCHMARK(pictureWithOneSample)->Name("Picture/OneCore/OneSample")->Unit(benchmark::kMillisecond);

void encode(benchmark::State& state) {
  const Knot knot(420);
  const Image image = renderScene(sceneOf(knot), fitCamera(knot.points, 1));
  while (state.KeepRunning()) benchmark::DoNotOptimize(encodePng(image).data());
}
BENCHMARK(encode)->Name("Picture/Png")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sinew::picture

BENCHMARK_MAIN();
