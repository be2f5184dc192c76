#include "report/pictures.h"

#include <algorithm>
#include <cmath>

#include "sinew/picture/render.h"

namespace sinew::cli {
namespace {

constexpr double kImportant = 0.15;  // of the largest importance: what the picture must show
constexpr double kLeastView = 0.4;   // of the diagonal: so much is in the picture at least
constexpr double kAzimuths[] = {30, -30, 150, -150, 90, -90};

Mesh skinnedMesh(const Mesh& mesh) {
  Mesh visible;
  visible.points = mesh.points;
  for (const MeshPart& part : mesh.parts) {
    if (!part.skinned) continue;
    for (std::size_t f = part.firstFace; f < part.firstFace + part.faceCount; ++f) visible.faces.add(mesh.faces[f]);
  }
  return visible.faces.size() > 0 ? visible : mesh;
}

}  // namespace

SkinPainter::SkinPainter(const Character& character, const std::string& up, int size)
    : up_(up == "x"   ? Vec3::UnitX()
          : up == "z" ? Vec3::UnitZ()
                      : Vec3::UnitY()),
      size_(size),
      triangles_(triangulate(skinnedMesh(character.mesh))) {}

picture::Camera SkinPainter::cameraFor(const Points& points, const Eigen::VectorXd& importance) const {
  const double most = importance.size() > 0 ? importance.maxCoeff() : 0;
  BoundingBox box = boundingBox(points);
  const double diagonal = box.diagonal();
  if (most > 0) {
    std::vector<Index> chosen;
    for (Index v = 0; v < points.cols(); ++v) {
      if (importance[v] >= kImportant * most) chosen.push_back(v);
    }
    Points region(3, static_cast<Index>(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) region.col(static_cast<Index>(i)) = points.col(chosen[i]);
    const BoundingBox part = boundingBox(region);
    // Some of what is around it, so that one sees where on the body it is.
    const Vec3 half = (0.6 * (part.high - part.low)).cwiseMax(0.5 * kLeastView * diagonal / std::sqrt(3.0));
    box.low = (part.centre() - half).cwiseMax(box.low);
    box.high = (part.centre() + half).cwiseMin(box.high);
  }
  Points normals;
  computeNormals(points, triangles_, normals);
  picture::Camera best;
  double bestScore = -1;
  for (const double azimuth : kAzimuths) {
    const picture::Camera camera = picture::fitCamera(box, 1, {.azimuth = azimuth, .up = up_});
    const Vec3 towards = (camera.eye - camera.target).normalized();
    double score = 0;
    if (most > 0) score = importance.dot((towards.transpose() * normals).cwiseMax(0.0).transpose());
    if (score <= bestScore * 1.05 && bestScore >= 0) continue;  // the usual view unless another is clearly better
    best = camera;
    bestScore = score;
  }
  return best;
}

picture::Camera SkinPainter::cameraForDistances(const Points& points, const Eigen::VectorXd& distances) const {
  const double floor = picture::kErrorFloor * boundingBox(points).diagonal();
  return cameraFor(points, distances.size() > 0 && distances.maxCoeff() > floor ? distances : Eigen::VectorXd());
}

picture::Image SkinPainter::clay(const Points& points, const picture::Camera& camera) const {
  return coloured(points, {}, {}, camera);
}

picture::Image SkinPainter::coloured(const Points& points, const Eigen::VectorXd& values,
                                     const picture::ScalarScale& scale, const picture::Camera& camera) const {
  picture::Shape shape;
  shape.points = &points;
  shape.triangles = triangles_;
  if (values.size() > 0) shape.scalars = {values.data(), toSize(values.size())};
  shape.scale = scale;
  picture::RenderOptions options;
  options.width = options.height = size_;
  return picture::renderScene({{shape}, std::nullopt}, camera, options);
}

Eigen::VectorXd jointWeights(const Character& character, int joint) {
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(character.mesh.vertexCount());
  for (Index v = 0; v < weights.size(); ++v) {
    for (const Influence& influence : character.skin.weights[v]) {
      if (character.skin.bindings[influence.binding].joint == joint) weights[v] += influence.weight;
    }
  }
  return weights;
}

picture::ScalarScale errorScale(std::vector<double> distances, double diagonal) {
  // Most vertices of a local correction do not move at all: they would push every share to zero.
  const double most = distances.empty() ? 0 : *std::max_element(distances.begin(), distances.end());
  if (!(most > 0)) return picture::errorScale({}, diagonal);
  std::erase_if(distances, [&](double distance) { return distance < 0.05 * most; });
  const auto rank = static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(distances.size() - 1));
  std::nth_element(distances.begin(), distances.begin() + rank, distances.end());
  return picture::errorScale({{distances[toSize(rank)]}}, diagonal);
}

}  // namespace sinew::cli
