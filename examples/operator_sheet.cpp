// Draws the built-in arm, bent and twisted, under every kind of operator, side by side: operators.png.
#include <fstream>
#include <numbers>

#include "sinew/deform/lattice.h"
#include "sinew/deform/stack.h"
#include "sinew/deform/wire.h"
#include "sinew/picture/contact_sheet.h"
#include "sinew/picture/png.h"
#include "sinew/picture/render.h"
#include "sinew/sinew.h"

namespace {

using namespace sinew;

/// A box around the mesh whose upper middle is lifted.
DeformerPtr liftedLattice(const Points& points) {
  const BoundingBox box = boundingBox(points);
  const Vec3 border = Vec3::Constant(0.1 * box.diagonal());
  LatticeOptions options{.resolution = {4, 3, 3}, .restFromBox = boxBetween(box.low - border, box.high + border)};
  options.displacements.setZero(3, 36);
  for (int k = 0; k < 3; ++k) options.displacements.col(1 + 4 * (2 + 3 * k)) = Vec3(0, 0.35 * box.diagonal(), 0);
  return std::make_shared<Lattice>(options);
}

/// A wire along the lower edge of the mesh, bowed downwards in its middle.
DeformerPtr bowedWire(const Points& points) {
  const BoundingBox box = boundingBox(points);
  Wire wire{.radius = 0.35 * box.diagonal(), .rotation = 0.5};
  wire.reference.resize(3, 5);
  for (int i = 0; i < 5; ++i)
    wire.reference.col(i) = Vec3(box.low.x() + i * (box.high.x() - box.low.x()) / 4, box.low.y(), 0);
  wire.driven = wire.reference;
  wire.driven(1, 2) -= 0.09 * box.diagonal();
  return std::make_shared<WireDeformer>(WireOptions{.wires = {wire}});
}

}  // namespace

int main() {
  const Character arm = makeSample("arm", {.vertices = 8000}).character;
  Pose pose = restPose(arm);
  const auto forearm = static_cast<std::size_t>(arm.skeleton.index("forearm"));
  pose.local[forearm].rotation = Quat(Eigen::AngleAxisd(0.6 * std::numbers::pi, Vec3::UnitZ()) *
                                      Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()));

  const Points linear = posePoints(arm, pose);
  const DeformerPtr skin = makeSkinDeformer("linear-blend", arm.skin);
  const std::pair<const char*, DeformerPtr> kinds[] = {
      {"linear-blend", skin},
      {"dual-quaternion", makeSkinDeformer("dual-quaternion", arm.skin)},
      {"rigid", makeSkinDeformer("rigid", arm.skin)},
      {"linear-blend, lattice", std::make_shared<DeformerStack>(std::vector{skin, liftedLattice(linear)})},
      {"linear-blend, wire", std::make_shared<DeformerStack>(std::vector{skin, bowedWire(linear)})}};

  const std::vector<Triangle> triangles = triangulate(arm.mesh);
  const picture::Camera camera = picture::fitCamera(linear, 1.0, {.azimuth = 10, .elevation = 15, .margin = 0.15});
  std::vector<picture::Cell> cells;
  for (const auto& [name, deformer] : kinds) {
    const Points posed = posePoints(arm, pose, deformer);
    picture::Shape shape;
    shape.points = &posed;
    shape.triangles = triangles;
    cells.push_back({picture::renderScene({{shape}, {}}, camera, {.width = 420, .height = 420}), name});
  }
  std::ofstream("operators.png", std::ios::binary) << picture::encodePng(picture::contactSheet(cells, {.columns = 5}));
  return 0;
}
