// A model from meshes alone: learns the quadruped from its poses, shows control groups and proxies, then drags a paw
// and the nose: pose_from_meshes.png.
#include <fstream>

#include "sinew/learn/reduced_model.h"
#include "sinew/manipulate/reduced_ik.h"
#include "sinew/picture/contact_sheet.h"
#include "sinew/picture/png.h"
#include "sinew/picture/render.h"
#include "sinew/picture/text.h"
#include "sinew/sinew.h"

namespace {

using namespace sinew;

constexpr int kWidth = 460;
constexpr int kHeight = 380;

void dots(picture::Image& image, const picture::Camera& camera, const Points& places, double size,
          picture::Rgba colour) {
  for (Index i = 0; i < places.cols(); ++i) {
    const Vec3 seen = camera.project(places.col(i));
    const picture::Place at(0.5 * kWidth + 0.5 * kHeight * seen.x(), 0.5 * kHeight * (1 - seen.y()));
    fillDisc(image, at, size + 1.5, {255, 255, 255});
    fillDisc(image, at, size, colour);
  }
}

}  // namespace

int main() {
  const Sample sample = makeSample("quadruped");
  std::vector<Points> meshes;
  for (const Example& example : sample.examples.examples) meshes.push_back(example.points);
  const auto model = std::make_shared<const ReducedModel>(
      learnReducedModel(sample.character.mesh, meshes, {}, sample.examples.rest).model);
  const std::vector<Triangle> triangles = triangulate(sample.character.mesh);

  std::vector<Index> handles;  // nose, tail, four paws
  for (const Vec3& place : {Vec3(0, 0.72, 0.64), Vec3(0, 0.4, -0.66), Vec3(0.1, 0.03, 0.26), Vec3(-0.1, 0.03, 0.26),
                            Vec3(0.1, 0.03, -0.28), Vec3(-0.1, 0.03, -0.28)}) {
    (model->rest.colwise() - place).colwise().norm().minCoeff(&handles.emplace_back());
  }
  ReducedIk ik(model);
  ik.setHandles(handles);
  const Points still = model->rest(Eigen::all, handles);
  Points step = still;
  step.col(2) += Vec3(0, 0.14, 0.12);
  Points bow = still;
  bow.col(0) += Vec3(0.1, -0.42, -0.02);
  bow.col(1) += Vec3(0, 0.25, 0);
  Points leap = still.colwise() + Vec3(0, 0.16, 0);
  for (Index i = 2; i < 6; ++i) leap(2, i) += i < 4 ? 0.2 : -0.24;

  const picture::Camera camera = picture::fitCamera(model->rest, 1.2, {.azimuth = 62, .elevation = 10, .margin = 0.14});
  std::vector<picture::Cell> cells;
  std::vector<picture::Rgba> colours;
  for (const std::uint32_t label : model->labels) colours.push_back(picture::categoryColour(static_cast<int>(label)));
  const auto show = [&](const Points& points, const char* label, bool coloured) -> picture::Image& {
    picture::Shape skin;
    skin.points = &points;
    skin.triangles = triangles;
    if (coloured) skin.triangleColours = colours;
    cells.push_back({renderScene({{skin}, 0.0}, camera, {.width = kWidth, .height = kHeight}), label});
    return cells.back().image;
  };
  show(model->rest, "control groups", true);
  dots(show(model->rest, "proxies", false), camera, model->proxies.positions, 2.5, {200, 40, 40});
  dots(show(model->rest, "six handles", false), camera, still, 5, {30, 84, 160});
  for (const auto& [targets, label] :
       {std::pair(step, "a paw forward"), std::pair(bow, "the nose down"), std::pair(leap, "a leap")}) {
    Points posed(3, model->rest.cols());
    deformReduced(*model, ik.solve(targets).controls, posed);
    dots(show(posed, label, false), camera, targets, 5, {30, 84, 160});
  }
  std::ofstream("pose_from_meshes.png", std::ios::binary)
      << picture::encodePng(picture::contactSheet(cells, {.columns = 3}));
  return 0;
}
