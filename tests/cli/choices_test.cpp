// Options that are a choice: flag, help, JSON and the check of wrong words come from one table.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "run_sinew.h"
#include "sinew/base/choice.h"
#include "sinew/learn/bind.h"
#include "sinew/learn/decompose.h"
#include "sinew/learn/fit.h"
#include "sinew/learn/invert.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space_morphs.h"
#include "sinew/learn/reduced_model.h"
#include "sinew/manipulate/drag_weights.h"
#include "sinew/manipulate/reduced_ik.h"

namespace sinew::test::choices_test {
namespace {

/// A flag that takes one of some words.
struct ChoiceFlag {
  std::string command;
  std::string name;
  std::vector<std::string> words;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

/// Every choice of an options struct, as the command shows it.
template <class Options>
void collect(const char* command, std::vector<ChoiceFlag>& flags) {
  Options options;
  visitFields(options, [&]<class Value>(Value& value, const FieldInfo& info) {
    if constexpr (Choice<Value>) {
      flags.push_back({command, std::string(info.name), choiceNames<Value>()});
      const ChoiceRef choice(value);
      for (const std::string& word : choice.names()) {
        EXPECT_TRUE(choice.set(word));
        EXPECT_EQ(nameOf(value), word);
      }
    } else if (info.names != nullptr) {
      flags.push_back({command, std::string(info.name), info.names()});
    }
  });
}

std::vector<ChoiceFlag> choicesOfOptions() {
  std::vector<ChoiceFlag> flags;
  collect<BindOptions>("bind", flags);
  collect<FitOptions>("fit", flags);
  collect<InvertOptions>("invert", flags);
  collect<PoseSpaceOptions>("psd", flags);
  collect<PoseSpaceExportOptions>("psd", flags);
  collect<ReducedOptions>("reduce", flags);
  collect<DecomposeOptions>("reduce", flags);
  collect<IkOptions>("pose", flags);
  collect<DragOptions>("drag", flags);
  return flags;
}

/// "--space frame|inverse|forward|layered" in a help text, for every command that the bare command lists.
std::vector<ChoiceFlag> choicesInHelp() {
  std::vector<ChoiceFlag> flags;
  std::istringstream all(runSinew({"help"}).out);
  const std::regex row("  ([a-z]+) +.*");
  const std::regex choice("\n  --([a-z-]+) ([a-z0-9-]+(?:\\|[a-z0-9-]+)+)(?=\\s)");
  for (std::string line; std::getline(all, line);) {
    std::smatch command;
    if (!std::regex_match(line, command, row)) continue;
    const std::string help = runSinew({"help", command[1]}).out;
    for (std::sregex_iterator at(help.begin(), help.end(), choice), end; at != end; ++at) {
      ChoiceFlag flag{command[1], (*at)[1], {}};
      std::istringstream words((*at)[2]);
      for (std::string word; std::getline(words, word, '|');) flag.words.push_back(word);
      flags.push_back(std::move(flag));
    }
  }
  return flags;
}

TEST(Choices, OfEveryOptionsStructAreInTheHelpWithAllTheirNames) {
  std::set<std::string> shown;
  for (const ChoiceFlag& flag : choicesInHelp()) shown.insert(flag.command + " --" + flag.name + joined(flag.words));
  const std::vector<ChoiceFlag> wanted = choicesOfOptions();
  EXPECT_GE(wanted.size(), 11u);
  for (const ChoiceFlag& flag : wanted)
    EXPECT_TRUE(shown.contains(flag.command + " --" + flag.name + joined(flag.words))) << flag.name;
}

TEST(Choices, EveryWordOfEveryCommandComesBackFromJson) {
  const TemporaryFolder folder;
  const std::vector<ChoiceFlag> flags = choicesInHelp();
  ASSERT_GE(flags.size(), 17u);
  for (const ChoiceFlag& flag : flags) {
    for (const std::string& word : flag.words) {
      const CommandResult typed = runSinew({flag.command, "--" + flag.name, word, "--print-options", "--json"});
      ASSERT_EQ(typed.exitCode, 0) << flag.command << " --" << flag.name << " " << word << ": " << typed.err;
      EXPECT_EQ(typed.json()[flag.name], word) << flag.command;
      const std::string file = folder.write("options.json", typed.out);
      EXPECT_EQ(runSinew({flag.command, "--options", file, "--print-options", "--json"}).out, typed.out) << flag.name;
    }
  }
}

TEST(Choices, AWrongWordIsRefusedWithTheNearestOnTheCommandLineAndInJson) {
  const TemporaryFolder folder;
  for (const ChoiceFlag& flag : choicesInHelp()) {
    // A letter more than the longest word: that one is the nearest.
    std::string nearest;
    for (const std::string& word : flag.words) nearest = word.size() > nearest.size() ? word : nearest;
    const std::string wrong = nearest + "e";
    const std::string file = folder.write("options.json", "{\"" + flag.name + "\": \"" + wrong + "\"}");
    for (const CommandResult& refused : {runSinew({flag.command, "--" + flag.name, wrong, "--print-options"}),
                                         runSinew({flag.command, "--options", file, "--print-options"})}) {
      EXPECT_EQ(refused.exitCode, 2) << flag.command << " --" << flag.name << " " << wrong;
      const bool suggests = refused.err.find("did you mean '" + nearest + "'?") != std::string::npos;
      // A word of one letter is near to nothing: then all are listed.
      EXPECT_TRUE(suggests ||
                  (nearest.size() < 3 && refused.err.find("; choose " + flag.words[0]) != std::string::npos))
          << refused.err;
    }
  }
}

TEST(Choices, CompletionOffersAllWords) {
  const std::string bash = runSinew({"completion", "bash"}).out;
  for (const ChoiceFlag& flag : choicesOfOptions()) {
    std::string words;
    for (const std::string& word : flag.words) words += (words.empty() ? "" : " ") + word;
    EXPECT_NE(bash.find(flag.command + "\\ --" + flag.name + ") COMPREPLY=($(compgen -W \"" + words + "\""),
              std::string::npos)
        << flag.name;
  }
}

}  // namespace
}  // namespace sinew::test::choices_test
