#include "sinew/learn/fit/setup.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew::fit {
namespace {

constexpr const char* kSetupWhere = "fit";

void checkOptions(const FitOptions& options) {
  checkChoice(options.helpers, "helpers", kSetupWhere);
  checkChoice(options.quantize, "quantize", kSetupWhere);
  SINEW_CHECK(options.maxInfluences >= 1, kSetupWhere,
              fmt::format("{} joints per vertex are requested; at least 1 is needed", options.maxInfluences));
  SINEW_CHECK(options.rounds >= 1, kSetupWhere,
              fmt::format("{} rounds are requested; at least 1 is needed", options.rounds));
  for (const double value : {options.restDrift, options.restStiffness, options.leastGain, options.smoothness,
                             options.normals, options.mostWorse}) {
    SINEW_CHECK(std::isfinite(value) && value >= 0, kSetupWhere,
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

std::optional<double> priorOf(const FitOptions& options) {
  if (options.prior == "auto") return std::nullopt;
  double value = 0;
  const char* const end = options.prior.data() + options.prior.size();
  const auto [stop, fault] = std::from_chars(options.prior.data(), end, value);
  SINEW_CHECK(fault == std::errc() && stop == end && std::isfinite(value) && value >= 0, kSetupWhere,
              fmt::format("the prior is '{}'; write auto, or a number of 0 or more", options.prior));
  return value;
}

AlternationOptions alternationOf(const Character& character, const FitOptions& options) {
  checkOptions(options);
  AlternationOptions alternation;
  WeightOptions& weights = alternation.weights;
  weights.maxInfluences = options.maxInfluences;
  weights.smoothness = options.smoothness;
  weights.normals = options.normals;
  weights.evenOut = true;
  weights.lockedBindings = lockedBindings(character, options.locks);
  weights.lockedVertices = options.lockedVertices;
  for (const std::uint32_t vertex : options.lockedVertices) {
    SINEW_CHECK(vertex < toSize(character.mesh.vertexCount()), kSetupWhere,
                fmt::format("vertex {} is locked, but the mesh has {} vertices", vertex, character.mesh.vertexCount()));
  }
  alternation.moveRest = options.rest;
  alternation.rest.stiffness = options.restStiffness;
  alternation.rest.mostDrift = options.restDrift;
  alternation.rounds = options.rounds;
  return alternation;
}

}  // namespace sinew::fit
