#include "sinew/learn/fit_setup.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/base/check.h"

namespace sinew {
namespace {

constexpr const char* kWhere = "fit";

void checkOptions(const FitOptions& options) {
  SINEW_CHECK(options.maxInfluences >= 1, kWhere,
              fmt::format("{} joints per vertex were asked for; at least 1 is needed", options.maxInfluences));
  SINEW_CHECK(options.rounds >= 1, kWhere, fmt::format("{} rounds were asked for; at least 1", options.rounds));
  for (const double value : {options.restDrift, options.restStiffness, options.leastGain, options.prior,
                             options.smoothness, options.normals, options.mostWorse}) {
    SINEW_CHECK(std::isfinite(value) && value >= 0, kWhere,
                fmt::format("an option has the value {}; it must be 0 or more", value));
  }
}

/// All bindings of the joints that are locked.
std::vector<std::uint32_t> lockedBindings(const Character& character, const std::vector<std::string>& names) {
  std::vector<std::uint32_t> bindings;
  for (const std::string& name : names) {
    const int joint = character.skeleton.index(name);
    for (std::size_t b = 0; b < character.skin.bindings.size(); ++b) {
      if (character.skin.bindings[b].joint == joint) bindings.push_back(static_cast<std::uint32_t>(b));
    }
  }
  return bindings;
}

}  // namespace

AlternationOptions alternationOf(const Character& character, const FitOptions& options) {
  checkOptions(options);
  AlternationOptions alternation;
  WeightOptions& weights = alternation.weights;
  weights.maxInfluences = options.maxInfluences;
  weights.prior = options.prior;
  weights.smoothness = options.smoothness;
  weights.normals = options.normals;
  weights.lockedBindings = lockedBindings(character, options.locks);
  weights.lockedVertices = options.lockedVertices;
  for (const std::uint32_t vertex : options.lockedVertices) {
    SINEW_CHECK(vertex < static_cast<std::size_t>(character.mesh.vertexCount()), kWhere,
                fmt::format("vertex {} is locked, but the mesh has {} vertices", vertex, character.mesh.vertexCount()));
  }
  alternation.moveRest = options.rest;
  alternation.rest.stiffness = options.restStiffness;
  alternation.rest.mostDrift = options.restDrift;
  alternation.rounds = options.rounds;
  return alternation;
}

}  // namespace sinew
