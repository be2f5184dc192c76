#include "sinew/samples/body/build.h"

#include <utility>

#include "sinew/base/parallel.h"
#include "sinew/samples/body/charts.h"
#include "sinew/samples/body/remesh.h"
#include "sinew/samples/body/sculpt.h"
#include "sinew/samples/body/weights.h"

namespace sinew::body {
namespace {

Mesh makeMesh(const ImplicitSurface& surface, const BodySpec& spec, Index vertices, const Progress& progress) {
  const auto scaled = [&](const ProgressState& state) {
    return !progress || progress({0.6 * state.fraction, state.stage, state.value});
  };
  const TriangleSoup soup = meshSurface(surface, LatticeMap(spec.fineZones), vertices, spec.fine, scaled);
  Mesh mesh;
  mesh.points.resize(3, static_cast<Index>(soup.points.size()));
  for (std::size_t v = 0; v < soup.points.size(); ++v) mesh.points.col(v) = soup.points[v];
  mesh.faces.start.reserve(soup.triangles.size() + 1);
  mesh.faces.corner.reserve(3 * soup.triangles.size());
  for (const Triangle& t : soup.triangles) mesh.faces.add(t);
  computeNormals(mesh.points, soup.triangles, mesh.normals);
  MeshPart part;
  part.name = spec.name;
  part.vertexCount = mesh.vertexCount();
  part.faceCount = mesh.faces.size();
  part.skinned = true;
  mesh.parts.push_back(part);
  return mesh;
}

// Normals of the field, smoother than those of the faces.
Points fieldNormals(const ImplicitSurface& surface, const Points& points) {
  Points normals(3, points.cols());
  parallelFor(points.cols(), 1024, [&](Index v) { normals.col(v) = surface.normal(points.col(v)); });
  return normals;
}

ExampleSet sculpted(const Sculptor& sculptor, const Character& character, const BodySpec& spec,
                    const std::vector<PoseSpec>& poses) {
  ExampleSet set;
  set.rest = character.mesh.points;
  for (const PoseSpec& row : poses) {
    Example example;
    example.name = row.name;
    example.pose = makePose(character.skeleton, row);
    example.points = sculptor.sculpt(example.pose);
    set.examples.push_back(std::move(example));
  }
  for (const std::string& joint : spec.drivers) set.drivers.push_back({joint, 1});
  return set;
}

}  // namespace

Sample buildSample(const BodySpec& spec, Index vertices, const Progress& progress) {
  Sample sample;
  Character& character = sample.character;
  const ImplicitSurface surface(spec.groups);
  character.name = spec.name;
  character.mesh = makeMesh(surface, spec, vertices, progress);
  report(progress, {0.6, "binding"});
  character.skeleton = makeSkeleton(spec);
  character.skin = makeSkin(spec, surface, character.skeleton, character.mesh.points);
  report(progress, {0.7, "laying out the texture"});
  addCharts(spec, character.skin.weights, character.mesh);
  for (const ClipSpec& clip : spec.clips) character.clips.push_back(makeClip(character.skeleton, clip));
  report(progress, {0.8, "sculpting"});
  const Sculptor sculptor(spec, character, fieldNormals(surface, character.mesh.points));
  sample.examples = sculpted(sculptor, character, spec, spec.examples);
  sample.heldOut = sculpted(sculptor, character, spec, spec.heldOut);
  report(progress, {1.0, "done"});
  return sample;
}

}  // namespace sinew::body
