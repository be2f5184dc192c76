// sinew pose: a reduced model, posed by a few vertices of its mesh.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "argument_value.h"
#include "arguments.h"
#include "command.h"
#include "console.h"
#include "reduced.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/reduced_clip.h"
#include "sinew/manipulate/mesh_ik.h"
#include "sinew/manipulate/reduced_ik.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kClipFrames = 24;  ///< from the rest to the pose, in a second

bool readNumber(std::string_view text, double& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

bool readVertex(std::string_view text, Index& vertex) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), vertex);
  return fault == std::errc() && end == text.data() + text.size() && vertex >= 0;
}

/// "120=0.1,0.5,-2"
struct HandleWord {
  Index vertex = 0;
  Vec3 target = Vec3::Zero();
};

HandleWord readHandle(const std::string& word) {
  HandleWord handle;
  const std::size_t equals = word.find('=');
  bool good = equals != std::string::npos && readVertex(std::string_view(word).substr(0, equals), handle.vertex);
  std::size_t at = equals + 1;
  for (int k = 0; k < 3 && good; ++k) {
    const std::size_t comma = k < 2 ? word.find(',', at) : word.size();
    good = comma != std::string::npos && readNumber(std::string_view(word).substr(at, comma - at), handle.target[k]);
    at = comma + 1;
  }
  if (!good) throw UsageError(fmt::format("--handle {} is not of the form V=X,Y,Z: a vertex and its target", word));
  return handle;
}

/// The solver to use.
enum class Baseline {
  None,  ///< that of the model
  Full,  ///< the same with gradients at all vertices
  MeshIk
};
constexpr auto choiceRows(Baseline) {
  return choiceTable<Baseline>({{Baseline::None, "none"}, {Baseline::Full, "full"}, {Baseline::MeshIk, "meshik"}});
}

/// "bend=0.5"
struct BlendWord {
  std::string example;
  double weight = 0;
};

BlendWord readBlend(const std::string& word) {
  const std::size_t equals = word.rfind('=');
  BlendWord blend;
  if (equals == std::string::npos || !readNumber(std::string_view(word).substr(equals + 1), blend.weight))
    throw UsageError(fmt::format("--blend {} is not of the form NAME=W: an example and its weight", word));
  blend.example = word.substr(0, equals);
  return blend;
}

class PoseCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("MODEL", model_, "a model made by sinew reduce");
    arguments.option("--handle", "V=X,Y,Z", handles_, "a vertex and its target, in the space of the input meshes");
    arguments.option("--pin", "V", pins_, "a vertex that stays at its rest position");
    arguments.option("--blend", "NAME=W", blends_,
                     "instead of handles: weight of an example; unnamed examples get weight 0");
    arguments.output(output_,
                     "the posed mesh (.obj, .off), or the model with a clip `pose` from the rest to the pose (.glb)");
    arguments.choice("--baseline", baseline_,
                     "use another solver for comparison: gradients at all vertices, or mesh-based IK on triangles");
    arguments.choice("--rotation", options_.rotation,
                     "allow the whole shape to rotate; auto: with four or more handles that do not lie in a plane");
    arguments.option("--soft", "S", soft_,
                     "treat handles as springs of this strength; 100 is nearly exact; default: exact");
    arguments.option("--max-residual", "R", maxResidual_,
                     "exit with 3 if a handle misses its target by more, in scene units");
    arguments.fields(options_);
  }

  int run(Console& console) override {
    readWords();
    checkWritable(output_);
    const ReducedFile read = readReducedFile(model_, console);
    readHandles(read);
    if (baseline_ == Baseline::MeshIk) {
      solveMesh(read);
    } else {
      solveReduced(read);
    }
    const LostList lost = isGltf(output_) ? writeClip(read, console) : writePosed(output_, read.file, posed_, console);
    for (const std::string& sentence : lost) console.detail(sentence);
    int code = Done;
    if (limit_ && residual_ > *limit_) {
      code = console.missed(
          fmt::format("a handle is {:.6g} from its target, above --max-residual {:g}", residual_, *limit_));
    }
    answer(*read.model, lost, console);
    return code;
  }

 private:
  void readWords() {
    if (!soft_.empty() && !(readNumber(soft_, strength_) && strength_ > 0))
      throw UsageError(fmt::format("--soft {} is not a number above 0", soft_));
    double limit = 0;
    if (!maxResidual_.empty()) {
      if (!(readNumber(maxResidual_, limit) && limit >= 0))
        throw UsageError(fmt::format("--max-residual {} is not a number of at least 0", maxResidual_));
      limit_ = limit;
    }
    for (const std::string& word : handles_) handleWords_.push_back(readHandle(word));
    for (const std::string& word : pins_) {
      Index vertex = 0;
      if (!readVertex(word, vertex))
        throw UsageError(fmt::format("--pin {} is not a vertex number; write a whole number of at least 0", word));
      pinned_.push_back(vertex);
    }
    for (const std::string& word : blends_) blendWords_.push_back(readBlend(word));
    if (!blends_.empty() && !(handles_.empty() && pins_.empty()))
      throw UsageError("--blend defines the whole shape; remove --handle and --pin");
    if (!blends_.empty() && baseline_ == Baseline::MeshIk)
      throw UsageError("--blend does not support --baseline meshik; use full");
    if (baseline_ == Baseline::MeshIk && isGltf(output_))
      throw UsageError("--baseline meshik moves vertices, not controls; write a mesh (.obj)");
    if (baseline_ == Baseline::MeshIk && !soft_.empty())
      throw UsageError("--baseline meshik supports only exact handles");
  }

  void readHandles(const ReducedFile& read) {
    const Points& rest = read.model->rest;
    const auto add = [&](Index vertex, const Vec3& target) {
      if (std::find(vertices_.begin(), vertices_.end(), vertex) != vertices_.end())
        throw UsageError(fmt::format("vertex {} has two handles or pins; give it one target", vertex));
      vertices_.push_back(vertex);
      targets_.conservativeResize(3, targets_.cols() + 1);
      targets_.rightCols<1>() = target;
    };
    for (const HandleWord& handle : handleWords_) {
      checkVertex(handle.vertex, rest.cols());
      add(handle.vertex, handle.target);
    }
    for (const Index vertex : pinned_) {
      checkVertex(vertex, rest.cols());
      add(vertex, rest.col(vertex));
    }
  }

  void checkVertex(Index vertex, Index count) const {
    if (vertex < count) return;
    throw Error(ErrorCode::BadInput, fmt::format("has no vertex {}; there are {}, numbered from 0", vertex, count),
                model_);
  }

  /// Example weights from `--blend`.
  [[nodiscard]] Eigen::VectorXd blendWeights(const ReducedModel& model) const {
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(static_cast<Index>(model.exampleCount()));
    for (const auto& [example, weight] : blendWords_) {
      const auto found = std::find(model.names.begin(), model.names.end(), example);
      if (found == model.names.end()) {
        throw Error(ErrorCode::NotFound,
                    fmt::format("has no example '{}'; there are {}{}", example, fmt::join(model.names, ", "),
                                didYouMean(example, model.names, "")),
                    model_);
      }
      weights[found - model.names.begin()] = weight;
    }
    return weights;
  }

  void solveReduced(const ReducedFile& read) {
    ik_.emplace(baseline_ == Baseline::Full ? withAllVertices(read) : read.model, options_);
    ik_->setHandles(vertices_, strength_);
    result_ = blends_.empty() ? ik_->solve(targets_) : ik_->blend(blendWeights(*read.model));
    posed_.resize(3, read.model->rest.cols());
    const auto start = std::chrono::steady_clock::now();
    deformReduced(*read.model, result_.controls, posed_);
    skinSeconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    residual_ = result_.residualMax;
  }

  /// The examples are those that the model remembers: its own controls at each of them.
  void solveMesh(const ReducedFile& read) {
    const ReducedModel& model = *read.model;
    std::vector<Points> examples;
    for (std::size_t e = 0; e < model.exampleCount(); ++e) {
      if (static_cast<int>(e) != model.restExample) examples.push_back(exampleShape(model, e));
    }
    MeshIk ik(model.rest, read.triangles, examples,
              {.mostIterations = options_.mostIterations, .stop = options_.stop, .restPull = options_.restPull});
    ik.setHandles(vertices_);
    MeshIkResult solved = ik.solve(targets_);
    posed_ = std::move(solved.points);
    result_.weights.resize(static_cast<Index>(model.exampleCount()));
    Index next = 0;
    for (Index e = 0; e < result_.weights.size(); ++e)
      result_.weights[e] = e == model.restExample ? 1 - solved.weights.sum() : solved.weights[next++];
    result_.iterations = solved.iterations;
    result_.objective = solved.objective;
    result_.converged = solved.converged;
    result_.secondsPerIteration = solved.secondsPerIteration;
    residual_ = result_.residualMax = solved.residualMax;
  }

  /// The path from the rest to the pose, solved frame by frame like a drag.
  LostList writeClip(const ReducedFile& read, const Console& console) {
    const Progress progress = console.fileProgress(0.5, Console::kWrite);
    std::vector<KeyPose> keys;
    const Points& rest = read.model->rest;
    const Eigen::VectorXd weights = blends_.empty() ? Eigen::VectorXd() : blendWeights(*read.model);
    if (blends_.empty()) ik_->startFrom(Eigen::VectorXd::Zero(static_cast<Index>(read.model->exampleCount())));
    for (int frame = 0; frame <= kClipFrames; ++frame) {
      const double share = static_cast<double>(frame) / kClipFrames;
      report(progress, {share, "frames"});
      KeyPose key{.seconds = share, .controls = {}};
      if (!blends_.empty()) {
        key.controls = ik_->blend(share * weights).controls;
      } else if (frame == kClipFrames) {
        key.controls = result_.controls;
      } else {
        Points targets = targets_;
        for (std::size_t i = 0; i < vertices_.size(); ++i) {
          const auto column = static_cast<Index>(i);
          targets.col(column) = (1 - share) * rest.col(vertices_[i]) + share * targets_.col(column);
        }
        key.controls = ik_->solve(targets, IkStart::Warm).controls;
      }
      keys.push_back(std::move(key));
    }
    ReducedCharacter made = keyedCharacter(read.file.character.mesh, *read.model, keys, "pose");
    CharacterFile file;
    file.character = std::move(made.character);
    file.character.name = read.file.character.name;
    file.reduced = read.model;
    exported_ = made.error.total;
    return writeCharacter(output_, file, console.writing());
  }

  void answer(const ReducedModel& model, const LostList& lost, const Console& console) const {
    std::vector<double> weights(result_.weights.begin(), result_.weights.end());
    Json json{{"iterations", result_.iterations},
              {"objective", result_.objective},
              {"residual", {{"max", residual_}}},
              {"weights", weights},
              {"examples", model.names},
              {"solveSeconds", result_.secondsPerIteration},
              {"skinSeconds", skinSeconds_},
              {"handles", vertices_.size()},
              {"rank", result_.rank},
              {"condition", std::isfinite(result_.condition) ? Json(result_.condition) : Json(nullptr)},
              {"turned", result_.turned},
              {"rotation", {result_.rotation.x(), result_.rotation.y(), result_.rotation.z(), result_.rotation.w()}},
              {"converged", result_.converged},
              {"draft", result_.draft},
              {"baseline", nameOf(baseline_)},
              {"vertices", model.rest.cols()},
              {"output", output_},
              {"lost", lost}};
    if (isGltf(output_)) json["exported"] = errorBlock(exported_);
    std::string text = fmt::format("{}: {} in {}, largest handle residual {:.3g}", output_,
                                   counted(vertices_.size(), "handle", "handles"),
                                   counted(toSize(result_.iterations), "step", "steps"), residual_);
    if (result_.draft) text += " (a draft: the time limit was reached)";
    console.result(text + "\n", json);
  }

  std::string model_;
  std::string output_;
  std::vector<std::string> handles_;
  std::vector<std::string> pins_;
  std::vector<std::string> blends_;
  Baseline baseline_ = Baseline::None;
  std::string soft_;
  std::string maxResidual_;
  IkOptions options_;

  std::vector<HandleWord> handleWords_;
  std::vector<Index> pinned_;
  std::vector<BlendWord> blendWords_;
  double strength_ = 0;
  std::optional<double> limit_;
  std::vector<Index> vertices_;
  Points targets_{3, 0};
  std::optional<ReducedIk> ik_;
  IkResult result_;
  Points posed_{3, 0};
  double residual_ = 0;
  double skinSeconds_ = 0;
  ShapeError exported_;
};

}  // namespace

std::unique_ptr<Command> makePoseCommand() {
  return std::make_unique<PoseCommand>();
}

}  // namespace sinew::cli
