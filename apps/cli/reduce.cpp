// sinew reduce: a reduced deformable model, or a skin of few rigid bones, from meshes alone.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "argument_value.h"
#include "arguments.h"
#include "command.h"
#include "console.h"
#include "learning.h"
#include "reduced.h"
#include "report/reduce.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_sequence.h"
#include "sinew/learn/decompose.h"
#include "sinew/learn/reduced_clip.h"
#include "sinew/learn/reduced_model.h"
#include "sinew/learn/reduced_skeleton.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What a decomposition has besides the options that it shares with a reduced model.
struct DecomposeFields {
  DecomposeOptions options;
};

template <class Visitor>
void visitFields(DecomposeFields& o, Visitor&& visit) {
  visitFields(o.options, [&](auto& value, const FieldInfo& info) {
    if (info.name != "max-influences" && info.name != "seed") visit(value, info);
  });
}

std::vector<bool> usedVertices(const Mesh& mesh) {
  std::vector<bool> used(toSize(mesh.vertexCount()), false);
  for (const std::uint32_t corner : mesh.faces.corner) used[corner] = true;
  return used;
}

/// How controls are found.
enum class Method { Auto, MeanShift, Alternate };
constexpr auto choiceRows(Method) {
  return choiceTable<Method>(
      {{Method::Auto, "auto"}, {Method::MeanShift, "mean-shift"}, {Method::Alternate, "alternate"}});
}

class ReduceCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.inputs("MESHES", meshes_,
                     "meshes with the same topology: files, folders, a character with a clip or morph targets, or a "
                     "point cache and its mesh");
    arguments.output(output_, "the model: a skin for any viewer, and the data for `sinew pose` (.glb, .gltf)");
    arguments.option("--rest", "FILE", rest_,
                     "the rest shape; default: `rest` of a folder, otherwise the most central mesh");
    arguments.option("--controls", "auto|N", controls_, "number of controls or bones: N within 10 %, never more");
    arguments.flag("--rigid", rigid_,
                   "a skinning decomposition: bones that only rotate and translate, fitted with their weights");
    arguments.choice("--method", method_,
                     "controls from groups with similar rotations, or added where the error is largest and fitted in "
                     "alternation; auto: the second, unless --bandwidth, --ridge, --prune or --least-area is given");
    arguments.option("--clip", "NAME", clip_, "clip to use if the only input is a character; default: its first");
    arguments.choice("--joints", joints_,
                     "how affine controls are stored: two joints each and exact, or the nearest single joint");
    arguments.flag("--uvs", uvs_, "keep texture coordinates, even if this duplicates vertices at their seams");
    arguments.fields(options_);
    arguments.fields(decompose_);
    arguments.option("--report", "FILE.html", report_,
                     "a page with control groups, proxies, errors, singular values and times");
  }

  int run(Console& console) override {
    readWords();
    if (!isGltf(output_))
      throw Error(ErrorCode::BadInput, "cannot store a reduced model; write a .glb or .gltf file", output_);
    checkWritable(output_);
    if (!report_.empty()) checkFolderWritable(report_);
    MeshSequence read = readInputs(console);
    const bool decomposed = method_ == Method::Alternate || (method_ == Method::Auto && !asksForGroups());
    ReducedResult result = decomposed ? decompose(read, console) : reduce(read, console);
    for (std::string& places : furtherPlaces(read.topology, "learned"))
      result.report.warnings.push_back(std::move(places));
    console.warn(result.report.warnings);
    const Progress progress = console.progress(kLearned, 1);
    sinew::report(progress, {0, "errors of the examples"});
    result.model.fits = exampleFits(result.model, read.shapes, usedVertices(read.topology));

    const SkeletonOptions skeleton{
        .joints = joints_, .framesPerSecond = kFramesPerSecond, .prefix = rigid_ ? "bone" : "control"};
    sinew::report(progress, {0.2, "joints and clip"});
    ReducedCharacter made = reducedCharacter(read.topology, result.model, skeleton);
    CharacterFile file;
    file.character = std::move(made.character);
    file.character.name = std::filesystem::path(output_).stem().string();
    file.reduced = std::make_shared<const ReducedModel>(result.model);
    const LostList lost = writeCharacter(output_, file, console.writing(0.85, 0.9));
    for (const std::string& sentence : lost) console.note(sentence);
    if (!report_.empty()) writePage(read, result, file.character, made.error, console);
    answer(result, made.error, nameOf(decomposed ? Method::Alternate : Method::MeanShift), read, lost, console);
    return Done;
  }

 private:
  static constexpr double kFramesPerSecond = 24;
  static constexpr double kLearned = 0.8;  ///< of the work, when the model is there

  void readWords() {
    if (rigid_ && method_ == Method::MeanShift)
      throw UsageError("--method mean-shift makes affine controls; remove it for --rigid");
    if (controls_ == "auto") return;
    const auto [end, fault] = std::from_chars(controls_.data(), controls_.data() + controls_.size(), options_.controls);
    if (fault != std::errc() || end != controls_.data() + controls_.size() || options_.controls < 1)
      refuseWordOrNumber("--controls", controls_, "auto", "a number from 1 up");
  }

  /// Settings that only the mean shift has.
  [[nodiscard]] bool asksForGroups() const {
    const ReducedOptions usual;
    return !rigid_ && options_.controls == 0 &&
           (options_.bandwidth != usual.bandwidth || options_.ridge != usual.ridge || options_.prune != usual.prune ||
            options_.leastArea != usual.leastArea);
  }

  MeshSequence readInputs(const Console& console) {
    std::vector<std::filesystem::path> paths(meshes_.begin(), meshes_.end());
    MeshSequence read = readMeshes(paths, {.clip = clip_,
                                           .framesPerSecond = kFramesPerSecond,
                                           .progress = console.fileProgress(0, Console::kRead),
                                           .rules = console.rules()});
    for (const std::string& note : read.notes) console.note(note);
    if (!rest_.empty()) {
      const std::vector<std::filesystem::path> restPath = {rest_};
      const MeshSequence rest = readMeshes(restPath, {.rules = console.rules()});
      if (rest.shapes.front().cols() != read.topology.vertexCount()) {
        throw Error(ErrorCode::BadInput,
                    fmt::format("has {} vertices, the meshes have {}; the rest must have the same topology",
                                rest.shapes.front().cols(), read.topology.vertexCount()),
                    rest_);
      }
      read.rest = rest.shapes.front();
    }
    if (!uvs_ && read.topology.uvs.cols() > 0) {
      // Corners with texture coordinates of their own would become vertices of their own in glTF.
      read.topology.uvs.resize(2, 0);
      read.topology.cornerUv.clear();
      console.note("texture coordinates are omitted, so that vertices keep their numbers; --uvs keeps them");
    }
    return read;
  }

  ReducedResult reduce(const MeshSequence& read, const Console& console) {
    return learnReducedModel(read.topology, read.shapes, read.names, read.rest, options_,
                             console.progress(Console::kRead, kLearned));
  }

  ReducedResult decompose(const MeshSequence& read, const Console& console) {
    DecomposeOptions options = decompose_.options;
    options.bones = options_.controls;
    options.rigid = rigid_;
    options.maxInfluences = options_.maxInfluences;
    options.seed = options_.seed;
    return decomposeSkin(read.topology, read.shapes, read.names, read.rest, options,
                         console.progress(Console::kRead, kLearned));
  }

  void writePage(const MeshSequence& read, const ReducedResult& result, const Character& character,
                 const SequenceError& exported, const Console& console) const {
    ReduceReportInput input{.character = character, .shapes = read.shapes, .result = result, .exported = exported};
    input.inputs = meshes_;
    input.outputFile = output_;
    input.commandLine = console.commandLine;
    input.notes = read.notes;
    console.outputs().add(report_, reduceReportPage(input, console.progress(0.9, 1)));
  }

  void answer(const ReducedResult& result, const SequenceError& exported, std::string_view method,
              const MeshSequence& read, const LostList& lost, const Console& console) const {
    const ReducedReport& report = result.report;
    Json fit{{"distortion", report.fit.distortion}, {"erms", report.fit.erms}};
    fit.update(errorBlock(report.fit.total));
    Json perExample = Json::array();
    for (std::size_t e = 0; e < report.fit.perFrame.size(); ++e) {
      Json example{{"name", result.model.names[e]}};
      example.update(errorBlock(report.fit.perFrame[e]));
      perExample.push_back(std::move(example));
    }
    Json stages = Json::array();
    for (const ReducedStage& stage : report.stages)
      stages.push_back({{"name", stage.name}, {"seconds", stage.seconds}});
    Json played{{"distortion", exported.distortion}, {"erms", exported.erms}};
    played.update(errorBlock(exported.total));
    std::string text = fmt::format("{}: {}\n", output_, report.sentence());
    console.result(text, {{"vertices", report.vertices},
                          {"examples", report.examples},
                          {"controls", report.controls},
                          {"proxies", report.proxies},
                          {"groups", report.groups},
                          {"maxInfluences", report.maxInfluences},
                          {"rigid", result.model.rigid},
                          {"method", method},
                          {"rest", read.rest ? std::string("given") : report.restName},
                          {"bandwidth", report.bandwidth},
                          {"fit", fit},
                          {"perExample", perExample},
                          {"exported", played},
                          {"leastDeterminant", report.leastDeterminant},
                          {"unusedVertices", report.unusedVertices},
                          {"droppedFaces", report.droppedFaces},
                          {"slivers", report.slivers},
                          {"stages", stages},
                          {"output", output_},
                          {"lost", lost}});
  }

  std::vector<std::string> meshes_;
  std::string output_;
  std::string rest_;
  std::string controls_ = "auto";
  std::string clip_;
  ControlJoints joints_ = ControlJoints::Nested;
  Method method_ = Method::Auto;
  std::string report_;
  bool rigid_ = false;
  bool uvs_ = false;
  ReducedOptions options_;
  DecomposeFields decompose_;
};

}  // namespace

std::unique_ptr<Command> makeReduceCommand() {
  return std::make_unique<ReduceCommand>();
}

}  // namespace sinew::cli
