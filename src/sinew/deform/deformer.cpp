#include "sinew/deform/deformer.h"

#include <fmt/format.h>

#include "sinew/base/check.h"

namespace sinew {

// A PointsRef is a view, passed by value.
void Deformer::deform(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
                      PointsRef moved) const {  // NOLINT(performance-unnecessary-value-param)
  SINEW_CHECK(vertexCount() < 0 || points.cols() == vertexCount(), name().data(),
              fmt::format("it expects {} vertices, but got {}", vertexCount(), points.cols()));
  SINEW_CHECK(moved.cols() == points.cols(), name().data(),
              fmt::format("the result has space for {} vertices, but there are {}", moved.cols(), points.cols()));
  SINEW_CHECK(bindingCount() < 0 || static_cast<Index>(joints.worldFromRest.size()) == bindingCount(), name().data(),
              fmt::format("it expects {} joints, but got {}", bindingCount(), joints.worldFromRest.size()));
  checkFinite(points, name().data(), "the mesh");
  for (std::size_t b = 0; b < joints.worldFromRest.size(); ++b) {
    SINEW_CHECK(joints.worldFromRest[b].matrix().allFinite(), name().data(),
                fmt::format("the transform of joint {} has a value that is not a finite number", b));
  }
  apply(points, joints, scratch, moved);
}

Points Deformer::deform(const ConstPointsRef& points, const PosedJoints& joints) const {
  DeformScratch scratch;
  Points moved(3, points.cols());
  deform(points, joints, scratch, moved);
  return moved;
}

}  // namespace sinew
