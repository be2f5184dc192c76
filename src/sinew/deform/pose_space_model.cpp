#include "sinew/deform/pose_space_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/deform/deformers.h"

namespace sinew {
namespace {

void checkDeltas(const std::vector<Points>& deltas, const PoseSpaceModel& model, const char* what, const char* where) {
  SINEW_CHECK(deltas.size() == model.shapeCount(), where,
              fmt::format("there are {} {} for {} {}", deltas.size(), what, model.shapeCount(),
                          model.lowRank() ? "shapes" : "examples"));
  for (std::size_t k = 0; k < deltas.size(); ++k) {
    const auto owner = [&] {
      return model.lowRank() ? fmt::format("shape {}", k) : fmt::format("example '{}'", model.names[k]);
    };
    SINEW_CHECK(deltas[k].cols() == static_cast<Index>(model.vertices.size()), where,
                fmt::format("the {} of {} are for {} vertices, but the model affects {}", what, owner(),
                            deltas[k].cols(), model.vertices.size()));
    SINEW_CHECK(deltas[k].allFinite(), where,
                fmt::format("the {} of {} have a value that is not a finite number", what, owner()));
  }
}

void checkCoefficients(const PoseSpaceModel& model, const char* where) {
  if (!model.lowRank()) return;
  const Eigen::MatrixXd& coefficients = model.coefficients;
  SINEW_CHECK(
      coefficients.cols() == static_cast<Index>(model.exampleCount()), where,
      fmt::format("the coefficients are for {} examples, but there are {}", coefficients.cols(), model.exampleCount()));
  SINEW_CHECK(
      coefficients.rows() <= kMostLowRankShapes, where,
      fmt::format("there are {} shapes; a low-rank model has at most {}", coefficients.rows(), kMostLowRankShapes));
  SINEW_CHECK(coefficients.allFinite(), where, "a coefficient is not a finite number");
  SINEW_CHECK(coefficients.col(0).isZero(0), where,
              "a coefficient of the rest pose is not 0, but corrections must be zero there");
}

void checkDrivers(const PoseSpaceModel& model, const Character& character, const char* where) {
  for (const PoseDriver& driver : model.poseSpace.drivers) {
    const bool channel = driver.kind == DriverKind::Channel;
    const auto count = channel ? static_cast<int>(character.morphs.size()) : character.skeleton.size();
    SINEW_CHECK(driver.source >= 0 && driver.source < count, where,
                fmt::format("the driver '{}' is {} {} of {}", driver.name, channel ? "morph target" : "joint",
                            driver.source, count));
    SINEW_CHECK(std::isfinite(driver.weight) && driver.weight > 0, where,
                fmt::format("the driver '{}' has the weight {}; it must be positive", driver.name, driver.weight));
    SINEW_CHECK(std::abs(driver.axis.norm() - 1) < 1e-6, where,
                fmt::format("the twist axis of the driver '{}' is not a unit vector", driver.name));
  }
}

void checkTerms(const PoseSpaceModel& model, const char* where) {
  if (model.terms.empty()) return;
  const Index groups = model.weighted() ? model.groupWeights.cols() : 1;
  SINEW_CHECK(model.shares.rows() == static_cast<Index>(model.terms.size()) && model.shares.cols() == groups, where,
              fmt::format("the shares are {} x {}, but there are {} terms and {} groups", model.shares.rows(),
                          model.shares.cols(), model.terms.size(), groups));
  SINEW_CHECK(model.shares.allFinite() && (model.shares.array() >= 0).all() &&
                  ((model.shares.colwise().sum().array() - 1).abs() < 1e-6).all(),
              where, "the shares of the terms are negative or do not sum to 1");
  for (const PoseSpaceTerm& term : model.terms) {
    SINEW_CHECK(std::isfinite(term.floor) && term.floor >= 0, where,
                fmt::format("a term has the floor {}; it must be 0 or more", term.floor));
  }
}

bool sameMatrix(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}

bool sameShapes(const std::vector<Points>& a, const std::vector<Points>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Points& x, const Points& y) { return x.cols() == y.cols() && x == y; });
}

}  // namespace

PoseSpaceModel withoutDeltas(const PoseSpaceModel& model) {
  PoseSpaceModel result;
  result.poseSpace = model.poseSpace;
  result.interpolation = model.interpolation;
  result.fade = model.fade;
  result.restGap = model.restGap;
  result.names = model.names;
  result.poses = model.poses;
  return result;
}

PoseSpaceModel withoutShapes(const PoseSpaceModel& model) {
  PoseSpaceModel result = withoutDeltas(model);
  result.groupOf = model.groupOf;
  result.groupWeights = model.groupWeights;
  result.terms = model.terms;
  result.shares = model.shares;
  return result;
}

PoseSpaceModel onVertices(const PoseSpaceModel& model, std::span<const std::uint32_t> vertices, Index count) {
  std::vector<Index> column(toSize(count), -1);
  for (std::size_t i = 0; i < model.vertices.size(); ++i) column[model.vertices[i]] = static_cast<Index>(i);
  PoseSpaceModel result = withoutShapes(model);
  result.groupOf.clear();
  result.space = model.space;
  result.base = model.base;
  result.rootFrame = model.rootFrame;
  result.coefficients = model.coefficients;
  result.inMorphs = model.inMorphs;
  std::vector<Index> from;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (column[vertices[v]] < 0) continue;
    result.vertices.push_back(static_cast<std::uint32_t>(v));
    from.push_back(column[vertices[v]]);
    if (model.weighted()) result.groupOf.push_back(model.groupOf[toSize(from.back())]);
  }
  for (const Points& deltas : model.deltas) result.deltas.emplace_back(deltas(Eigen::all, from));
  for (const Points& layer : model.layer) result.layer.emplace_back(layer(Eigen::all, from));
  return result;
}

bool operator==(const PoseSpaceModel& a, const PoseSpaceModel& b) {
  return a.space == b.space && a.base == b.base && a.rootFrame == b.rootFrame && a.poseSpace == b.poseSpace &&
         a.interpolation == b.interpolation && a.fade == b.fade && a.restGap == b.restGap && a.names == b.names &&
         sameMatrix(a.poses, b.poses) && a.vertices == b.vertices && sameShapes(a.deltas, b.deltas) &&
         sameShapes(a.layer, b.layer) && sameMatrix(a.coefficients, b.coefficients) && a.groupOf == b.groupOf &&
         sameMatrix(a.groupWeights, b.groupWeights) && a.terms == b.terms && sameMatrix(a.shares, b.shares) &&
         a.inMorphs == b.inMorphs;
}

bool operator==(const PoseSpaceMorphs& a, const PoseSpaceMorphs& b) {
  return sameMatrix(a.knots, b.knots) && sameMatrix(a.mixing, b.mixing) && a.morphs == b.morphs &&
         a.knotOf == b.knotOf && a.interpolation == b.interpolation && a.clip == b.clip;
}

void checkPoseSpaceModel(const PoseSpaceModel& model, const Character& character, const char* where) {
  SINEW_CHECK(character.hasSkin(), where, "the character has no skin; bind it first (sinew bind)");
  checkDrivers(model, character, where);
  SINEW_CHECK(model.exampleCount() > 0 && model.poses.cols() == static_cast<Index>(model.exampleCount()) &&
                  model.poses.rows() == model.poseSpace.dimensions(),
              where,
              fmt::format("the poses are {} x {}, but there are {} examples in {} dimensions", model.poses.rows(),
                          model.poses.cols(), model.exampleCount(), model.poseSpace.dimensions()));
  SINEW_CHECK(model.poses.allFinite(), where, "a pose has a value that is not a finite number");
  SINEW_CHECK(
      std::is_sorted(model.vertices.begin(), model.vertices.end(), std::less_equal<>()) || model.vertices.size() < 2,
      where, "the affected vertices are not in ascending order");
  SINEW_CHECK(model.vertices.empty() || static_cast<Index>(model.vertices.back()) < character.mesh.vertexCount(), where,
              fmt::format("vertex {} is corrected, but the mesh has {}",
                          model.vertices.empty() ? 0 : model.vertices.back(), character.mesh.vertexCount()));
  checkCoefficients(model, where);
  checkDeltas(model.deltas, model, "deltas", where);
  if (model.space == DeltaSpace::Layered || !model.layer.empty()) checkDeltas(model.layer, model, "layers", where);
  checkTerms(model, where);
  if (!model.weighted()) return;
  SINEW_CHECK(model.groupOf.size() == model.vertices.size(), where,
              fmt::format("{} of {} affected vertices have a group", model.groupOf.size(), model.vertices.size()));
  SINEW_CHECK(model.groupWeights.rows() == static_cast<Index>(model.poseSpace.drivers.size()) &&
                  model.groupWeights.allFinite() && (model.groupWeights.array() > 0).all(),
              where, "the weights of the groups do not match the drivers or are not positive");
  for (const std::uint32_t group : model.groupOf) {
    SINEW_CHECK(static_cast<Index>(group) < model.groupWeights.cols(), where,
                fmt::format("a vertex belongs to group {} of {}", group, model.groupWeights.cols()));
  }
}

PoseSpaceModel withoutExample(const PoseSpaceModel& model, std::size_t k) {
  PoseSpaceModel result = model;
  const auto at = static_cast<std::ptrdiff_t>(k);
  result.names.erase(result.names.begin() + at);
  const Index after = model.poses.cols() - at - 1;
  if (model.lowRank()) {
    result.coefficients.resize(model.coefficients.rows(), model.coefficients.cols() - 1);
    result.coefficients << model.coefficients.leftCols(at), model.coefficients.rightCols(after);
  } else {
    if (!result.deltas.empty()) result.deltas.erase(result.deltas.begin() + at);
    if (!result.layer.empty()) result.layer.erase(result.layer.begin() + at);
  }
  if (!result.interpolation.confidence.empty()) {
    result.interpolation.confidence.erase(result.interpolation.confidence.begin() + at);
  }
  result.poses.resize(model.poses.rows(), model.poses.cols() - 1);
  result.poses << model.poses.leftCols(at), model.poses.rightCols(after);
  return result;
}

}  // namespace sinew
