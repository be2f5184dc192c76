#include "sinew/deform/reduced_model.h"

#include <fmt/format.h>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"

namespace sinew {
namespace {

constexpr Index kReducedModelGrain = 1024;

void checkSizes(const ReducedModel& model, const char* where) {
  const auto controls = toSize(model.controlCount());
  SINEW_CHECK(model.weights.vertexCount() == model.rest.cols(), where,
              fmt::format("the reduced model has weights for {} of {} vertices", model.weights.vertexCount(),
                          model.rest.cols()));
  SINEW_CHECK(model.names.size() == model.exampleCount() && model.inputFromAligned.size() == model.exampleCount(),
              where,
              fmt::format("the reduced model has {} examples, but {} names and {} alignments", model.exampleCount(),
                          model.names.size(), model.inputFromAligned.size()));
  SINEW_CHECK(
      model.restExample >= -1 && model.restExample < static_cast<int>(model.exampleCount()), where,
      fmt::format("the rest of the reduced model is example {} of {}", model.restExample, model.exampleCount()));
  for (std::size_t e = 0; e < model.exampleCount(); ++e) {
    SINEW_CHECK(model.controls[e].size() == controls, where,
                fmt::format("example '{}' of the reduced model moves {} of {} controls", model.names[e],
                            model.controls[e].size(), controls));
  }
  for (const std::uint32_t label : model.labels)
    SINEW_CHECK(label < controls, where, fmt::format("a triangle belongs to control {} of {}", label, controls));
  SINEW_CHECK(
      model.fits.empty() || model.fits.size() == model.exampleCount(), where,
      fmt::format("the reduced model has fit errors for {} of {} examples", model.fits.size(), model.exampleCount()));
  SINEW_CHECK(model.parents.empty() || model.parents.size() == controls, where,
              fmt::format("the reduced model has {} parents for {} controls", model.parents.size(), controls));
}

}  // namespace

void checkReducedModel(const ReducedModel& model, const char* where) {
  checkSizes(model, where);
  checkFinite(model.rest, where, "the rest of the reduced model");
  for (std::size_t e = 0; e < model.exampleCount(); ++e) {
    for (const Affine& control : model.controls[e]) {
      SINEW_CHECK(
          control.matrix().allFinite(), where,
          fmt::format("example '{}' of the reduced model has a value that is not a finite number", model.names[e]));
    }
    SINEW_CHECK(model.inputFromAligned[e].matrix().allFinite(), where,
                fmt::format("the alignment of example '{}' has a value that is not a finite number", model.names[e]));
  }
  const ReducedProxies& proxies = model.proxies;
  SINEW_CHECK(
      proxies.count() == 0 ||
          (proxies.weights.rows() == model.controlCount() && proxies.gradients.rows() == 3 * model.controlCount() &&
           proxies.weights.cols() == proxies.count() && proxies.gradients.cols() == proxies.count()),
      where, "the proxies of the reduced model do not match its controls");
  SINEW_CHECK(proxies.positions.allFinite() && proxies.weights.allFinite() && proxies.gradients.allFinite(), where,
              "a proxy of the reduced model has a value that is not a finite number");
  for (std::size_t c = 0; c < model.parents.size(); ++c) {
    // Requiring parents before children would reject some valid trees: follow each chain instead.
    int up = model.parents[c];
    for (std::size_t steps = 0; up >= 0; ++steps) {
      SINEW_CHECK(up < static_cast<int>(model.parents.size()) && steps <= model.parents.size(), where,
                  fmt::format("the parents of control {} form a cycle or leave the model", c));
      up = model.parents[toSize(up)];
    }
  }
}

void deformReduced(const ReducedModel& model, const std::vector<Affine>& controls, PointsRef moved) {
  SINEW_CHECK(static_cast<Index>(controls.size()) == model.controlCount() && moved.cols() == model.rest.cols(),
              "reduced model",
              fmt::format("{} transforms and {} points for a model of {} controls and {} vertices", controls.size(),
                          moved.cols(), model.controlCount(), model.rest.cols()));
  parallelFor(model.rest.cols(), kReducedModelGrain, [&](Index v) {
    Eigen::Matrix<double, 3, 4> blended = Eigen::Matrix<double, 3, 4>::Zero();
    for (const Influence& influence : model.weights[v])
      blended += influence.weight * controls[influence.binding].matrix();
    moved.col(v) = blended * model.rest.col(v).homogeneous();
  });
}

}  // namespace sinew
