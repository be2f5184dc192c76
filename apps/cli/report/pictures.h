// Pictures of skins for reports, framed on what matters in them.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/picture/camera.h"
#include "sinew/picture/colormap.h"
#include "sinew/picture/image.h"

namespace sinew::cli {

/// Draws shapes of one character.
class SkinPainter {
 public:
  /// `up` is x, y or z; `size` the side of a picture in pixels.
  SkinPainter(const Character& character, const std::string& up, int size);

  /// Looks at the part of the shape where `importance` (a value of 0 or more per vertex) is large, from the side that
  /// shows most of it; at the whole shape where there is none.
  [[nodiscard]] picture::Camera cameraFor(const Points& points, const Eigen::VectorXd& importance) const;

  /// The same for distances and displacements. What the colours show as none (picture::kErrorFloor) is none here, too.
  [[nodiscard]] picture::Camera cameraForDistances(const Points& points, const Eigen::VectorXd& distances) const;

  [[nodiscard]] picture::Image clay(const Points& points, const picture::Camera& camera) const;
  [[nodiscard]] picture::Image coloured(const Points& points, const Eigen::VectorXd& values,
                                        const picture::ScalarScale& scale, const picture::Camera& camera) const;

 private:
  Vec3 up_;
  int size_;
  std::vector<Triangle> triangles_;  ///< of the skinned parts, or of all where none is skinned
};

/// The weight of one joint at every vertex.
Eigen::VectorXd jointWeights(const Character& character, int joint);

/// From 0 to a round number that nearly all distances stay below (a few outliers do not make all else pale), and never
/// less than picture::kErrorFloor of the diagonal (what is exact is not red). For before and after pictures pass the
/// distances of both, or of the worse one: one scale for all.
picture::ScalarScale errorScale(std::vector<double> distances, double diagonal);

}  // namespace sinew::cli
