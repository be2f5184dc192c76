// sinew reconstruct: every training mesh again, through the solver that poses a reduced model.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "reduced.h"
#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/character/compare.h"
#include "sinew/io/mesh_sequence.h"
#include "sinew/manipulate/reduced_ik.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Vertices at which the solver is measured without proxies: many more than its unknowns, for any mesh.
constexpr Index kMeasured = 2000;

/// Examples as reconstructed by the solver, at their own positions, and their distortion.
struct Reproduced {
  std::vector<Points> shapes;   ///< if requested: a long sequence needs much memory
  std::vector<double> squares;  ///< per example: squared distances from the shapes of the example's own controls
};

Reproduced reproduce(const std::shared_ptr<const ReducedModel>& model, bool withShapes, const Progress& progress) {
  Reproduced made;
  ReducedIk ik(model);
  Points shape(3, model->rest.cols());
  Points own(3, model->rest.cols());
  const auto count = static_cast<Index>(model->exampleCount());
  for (Index e = 0; e < count; ++e) {
    report(progress, {static_cast<double>(e) / static_cast<double>(count), "solving"});
    const auto example = toSize(e);
    deformReduced(*model, ik.blend(Eigen::VectorXd::Unit(count, e)).controls, shape);
    deformReduced(*model, model->controls[example], own);
    made.squares.push_back((shape - own).squaredNorm());
    if (!withShapes) continue;
    const Eigen::Isometry3d& back = model->inputFromAligned[example];
    made.shapes.emplace_back((back.linear() * shape).colwise() + back.translation());
  }
  return made;
}

class ReconstructCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("MODEL", model_, "a model made by sinew reduce");
    arguments.output(output_, "a folder for the meshes, or a point cache (.pc2, .mdd)");
    arguments.option("--meshes", "PATH", meshes_,
                     "measure against these training meshes; default: against the model's own record of them");
  }

  int run(Console& console) override {
    const ReducedFile read = readReducedFile(model_, console);
    const ReducedModel& model = *read.model;
    if (model.exampleCount() == 0) throw Error(ErrorCode::BadInput, "has a reduced model without examples", model_);
    const Progress progress = console.fileProgress(Console::kRead, 0.8);
    const std::shared_ptr<const ReducedModel> many = withAllVertices(read, kMeasured);
    const bool posable = model.proxies.count() > 0;
    Reproduced full = reproduce(many, !posable || !meshes_.empty(), partProgress(progress, 0, 0.8));
    std::optional<Reproduced> proxy;
    if (posable) proxy = reproduce(read.model, true, partProgress(progress, 0.8, 1));

    const std::optional<double> fullDistortion =
        distortion(model, full, console.rules(), console.fileProgress(0.8, 0.85));
    const std::optional<double> proxyDistortion =
        proxy ? distortion(model, *proxy, console.rules(), console.fileProgress(0.85, 0.9)) : std::nullopt;
    MeshSequence sequence;
    sequence.topology = read.file.character.mesh;
    sequence.shapes = std::move(proxy ? proxy->shapes : full.shapes);
    sequence.names = model.names;
    writeMeshes(output_, sequence, &console.outputs(), console.fileProgress(0.9, 1));

    const auto block = [](const std::optional<double>& value) {
      return value ? Json{{"distortion", *value}} : Json{{"distortion", nullptr}};
    };
    std::string text = fmt::format("{}: {}", output_, counted(sequence.shapes.size(), "mesh", "meshes"));
    if (fullDistortion)
      text += fmt::format(", distortion {:.3g} % by {} vertices", *fullDistortion, many->proxies.count());
    if (proxyDistortion) text += fmt::format(", {:.3g} % by {} proxies", *proxyDistortion, model.proxies.count());
    console.result(text + "\n", {{"meshes", sequence.shapes.size()},
                                 {"names", model.names},
                                 {"full", block(fullDistortion)},
                                 {"proxy", block(proxyDistortion)},
                                 {"proxies", model.proxies.count()},
                                 {"output", output_}});
    return Done;
  }

 private:
  /// Of the shapes against the training meshes. Without these: what the model missed of them when it was learned, and
  /// what the solver adds to that (which is next to nothing, so that their angle does not matter).
  [[nodiscard]] std::optional<double> distortion(const ReducedModel& model, const Reproduced& made,
                                                 const FileRules& rules, const Progress& progress) const {
    if (!meshes_.empty()) {
      const std::vector<std::filesystem::path> paths(meshes_.begin(), meshes_.end());
      const MeshSequence truth = readMeshes(paths, {.progress = progress, .rules = rules});
      if (truth.shapes.size() != made.shapes.size()) {
        throw Error(
            ErrorCode::BadInput,
            fmt::format("has {} meshes, but the model was learned from {}", truth.shapes.size(), made.shapes.size()),
            meshes_.front());
      }
      return compareSequences(truth.shapes, made.shapes, boundingBox(model.rest).diagonal()).distortion;
    }
    if (model.fits.empty()) return std::nullopt;
    double error = 0;
    double spread = 0;
    for (std::size_t e = 0; e < made.squares.size(); ++e) {
      error += model.fits[e].error + made.squares[e];
      spread += model.fits[e].spread;
    }
    return spread > 0 ? 100 * std::sqrt(error / spread) : 0;
  }

  std::string model_;
  std::string output_;
  std::vector<std::string> meshes_;
};

}  // namespace

std::unique_ptr<Command> makeReconstructCommand() {
  return std::make_unique<ReconstructCommand>();
}

}  // namespace sinew::cli
