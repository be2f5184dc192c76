// sinew learn: the best skin within a budget of influences, helper joints, morph targets, bytes and playback time.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "learning.h"
#include "report/learn.h"
#include "shapes.h"
#include "sinew/deform/rest_in_world.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/budgeted_skin.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What a file of a skin would be, and how large.
class SkinFiles {
 public:
  SkinFiles(const CharacterFile& file, const std::string& input, const std::string& output)
      : file_(file), output_(output), before_(bytesOf(file, {})) {
    std::error_code ignored;
    const std::filesystem::path path(input);
    if (path.extension() == ".glb" && std::filesystem::path(output).extension() == ".glb")
      before_ = std::min(before_, static_cast<std::size_t>(std::filesystem::file_size(path, ignored)));
  }

  [[nodiscard]] std::size_t added(const BudgetedSkin& skin) const {
    const std::size_t bytes = bytesOf(fileOf(skin), optionsOf(skin, {}));
    return bytes > before_ ? bytes - before_ : 0;
  }

  [[nodiscard]] CharacterFile fileOf(const BudgetedSkin& skin) const {
    CharacterFile file = file_;
    const Points& rest = file_.examplesRest.cols() > 0 ? file_.examplesRest : file_.character.mesh.points;
    if (skin.movedRest || file_.examplesRest.cols() > 0) {
      file.examplesRest =
          skin.keepsRest ? sameRestInWorld(file_.character, skin.corrected.character, rest) : Points(3, 0);
    }
    file.character = skin.corrected.character;
    file.poseSpace = skin.corrected.poseSpace;
    file.poseSpaceMorphs = skin.corrected.morphs;
    return file;
  }

  [[nodiscard]] static WriteOptions optionsOf(const BudgetedSkin& skin, WriteOptions options) {
    options.weights = skin.weights;
    options.quantizedMorphs = skin.quantizedMorphs;
    return options;
  }

 private:
  [[nodiscard]] std::size_t bytesOf(const CharacterFile& file, const WriteOptions& options) const {
    std::size_t bytes = 0;
    for (const auto& [path, content] : gltfToMemory(output_, file, options).files) bytes += content.size();
    return bytes;
  }

  const CharacterFile& file_;
  const std::string& output_;
  std::size_t before_;
};

template <class Value>
Json orNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json budgetBlock(const SkinBudget& budget) {
  return {{"influences", orNull(budget.influences)},
          {"helpers", orNull(budget.helpers)},
          {"morphs", orNull(budget.morphs)},
          {"bytes", orNull(budget.bytes)},
          {"nanoseconds", orNull(budget.nanoseconds)}};
}

Json costBlock(const SkinCost& cost) {
  return {{"influences", cost.influences},
          {"helpers", cost.helpers},
          {"morphs", cost.morphs},
          {"bytes", cost.bytes},
          {"nanoseconds", cost.nanoseconds}};
}

Json choiceBlock(const SkinChoice& choice) {
  return {{"name", choice.name},
          {"error", {{"rms", choice.error}, {"rmsPercent", choice.errorPercent}, {"examples", choice.examples}}},
          {"cost", costBlock(choice.cost)},
          {"fits", choice.fits},
          {"front", choice.front},
          {"chosen", choice.chosen}};
}

std::string choicesText(const BudgetedSkinReport& report) {
  std::size_t longest = 0;
  for (const SkinChoice& choice : report.choices) longest = std::max(longest, choice.name.size());
  std::string text = fmt::format("  {:{}}  {:>10}  influences  helpers  morphs  {:>10}  ns\n", "choice", longest + 2,
                                 "held out", "bytes");
  for (const SkinChoice& choice : report.choices) {
    const char mark = choice.chosen ? '*' : choice.fits ? ' ' : '-';
    text += fmt::format("  {} {:{}}  {:8.4f} %  {:>10}  {:>7}  {:>6}  {:>10}  {:.3g}{}\n", mark, choice.name, longest,
                        choice.errorPercent, choice.cost.influences, choice.cost.helpers, choice.cost.morphs,
                        choice.cost.bytes, choice.cost.nanoseconds,
                        choice.examples < report.heldOut.size()
                            ? fmt::format("  (measured at {} of {})", choice.examples, report.heldOut.size())
                            : "");
  }
  return text + "  * chosen, - outside the budget; bytes of others are estimates\n";
}

class LearnCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    files_.declareInputs(arguments);
    arguments.required("--budget", "TEXT", budget_,
                       "what the skin may cost, any of: \"influences 4, helpers 8, morphs 16, bytes 500k, ns 1.5\"; or "
                       "\"4 influences, 8 helper joints, 500 kB\"");
    arguments.output(files_.output, "the character with the skin that was chosen (.glb, .gltf)");
    arguments.fields(options_);
    files_.declareMirror(arguments);
    files_.declareReport(arguments, "a page with the error of every choice against its cost, and pictures");
  }

  int run(Console& console) override {
    options_.budget = parseSkinBudget(budget_, "--budget");
    options_.allowRepeats = files_.inputs.force;
    files_.checkWords("a learned skin");
    bool hadPoseSpace = false;
    const CharacterFile file = readLearner(files_, "to learn", console, &hadPoseSpace);
    if (hadPoseSpace) console.note("the corrections that were learned before are dropped: the skin is learned anew");
    LearnSet read = readLearnSet(files_, file, console);
    const SkinFiles sizes(file, files_.character, files_.output);
    const BudgetedSkinResult result = learn(file.character, read, sizes, console);
    console.warn(result.report.warnings);
    if (!files_.report.empty()) writePage(file.character, read, result, console);
    const LostList lost =
        writeCharacter(files_.output, sizes.fileOf(result.skin), SkinFiles::optionsOf(result.skin, console.writing()));
    for (const std::string& sentence : lost) console.note(sentence);
    answer(read, result, lost, console);
    return Done;
  }

 private:
  [[nodiscard]] BudgetedSkinResult learn(const Character& character, const LearnSet& read, const SkinFiles& sizes,
                                         const Console& console) const {
    const double learnedAt = files_.report.empty() ? Console::kWrite : 0.9;
    try {
      return learnBudgetedSkin(
          character, *read.learned, read.heldOut.get(), [&](const BudgetedSkin& skin) { return sizes.added(skin); },
          options_, console.progress(Console::kRead, learnedAt));
    } catch (const Error& error) {
      if (error.where() == kBudgetWhere) throw Error(error.code(), error.message(), "--budget");
      return blaming(files_.inputs.name(), [&]() -> BudgetedSkinResult { throw; });
    }
  }

  void writePage(const Character& character, const LearnSet& read, const BudgetedSkinResult& result,
                 const Console& console) const {
    LearnReportInput input{
        .before = character, .examples = read.heldOut ? *read.heldOut : *read.learned, .result = result};
    input.budget = options_.budget;
    describeRun(files_, read, console.commandLine, input);
    console.outputs().add(files_.report, learnReportPage(input, console.progress(0.9, Console::kWrite)));
  }

  void answer(const LearnSet& read, const BudgetedSkinResult& result, const LostList& lost,
              const Console& console) const {
    const BudgetedSkinReport& report = result.report;
    std::string text = fmt::format("{}: {}\n  budget: {}\n", files_.output, report.sentence(), options_.budget.text());
    text += choicesText(report);
    for (const std::string& note : report.notes) text += "  " + note + "\n";
    Json choices = Json::array();
    for (const SkinChoice& choice : report.choices) choices.push_back(choiceBlock(choice));
    Json heldOut = errorBlock(report.after);
    heldOut["examples"] = report.heldOut.size();
    heldOut["names"] = report.heldOut;
    heldOut["before"] = errorBlock(report.before);
    heldOut["by"] = report.heldOutBy;
    heldOut["learned"] = report.learnedAll;
    Json json = {{"budget", budgetBlock(options_.budget)},
                 {"used", costBlock(report.used)},
                 {"choices", choices},
                 {"limits", budgetBlock(report.limits)},
                 {"driving", report.used.morphs > 0 ? Json(nameOf(result.skin.driving)) : Json(nullptr)},
                 {"diagonal", report.diagonal},
                 {"notes", report.notes},
                 {"output", files_.output},
                 {"lost", lost}};
    addSources(read, std::nullopt, json);
    json["heldOut"] = std::move(heldOut);
    console.result(text, std::move(json));
  }

  LearnFiles files_;
  std::string budget_;
  BudgetedSkinOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeLearnCommand() {
  return std::make_unique<LearnCommand>();
}

}  // namespace sinew::cli
