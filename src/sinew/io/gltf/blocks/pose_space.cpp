// SINEW_pose_space: a learned pose-space model beside the morph targets that imitate it (docs/formats.md). Every size
// is checked against the bytes that are there before anything is allocated, every index against what it names. Numbers
// are written as they are, in 64 bits, so that reading restores the model bit for bit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/base/error.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/io/gltf/blocks/rows.h"

namespace sinew::gltf {
namespace {

constexpr const char* kPoseSpaceBlock = "SINEW_pose_space";
/// 2 has `terms`, 3 `coefficients`, 4 `morphs.mixing` and `coefficients` only for low rank, 5 `inMorphs`.
constexpr std::size_t kPoseSpaceVersion = 5;
/// A mixture has a handful.
constexpr std::size_t kMostTerms = 64;
/// Interpolators are dense: more examples than this come from no sculptor.
constexpr std::size_t kPoseSpaceMostExamples = 4096;
constexpr const char* kPoseSpaceWhere = "extensions.SINEW_pose_space";
constexpr const char* kPoseSpaceRemedy = "learn the character again";

class PoseSpaceReader : private BlockReader {
 public:
  PoseSpaceReader(const Reading& reading, const Json& block)
      : BlockReader(reading, kPoseSpaceWhere, kPoseSpaceRemedy), block_(block) {}

  /// Throws Outdated or Error.
  std::shared_ptr<const PoseSpaceModel> model() {
    const std::size_t version = requiredCount(block_, "version", kPoseSpaceWhere);
    if (version < 1 || version > kPoseSpaceVersion)
      throw Outdated{fmt::format("it has version {}; versions 1 to {} can be read", version, kPoseSpaceVersion)};
    const std::size_t vertices = requiredCount(block_, "vertexCount", kPoseSpaceWhere);
    const auto present = toSize(reading().character.mesh.vertexCount());
    if (vertices != present) {
      throw Outdated{fmt::format("it was learned for {} vertices, but the file has {}", vertices, present)};
    }
    if (!reading().character.hasSkin()) throw Outdated{"the file no longer has a skin"};
    auto model = std::make_shared<PoseSpaceModel>();
    model->space = choiceNamed<DeltaSpace>(requiredText(block_, "space", kPoseSpaceWhere), "space");
    model->base = requiredText(block_, "base", kPoseSpaceWhere);
    if (deformerRow(model->base).source != DeformerSource::Skin) {
      refuse(fmt::format("{} is '{}', which is not a skinning operator; learn the character again", placeOf("base"),
                         model->base));
    }
    model->rootFrame = requiredFlag(block_, "rootFrame", kPoseSpaceWhere);
    model->fade = requiredFlag(block_, "fade", kPoseSpaceWhere);
    if (block_.contains("restGap")) model->restGap = requiredFlag(block_, "restGap", kPoseSpaceWhere);
    if (block_.contains("inMorphs")) {
      if (version < 5)
        refuseBlock(fmt::format("{} has version {}, but inMorphs belongs to version 5", kPoseSpaceWhere, version));
      model->inMorphs = requiredFlag(block_, "inMorphs", kPoseSpaceWhere);
    }
    model->poseSpace.diagonal = requiredNumber(block_, "diagonal", kPoseSpaceWhere);
    if (!(model->poseSpace.diagonal > 0)) refuse(placeOf("diagonal") + " is not positive; learn the character again");
    model->interpolation =
        interpolation(requiredObject(block_, "interpolation", kPoseSpaceWhere), placeOf("interpolation"));
    for (const Json& driver : objectsOf(block_, "drivers", kPoseSpaceWhere)) {
      model->poseSpace.drivers.push_back(readDriver(driver, model->poseSpace.drivers.size()));
    }
    if (model->poseSpace.drivers.empty()) refuse(placeOf("drivers") + " is empty; learn the character again");
    readNames(*model);
    readArrays(version, *model);
    readTerms(*model);
    checkPoseSpaceModel(*model, reading().character, kPoseSpaceWhere);
    if (!model->interpolation.confidence.empty() && model->interpolation.confidence.size() != model->exampleCount()) {
      refuse(fmt::format("{} has {} confidences for {} examples; learn the character again", kPoseSpaceWhere,
                         model->interpolation.confidence.size(), model->exampleCount()));
    }
    return model;
  }

  /// The morph targets of a model that was read. Throws Outdated or Error.
  PoseSpaceMorphs morphs(const PoseSpaceModel& model) {
    PoseSpaceMorphs morphs;
    if (find(block_, "morphs") == nullptr) return morphs;
    const Json& json = requiredObject(block_, "morphs", kPoseSpaceWhere);
    const std::string where = placeOf("morphs");
    morphs.interpolation = interpolation(requiredObject(json, "interpolation", where), where + ".interpolation");
    if (!morphs.interpolation.confidence.empty()) refuse(where + " has confidences; learn the character again");
    morphs.clip = optionalText(json, "clip", where);
    const std::size_t count = columnsOf(json, "knots", where);
    if (count < 1 || count > kPoseSpaceMostExamples) {
      refuse(fmt::format("{} has {} knots; 1 to {} are allowed; learn the character again", where, count,
                         kPoseSpaceMostExamples));
    }
    morphs.knots = numbers(json, "knots", where, toSize(model.poseSpace.dimensions()), count);
    const bool mixed = find(json, "mixing") != nullptr;
    if (mixed) readMixing(json, where, count, morphs);
    const auto weights = toSize(morphs.weightCount());
    for (const Json& target : objectsOf(json, "targets", where)) {
      const auto knot = requiredCount(target, "knot", where + ".targets");
      if (knot < (mixed ? 0u : 1u) || knot >= weights) {
        refuse(fmt::format("{}.targets refers to {} {} of {}; learn the character again", where,
                           mixed ? "weight" : "knot", knot, weights));
      }
      morphs.morphs.push_back(morphOf(target, where + ".targets"));
      morphs.knotOf.push_back(static_cast<int>(knot));
    }
    return morphs;
  }

 private:
  RbfOptions interpolation(const Json& json, const std::string& where) const {
    RbfOptions options;
    options.kernel = rbfKernel(requiredText(json, "kernel", where)).name;
    options.radius = requiredNumber(json, "radius", where);
    options.ridge = requiredNumber(json, "ridge", where);
    options.polynomial = choiceNamed<RbfPolynomial>(requiredText(json, "polynomial", where), "polynomial");
    options.mergeDistance = requiredNumber(json, "mergeDistance", where);
    if (find(json, "local") != nullptr) options.local = requiredNumber(json, "local", where);
    if (const Json* confidence = find(json, "confidence")) {
      options.confidence = *optionalNumbers(json, "confidence", confidence->size(), where);
    }
    // The numbers' ranges are the interpolator's to judge: a single point is enough to ask it.
    RbfOptions tried = options;
    tried.confidence.clear();
    static_cast<void>(RbfInterpolator(Eigen::MatrixXd::Zero(1, 1), tried));
    for (const double c : options.confidence) {
      if (!(c > 0 && std::isfinite(c)))
        refuse(fmt::format("{}.confidence has {}; learn the character again", where, c));
    }
    return options;
  }

  void readMixing(const Json& json, const std::string& where, std::size_t knots, PoseSpaceMorphs& morphs) const {
    if (requiredCount(block_, "version", kPoseSpaceWhere) < 4)
      refuse(fmt::format("{}.mixing belongs to version 4; learn the character again", where));
    const std::size_t weights = rowsOf(json, "mixing", where);
    if (weights < 1 || weights > kPoseSpaceMostExamples) {
      refuse(fmt::format("{}.mixing has {} rows; 1 to {} are allowed; learn the character again", where, weights,
                         kPoseSpaceMostExamples));
    }
    morphs.mixing = numbers(json, "mixing", where, weights, knots);
  }

  /// The character's morph target that an object with `mesh` and `target` names.
  [[nodiscard]] int morphOf(const Json& json, const std::string& where) const {
    const std::size_t mesh = requiredCount(json, "mesh", where);
    const std::size_t target = requiredCount(json, "target", where);
    if (mesh + 1 >= reading().firstMorph.size()) {
      throw Outdated{fmt::format("it refers to morph targets of mesh {}, which the file no longer has", mesh)};
    }
    const auto count = toSize(reading().firstMorph[mesh + 1] - reading().firstMorph[mesh]);
    if (target >= count) {
      throw Outdated{
          fmt::format("it refers to morph target {} of mesh {}, which now has only {}", target, mesh, count)};
    }
    return reading().firstMorph[mesh] + static_cast<int>(target);
  }

  [[nodiscard]] PoseDriver readDriver(const Json& json, std::size_t index) const {
    const std::string where = fmt::format("{}[{}]", placeOf("drivers"), index);
    PoseDriver driver;
    driver.kind = choiceNamed<DriverKind>(requiredText(json, "kind", where), "pose coordinates");
    driver.name = requiredText(json, "name", where);
    driver.weight = requiredNumber(json, "weight", where);
    driver.source =
        driver.kind == DriverKind::Channel ? morphOf(json, where) : jointOf(json, "node", driver.name, "driver", where);
    const std::vector<double> axis = requiredNumbers(json, "axis", 3, where);
    driver.axis = Vec3(axis[0], axis[1], axis[2]);
    if (!driver.axis.allFinite()) refuse(where + ".axis is not finite; learn the character again");
    return driver;
  }

  void readNames(PoseSpaceModel& model) const {
    required(block_, "examples", kPoseSpaceWhere);
    const std::size_t count = listOf(block_, "examples", kPoseSpaceWhere).size();
    if (count < 1 || count > kPoseSpaceMostExamples)
      refuseBlock(
          fmt::format("{} has {} examples; 1 to {} are allowed", kPoseSpaceWhere, count, kPoseSpaceMostExamples));
    model.names = requiredTexts(block_, "examples", kPoseSpaceWhere);
  }

  void readArrays(std::size_t version, PoseSpaceModel& model) const {
    const std::size_t examples = model.names.size();
    model.poses = numbers(block_, "poses", kPoseSpaceWhere, toSize(model.poseSpace.dimensions()), examples);
    model.vertices = indices(block_, "vertices", kPoseSpaceWhere);
    readCoefficients(version, model);
    const std::size_t shapes = model.shapeCount();
    model.deltas = perShape("deltas", shapes, model.vertices.size());
    if (find(block_, "layer") != nullptr) model.layer = perShape("layer", shapes, model.vertices.size());
    if (find(block_, "groups") == nullptr) return;
    const Json& groups = requiredObject(block_, "groups", kPoseSpaceWhere);
    const std::string where = placeOf("groups");
    model.groupOf = indices(groups, "ofVertex", where);
    const std::size_t count = columnsOf(groups, "weights", where);
    model.groupWeights = numbers(groups, "weights", where, model.poseSpace.drivers.size(), count);
  }

  /// Earlier versions have a shape per example, so that programs which do not know coefficients do not play shapes as
  /// if they were examples.
  void readCoefficients(std::size_t version, PoseSpaceModel& model) const {
    if (version < 3) {
      if (find(block_, "coefficients") != nullptr)
        refuseBlock(fmt::format("{} has version {}, but coefficients belong to version 3", kPoseSpaceWhere, version));
      return;
    }
    if (version > 3 && find(block_, "coefficients") == nullptr) return;
    const std::size_t shapes = rowsOf(block_, "coefficients", kPoseSpaceWhere);
    if (shapes < 1 || shapes > toSize(kMostLowRankShapes)) {
      refuseBlock(
          fmt::format("{} has {} shapes; 1 to {} are allowed", placeOf("coefficients"), shapes, kMostLowRankShapes));
    }
    model.coefficients = numbers(block_, "coefficients", kPoseSpaceWhere, shapes, model.names.size());
  }

  void readTerms(PoseSpaceModel& model) const {
    if (find(block_, "terms") == nullptr) return;
    const std::string where = placeOf("terms");
    for (const Json& json : objectsOf(block_, "terms", kPoseSpaceWhere)) {
      if (model.terms.size() == kMostTerms)
        refuse(fmt::format("{} has more than {} terms; learn the character again", kPoseSpaceWhere, kMostTerms));
      PoseSpaceTerm term;
      term.interpolation = interpolation(requiredObject(json, "interpolation", where), where + ".interpolation");
      term.uniform = requiredFlag(json, "uniform", where);
      term.floor = requiredNumber(json, "floor", where);
      model.terms.push_back(std::move(term));
    }
    if (model.terms.empty()) refuse(where + " is empty; learn the character again");
    const Index groups = model.weighted() ? model.groupWeights.cols() : 1;
    model.shares = numbers(block_, "shares", kPoseSpaceWhere, model.terms.size(), toSize(groups));
  }

  [[nodiscard]] std::vector<Points> perShape(const char* key, std::size_t shapes, std::size_t touched) const {
    // Both are bounded: shapes above, affected vertices by the bytes of `vertices`.
    const Eigen::MatrixXd all = numbers(block_, key, kPoseSpaceWhere, 3, shapes * touched);
    std::vector<Points> list;
    list.reserve(shapes);
    for (std::size_t k = 0; k < shapes; ++k) {
      list.emplace_back(all.middleCols(static_cast<Index>(k * touched), static_cast<Index>(touched)));
    }
    return list;
  }

  const Json& block_;
};

Json listed(const Eigen::Ref<const Eigen::VectorXd>& numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(number);
  return list;
}

Json optionsJson(const RbfOptions& options) {
  Json json{{"kernel", options.kernel},
            {"radius", options.radius},
            {"ridge", options.ridge},
            {"polynomial", nameOf(options.polynomial)},
            {"mergeDistance", options.mergeDistance}};
  if (options.local > 0) json["local"] = options.local;
  if (!options.confidence.empty()) json["confidence"] = options.confidence;
  return json;
}

Json termJson(const PoseSpaceTerm& term) {
  return Json{{"interpolation", optionsJson(term.interpolation)}, {"uniform", term.uniform}, {"floor", term.floor}};
}

class PoseSpaceWriter : private BlockWriter {
 public:
  PoseSpaceWriter(Store& store, const WrittenPlaces& places) : BlockWriter(store), places_(places) {}

  Json json(const PoseSpaceModel& model, const PoseSpaceMorphs& morphs, std::size_t vertexCount) {
    // Programs that know only one interpolation per model must not play a mixture as if it were one, nor shapes as if
    // they were examples, nor mixed weights as if they were those of knots, nor drivers as if they corrected nothing.
    Json json{{"version", model.inMorphs             ? 5
                          : morphs.mixing.size() > 0 ? 4
                          : model.lowRank()          ? 3
                          : model.terms.empty()      ? 1
                                                     : 2},
              {"vertexCount", vertexCount},
              {"space", nameOf(model.space)},
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
    if (!model.restGap) json["restGap"] = false;
    if (model.inMorphs) json["inMorphs"] = true;
    if (model.lowRank()) json["coefficients"] = numbers(model.coefficients);
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
    Json json{{"kind", nameOf(driver.kind)}, {"name", driver.name}};
    // Joints are the first nodes of a file, in order.
    json.update(driver.kind == DriverKind::Channel ? placeOf(driver.source) : Json{{"node", driver.source}});
    json["weight"] = driver.weight;
    json["axis"] = listed(driver.axis);
    return json;
  }

  Json morphsJson(const PoseSpaceModel& model, const PoseSpaceMorphs& morphs) {
    Json json{{"knots", numbers(morphs.knots)}, {"interpolation", optionsJson(morphs.interpolation)}};
    if (morphs.mixing.size() > 0) json["mixing"] = numbers(morphs.mixing);
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

void readPoseSpace(Reading& reading, const Json& block, CharacterFile& file) {
  if (!block.is_object()) refuse(fmt::format("{} is not an object; learn the character again", kPoseSpaceWhere));
  PoseSpaceReader reader(reading, block);
  // The checks of the model are shared with other callers, so their errors are reworded for a file.
  const auto attempt = [&](const auto& step, const char* otherwise) {
    try {
      step();
    } catch (const Outdated& outdated) {
      reading.problems.push_back(
          fmt::format("{} no longer matches the file: {}; {}.", kPoseSpaceBlock, outdated.why, otherwise));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Unreadable) throw;
      refuse(fmt::format("{}: {}; learn the character again", kPoseSpaceWhere, error.message()));
    }
  };
  attempt([&] { file.poseSpace = reader.model(); }, "the corrections were ignored, so learn them again (sinew psd)");
  if (!file.poseSpace) return;
  const bool inMorphs = file.poseSpace->inMorphs;
  attempt([&] { file.poseSpaceMorphs = reader.morphs(*file.poseSpace); },
          inMorphs ? "the corrections were ignored, so learn them again (sinew learn)"
                   : "it plays in Sinew, but no longer in other programs");
  if (inMorphs && file.poseSpaceMorphs.empty()) file.poseSpace = nullptr;
}

bool hasPoseSpace(const CharacterFile& file) {
  return file.poseSpace != nullptr;
}

void validatePoseSpace(const CharacterFile& file) {
  if (file.poseSpace) checkPoseSpaceModel(*file.poseSpace, file.character, "");
}

bool writePoseSpace(const BlockTarget& target) {
  Json& root = target.document.json;
  const PoseSpaceModel* const model = target.file.poseSpace.get();
  const PoseSpaceMorphs& morphs = target.file.poseSpaceMorphs;
  const bool had = findBlock(root, kPoseSpaceBlock) != nullptr;
  if (model == nullptr && !had) return false;
  if (model != nullptr && target.before != nullptr && target.before->poseSpace && !target.places.moved &&
      *target.before->poseSpace == *model && target.before->poseSpaceMorphs == morphs) {
    return false;
  }
  eraseBlock(root, kPoseSpaceBlock);
  if (model == nullptr) return true;
  PoseSpaceWriter writer(target.store, target.places);
  const std::vector<std::uint32_t>& vertices = target.places.vertices;
  const Index count = target.file.character.mesh.vertexCount();
  Json json = vertices.empty() ? writer.json(*model, morphs, toSize(count))
                               : writer.json(onVertices(*model, vertices, count), morphs, vertices.size());
  putBlock(root, kPoseSpaceBlock, std::move(json));
  return true;
}

}  // namespace

const BlockRow kPoseSpaceRow{kPoseSpaceBlock, readPoseSpace, hasPoseSpace, validatePoseSpace, writePoseSpace};

}  // namespace sinew::gltf
