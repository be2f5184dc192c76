// Writing SINEW_pose_space: numbers as they are, in 64 bits, so that reading restores the model bit for bit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/io/gltf/blocks/block.h"
#include "sinew/io/gltf/blocks/pose_space.h"

namespace sinew::gltf {
namespace {

Json listed(const Eigen::Ref<const Eigen::VectorXd>& numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(number);
  return list;
}

Json optionsJson(const RbfOptions& options) {
  Json json{{"kernel", options.kernel},
            {"radius", options.radius},
            {"ridge", options.ridge},
            {"polynomial", options.polynomial},
            {"mergeDistance", options.mergeDistance}};
  if (options.local > 0) json["local"] = options.local;
  if (!options.confidence.empty()) json["confidence"] = options.confidence;
  return json;
}

Json termJson(const PoseSpaceTerm& term) {
  return Json{{"interpolation", optionsJson(term.interpolation)}, {"uniform", term.uniform}, {"floor", term.floor}};
}

/// The model in the vertices of the file: what seams doubled has the same corrections twice.
PoseSpaceModel renumbered(const PoseSpaceModel& model, const std::vector<std::uint32_t>& vertices, Index count) {
  std::vector<Index> column(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < model.vertices.size(); ++i) column[model.vertices[i]] = static_cast<Index>(i);
  PoseSpaceModel result = model;
  result.vertices.clear();
  std::vector<Index> from;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (column[vertices[v]] < 0) continue;
    result.vertices.push_back(static_cast<std::uint32_t>(v));
    from.push_back(column[vertices[v]]);
  }
  for (Points& deltas : result.deltas) deltas = Points(deltas(Eigen::all, from));
  for (Points& layer : result.layer) layer = Points(layer(Eigen::all, from));
  if (model.weighted()) {
    result.groupOf.clear();
    for (const Index i : from) result.groupOf.push_back(model.groupOf[static_cast<std::size_t>(i)]);
  }
  return result;
}

class PoseSpaceWriter : private BlockWriter {
 public:
  PoseSpaceWriter(Store& store, const WrittenPlaces& places) : BlockWriter(store), places_(places) {}

  Json json(const PoseSpaceModel& model, const PoseSpaceMorphs& morphs, std::size_t vertexCount) {
    // Programs that know only one interpolation per model must not play a mixture as if it were one.
    Json json{{"version", model.terms.empty() ? 1 : 2},
              {"vertexCount", vertexCount},
              {"space", deltaSpaceName(model.space)},
              {"base", model.base},
              {"rootFrame", model.rootFrame},
              {"fade", model.fade},
              {"diagonal", model.poseSpace.diagonal},
              {"interpolation", optionsJson(model.interpolation)},
              {"drivers", Json::array()},
              {"examples", model.names}};
    for (const PoseDriver& driver : model.poseSpace.drivers) json["drivers"].push_back(driverJson(driver));
    json["poses"] = numbers(model.poses);
    json["vertices"] = indices(model.vertices);
    json["deltas"] = numbers(joined(model.deltas));
    if (!model.layer.empty()) json["layer"] = numbers(joined(model.layer));
    if (model.weighted()) {
      json["groups"] = Json{{"ofVertex", indices(model.groupOf)}, {"weights", numbers(model.groupWeights)}};
    }
    if (!model.terms.empty()) {
      json["terms"] = Json::array();
      for (const PoseSpaceTerm& term : model.terms) json["terms"].push_back(termJson(term));
      json["shares"] = numbers(model.shares);
    }
    if (!morphs.empty()) json["morphs"] = morphsJson(model, morphs);
    return json;
  }

 private:
  static Eigen::MatrixXd joined(const std::vector<Points>& list) {
    Index columns = 0;
    for (const Points& points : list) columns += points.cols();
    Eigen::MatrixXd all(3, columns);
    columns = 0;
    for (const Points& points : list) {
      all.middleCols(columns, points.cols()) = points;
      columns += points.cols();
    }
    return all;
  }

  /// Where the file has one of the character's morph targets.
  Json placeOf(int morph) const {
    for (std::size_t mesh = 0; mesh < places_.targets.size(); ++mesh) {
      const auto& targets = places_.targets[mesh];
      const auto found = std::find(targets.begin(), targets.end(), morph);
      if (found == targets.end()) continue;
      return Json{{"mesh", mesh}, {"target", found - targets.begin()}};
    }
    refuse(fmt::format("morph target {} of the pose space belongs to no mesh of the file; give it vertices", morph));
  }

  [[nodiscard]] Json driverJson(const PoseDriver& driver) const {
    Json json{{"kind", driverKindName(driver.kind)}, {"name", driver.name}};
    // Joints are the first nodes of a file, in order.
    json.update(driver.kind == DriverKind::Channel ? placeOf(driver.source) : Json{{"node", driver.source}});
    json["weight"] = driver.weight;
    json["axis"] = listed(driver.axis);
    return json;
  }

  Json morphsJson(const PoseSpaceModel& model, const PoseSpaceMorphs& morphs) {
    Json json{{"knots", numbers(morphs.knots)}, {"interpolation", optionsJson(morphs.interpolation)}};
    if (!morphs.clip.empty()) json["clip"] = morphs.clip;
    Json targets = Json::array();
    for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
      Json target = placeOf(morphs.morphs[m]);
      target["knot"] = morphs.knotOf[m];
      targets.push_back(std::move(target));
    }
    json["targets"] = std::move(targets);
    json["runtime"] = runtimeJson(model, morphs);
    return json;
  }

  /// What a program elsewhere needs to compute the weights itself, with nothing to factorise (docs/formats.md).
  Json runtimeJson(const PoseSpaceModel& model, const PoseSpaceMorphs& morphs) {
    const PoseSpaceMorphWeights weights(model, morphs);
    const RbfInterpolator& rbf = weights.interpolator();
    Json json{{"kernel", morphs.interpolation.kernel},
              {"radius", rbf.radius()},
              {"degree", rbf.degree()},
              {"scales", listed(rbf.scales())},
              {"origin", listed(rbf.origin())}};
    json["centres"] = numbers(rbf.centres());
    json["basis"] = numbers(rbf.basis());
    json["cardinal"] = numbers(rbf.cardinal());
    if (weights.reach() <= 0) return json;
    const RbfInterpolator& examples = weights.examples();
    json["fade"] = Json{
        {"scales", listed(examples.scales())}, {"centres", numbers(examples.centres())}, {"reach", weights.reach()}};
    return json;
  }

  const WrittenPlaces& places_;
};

}  // namespace

void writePoseSpace(GltfDocument& document, Store& store, const Character& character, const PoseSpaceBlock& block,
                    const WrittenPlaces& places) {
  eraseBlock(document.json, kPoseSpaceBlock);
  if (block.model == nullptr) return;
  PoseSpaceWriter writer(store, places);
  const bool same = places.vertices.empty();
  const Index count = character.mesh.vertexCount();
  Json json = same
                  ? writer.json(*block.model, block.morphs, static_cast<std::size_t>(count))
                  : writer.json(renumbered(*block.model, places.vertices, count), block.morphs, places.vertices.size());
  putBlock(document.json, kPoseSpaceBlock, std::move(json));
}

}  // namespace sinew::gltf
