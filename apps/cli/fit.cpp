// sinew fit: weights, helper joints and rest vertices from sculpted examples.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "argument_value.h"
#include "arguments.h"
#include "command.h"
#include "console.h"
#include "learning.h"
#include "report/examples.h"
#include "report/fit.h"
#include "report/triage.h"
#include "shapes.h"
#include "sinew/character/examples_clip.h"
#include "sinew/deform/rest_in_world.h"
#include "sinew/io/files.h"
#include "sinew/learn/fit.h"
#include "sinew/picture/png.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

struct FitFileOptions {
  bool examplesClip = true;
};

template <class Visitor>
void visitFields(FitFileOptions& o, Visitor&& visit) {
  visit(o.examplesClip, {.name = "examples-clip", .help = "add a clip that visits every example, one per second"});
}

struct VertexRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// Numbers and ranges (3, 7, 10-20) with commas, brackets or blanks between them.
std::vector<VertexRange> vertexRanges(std::string_view text, const std::string& where) {
  constexpr std::string_view kBetween = " \t\r\n,;[]";
  std::vector<VertexRange> ranges;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return ranges;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    text.remove_prefix(word.size());
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    const char* const end = word.data() + word.size();
    auto [middle, fault] = std::from_chars(word.data(), end, first);
    last = first;
    if (fault == std::errc() && middle != end && *middle == '-') {
      const auto second = std::from_chars(middle + 1, end, last);
      middle = second.ptr;
      fault = second.ec;
    }
    if (fault != std::errc() || middle != end || last < first) {
      throw Error(ErrorCode::BadInput,
                  fmt::format("'{}' is neither a file nor a vertex; write numbers and ranges as in 3,7,10-20", word),
                  where);
    }
    ranges.push_back({first, last});
  }
}

std::vector<std::uint32_t> vertexList(std::string_view text, Index count, const std::string& where) {
  std::vector<std::uint32_t> vertices;
  for (const auto& [first, last] : vertexRanges(text, where)) {
    if (static_cast<Index>(last) >= count) {
      throw Error(ErrorCode::NotFound,
                  fmt::format("there is no vertex {}; the character has {}, numbered from 0", last, count), where);
    }
    for (std::uint32_t v = first; v <= last; ++v) vertices.push_back(v);
  }
  return vertices;
}

void addExamplesClip(Character& character, const ExampleSet& set) {
  for (const Clip& clip : character.clips) {
    if (clip.name.starts_with("examples") && visitsExamples(character, clip, set)) return;
  }
  character.clips.push_back(examplesClip(character, set, freeClipName(character, "examples")));
}

Json helperBlock(const Character& character, const HelperTrial& trial) {
  return {{"name", trial.name},
          {"rule", trial.rule},
          {"kind", nameOf(trial.helper.kind)},
          {"source", character.skeleton[trial.helper.source].name},
          {"gain", trial.gain}};
}

Json stageBlock(const FitStage& stage, std::span<const std::string> names) {
  Json examples = Json::array();
  for (std::size_t k = 0; k < stage.examples.size(); ++k) {
    Json example = {{"name", names[k]}};
    example.update(errorBlock(stage.examples[k]));
    examples.push_back(std::move(example));
  }
  return {{"name", stage.name},    {"total", errorBlock(stage.total)},
          {"examples", examples},  {"leaveOneOut", stage.leaveOneOut},
          {"bytes", stage.bytes},  {"joints", stage.joints},
          {"morphs", stage.morphs}};
}

Json reportBlock(const Character& character, const FitReport& report) {
  Json examples = Json::array();
  for (const FitExample& example : report.examples) {
    examples.push_back(
        {{"name", example.name}, {"before", errorBlock(example.before)}, {"after", errorBlock(example.after)}});
    if (report.leftOut) examples.back()["leaveOneOut"] = errorBlock(example.leaveOneOut);
  }
  Json helpers = Json::array();
  Json tried = Json::array();
  for (const HelperTrial& trial : report.helpers)
    (trial.kept ? helpers : tried).push_back(helperBlock(character, trial));
  Json steps = Json::array();
  for (const FitStep& step : report.steps) steps.push_back({{"what", step.what}, {"rms", step.rms}});
  return {{"before", errorBlock(report.before)},
          {"capped", errorBlock(report.capped)},
          {"after", errorBlock(report.after)},
          {"leaveOneOut", report.leftOut ? errorBlock(report.leaveOneOut) : Json(nullptr)},
          {"examples", examples},
          {"helpers", helpers},
          {"tried", tried},
          {"iterations", report.iterations},
          {"steps", steps},
          {"maxInfluences", report.maxInfluences},
          {"drift", report.drift},
          {"rmsDrift", report.rmsDrift},
          {"diagonal", report.diagonal}};
}

std::string reportText(const FitReport& report) {
  std::string text;
  for (const FitExample& example : report.examples) {
    text += fmt::format("  {:20} before {:8.4f} %  after {:8.4f} %", example.name, example.before.rmsPercent,
                        example.after.rmsPercent);
    if (report.leftOut) text += fmt::format("  leave-one-out {:8.4f} %", example.leaveOneOut.rmsPercent);
    text += "\n";
  }
  std::size_t longest = 0;
  for (const HelperTrial& trial : report.helpers) longest = std::max(longest, trial.kept ? trial.name.size() : 0);
  for (const HelperTrial& trial : report.helpers) {
    if (trial.kept)
      text += fmt::format("  joint {:{}}  {} (worth {} of an example's squared error, leave-one-out)\n", trial.name,
                          longest, trial.rule, gainText(trial.gain));
  }
  return text;
}

class FitCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    files_.declareInputs(arguments);
    arguments.output(files_.output, "the character with its fitted skin (.glb, .gltf)", false);
    arguments.fields(options_);
    arguments.option("--lock", "JOINT", options_.locks, "joints whose weights must not change");
    arguments.option("--lock-vertices", "FILE|LIST", lockVertices_,
                     "vertices whose weights must not change: a file with their numbers, or 3,7,10-20");
    files_.declareMirror(arguments);
    arguments.fields(fileOptions_);
    arguments.flag("--explain", explain_,
                   "show how much error weights, helper joints, the rest shape and correctives would each remove; "
                   "without -o nothing is fitted");
    arguments.option("--chart", "FILE.png", chart_, "with --explain: the same as a chart");
    files_.declareReport(arguments, "a page with pictures, errors, the new joints and warnings");
  }

  int run(Console& console) override {
    checkWords();
    if (options_.maxHelpers == 0 && options_.helpers != FitHelpers::None) {
      console.note("--max-helpers 0 allows no helper joint, so none are tried");
      options_.helpers = FitHelpers::None;
    }
    bool hadPoseSpace = false;
    CharacterFile file = readLearner(files_, "to fit", console, &hadPoseSpace);
    readLocks(file.character);
    LearnSet read = readLearnSet(files_, file, console);
    const ExampleSet set = readAll(*read.learned);
    if (hadPoseSpace && !files_.output.empty()) {
      read.notes.emplace_back(
          "the corrections in the file were learned for its old skin and are dropped; run `sinew psd` on the result");
      console.note(read.notes.back());
    }
    if (fileOptions_.examplesClip && !files_.output.empty()) addExamplesClip(file.character, set);

    const double explained = !explain_ ? Console::kRead : files_.output.empty() ? fittedAt() : 0.5;
    std::optional<FitExplanation> explanation;
    if (explain_) {
      explanation = blaming(files_.inputs.name(), [&] {
        return explainFit(file.character, set, options_, console.progress(Console::kRead, explained));
      });
    }
    std::optional<FitResult> result;
    if (!files_.output.empty()) {
      result = blaming(files_.inputs.name(),
                       [&] { return fitSkin(file.character, set, options_, console.progress(explained, fittedAt())); });
      console.warn(result->report.warnings);
    }
    std::optional<HeldOut> heldOut;
    if (result) heldOut = measureHeldOut(read, file.character, result->character, {});
    if (heldOut) noteHeldOut(*heldOut, console, read);
    write(file, {set, read, result, explanation, heldOut}, console);
    return Done;
  }

 private:
  /// Of the work, when the page is still to be drawn.
  [[nodiscard]] double fittedAt() const { return files_.report.empty() ? Console::kWrite : 0.8; }

  void checkWords() const {
    if (files_.output.empty() && !explain_)
      throw UsageError("-o is required for the fitted character (optional with --explain)");
    if (!chart_.empty() && !explain_) throw UsageError("--chart needs --explain; give both");
    checkPrior();
    if (!lockVertices_.empty() && !isFile(lockVertices_))
      static_cast<void>(vertexRanges(lockVertices_, "--lock-vertices"));
    files_.checkWords("a fitted skin");
    if (chart_.empty()) return;
    if (std::filesystem::path(chart_).extension() != ".png")
      throw Error(ErrorCode::BadInput, "must end in .png", chart_);
    checkFolderWritable(chart_);
  }

  void checkPrior() const {
    if (options_.prior == "auto") return;
    double value = 0;
    const char* const end = options_.prior.data() + options_.prior.size();
    const auto [stop, fault] = std::from_chars(options_.prior.data(), end, value);
    if (fault != std::errc() || stop != end || !std::isfinite(value) || value < 0)
      refuseWordOrNumber("--prior", options_.prior, "auto", "a number of at least 0");
  }

  static bool isFile(const std::string& name) {
    std::error_code ignored;
    return std::filesystem::exists(name, ignored);
  }

  void readLocks(const Character& character) {
    for (const std::string& name : options_.locks) {
      blaming("--lock", [&] { return character.skeleton.index(name); });
    }
    if (lockVertices_.empty()) return;
    const bool named = isFile(lockVertices_);
    const std::string text = named ? readFile(lockVertices_) : lockVertices_;
    options_.lockedVertices = vertexList(text, character.mesh.vertexCount(), named ? lockVertices_ : "--lock-vertices");
  }

  struct Run {
    const ExampleSet& set;  ///< that was learned
    const LearnSet& read;
    const std::optional<FitResult>& result;
    const std::optional<FitExplanation>& explanation;
    const std::optional<HeldOut>& heldOut;
  };

  /// Everything that takes work is made before the first file is written.
  void write(CharacterFile& file, const Run& run, const Console& console) const {
    const auto& [set, read, result, explanation, heldOut] = run;
    std::string page;
    if (!files_.report.empty()) page = makePage(file.character, run, console);
    const std::string title = "What would help " + std::filesystem::path(files_.character).filename().string();
    if (!chart_.empty()) console.outputs().add(chart_, picture::encodePng(triageChart(*explanation, title)));
    if (!page.empty()) console.outputs().add(files_.report, page);
    Json json = Json::object();
    std::string text;
    if (result) {
      const Points& rest = file.character.mesh.points;
      const Points madeOn =
          sameRestInWorld(file.character, result->character, file.examplesRest.cols() > 0 ? file.examplesRest : rest);
      // Rounding of weights and bind matrices in files moves nothing that counts.
      const bool moved = (madeOn - rest).cwiseAbs().maxCoeff() > 1e-5 * boundingBox(rest).diagonal();
      if (options_.rest || file.examplesRest.cols() > 0 || moved) file.examplesRest = madeOn;
      file.character = result->character;
      WriteOptions writing = console.writing();
      writing.weights = options_.quantize;
      const LostList lost = writeCharacter(files_.output, file, writing);
      for (const std::string& sentence : lost) console.note(sentence);
      json = reportBlock(file.character, result->report);
      json["output"] = files_.output;
      json["lost"] = lost;
      text = fmt::format("{}: {}\n", files_.output, result->report.sentence());
      if (heldOut) text += "  " + heldOut->sentence() + "\n";
      text += reportText(result->report);
    }
    if (explanation) {
      Json stages = Json::array();
      for (const FitStage& stage : explanation->stages) stages.push_back(stageBlock(stage, explanation->examples));
      json["stages"] = std::move(stages);
      json["multiWeight"] = stageBlock(explanation->multiWeight, explanation->examples);
      json["advice"] = explanation->advice;
      text += triageText(*explanation);
    }
    addSources(read, heldOut, json);
    console.result(text, std::move(json));
  }

  [[nodiscard]] std::string makePage(const Character& character, const Run& run, const Console& console) const {
    FitReportInput input{.before = character, .set = run.set, .options = options_};
    if (run.result) input.result = &*run.result;
    if (run.explanation) input.explanation = &*run.explanation;
    describeRun(files_, run.read, console.commandLine, input);
    return fitReportPage(input, console.progress(fittedAt(), Console::kWrite));
  }

  LearnFiles files_;
  FitOptions options_;
  FitFileOptions fileOptions_;
  std::string lockVertices_;
  std::string chart_;
  bool explain_ = false;
};

}  // namespace

std::unique_ptr<Command> makeFitCommand() {
  return std::make_unique<FitCommand>();
}

}  // namespace sinew::cli
