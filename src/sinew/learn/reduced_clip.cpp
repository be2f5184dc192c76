#include "sinew/learn/reduced_clip.h"

#include <fmt/format.h>

#include "sinew/base/check.h"

namespace sinew {

ReducedCharacter keyedCharacter(const Mesh& topology, const ReducedModel& model, std::span<const KeyPose> keys,
                                const std::string& clipName, const SkeletonOptions& options) {
  constexpr const char* kWhere = "keys";
  SINEW_CHECK(!keys.empty(), kWhere, "there is no pose to make a clip from");
  for (std::size_t k = 1; k < keys.size(); ++k) {
    SINEW_CHECK(keys[k].seconds > keys[k - 1].seconds, kWhere,
                fmt::format("key {} at {} s does not follow the one at {} s", k, keys[k].seconds, keys[k - 1].seconds));
  }
  // Keys replace the examples: the same joints, with one key for each.
  ReducedModel keyed;
  keyed.rest = model.rest;
  keyed.weights = model.weights;
  keyed.labels = model.labels;
  keyed.parents = model.parents;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    keyed.names.push_back(fmt::format("key {}", k));
    keyed.controls.push_back(keys[k].controls);
    keyed.inputFromAligned.push_back(Eigen::Isometry3d::Identity());
  }
  ReducedCharacter result = reducedCharacter(topology, keyed, options);
  for (Clip& clip : result.character.clips) {
    clip.name = clipName;
    for (ClipChannel& channel : clip.channels) {
      for (std::size_t k = 0; k < keys.size(); ++k) channel.times.at(k) = keys[k].seconds;
    }
  }
  return result;
}

std::vector<ExampleFit> exampleFits(const ReducedModel& model, std::span<const Points> examples,
                                    const std::vector<bool>& used) {
  SINEW_CHECK(examples.size() == model.exampleCount(), "fits",
              fmt::format("{} meshes for a model of {} examples", examples.size(), model.exampleCount()));
  std::vector<ExampleFit> fits;
  Points moved(3, model.rest.cols());
  for (std::size_t e = 0; e < examples.size(); ++e) {
    SINEW_CHECK(
        examples[e].cols() == model.rest.cols(), "fits",
        fmt::format("mesh '{}' has {} vertices, the model {}", model.names[e], examples[e].cols(), model.rest.cols()));
    deformReduced(model, model.controls[e], moved);
    const Points shape =
        (model.inputFromAligned[e].linear() * moved).colwise() + model.inputFromAligned[e].translation();
    const auto counts = [&](Index v) { return used.empty() || used[toSize(v)]; };
    Vec3 mean = Vec3::Zero();
    double number = 0;
    for (Index v = 0; v < moved.cols(); ++v) {
      if (!counts(v)) continue;
      mean += examples[e].col(v);
      ++number;
    }
    if (number > 0) mean /= number;
    ExampleFit fit;
    for (Index v = 0; v < moved.cols(); ++v) {
      if (!counts(v)) continue;
      fit.error += (examples[e].col(v) - shape.col(v)).squaredNorm();
      fit.spread += (examples[e].col(v) - mean).squaredNorm();
    }
    fits.push_back(fit);
  }
  return fits;
}

}  // namespace sinew
