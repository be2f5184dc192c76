#include "sinew/picture/render/tile_shader.h"

#include <algorithm>
#include <cmath>

namespace sinew::picture {
namespace {

constexpr int kDisplaySteps = 16384;
/// How dark the ground is where no light arrives.
constexpr float kShadowStrength = 0.72F;

std::vector<std::uint8_t> makeDisplayTable() {
  std::vector<std::uint8_t> table(kDisplaySteps + 1);
  for (int i = 0; i <= kDisplaySteps; ++i) {
    table[toSize(i)] =
        static_cast<std::uint8_t>(std::lround(255 * srgbFromLinear(static_cast<float>(i) / kDisplaySteps)));
  }
  return table;
}

/// The nearest of the steps 0 to `last` for a value 0 to 1, clamped. std::lround is a call into the C library here, and
/// this is done for every pixel.
std::size_t stepOf(float value, int last) {
  const float shifted = std::clamp(value, 0.0F, 1.0F) * static_cast<float>(last) + 0.5F;
  return toSize(shifted);
}

/// A triangle that is visible in a pixel: how many of its samples, and their mean position.
struct Visible {
  std::uint32_t triangle;
  int samples;
  float x;  ///< in 1/256 pixel
  float y;
};

/// Groups the samples of a pixel by triangle; returns how many groups there are. Samples with nothing are left out.
template <class Take>
int visibleTriangles(const std::uint32_t* samples, const SamplePattern& pattern, const Take& take,
                     std::array<Visible, kMaxSamples>& groups) {
  int count = 0;
  for (int s = 0; s < pattern.count; ++s) {
    const std::uint32_t triangle = samples[s];
    if (triangle == kNoTriangle || !take(s)) continue;
    int g = 0;
    while (g < count && groups[toSize(g)].triangle != triangle) ++g;
    Visible& group = groups[toSize(g)];
    if (g == count) {
      group = {triangle, 0, 0, 0};
      ++count;
    }
    ++group.samples;
    group.x += static_cast<float>(pattern.x[toSize(s)]);
    group.y += static_cast<float>(pattern.y[toSize(s)]);
  }
  return count;
}

}  // namespace

TileShader::TileShader(const FrameParts& parts)
    : parts_(parts), pattern_(samplePattern(parts.options.samples)), displayTable_(makeDisplayTable()) {
  const LinearRgb top = linearColour(parts.options.backgroundTop);
  const LinearRgb bottom = linearColour(parts.options.backgroundBottom);
  for (int y = 0; y < parts.frame.height; ++y) {
    const float t = (static_cast<float>(y) + 0.5F) / static_cast<float>(parts.frame.height);
    rows_.emplace_back(top + (bottom - top) * (t * t * (3 - 2 * t)));
  }
  for (const ShapeStyle& style : parts.viewed.styles) hasGhosts_ = hasGhosts_ || style.ghost;
}

void TileShader::draw(int tile, TileMemory& memory, Image& image) const {
  const int left = tile % parts_.frame.tilesAcross() * kTileSize;
  const int top = tile / parts_.frame.tilesAcross() * kTileSize;
  const int width = std::min(kTileSize, parts_.frame.width - left);
  const int height = std::min(kTileSize, parts_.frame.height - top);
  const auto first = parts_.lists.start[toSize(tile)];
  const auto last = parts_.lists.start[toSize(tile) + 1];
  if (first == last) {
    for (int y = top; y < top + height; ++y) {
      for (int x = left; x < left + width; ++x) {
        store(background(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F), x, y, image);
      }
    }
    return;
  }
  memory.solid.clear();
  if (hasGhosts_) memory.ghost.clear();
  for (std::uint32_t i = first; i < last; ++i) {
    const std::uint32_t number = parts_.lists.triangle[i];
    const ScreenTriangle& triangle = parts_.triangles[number];
    TileBuffer& buffer = parts_.viewed.styles[triangle.shape].ghost ? memory.ghost : memory.solid;
    buffer.draw(triangle, number, left, top);
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto px = static_cast<float>(left + x);
      const auto py = static_cast<float>(top + y);
      Light pixel = solidLight(memory, x, y, px, py);
      if (hasGhosts_) addGhosts(memory, x, y, px, py, pixel);
      store(pixel, left + x, top + y, image);
    }
  }
}

TileShader::Light TileShader::solidLight(const TileMemory& memory, int x, int y, float left, float top) const {
  // Most pixels show one triangle or none.
  const std::uint32_t* samples = memory.solid.triangles(x, y);
  std::uint32_t different = 0;
  for (int s = 1; s < pattern_.count; ++s) different |= samples[s] ^ samples[0];
  if (different == 0) {
    if (samples[0] == kNoTriangle) return background(left + 0.5F, top + 0.5F);
    return {shadeAt(parts_.triangles[samples[0]], left + 0.5F, top + 0.5F), 1};
  }
  std::array<Visible, kMaxSamples> groups;
  const int count = visibleTriangles(
      memory.solid.triangles(x, y), pattern_, [](int) { return true; }, groups);
  Light pixel;
  int covered = 0;
  const float share = 1 / static_cast<float>(pattern_.count);
  for (int g = 0; g < count; ++g) {
    const Visible& v = groups[toSize(g)];
    const float mean = 1 / static_cast<float>(v.samples * kSubpixels);
    pixel.colour += static_cast<float>(v.samples) * share *
                    shadeAt(parts_.triangles[v.triangle], left + v.x * mean, top + v.y * mean);
    covered += v.samples;
  }
  pixel.alpha = static_cast<float>(covered) * share;
  if (covered < pattern_.count) {
    const Light behind = background(left + 0.5F, top + 0.5F);
    pixel.colour += (1 - pixel.alpha) * behind.colour;
    pixel.alpha += (1 - pixel.alpha) * behind.alpha;
  }
  return pixel;
}

void TileShader::addGhosts(const TileMemory& memory, int x, int y, float left, float top, Light& pixel) const {
  const float* ghost = memory.ghost.nearness(x, y);
  const float* solid = memory.solid.nearness(x, y);
  const float share = 1 / static_cast<float>(pattern_.count);
  Light over;
  // Samples in front of the solid surface and those inside it have opacities of their own.
  for (const bool front : {true, false}) {
    std::array<Visible, kMaxSamples> groups;
    const int count = visibleTriangles(
        memory.ghost.triangles(x, y), pattern_, [&](int s) { return (ghost[s] >= solid[s]) == front; }, groups);
    const auto opacity = static_cast<float>(front ? parts_.options.ghostOpacity : parts_.options.ghostOpacityInside);
    for (int g = 0; g < count; ++g) {
      const Visible& v = groups[toSize(g)];
      const float mean = 1 / static_cast<float>(v.samples * kSubpixels);
      const float alpha = static_cast<float>(v.samples) * share * opacity;
      over.colour += alpha * shadeAt(parts_.triangles[v.triangle], left + v.x * mean, top + v.y * mean);
      over.alpha += alpha;
    }
  }
  pixel.colour = over.colour + (1 - over.alpha) * pixel.colour;
  pixel.alpha = over.alpha + (1 - over.alpha) * pixel.alpha;
}

TileShader::Light TileShader::background(float x, float y) const {
  float light = 1;
  if (!parts_.shadow.empty()) {
    // The ray r through the pixel hits the ground where t up.r = height: only in front of the eye.
    const Eigen::Vector3f ray = parts_.frame.ray(x, y);
    const float down = parts_.viewed.up.dot(ray);
    const float t = parts_.viewed.groundHeight / down;
    if (down < 0 && t > 0) light = 1 - kShadowStrength * (1 - parts_.shadow.light(t * ray));
  }
  if (parts_.options.transparent) return {LinearRgb::Zero(), 1 - light};
  return {light * rows_[toSize(y)], 1};
}

LinearRgb TileShader::shadeAt(const ScreenTriangle& t, float x, float y) const {
  // Shares of the three corners: areas on the screen, then corrected for perspective by w = 1 / depth.
  const double qx = static_cast<double>(x) * kSubpixels;
  const double qy = static_cast<double>(y) * kSubpixels;
  std::array<double, 3> edges{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    edges[i] = std::max(0.0, (t.x[k] - t.x[j]) * (qy - t.y[j]) - (t.y[k] - t.y[j]) * (qx - t.x[j]));
  }
  const double area = edges[0] + edges[1] + edges[2];
  std::array<float, 3> share{};
  float sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    share[i] = static_cast<float>(edges[i]) * t.w[i];
    sum += share[i];
  }
  const float inverse = sum > 0 ? 1 / sum : 0;
  const ShadeVertex& a = parts_.viewed.vertices[t.vertex[0]];
  const ShadeVertex& b = parts_.viewed.vertices[t.vertex[1]];
  const ShadeVertex& c = parts_.viewed.vertices[t.vertex[2]];
  const float wa = share[0] * inverse;
  const float wb = share[1] * inverse;
  const float wc = share[2] * inverse;

  const ShapeStyle& style = parts_.viewed.styles[t.shape];
  SurfacePoint point{wa * a.normal + wb * b.normal + wc * c.normal, wa * a.colour + wb * b.colour + wc * c.colour,
                     wa * a.open + wb * b.open + wc * c.open, t.back};
  if (!style.colourSteps.empty()) {
    const float scalar = wa * a.scalar + wb * b.scalar + wc * c.scalar;
    point.albedo = style.colourSteps[stepOf(scalar, kColourSteps - 1)];
  } else if (!style.triangleColours.empty()) {
    point.albedo = style.triangleColours[t.source];
  }
  LinearRgb light = point.albedo;
  if (parts_.options.lit) {
    const Eigen::Vector3f toViewer = -parts_.frame.ray(x, y).normalized();
    light = style.ghost ? parts_.studio.shadeGhost(point, toViewer) : parts_.studio.shade(point, toViewer);
  }
  if (parts_.options.wireframe && !style.ghost) {
    const float wire = wireCoverage(t, edges, area) * static_cast<float>(parts_.options.wireColour.a) / 255;
    light += wire * (linearColour(parts_.options.wireColour) - light);
  }
  return light;
}

float TileShader::wireCoverage(const ScreenTriangle& t, const std::array<double, 3>& edges, double area) const {
  if (t.clipped || !(area > 0)) return 0;
  const ShapeStyle& style = parts_.viewed.styles[t.shape];
  const unsigned visible = style.edges.empty() ? 7U : style.edges[t.source];
  double nearest = 1e9;
  for (std::size_t i = 0; i < 3; ++i) {
    // The edge opposite to corner i. Front faces are stored as corners 0 2 1, so their edges 0-1 and 2-0 are swapped.
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    static constexpr std::array<unsigned, 3> kBack{1, 2, 0};
    static constexpr std::array<unsigned, 3> kFront{1, 0, 2};
    if (((visible >> (t.back ? kBack[i] : kFront[i])) & 1U) == 0) continue;
    const double length = std::hypot(t.x[k] - t.x[j], t.y[k] - t.y[j]);
    nearest = std::min(nearest, edges[i] / (length * kSubpixels));
  }
  return static_cast<float>(std::clamp(0.5 * parts_.options.wireWidth - nearest + 0.5, 0.0, 1.0));
}

void TileShader::store(const Light& pixel, int x, int y, Image& image) const {
  const auto byteOf = [&](float value) { return displayTable_[stepOf(value, kDisplaySteps)]; };
  const float alpha = std::clamp(pixel.alpha, 0.0F, 1.0F);
  const LinearRgb colour = alpha > 0 && alpha < 1 ? LinearRgb(pixel.colour / alpha) : pixel.colour;
  image.set(x, y,
            {byteOf(colour[0]), byteOf(colour[1]), byteOf(colour[2]), static_cast<std::uint8_t>(stepOf(alpha, 255))});
}

}  // namespace sinew::picture
