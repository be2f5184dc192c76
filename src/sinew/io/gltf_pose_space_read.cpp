// Reading SINEW_pose_space. Every size is checked against the bytes that are there before anything is allocated, every
// index against what it names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/error.h"
#include "sinew/deform/deformers.h"
#include "sinew/io/gltf_block.h"
#include "sinew/io/gltf_pose_space.h"

namespace sinew::gltf {
namespace {

/// 2 has `terms`.
constexpr std::size_t kVersion = 2;
/// A mixture has a handful.
constexpr std::size_t kMostTerms = 64;
/// Interpolators are dense: more examples than this come from no sculptor.
constexpr std::size_t kMostExamples = 4096;
constexpr const char* kWhere = "extensions.SINEW_pose_space";
constexpr const char* kRemedy = "learn the character again";

class PoseSpaceReader : private BlockReader {
 public:
  PoseSpaceReader(const Reading& reading, const Json& block) : BlockReader(reading, kWhere, kRemedy), block_(block) {}

  /// Throws Outdated or Error.
  std::shared_ptr<const PoseSpaceModel> model() {
    const std::size_t version = requiredCount(block_, "version", kWhere);
    if (version < 1 || version > kVersion)
      throw Outdated{fmt::format("it has version {}; versions 1 to {} can be read", version, kVersion)};
    const std::size_t vertices = requiredCount(block_, "vertexCount", kWhere);
    const auto present = static_cast<std::size_t>(reading().character.mesh.vertexCount());
    if (vertices != present) {
      throw Outdated{fmt::format("it was learned for {} vertices, but the file has {}", vertices, present)};
    }
    if (!reading().character.hasSkin()) throw Outdated{"the file no longer has a skin"};
    auto model = std::make_shared<PoseSpaceModel>();
    model->space = deltaSpace(requiredText(block_, "space", kWhere));
    model->base = requiredText(block_, "base", kWhere);
    if (deformerRow(model->base).source != DeformerSource::Skin) {
      refuse(fmt::format("{} is '{}', which is not a skinning operator; learn the character again", placeOf("base"),
                         model->base));
    }
    model->rootFrame = requiredFlag(block_, "rootFrame", kWhere);
    model->fade = requiredFlag(block_, "fade", kWhere);
    model->poseSpace.diagonal = requiredNumber(block_, "diagonal", kWhere);
    if (!(model->poseSpace.diagonal > 0)) refuse(placeOf("diagonal") + " is not positive; learn the character again");
    model->interpolation = interpolation(requiredObject(block_, "interpolation", kWhere), placeOf("interpolation"));
    for (const Json& driver : objectsOf(block_, "drivers", kWhere)) {
      model->poseSpace.drivers.push_back(readDriver(driver, model->poseSpace.drivers.size()));
    }
    if (model->poseSpace.drivers.empty()) refuse(placeOf("drivers") + " is empty; learn the character again");
    readNames(*model);
    readArrays(*model);
    readTerms(*model);
    checkPoseSpaceModel(*model, reading().character, kWhere);
    if (!model->interpolation.confidence.empty() && model->interpolation.confidence.size() != model->exampleCount()) {
      refuse(fmt::format("{} has {} confidences for {} examples; learn the character again", kWhere,
                         model->interpolation.confidence.size(), model->exampleCount()));
    }
    return model;
  }

  /// The morph targets of a model that was read. Throws Outdated or Error.
  PoseSpaceMorphs morphs(const PoseSpaceModel& model) {
    PoseSpaceMorphs morphs;
    if (find(block_, "morphs") == nullptr) return morphs;
    const Json& json = requiredObject(block_, "morphs", kWhere);
    const std::string where = placeOf("morphs");
    morphs.interpolation = interpolation(requiredObject(json, "interpolation", where), where + ".interpolation");
    if (!morphs.interpolation.confidence.empty()) refuse(where + " has confidences; learn the character again");
    morphs.clip = optionalText(json, "clip", where);
    const std::size_t count = columnsOf(json, "knots", where);
    if (count < 1 || count > kMostExamples) {
      refuse(
          fmt::format("{} has {} knots; 1 to {} are allowed; learn the character again", where, count, kMostExamples));
    }
    morphs.knots = numbers(json, "knots", where, static_cast<std::size_t>(model.poseSpace.dimensions()), count);
    for (const Json& target : objectsOf(json, "targets", where)) {
      const auto knot = requiredCount(target, "knot", where + ".targets");
      if (knot < 1 || knot >= count) {
        refuse(fmt::format("{}.targets refers to knot {} of {}; learn the character again", where, knot, count));
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
    options.polynomial = requiredText(json, "polynomial", where);
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

  /// The character's morph target that an object with `mesh` and `target` names.
  [[nodiscard]] int morphOf(const Json& json, const std::string& where) const {
    const std::size_t mesh = requiredCount(json, "mesh", where);
    const std::size_t target = requiredCount(json, "target", where);
    if (mesh + 1 >= reading().firstMorph.size()) {
      throw Outdated{fmt::format("it refers to morph targets of mesh {}, which the file no longer has", mesh)};
    }
    const auto count = static_cast<std::size_t>(reading().firstMorph[mesh + 1] - reading().firstMorph[mesh]);
    if (target >= count) {
      throw Outdated{
          fmt::format("it refers to morph target {} of mesh {}, which now has only {}", target, mesh, count)};
    }
    return reading().firstMorph[mesh] + static_cast<int>(target);
  }

  [[nodiscard]] PoseDriver readDriver(const Json& json, std::size_t index) const {
    const std::string where = fmt::format("{}[{}]", placeOf("drivers"), index);
    PoseDriver driver;
    driver.kind = driverKind(requiredText(json, "kind", where));
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
    required(block_, "examples", kWhere);
    const std::size_t count = listOf(block_, "examples", kWhere).size();
    if (count < 1 || count > kMostExamples)
      refuseBlock(fmt::format("{} has {} examples; 1 to {} are allowed", kWhere, count, kMostExamples));
    model.names = requiredTexts(block_, "examples", kWhere);
  }

  void readArrays(PoseSpaceModel& model) const {
    const std::size_t examples = model.names.size();
    model.poses = numbers(block_, "poses", kWhere, static_cast<std::size_t>(model.poseSpace.dimensions()), examples);
    model.vertices = indices(block_, "vertices", kWhere);
    model.deltas = perExample("deltas", examples, model.vertices.size());
    if (find(block_, "layer") != nullptr) model.layer = perExample("layer", examples, model.vertices.size());
    if (find(block_, "groups") == nullptr) return;
    const Json& groups = requiredObject(block_, "groups", kWhere);
    const std::string where = placeOf("groups");
    model.groupOf = indices(groups, "ofVertex", where);
    const std::size_t count = columnsOf(groups, "weights", where);
    model.groupWeights = numbers(groups, "weights", where, model.poseSpace.drivers.size(), count);
  }

  void readTerms(PoseSpaceModel& model) const {
    if (find(block_, "terms") == nullptr) return;
    const std::string where = placeOf("terms");
    for (const Json& json : objectsOf(block_, "terms", kWhere)) {
      if (model.terms.size() == kMostTerms)
        refuse(fmt::format("{} has more than {} terms; learn the character again", kWhere, kMostTerms));
      PoseSpaceTerm term;
      term.interpolation = interpolation(requiredObject(json, "interpolation", where), where + ".interpolation");
      term.uniform = requiredFlag(json, "uniform", where);
      term.floor = requiredNumber(json, "floor", where);
      model.terms.push_back(std::move(term));
    }
    if (model.terms.empty()) refuse(where + " is empty; learn the character again");
    const Index groups = model.weighted() ? model.groupWeights.cols() : 1;
    model.shares = numbers(block_, "shares", kWhere, model.terms.size(), static_cast<std::size_t>(groups));
  }

  [[nodiscard]] std::vector<Points> perExample(const char* key, std::size_t examples, std::size_t touched) const {
    // Both are bounded: examples above, affected vertices by the bytes of `vertices`.
    const Eigen::MatrixXd all = numbers(block_, key, kWhere, 3, examples * touched);
    std::vector<Points> list;
    list.reserve(examples);
    for (std::size_t k = 0; k < examples; ++k) {
      list.emplace_back(all.middleCols(static_cast<Index>(k * touched), static_cast<Index>(touched)));
    }
    return list;
  }

  const Json& block_;
};

bool sameMatrix(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}

bool sameList(const std::vector<Points>& a, const std::vector<Points>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Points& x, const Points& y) { return x.cols() == y.cols() && x == y; });
}

bool sameOptions(const RbfOptions& a, const RbfOptions& b) {
  return a.kernel == b.kernel && a.radius == b.radius && a.ridge == b.ridge && a.polynomial == b.polynomial &&
         a.mergeDistance == b.mergeDistance && a.confidence == b.confidence && a.local == b.local;
}

bool sameTerms(const std::vector<PoseSpaceTerm>& a, const std::vector<PoseSpaceTerm>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PoseSpaceTerm& x, const PoseSpaceTerm& y) {
    return sameOptions(x.interpolation, y.interpolation) && x.uniform == y.uniform && x.floor == y.floor;
  });
}

bool sameModel(const PoseSpaceModel& a, const PoseSpaceModel& b) {
  return a.space == b.space && a.base == b.base && a.rootFrame == b.rootFrame && a.poseSpace == b.poseSpace &&
         sameOptions(a.interpolation, b.interpolation) && a.fade == b.fade && a.names == b.names &&
         sameMatrix(a.poses, b.poses) && a.vertices == b.vertices && sameList(a.deltas, b.deltas) &&
         sameList(a.layer, b.layer) && a.groupOf == b.groupOf && sameMatrix(a.groupWeights, b.groupWeights) &&
         sameTerms(a.terms, b.terms) && sameMatrix(a.shares, b.shares);
}

bool sameMorphs(const PoseSpaceMorphs& a, const PoseSpaceMorphs& b) {
  return sameMatrix(a.knots, b.knots) && a.morphs == b.morphs && a.knotOf == b.knotOf &&
         sameOptions(a.interpolation, b.interpolation) && a.clip == b.clip;
}

}  // namespace

PoseSpaceBlock readPoseSpace(const Reading& reading, std::vector<std::string>& problems) {
  const Json* json = findBlock(reading.document.json, kPoseSpaceBlock);
  if (json == nullptr) return {};
  if (!json->is_object()) refuse(fmt::format("{} is not an object; learn the character again", kWhere));
  PoseSpaceReader reader(reading, *json);
  PoseSpaceBlock block;
  const auto tell = [&](const Outdated& outdated, const char* what) {
    problems.push_back(fmt::format("{} no longer matches the file: {}; {}.", kPoseSpaceBlock, outdated.why, what));
  };
  try {
    block.model = reader.model();
  } catch (const Outdated& outdated) {
    tell(outdated, "the corrections were ignored, so learn them again (sinew psd)");
    return {};
  } catch (const Error& error) {
    // The words of the checks that the model shares with other callers, as a fault of this file.
    if (error.code() == ErrorCode::Unreadable) throw;
    refuse(fmt::format("{}: {}; learn the character again", kWhere, error.message()));
  }
  try {
    block.morphs = reader.morphs(*block.model);
  } catch (const Outdated& outdated) {
    tell(outdated, "it plays in Sinew, but no longer in other programs");
    block.morphs = {};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Unreadable) throw;
    refuse(fmt::format("{}: {}; learn the character again", kWhere, error.message()));
  }
  return block;
}

bool samePoseSpace(const PoseSpaceBlock& a, const PoseSpaceBlock& b) {
  if ((a.model == nullptr) != (b.model == nullptr)) return false;
  return a.model == nullptr ||
         ((a.model == b.model || sameModel(*a.model, *b.model)) && sameMorphs(a.morphs, b.morphs));
}

}  // namespace sinew::gltf
