// sinew psd: learns pose-space deformation from sculpted examples.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "argument_value.h"
#include "arguments.h"
#include "command.h"
#include "console.h"
#include "learning.h"
#include "report/psd.h"
#include "shapes.h"
#include "sinew/base/text.h"
#include "sinew/character/pose_space.h"
#include "sinew/deform/pose_space.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/learn/pose_space_character.h"
#include "sinew/learn/tune_pose_space.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

Json exampleBlock(const PoseSpaceExample& example) {
  return {{"name", example.name},
          {"before", errorBlock(example.before)},
          {"after", errorBlock(example.after)},
          {"leaveOneOut", errorBlock(example.leaveOneOut)},
          {"nearest", {{"name", example.nearestName}, {"distance", example.nearest}}}};
}

Json hintBlock(const Character& character, const PoseSpaceModel& model, const SculptHint& hint) {
  Json joints = Json::object();
  for (const PoseDriver& driver : model.poseSpace.drivers) {
    if (driver.kind == DriverKind::Channel) continue;
    const LocalTransform& local = hint.pose.local[toSize(driver.source)];
    joints[character.skeleton[driver.source].name] = {
        {"rotation", {local.rotation.x(), local.rotation.y(), local.rotation.z(), local.rotation.w()}}};
  }
  return {{"between", hint.between}, {"predictedError", hint.predictedError}, {"pose", {{"joints", joints}}}};
}

/// "joint-even, local 0.03, floor 0 (62 %) and none (38 %)", the largest share first.
std::string mixtureText(std::vector<PoseSpaceTrial> trials) {
  std::erase_if(trials, [](const PoseSpaceTrial& trial) { return trial.share < 0.005; });
  std::stable_sort(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  std::string text;
  for (const PoseSpaceTrial& trial : trials)
    text += fmt::format("{}{} ({:.0f} %)", text.empty() ? "" : "; ", trial.name, 100 * trial.share);
  return text;
}

/// More examples than this are not listed, except those that are predicted worst.
constexpr std::size_t kListed = 40;
constexpr std::size_t kWorst = 10;

std::string examplesText(const PoseSpaceReport& report) {
  std::vector<PoseSpaceExample> rows = report.examples;
  std::string text;
  if (rows.size() > kListed) {
    text = fmt::format("  {} and {} of {} examples; those with the largest leave-one-out errors:\n",
                       counted(toSize(report.rank), "shape", "shapes"),
                       counted(toSize(report.centres), "centre", "centres"), rows.size());
    const auto worse = [](const auto& a, const auto& b) { return a.leaveOneOut.rms > b.leaveOneOut.rms; };
    std::stable_sort(rows.begin(), rows.end(), worse);
    rows.resize(kWorst);
  }
  for (const PoseSpaceExample& example : rows) {
    text += fmt::format("  {:20} before {:8.4f} %  after {:8.4f} %  leave-one-out {:8.4f} %\n", example.name,
                        example.before.rmsPercent, example.after.rmsPercent, example.leaveOneOut.rmsPercent);
  }
  return text;
}

/// Of the work of psd --tune, when the options are chosen.
constexpr double kTuned = 0.4;

enum class Fade { Auto, Off };
constexpr auto choiceRows(Fade) {
  return choiceTable<Fade>({{Fade::Auto, "auto"}, {Fade::Off, "off"}});
}

class PsdCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    files_.declareInputs(arguments);
    arguments.output(files_.output, "the character with its corrections (.glb, .gltf)");
    arguments.fields(options_);
    arguments.option("--radius", "auto|R", radius_,
                     "radius of gaussian and multiquadric kernels, in pose coordinates (radians)");
    arguments.option("--rank", "auto|full|N", rank_,
                     "shapes that many examples share; auto: up to 32 examples have one each, of more as few as their "
                     "leave-one-out error allows");
    arguments.option(
        "--centres", "auto|all|N", centres_,
        "examples that are interpolated, the others are approximated; auto: all, fewer where they are noisy");
    arguments.flag("--tune", tune_, "choose kernel, radius, ridge, rank and centres by their leave-one-out errors");
    arguments.choice("--fade", fade_, "fade corrections out far from every example");
    files_.declareMirror(arguments);
    arguments.fields(export_);
    files_.declareReport(arguments, "a page with pictures, errors, activation curves and warnings");
  }

  int run(Console& console) override {
    readWords();
    files_.checkWords("corrections");
    CharacterFile file = readLearner(files_, "to correct", console);
    LearnSet read = readLearnSet(files_, file, console);
    checkCount(file.character, *read.learned);
    if (tune_) tune(file.character, *read.learned, console);
    PoseSpaceCharacter made = blaming(files_.inputs.name(), [&] {
      return learnPoseSpaceCharacter(file.character, *read.learned, options_, export_,
                                     console.progress(learnedFrom(), exportedAt()));
    });
    const PoseSpaceResult& result = made.learned;
    PoseSpaceExport& exported = made.exported;

    std::optional<HeldOut> heldOut;
    if (read.heldOut) {
      heldOut = measureHeldOut(read, file.character, file.character,
                               std::make_shared<PoseSpaceDeformer>(file.character, result.model));
      noteHeldOut(*heldOut, console, read);
    }

    if (!files_.report.empty()) writePage(file.character, read, heldOut, result, exported.report, console);
    file.character = std::move(exported.character);
    file.poseSpace = result.model;
    file.poseSpaceMorphs = std::move(exported.morphs);
    WriteOptions writing = console.writing();
    writing.quantizedMorphs = export_.quantize;
    const LostList lost = writeCharacter(files_.output, file, writing);
    for (const std::string& sentence : lost) console.note(sentence);
    answer(file.character, read, heldOut, result, exported.report, lost, console);
    return Done;
  }

 private:
  /// Of the work, when learning begins.
  [[nodiscard]] double learnedFrom() const { return tune_ ? kTuned : Console::kRead; }
  /// Of the work, when the morph targets are there.
  [[nodiscard]] double exportedAt() const { return files_.report.empty() ? Console::kWrite : 0.7; }

  /// One at rest is rejected by the learner, which says so.
  void checkCount(const Character& character, const ExampleSource& examples) const {
    if (examples.size() != 1 || files_.inputs.force) return;
    if (choosePoseSpace(character, {.rest = {}, .examples = examples.outline().examples, .drivers = {}})
            .space.drivers.empty())
      return;
    throw Error(ErrorCode::BadInput,
                "has one example to learn, which does not show how its correction grows with the pose; add one between "
                "rest and it, or let it grow linearly with --force",
                files_.inputs.name());
  }

  void tune(const Character& character, ExampleSource& examples, Console& console) {
    tuning_ = blaming(files_.inputs.name(), [&] {
      return tunePoseSpace(character, examples, options_, console.progress(Console::kRead, kTuned));
    });
    options_ = tuning_.options;
  }

  /// A line per trial: its leave-one-out error, and which options were taken.
  [[nodiscard]] std::string tuningText() const {
    std::string text;
    for (const PoseSpaceTuningTrial& trial : tuning_.trials)
      text += fmt::format("  {} {:46} leave-one-out {:8.4f} %\n", trial.chosen ? '*' : ' ', trial.name,
                          trial.leaveOneOutPercent);
    return text + fmt::format("  chosen: kernel {}{}{}, ridge {:g}\n", options_.kernel,
                              options_.radius > 0 ? fmt::format(", radius {:.4g}", options_.radius) : std::string(),
                              options_.weighted ? ", weighted" : "", options_.ridge);
  }

  [[nodiscard]] Json tuningBlock() const {
    Json tuned = Json::array();
    for (const PoseSpaceTuningTrial& trial : tuning_.trials) {
      tuned.push_back({{"name", trial.name},
                       {"kernel", trial.options.kernel},
                       {"radius", trial.options.radius},
                       {"ridge", trial.options.ridge},
                       {"weighted", trial.options.weighted},
                       {"rank", trial.rank},
                       {"centres", trial.centres},
                       {"leaveOneOut", {{"rms", trial.leaveOneOut}, {"rmsPercent", trial.leaveOneOutPercent}}},
                       {"chosen", trial.chosen}});
    }
    return tuned;
  }

  void readWords() {
    options_.fade = fade_ == Fade::Auto;
    options_.allowRepeats = files_.inputs.force;
    options_.rank = countOf("--rank", rank_, "full", kFullRank);
    options_.centres = countOf("--centres", centres_, "all", kAllCentres);
    if (radius_ == "auto") return;
    const auto [end, fault] = std::from_chars(radius_.data(), radius_.data() + radius_.size(), options_.radius);
    if (fault != std::errc() || end != radius_.data() + radius_.size() || !(options_.radius > 0))
      refuseWordOrNumber("--radius", radius_, "auto", "a positive number");
  }

  /// Of a flag that takes auto, a word for everything, or a number from 1 up.
  static int countOf(const char* flag, const std::string& text, const char* everything, int meaning) {
    if (text == "auto") return kAutomaticCount;
    if (text == everything) return meaning;
    int count = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (fault != std::errc() || end != text.data() + text.size() || count < 1)
      refuseWordOrNumber(flag, text, everything, "'auto' nor a number from 1 up");
    return count;
  }

  void writePage(const Character& character, const LearnSet& read, const std::optional<HeldOut>& heldOut,
                 const PoseSpaceResult& result, const PoseSpaceExportReport& exported, const Console& console) const {
    PsdReportInput input{.character = character, .examples = *read.learned, .result = result, .options = options_};
    input.exported = &exported;
    if (heldOut) input.heldOut = &*heldOut;
    input.tuning = &tuning_;
    describeRun(files_, read, console.commandLine, input);
    console.outputs().add(files_.report, psdReportPage(input, console.progress(exportedAt(), Console::kWrite)));
  }

  void answer(const Character& character, const LearnSet& read, const std::optional<HeldOut>& heldOut,
              const PoseSpaceResult& result, const PoseSpaceExportReport& exported, const LostList& lost,
              const Console& console) const {
    const PoseSpaceReport& report = result.report;
    console.warn(report.warnings);
    console.warn(exported.warnings);
    Json examples = Json::array();
    for (const PoseSpaceExample& example : report.examples) examples.push_back(exampleBlock(example));
    Json next = Json::array();
    for (const SculptHint& hint : report.next) next.push_back(hintBlock(character, *result.model, hint));
    Json drivers = Json::array();
    for (const PoseDriver& driver : result.model->poseSpace.drivers)
      drivers.push_back({{"name", driver.name}, {"kind", nameOf(driver.kind)}, {"weight", driver.weight}});

    Json tried = Json::array();
    for (const PoseSpaceTrial& trial : report.trials)
      tried.push_back({{"name", trial.name}, {"leaveOneOut", trial.leaveOneOut}, {"share", trial.share}});

    std::string text = fmt::format("{}: {}\n", files_.output, report.sentence());
    if (heldOut) text += "  " + heldOut->sentence() + "\n";
    if (!tuning_.trials.empty()) text += tuningText();
    if (!report.trials.empty()) text += "  interpolation: " + mixtureText(report.trials) + "\n";
    text += examplesText(report);
    text += "  " + exported.sentence() + "\n";
    if (!report.next.empty()) text += fmt::format("  sculpt next: between {}\n", report.next[0].between);
    Json json = {{"space", nameOf(report.space)},
                 {"kernel", report.kernel},
                 {"tried", tried},
                 {"tuned", tuningBlock()},
                 {"radius", report.radius},
                 {"condition", report.condition},
                 {"weighted", options_.weighted},
                 {"ridge", options_.ridge},
                 {"groups", report.groups},
                 {"rank", report.rank},
                 {"centres", report.centres},
                 {"touched", report.touched},
                 {"coverage", report.coverage},
                 {"drivers", drivers},
                 {"before", errorBlock(report.before)},
                 {"after", errorBlock(report.after)},
                 {"leaveOneOut", errorBlock(report.leaveOneOut)},
                 {"examples", examples},
                 {"exported",
                  {{"morphs", exported.morphs},
                   {"method", nameOf(exported.method)},
                   {"bytes", exported.bytes},
                   {"error", errorBlock(exported.error.total)},
                   {"model", errorBlock(exported.model.total)}}},
                 {"sculptNext", next},
                 {"output", files_.output},
                 {"lost", lost}};
    addSources(read, heldOut, json);
    console.result(text, std::move(json));
  }

  LearnFiles files_;
  std::string radius_ = "auto";
  std::string rank_ = "auto";
  std::string centres_ = "auto";
  Fade fade_ = Fade::Auto;
  bool tune_ = false;
  PoseSpaceTuning tuning_;
  PoseSpaceOptions options_;
  PoseSpaceExportOptions export_;
};

}  // namespace

std::unique_ptr<Command> makePsdCommand() {
  return std::make_unique<PsdCommand>();
}

}  // namespace sinew::cli
