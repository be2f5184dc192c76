// Preview of a soft selection: the vertices that a drag would affect, and by how much.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/deform/posing.h"
#include "studio/document/blob.h"
#include "studio/modes/weights/weights_mode.h"

namespace sinew::studio::weights {
namespace {

/// In radii: distances are sent up to this far beyond the edge.
constexpr double kBeyond = 1.3;
constexpr std::size_t kMostHandles = 4096;

/// Straight distances from the nearest of several points.
std::vector<DragSurface::Near> nearestInSpace(const DragSurface& surface, const Points& posed,
                                              const std::vector<std::uint32_t>& sources, double radius) {
  std::vector<DragSurface::Near> all;
  std::vector<DragSurface::Near> found;
  for (const std::uint32_t source : sources) {
    surface.withinBall(posed, source, radius, found);
    all.insert(all.end(), found.begin(), found.end());
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.point != b.point ? a.point < b.point : a.distance < b.distance;
  });
  all.erase(std::unique(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.point == b.point; }),
            all.end());
  return all;
}

}  // namespace

wire::WeightsSoftAnswer WeightsMode::previewSoft(const wire::WeightsSoftCommand& asked) {
  context_.requireSkin();
  const Document& document = context_.document();
  const std::size_t view = asked.view;
  const double radius = asked.radius;
  const std::vector<std::uint32_t>& vertices = asked.vertices;
  const auto curve = choiceNamed<Falloff>(asked.curve, "falloff");
  if (view >= document.views.size()) throw CommandFault("bad-input", "there is no such view");
  if (!(radius > 0) || !std::isfinite(radius))
    throw CommandFault("bad-input", fmt::format("the radius is {}; it must be above 0", radius));
  if (vertices.empty() || vertices.size() > kMostHandles)
    throw CommandFault("bad-input",
                       fmt::format("{} vertices were given; there must be 1 to {}", vertices.size(), kMostHandles));
  const auto points = surface();
  std::vector<std::uint32_t> sources;
  for (const std::uint32_t v : vertices) {
    if (v >= points->weld().pointOfVertex.size())
      throw CommandFault("bad-input", fmt::format("there is no vertex {}", v));
    sources.push_back(points->weld().pointOfVertex[v]);
  }
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  const Points posed = posePoints(document.file.character, context_.drawnViews()[view]);
  std::vector<DragSurface::Near> found;
  if (asked.volume) {
    found = nearestInSpace(*points, posed, sources, kBeyond * radius);
  } else {
    DragSurface::Search search;
    points->within(posed, sources, kBeyond * radius, search, found);
  }
  std::uint32_t followers = 0;
  std::vector<std::uint32_t> ids;
  std::vector<float> distances;
  std::vector<float> shares;
  for (const DragSurface::Near& near : found) {
    const double distance = near.distance / radius;
    if (distance < 1 && !std::binary_search(sources.begin(), sources.end(), near.point)) ++followers;
    for (const std::uint32_t v : points->verticesOf(near.point)) {
      ids.push_back(v);
      distances.push_back(static_cast<float>(distance));
      shares.push_back(distance < 1 ? static_cast<float>(falloffShare(curve, distance)) : 0.0f);
    }
  }
  BlobWriter blob;
  blob.add(ArrayKind::Vertices, 1, ids);
  blob.add(ArrayKind::Distances, 1, distances);
  blob.add(ArrayKind::Shares, 1, shares);
  return {.followers = followers, .blob = context_.putBlob(blob.finish())};
}

}  // namespace sinew::studio::weights
