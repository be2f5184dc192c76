// Writing SINEW_reduced_model: numbers as they are, in 64 bits, so that reading restores the model bit for bit.
#include <numeric>

#include "sinew/io/gltf_block.h"
#include "sinew/io/gltf_reduced.h"

namespace sinew::gltf {
namespace {

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
  std::vector<std::uint32_t> same(static_cast<std::size_t>(model.rest.cols()));
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
    for (std::size_t e = 0; e < fits.size(); ++e)
      all.col(static_cast<Index>(e)) = Eigen::Vector2d(fits[e].error, fits[e].spread);
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

}  // namespace

void writeReduced(GltfDocument& document, Store& store, const ReducedModel* model,
                  const std::vector<std::uint32_t>& fileVertices) {
  eraseBlock(document.json, kReducedBlock);
  if (model == nullptr) return;
  ReducedWriter writer(store);
  const bool same = fileVertices.empty() || inOrder(*model, fileVertices);
  Json json = writer.json(same ? *model : renumbered(*model, fileVertices));
  putBlock(document.json, kReducedBlock, std::move(json));
}

}  // namespace sinew::gltf
