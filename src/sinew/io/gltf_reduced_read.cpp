// Reading SINEW_reduced_model. Every size is checked against the bytes that are there before anything is allocated,
// every index against what it names.
#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/error.h"
#include "sinew/io/gltf_block.h"
#include "sinew/io/gltf_reduced.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kVersion = 1;
constexpr const char* kWhere = "extensions.SINEW_reduced_model";
constexpr const char* kRemedy = "learn the model again";
/// More of these come from no mesh: keeps products of sizes small.
constexpr std::size_t kMostControls = 4096;
constexpr std::size_t kMostExamples = 65536;
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
  ReducedReader(const Reading& reading, const Json& block) : BlockReader(reading, kWhere, kRemedy), block_(block) {}

  /// Throws Outdated or Error.
  std::shared_ptr<const ReducedModel> model() {
    if (!block_.is_object()) refuseBlock(where() + " is not an object");
    const std::size_t version = requiredCount(block_, "version", where());
    if (version != kVersion) throw Outdated{fmt::format("it has version {}, not {}", version, kVersion)};
    const std::size_t vertices = requiredCount(block_, "vertexCount", where());
    const auto present = static_cast<std::size_t>(reading().character.mesh.vertexCount());
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
    checkReducedModel(*model, kWhere);
    return model;
  }

 private:
  void readSizes(ReducedModel& model) {
    controls_ = requiredCount(block_, "controls", where());
    if (controls_ > kMostControls)
      refuseBlock(fmt::format("{} is {}, {} are possible", placeOf("controls"), controls_, kMostControls));
    model.names = requiredTexts(block_, "examples", where());
    if (model.names.size() > kMostExamples) {
      refuseBlock(
          fmt::format("{} has {} names; {} are allowed", placeOf("examples"), model.names.size(), kMostExamples));
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

}  // namespace

std::shared_ptr<const ReducedModel> readReduced(const Reading& reading, std::vector<std::string>& problems) {
  const Json* block = findBlock(reading.document.json, kReducedBlock);
  if (block == nullptr) return nullptr;
  try {
    return ReducedReader(reading, *block).model();
  } catch (const Outdated& outdated) {
    problems.push_back(fmt::format("{} no longer matches the file: {}; the model was ignored, so learn it again.",
                                   kReducedBlock, outdated.why));
    return nullptr;
  } catch (const Error& error) {
    // The words of the checks that the model shares with other callers, as a fault of this file.
    if (error.code() == ErrorCode::Unreadable) throw;
    refuse(fmt::format("{}: {}; {}", kWhere, error.message(), kRemedy));
  }
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

}  // namespace sinew::gltf
