// SINEW_reduced_model: a reduced deformable model beside the plain skin that plays it elsewhere (docs/formats.md).
// Every size is checked against the bytes that are there before anything is allocated, every index against what it
// names. Numbers are written as they are, in 64 bits, so that reading restores the model bit for bit.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/base/error.h"
#include "sinew/io/gltf/blocks/rows.h"

namespace sinew::gltf {
namespace {

constexpr const char* kReducedBlock = "SINEW_reduced_model";
constexpr std::size_t kReducedVersion = 1;
constexpr const char* kReducedWhere = "extensions.SINEW_reduced_model";
constexpr const char* kReducedRemedy = "learn the model again";
/// More of these come from no mesh: keeps products of sizes small.
constexpr std::size_t kMostControls = 4096;
constexpr std::size_t kReducedMostExamples = 65536;
constexpr double kRotationTolerance = 1e-6;

template <class Transform>
Transform unflat(const Eigen::MatrixXd& columns, Index column) {
  Transform transform = Transform::Identity();
  transform.matrix().template topRows<3>() =
      Eigen::Map<const Eigen::Matrix<double, 3, 4>>(columns.data() + 12 * column);
  return transform;
}

class ReducedReader : private BlockReader {
 public:
  ReducedReader(const Reading& reading, const Json& block)
      : BlockReader(reading, kReducedWhere, kReducedRemedy), block_(block) {}

  /// Throws Outdated or Error.
  std::shared_ptr<const ReducedModel> model() {
    if (!block_.is_object()) refuseBlock(where() + " is not an object");
    const std::size_t version = requiredCount(block_, "version", where());
    if (version != kReducedVersion) throw Outdated{fmt::format("it has version {}, not {}", version, kReducedVersion)};
    const std::size_t vertices = requiredCount(block_, "vertexCount", where());
    const auto present = toSize(reading().character.mesh.vertexCount());
    if (vertices != present)
      throw Outdated{fmt::format("it was learned for {} vertices, but the file has {}", vertices, present)};
    auto model = std::make_shared<ReducedModel>();
    model->rigid = requiredFlag(block_, "rigid", where());
    readSizes(*model);
    readShape(*model, present);
    readTransforms(*model);
    model->labels = indices(block_, "labels", where());
    readParents(*model);
    readFits(*model);
    readProxies(*model);
    checkReducedModel(*model, kReducedWhere);
    return model;
  }

 private:
  void readSizes(ReducedModel& model) {
    controls_ = requiredCount(block_, "controls", where());
    if (controls_ > kMostControls)
      refuseBlock(fmt::format("{} is {}, {} are possible", placeOf("controls"), controls_, kMostControls));
    model.names = requiredTexts(block_, "examples", where());
    if (model.names.size() > kReducedMostExamples) {
      refuseBlock(fmt::format("{} has {} names; {} are allowed", placeOf("examples"), model.names.size(),
                              kReducedMostExamples));
    }
    const double rest = requiredNumber(block_, "restExample", where());
    if (!(rest >= -1 && rest < static_cast<double>(model.names.size()) && rest == static_cast<int>(rest)))
      refuseBlock(fmt::format("{} is {}, but there are {} examples", placeOf("restExample"), rest, model.names.size()));
    model.restExample = static_cast<int>(rest);
  }

  void readShape(ReducedModel& model, std::size_t count) {
    model.rest = numbers(block_, "rest", where(), 3, count);
    const Json& weights = requiredObject(block_, "weights", where());
    const std::string place = placeOf("weights");
    const std::vector<std::uint32_t> counts = indices(weights, "counts", place);
    const std::vector<std::uint32_t> owners = indices(weights, "controls", place);
    const Eigen::MatrixXd values = numbers(weights, "values", place, 1, owners.size());
    if (counts.size() != count) refuseBlock(fmt::format("{} covers {} of {} vertices", place, counts.size(), count));
    std::vector<std::uint32_t> offsets{0};
    offsets.reserve(counts.size() + 1);
    for (const std::uint32_t influences : counts) {
      if (influences > owners.size() - offsets.back())
        refuseBlock(fmt::format("{}.counts exceeds the {} available influences", place, owners.size()));
      offsets.push_back(offsets.back() + influences);
    }
    std::vector<Influence> influences(owners.size());
    for (std::size_t i = 0; i < owners.size(); ++i) influences[i] = {owners[i], values(0, static_cast<Index>(i))};
    model.weights = SkinWeights(controls_, std::move(offsets), std::move(influences));
  }

  void readTransforms(ReducedModel& model) {
    const std::size_t examples = model.names.size();
    const Eigen::MatrixXd transforms = numbers(block_, "transforms", where(), 12, examples * controls_);
    const Eigen::MatrixXd alignments = numbers(block_, "alignments", where(), 12, examples);
    for (std::size_t e = 0; e < examples; ++e) {
      std::vector<Affine>& own = model.controls.emplace_back();
      own.reserve(controls_);
      for (std::size_t c = 0; c < controls_; ++c)
        own.push_back(unflat<Affine>(transforms, static_cast<Index>(e * controls_ + c)));
      model.inputFromAligned.push_back(unflat<Eigen::Isometry3d>(alignments, static_cast<Index>(e)));
      const Mat3 turn = model.inputFromAligned.back().linear();
      if (!(turn.transpose() * turn).isIdentity(kRotationTolerance))
        refuseBlock(fmt::format("{} of '{}' is not a rigid motion", placeOf("alignments"), model.names[e]));
    }
  }

  void readParents(ReducedModel& model) {
    const Json* parents = find(block_, "parents");
    if (parents == nullptr) return;
    const std::vector<double> list = requiredNumbers(block_, "parents", parents->size(), where());
    for (const double parent : list) {
      if (!(parent >= -1 && parent < static_cast<double>(controls_) && parent == static_cast<int>(parent)))
        refuseBlock(fmt::format("{} has {}, but there are {} controls", placeOf("parents"), parent, controls_));
      model.parents.push_back(static_cast<int>(parent));
    }
  }

  void readFits(ReducedModel& model) {
    if (find(block_, "fits") == nullptr) return;
    const Eigen::MatrixXd fits = numbers(block_, "fits", where(), 2, model.names.size());
    for (Index e = 0; e < fits.cols(); ++e) model.fits.push_back({.error = fits(0, e), .spread = fits(1, e)});
  }

  void readProxies(ReducedModel& model) {
    if (find(block_, "proxies") == nullptr) {
      model.proxies.positions.resize(3, 0);
      return;
    }
    const Json& proxies = requiredObject(block_, "proxies", where());
    const std::string place = placeOf("proxies");
    const std::size_t count = columnsOf(proxies, "positions", place);
    model.proxies.positions = numbers(proxies, "positions", place, 3, count);
    model.proxies.weights = numbers(proxies, "weights", place, controls_, count);
    model.proxies.gradients = numbers(proxies, "gradients", place, 3 * controls_, count);
  }

  const Json& block_;
  std::size_t controls_ = 0;
};

template <class Matrix>
bool sameMatrix(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}

template <class Transform>
bool sameTransform(const Transform& a, const Transform& b) {
  return a.matrix() == b.matrix();
}

bool sameReduced(const ReducedModel& a, const ReducedModel& b) {
  const auto sameExample = [](const std::vector<Affine>& x, const std::vector<Affine>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), sameTransform<Affine>);
  };
  const auto sameFit = [](const ExampleFit& x, const ExampleFit& y) {
    return x.error == y.error && x.spread == y.spread;
  };
  return sameMatrix(a.rest, b.rest) &&
         std::equal(a.fits.begin(), a.fits.end(), b.fits.begin(), b.fits.end(), sameFit) && a.weights == b.weights &&
         a.names == b.names &&
         std::equal(a.controls.begin(), a.controls.end(), b.controls.begin(), b.controls.end(), sameExample) &&
         std::equal(a.inputFromAligned.begin(), a.inputFromAligned.end(), b.inputFromAligned.begin(),
                    b.inputFromAligned.end(), sameTransform<Eigen::Isometry3d>) &&
         a.restExample == b.restExample && a.labels == b.labels && a.rigid == b.rigid && a.parents == b.parents &&
         sameMatrix(a.proxies.positions, b.proxies.positions) && sameMatrix(a.proxies.weights, b.proxies.weights) &&
         sameMatrix(a.proxies.gradients, b.proxies.gradients);
}

/// Matrices of 3 x 4 side by side: 12 x count, each column by column.
Eigen::MatrixXd flat(const std::vector<Affine>& transforms) {
  Eigen::MatrixXd columns(12, static_cast<Index>(transforms.size()));
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    const Eigen::Matrix<double, 3, 4> matrix = transforms[i].matrix();
    columns.col(static_cast<Index>(i)) = matrix.reshaped();
  }
  return columns;
}

/// The model in the vertices of the file: duplicates at seams move together.
ReducedModel renumbered(const ReducedModel& model, const std::vector<std::uint32_t>& vertices) {
  ReducedModel result = model;
  result.rest = model.rest(Eigen::all, vertices);
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  for (const std::uint32_t v : vertices) {
    influences.insert(influences.end(), model.weights[v].begin(), model.weights[v].end());
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  result.weights = SkinWeights(model.weights.bindingCount(), std::move(offsets), std::move(influences));
  return result;
}

/// Whether the file has the vertices of the model, in order.
bool inOrder(const ReducedModel& model, const std::vector<std::uint32_t>& vertices) {
  std::vector<std::uint32_t> same(toSize(model.rest.cols()));
  std::iota(same.begin(), same.end(), 0u);
  return vertices == same;
}

class ReducedWriter : private BlockWriter {
 public:
  explicit ReducedWriter(Store& store) : BlockWriter(store) {}

  Json json(const ReducedModel& model) {
    Json json{{"version", 1},
              {"vertexCount", model.rest.cols()},
              {"rigid", model.rigid},
              {"controls", model.controlCount()},
              {"examples", model.names},
              {"restExample", model.restExample},
              {"rest", numbers(model.rest)}};
    json["weights"] = weightsJson(model.weights);
    json["transforms"] = transformsJson(model);
    json["alignments"] = alignmentsJson(model);
    json["labels"] = indices(model.labels);
    if (!model.parents.empty()) json["parents"] = model.parents;
    if (!model.fits.empty()) json["fits"] = fitsJson(model.fits);
    if (model.proxies.count() == 0) return json;
    Json proxies{{"positions", numbers(model.proxies.positions)}};
    proxies["weights"] = numbers(model.proxies.weights);
    proxies["gradients"] = numbers(model.proxies.gradients);
    json["proxies"] = std::move(proxies);
    return json;
  }

 private:
  Json weightsJson(const SkinWeights& weights) {
    std::vector<std::uint32_t> counts;
    std::vector<std::uint32_t> controls;
    std::vector<double> values;
    for (Index v = 0; v < weights.vertexCount(); ++v) {
      counts.push_back(static_cast<std::uint32_t>(weights[v].size()));
      for (const Influence& influence : weights[v]) {
        controls.push_back(influence.binding);
        values.push_back(influence.weight);
      }
    }
    Json json{{"counts", indices(counts)}};
    json["controls"] = indices(controls);
    json["values"] = numbers(Eigen::Map<const Eigen::RowVectorXd>(values.data(), static_cast<Index>(values.size())));
    return json;
  }

  Json transformsJson(const ReducedModel& model) {
    Eigen::MatrixXd all(12, static_cast<Index>(model.exampleCount()) * model.controlCount());
    for (std::size_t e = 0; e < model.exampleCount(); ++e) {
      all.middleCols(static_cast<Index>(e) * model.controlCount(), model.controlCount()) = flat(model.controls[e]);
    }
    return numbers(all);
  }

  Json fitsJson(const std::vector<ExampleFit>& fits) {
    Eigen::MatrixXd all(2, static_cast<Index>(fits.size()));
    for (std::size_t e = 0; e < fits.size(); ++e) {
      all(0, static_cast<Index>(e)) = fits[e].error;
      all(1, static_cast<Index>(e)) = fits[e].spread;
    }
    return numbers(all);
  }

  Json alignmentsJson(const ReducedModel& model) {
    std::vector<Affine> alignments;
    for (const Eigen::Isometry3d& alignment : model.inputFromAligned) {
      Affine& affine = alignments.emplace_back();
      affine.matrix() = alignment.matrix().topRows<3>();
    }
    return numbers(flat(alignments));
  }
};

void readReducedModel(Reading& reading, const Json& block, CharacterFile& file) {
  try {
    file.reduced = ReducedReader(reading, block).model();
  } catch (const Outdated& outdated) {
    reading.problems.push_back(fmt::format(
        "{} no longer matches the file: {}; the model was ignored, so learn it again.", kReducedBlock, outdated.why));
  } catch (const Error& error) {
    // The words of the checks that the model shares with other callers, as a fault of this file.
    if (error.code() == ErrorCode::Unreadable) throw;
    refuse(fmt::format("{}: {}; {}", kReducedWhere, error.message(), kReducedRemedy));
  }
}

bool hasReducedModel(const CharacterFile& file) {
  return file.reduced != nullptr;
}

void validateReducedModel(const CharacterFile& file) {
  if (!file.reduced) return;
  checkReducedModel(*file.reduced, "");
  const Index count = file.character.mesh.vertexCount();
  SINEW_CHECK(file.reduced->rest.cols() == count, "",
              fmt::format("the reduced model has {} vertices, the mesh {}", file.reduced->rest.cols(), count));
}

bool writeReducedModel(const BlockTarget& target) {
  Json& root = target.document.json;
  const ReducedModel* const model = target.file.reduced.get();
  const bool had = findBlock(root, kReducedBlock) != nullptr;
  if (model == nullptr && !had) return false;
  if (model != nullptr && target.before != nullptr && target.before->reduced &&
      sameReduced(*target.before->reduced, *model)) {
    return false;
  }
  eraseBlock(root, kReducedBlock);
  if (model == nullptr) return true;
  ReducedWriter writer(target.store);
  const std::vector<std::uint32_t>& vertices = target.places.vertices;
  const bool same = vertices.empty() || inOrder(*model, vertices);
  Json json = writer.json(same ? *model : renumbered(*model, vertices));
  putBlock(root, kReducedBlock, std::move(json));
  return true;
}

}  // namespace

const BlockRow kReducedModelRow{kReducedBlock, readReducedModel, hasReducedModel, validateReducedModel,
                                writeReducedModel};

}  // namespace sinew::gltf
