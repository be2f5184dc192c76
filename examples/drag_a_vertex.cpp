// Drags the tip of a bent elbow as far as its joints allow, with a soft selection, and draws its reachable set:
// drag_a_vertex.png.
#include <fstream>

#include "sinew/manipulate/drag_weights.h"
#include "sinew/picture/contact_sheet.h"
#include "sinew/picture/png.h"
#include "sinew/picture/render.h"
#include "sinew/picture/text.h"
#include "sinew/sinew.h"

namespace {

using namespace sinew;

constexpr int kSize = 520;

/// The hull's edges and corners, and the way from the vertex to its target where it could not follow.
void drawReach(picture::Image& image, const picture::Camera& camera, const Skeleton& skeleton, const ReachableSet& set,
               const DraggedVertex& vertex) {
  const auto at = [&](const Vec3& point) -> picture::Place {
    const Vec3 seen = camera.project(point);
    return {0.5 * kSize * (1 + seen.x()), 0.5 * kSize * (1 - seen.y())};
  };
  for (const auto& [a, b] : set.hull.edges)
    drawLine(image, at(set.corners.col(a)), at(set.corners.col(b)), 2, {30, 84, 160, 210});
  for (std::size_t i = 0; i < set.joints.size(); ++i) {
    const picture::Place corner = at(set.corners.col(static_cast<Index>(i)));
    fillDisc(image, corner, 5, picture::categoryColour(set.joints[i]));
    const bool left = corner.x() < at(vertex.reached).x() - 20;
    drawText(image, skeleton[set.joints[i]].name, corner + picture::Place(left ? -9 : 9, 4), {},
             left ? picture::TextAlign::Right : picture::TextAlign::Left);
  }
  const Vec3 dash = (vertex.target - vertex.reached) / 7;
  for (int k = 0; k < 7; ++k)
    drawLine(image, at(vertex.reached + (k + 0.2) * dash), at(vertex.reached + (k + 0.8) * dash), 2, {200, 40, 40});
  fillDisc(image, at(vertex.target), 6, {200, 40, 40});
  fillDisc(image, at(vertex.target), 4, {255, 255, 255});
  fillDisc(image, at(vertex.reached), 5, {20, 20, 20});
}

}  // namespace

int main() {
  const Character biped = makeSample("biped", {.vertices = 20000}).character;
  const Skeleton& skeleton = biped.skeleton;
  Pose pose = restPose(biped);
  for (const auto& [name, turn] :
       {std::pair("upper_arm_l", Vec3(0.13, 0.43, 0.22)), std::pair("forearm_l", Vec3(0, 1.86, 0.37)),
        std::pair("hand_l", Vec3(0.56, 0.22, 0))}) {
    Quat& rotation = pose.local[static_cast<std::size_t>(skeleton.index(name))].rotation;
    rotation = rotation * Quat(Eigen::AngleAxisd(turn.norm(), turn.normalized()));
  }

  const Points before = posePoints(biped, pose);
  Index tip = 0;  // behind the left elbow
  (biped.mesh.points.colwise() - Vec3(0.376, 1.262, -0.07)).colwise().norm().minCoeff(&tip);
  DragSession session(biped, {.vertices = {tip}, .pose = pose},
                      {.soft = 0.08, .added = {skeleton.index("clavicle_l"), skeleton.index("hand_l")}});
  session.move(Vec3(0.04, -0.045, -0.02));
  Character dragged = biped;
  dragged.skin.weights = session.finish();

  const ReachableSet reach = session.reachable(0);
  const picture::Camera camera =
      picture::fitCamera(reach.corners, 1.0, {.azimuth = 160, .elevation = 5, .margin = 0.27});
  const std::vector<Triangle> triangles = triangulate(biped.mesh);
  std::vector<picture::Cell> cells;
  for (const auto& [points, label] : {std::pair(before, "reachable set of the elbow tip"),
                                      std::pair(posePoints(dragged, pose), "dragged, with soft selection")}) {
    picture::Shape skin;
    skin.points = &points;
    skin.triangles = triangles;
    cells.push_back({renderScene({{skin}, {}}, camera, {.width = kSize, .height = kSize, .ground = false}), label});
    drawReach(cells.back().image, camera, skeleton, reach, session.vertices()[0]);
  }
  std::ofstream("drag_a_vertex.png", std::ios::binary) << picture::encodePng(picture::contactSheet(cells));
  return 0;
}
