// A joint maps a normal n to the unit vector along cof(R) n, R the linear part of its motion: correct for scaling
// joints too, and R n for rigid ones.
#include "sinew/learn/fit/weights_columns.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/character/mesh.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::fit {
namespace {

constexpr Index kWeightsColumnsGrain = 1024;

Vec3 unit(const Vec3& v) {
  const double length = v.norm();
  return length > 0 ? Vec3(v / length) : Vec3(Vec3::Zero());
}

std::vector<Triangle> trianglesOfPoints(const Character& character, const FitProblem& problem) {
  std::vector<Triangle> triangles;
  for (const Triangle& t : triangulate(character.mesh)) {
    const Triangle points = {problem.pointOfVertex[t[0]], problem.pointOfVertex[t[1]], problem.pointOfVertex[t[2]]};
    const bool fitted = std::none_of(points.begin(), points.end(), [](std::uint32_t p) { return p == kNotFitted; });
    if (fitted && points[0] != points[1] && points[1] != points[2] && points[2] != points[0])
      triangles.push_back(points);
  }
  return triangles;
}

}  // namespace

NormalRows makeNormalRows(const Character& character, const FitProblem& problem, double length) {
  NormalRows rows;
  rows.length = length;
  const std::vector<Triangle> triangles = trianglesOfPoints(character, problem);
  for (const Points& target : problem.targets) {
    rows.targets.emplace_back();
    computeNormals(target, triangles, rows.targets.back());
  }
  // Skins may differ in their rest space, so faces are read in world space, and normals transformed back.
  PosedJoints joints;
  poseJoints(character, restPose(character), joints);
  const Index points = problem.pointCount();
  Points world(3, points);
  std::vector<Mat3> blended(toSize(points), Mat3::Zero());
  parallelFor(points, kWeightsColumnsGrain, [&](Index p) {
    Vec3 at = Vec3::Zero();
    for (const Influence& influence : problem.prior[toSize(p)]) {
      const Affine& worldFromRest = joints.worldFromRest[influence.binding];
      at += influence.weight * (worldFromRest * problem.rest.col(p));
      blended[toSize(p)] += influence.weight * worldFromRest.linear();
    }
    world.col(p) = at;
  });
  computeNormals(world, triangles, rows.rest);
  parallelFor(points, kWeightsColumnsGrain,
              [&](Index p) { rows.rest.col(p) = unit(blended[toSize(p)].transpose() * rows.rest.col(p)); });
  return rows;
}

double factorSum(const FitProblem& problem, Index point) {
  double sum = 0;
  for (std::size_t e = 0; e < problem.exampleCount(); ++e) sum += problem.factor(e, point);
  return sum;
}

bool hasMask(const FitProblem& problem, Index point) {
  for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
    if (problem.factor(e, point) != problem.confidence[e]) return true;
  }
  return false;
}

void displacements(const FitProblem& problem, Index point, std::span<const std::uint32_t> bindings,
                   const NormalRows* normals, Eigen::MatrixXd& columns) {
  const auto examples = static_cast<Index>(problem.exampleCount());
  const auto count = static_cast<Index>(bindings.size());
  columns.resize((normals != nullptr ? 6 : 3) * examples, count);
  const Vec3 rest = problem.rest.col(point);
  for (Index e = 0; e < examples; ++e) {
    const auto example = toSize(e);
    const double root = std::sqrt(problem.factor(example, point));
    const Vec3 target = problem.targets[example].col(point);
    const std::vector<Affine>& worldFromRest = problem.worldFromRest[example];
    for (Index i = 0; i < count; ++i) {
      const Affine& motion = worldFromRest[bindings[toSize(i)]];
      const Vec3 moved = motion.linear() * rest + (motion.translation() - target);
      columns.col(i).segment<3>(3 * e) = root * moved;
    }
    if (normals == nullptr) continue;
    for (Index i = 0; i < count; ++i) {
      const Mat3 linear = worldFromRest[bindings[toSize(i)]].linear();
      const Vec3 turned = unit(cofactors(linear) * normals->rest.col(point)) - normals->targets[example].col(point);
      columns.col(i).segment<3>(3 * (examples + e)) = root * normals->length * turned;
    }
  }
}

}  // namespace sinew::fit
