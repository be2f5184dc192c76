// sinew invert: pushes a sculpt to the rest pose.
#include "sinew/learn/invert.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "operators.h"
#include "report/invert.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/character/turned_normals.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/deform/posing.h"
#include "sinew/deform/stack.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/io/pipe_box.h"
#include "sinew/io/poses.h"
#include "sinew/io/sculpts.h"

namespace sinew::cli {
namespace {

class InvertCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("CHARACTER", character_, "the character's file");
    arguments.required("--pose", "POSE", pose_, "the pose that was sculpted: a pose file, CLIP@SECONDS, or rest");
    arguments.required("--sculpt", "MESH", sculpt_, "the sculpted mesh in that pose");
    arguments.output(output_,
                     "the rest mesh plus d: a mesh (.obj, .off), or the character with that rest shape (.glb)");
    arguments.fields(options_);
    arguments.option("--rest", "MESH", rest_,
                     "the sculpt's own rest mesh, if its vertices, units or axes differ from the character");
    arguments.option("--deformer", "NAME", deformers_,
                     "operators in order: linear-blend, dual-quaternion, rigid, lattice:FILE.json, wire:FILE.json");
    arguments.option("--black-box", "CMD", blackBox_,
                     "an external program that deforms the points, instead of Sinew's operators");
    arguments.option("--box-timeout", "S", boxTimeout_, "timeout for one answer of the program, seconds");
    arguments.option("--max-residual", "R", maxResidual_, "exit with 3 if the residual is larger, in scene units");
    arguments.option("--report", "FILE.html", report_, "a page with pictures, numbers and unreachable vertices");
    arguments.flag("--all", all_, "also write meshes without a skin");
    arguments.flag("--force", force_, "continue even if the sculpt contradicts the character or its pose");
  }

  int run(Console& console) override {
    readWords();
    checkWritable(output_);
    if (!report_.empty()) checkFolderWritable(report_);
    CharacterFile file = readCharacter(character_, console.reading());
    if (file.character.mesh.vertexCount() == 0)
      throw Error(ErrorCode::BadInput, "has no vertices; give a file with a mesh", character_);
    console.warn(furtherPlaces(file.character.mesh, "compared with the sculpt"));
    const Pose pose = poseOf(pose_, file.character, character_, console);
    InvertResult result = blackBox_.empty() ? throughOperators(file, pose, console) : throughBox(file, pose, console);
    const Points boundDeltas = blackBox_.empty() ? result.deltas : toBindSpace(file.character, result.deltas);
    if (blackBox_.empty()) toWorld(file.character, result);
    const std::string page = report_.empty() ? "" : pageOf(file.character, result, console);
    const LostList lost = write(file, boundDeltas, console);
    if (!report_.empty()) console.outputs().add(report_, page);
    for (const std::string& sentence : lost) console.detail(sentence);
    const int code = exitCode(result.report, console);
    answer(result, lost, console);
    return code;
  }

 private:
  static constexpr double kMatched = 0.2;  ///< of the work, when the sculpt is read

  /// Numbers above 0 that are stored as text until they are used.
  static double numberAbove0(const std::string& flag, const std::string& text) {
    std::size_t used = 0;
    double number = 0;
    try {
      number = std::stod(text, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != text.size() || text.empty() || !(number > 0) || !std::isfinite(number))
      throw UsageError(fmt::format("{} {} is not a number above 0", flag, text));
    return number;
  }

  void readWords() {
    timeout_ = numberAbove0("--box-timeout", boxTimeout_);
    if (!maxResidual_.empty()) limit_ = numberAbove0("--max-residual", maxResidual_);
    checkOperators(deformers_);
    if (blackBox_.empty()) return;
    if (!deformers_.empty()) throw UsageError("--black-box replaces --deformer; give only one of them");
    if (options_.method == InvertMethod::Closed)
      throw UsageError("--method closed is for a linear blend, not for a --black-box");
  }

  /// Keeps what the report shows: all of it in world space.
  Points readTarget(const CharacterFile& file, const Points& posed, const PointMap& map, const Points& rest,
                    const Console& console) {
    shownTarget_ = matchedTarget(file, posed, map, rest, console);
    shownRest_ = rest;
    if (blackBox_.empty()) {
      const std::vector<Affine> worldFromRest = worldFromRestPoints(file.character);
      for (Index v = 0; v < rest.cols(); ++v) shownRest_.col(v) = worldFromRest[toSize(v)] * Vec3(rest.col(v));
      shownBefore_ = posed;
    }
    return shownTarget_;
  }

  /// Operators take points as they were bound: their answer in world space of the rest pose.
  void toWorld(const Character& character, InvertResult& result) const {
    const std::vector<Affine> worldFromRest = worldFromRestPoints(character);
    for (Index v = 0; v < result.deltas.cols(); ++v)
      result.deltas.col(v) = worldFromRest[toSize(v)].linear() * Vec3(result.deltas.col(v));
    InvertReport& report = result.report;
    if (result.deltas.cols() > 0) report.largestDelta = result.deltas.colwise().norm().maxCoeff();
    const double diagonal = boundingBox(shownRest_).diagonal();
    for (ShapeError* error : {&report.before, &report.residual, &report.withoutLayer})
      error->rmsPercent = diagonal > 0 ? 100 * error->rms / diagonal : error->rmsPercent;
  }

  /// Displacements of the rest pose as the skin's rest points take them.
  [[nodiscard]] Points toBindSpace(const Character& character, const Points& deltas) const {
    const std::vector<Affine> worldFromRest = worldFromRestPoints(character);
    Points bound = deltas;
    for (Index v = 0; v < deltas.cols(); ++v) {
      const Mat3 inverse = worldFromRest[toSize(v)].linear().inverse();
      if (!inverse.allFinite()) {
        throw Error(ErrorCode::BadInput,
                    fmt::format("vertex {} is flattened in the rest pose, so it cannot be displaced there", v),
                    character_);
      }
      bound.col(v) = inverse * Vec3(deltas.col(v));
    }
    return bound;
  }

  [[nodiscard]] std::string pageOf(const Character& character, const InvertResult& result,
                                   const Console& console) const {
    std::string operators = blackBox_;
    for (const std::string& name : deformers_) operators += (operators.empty() ? "" : ", ") + name;
    return invertReportPage({.character = character,
                             .rest = shownRest_,
                             .sculpt = shownTarget_,
                             .result = result,
                             .before = shownBefore_ ? &*shownBefore_ : nullptr,
                             .operatorName = operators.empty() ? "the character's own skin" : operators,
                             .characterFile = character_,
                             .poseFile = pose_,
                             .sculptFile = sculpt_,
                             .outputFile = output_,
                             .commandLine = console.commandLine});
  }

  [[nodiscard]] Points matchedTarget(const CharacterFile& file, const Points& posed, const PointMap& map,
                                     const Points& rest, const Console& console) {
    SculptFile sculpt = readSculpt(sculpt_, file.character, posed,
                                   {.rest = rest_,
                                    .force = force_,
                                    .inPose = blackBox_.empty(),
                                    .progress = console.fileProgress(Console::kRead, kMatched),
                                    .rules = console.rules()});
    for (const std::string& note : sculpt.notes) console.note(note);
    console.warn(sculpt.warnings);
    if (sculpt.known.empty()) return std::move(sculpt.points);
    // Vertices that the sculpt does not have stay where the operator puts them.
    Points moved;
    map(rest, moved);
    ++extraCalls_;
    for (Index v = 0; v < rest.cols(); ++v) {
      if (!sculpt.known[toSize(v)]) sculpt.points.col(v) = moved.col(v);
    }
    return std::move(sculpt.points);
  }

  InvertResult throughOperators(const CharacterFile& file, const Pose& pose, const Console& console) {
    const Character& character = file.character;
    const Playing playing = playingOf(file, deformers_);
    console.warn(operatorWarnings(playing, character, {&pose, 1}));
    PosedJoints joints;
    poseJoints(character, pose, joints);
    std::vector<double> morphWeights;
    Points rest;
    playing.playback.morph(character, pose, morphWeights, rest);
    const Points posed = posePoints(character, pose, playing.playback);
    DeformerPtr deformer = playing.playback.deformer;
    if (!deformer && character.hasSkin()) deformer = std::make_shared<LinearBlend>(character.skin.weights);
    if (!deformer) deformer = std::make_shared<DeformerStack>(std::vector<DeformerPtr>{});
    const Points target = readTarget(file, posed, posedMap(deformer, joints), rest, console);
    return invertDeformer(deformer, joints, rest, target, options_, console.progress(kMatched, Console::kWrite));
  }

  InvertResult throughBox(const CharacterFile& file, const Pose& pose, const Console& console) {
    const Points rest = posePoints(file.character, restPose(file.character), file.playback());
    PipeBox box(blackBox_, {.timeout = timeout_});
    const Points target = readTarget(file, posePoints(file.character, pose), box.map(), rest, console);
    return invertMap(box.map(), rest, target, options_, console.progress(kMatched, Console::kWrite));
  }

  /// The rest mesh plus d. A mesh file takes the mesh alone, in world space of the rest pose; glTF the whole character.
  LostList write(CharacterFile& file, const Points& boundDeltas, const Console& console) const {
    const Points moved = file.character.mesh.points + boundDeltas;
    file.character.mesh.normals = turnedNormals(file.character.mesh, moved);
    file.character.mesh.points = moved;
    if (isGltf(output_)) return writeCharacter(output_, file, console.writing());
    CharacterFile mesh;
    mesh.character.name = file.character.name;
    mesh.character.mesh = restMesh(file.character, instancesOf(file), file.playback());
    if (std::filesystem::path(output_).extension() == std::filesystem::path(character_).extension())
      mesh.source = file.source;
    WriteOptions writing = console.writing();
    writing.includeUnskinned = all_;
    return writeCharacter(output_, mesh, writing);
  }

  void answer(const InvertResult& result, const LostList& lost, const Console& console) const {
    const InvertReport& report = result.report;
    console.note(report.sentence());
    const int calls = report.evaluations + extraCalls_;
    nlohmann::ordered_json json{{"method", nameOf(report.method)},
                                {"evaluations", calls},
                                {"residual", errorBlock(report.residual)},
                                {"unreachable", report.unreachable},
                                {"layerW", {{"rms", report.layerRms}}},
                                {"nonLocal", report.nonLocal},
                                {"before", errorBlock(report.before)},
                                {"withoutLayer", errorBlock(report.withoutLayer)},
                                {"singular", report.singular},
                                {"largestDelta", report.largestDelta},
                                {"bits", report.bits},
                                {"converged", report.converged},
                                {"stopped", report.stopped},
                                {"tolerance", report.tolerance},
                                {"output", output_},
                                {"lost", lost}};
    if (report.method == InvertSolver::Powell) json["meanEvaluations"] = report.meanEvaluations;
    console.result(fmt::format("{}: {} in {}, residual {}\n", output_, nameOf(report.method),
                               counted(toSize(calls), "call", "calls"), errorText(report.residual)),
                   json);
  }

  [[nodiscard]] int exitCode(const InvertReport& report, Console& console) const {
    if (limit_ && report.residual.max > *limit_) {
      return console.missed(fmt::format("the residual is {:.6g} at vertex {}, above --max-residual {:g}",
                                        report.residual.max, report.residual.maxVertex, *limit_));
    }
    if (report.converged || limit_) return Done;
    return console.missed(fmt::format("did not converge: {}; the output is the best result found", report.stopped));
  }

  std::string character_;
  std::string pose_;
  std::string sculpt_;
  std::string output_;
  std::string rest_;
  std::vector<std::string> deformers_;
  std::string blackBox_;
  std::string boxTimeout_ = "20";
  std::string maxResidual_;
  std::string report_;
  bool all_ = false;
  bool force_ = false;
  InvertOptions options_;
  double timeout_ = 20;
  std::optional<double> limit_;
  int extraCalls_ = 0;
  Points shownRest_;
  Points shownTarget_;
  std::optional<Points> shownBefore_;
};

}  // namespace

std::unique_ptr<Command> makeInvertCommand() {
  return std::make_unique<InvertCommand>();
}

}  // namespace sinew::cli
