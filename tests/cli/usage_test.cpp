// Names, flags, exit codes and JSON fields: what scripts rely on.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "run_sinew.h"
#include "support/data.h"

namespace sinew::test::usage_test {
namespace {

const std::vector<std::string> kCommandNames{"sample", "info",     "convert", "deform", "bind",  "invert",
                                             "psd",    "fit",      "learn",   "reduce", "pose",  "reconstruct",
                                             "drag",   "evaluate", "compare", "render", "studio"};

TEST(Usage, EveryCommandHasHelpWithAnExample) {
  for (const std::string& name : kCommandNames) {
    const CommandResult help = runSinew({"help", name});
    EXPECT_EQ(help.exitCode, 0);
    EXPECT_NE(help.out.find("\nExamples:\n  sinew " + name), std::string::npos) << help.out;
    EXPECT_EQ(runSinew({name, "--help"}).out, help.out);
  }
}

TEST(Usage, WholeNumbersAreWrittenOut) {
  const std::string help = runSinew({"help", "sample"}).out;
  // A line may break anywhere between words.
  EXPECT_NE(help.find(" 2000000, default 0]"), std::string::npos) << help;
  EXPECT_EQ(help.find("e+"), std::string::npos) << help;
}

TEST(Usage, IncompleteAndContradictoryCommandLinesExitWithOne) {
  EXPECT_EQ(runSinew({"convert", "a.glb"}).exitCode, 1) << "-o is missing";
  EXPECT_EQ(runSinew({"sample", "arm"}).exitCode, 1) << "-o is missing";
  EXPECT_EQ(runSinew({"convert", "a.glb", "b.glb", "-o", "c.glb"}).exitCode, 1) << "one input too many";
  EXPECT_EQ(runSinew({"fit", "a.glb", "--examples", "e.json", "-o", "f.glb", "--max-influences", "0"}).exitCode, 1);
  EXPECT_EQ(runSinew({"deform", "a.glb", "-o", "b.obj", "--pose"}).exitCode, 1) << "--pose has no value";
  EXPECT_EQ(runSinew({"help", "fit", "psd"}).exitCode, 1) << "help explains one command at a time";
  const CommandResult missing = runSinew({"deform", "a.glb"});
  EXPECT_EQ(missing.exitCode, 1);
  EXPECT_EQ(missing.err, "sinew: deform: --pose, -o are missing; usage: sinew deform CHARACTER --pose POSE -o PATH\n");
  const CommandResult learn = runSinew({"learn", "a.glb"});
  EXPECT_EQ(learn.exitCode, 1);
  EXPECT_EQ(
      learn.err,
      "sinew: learn: --examples (or --clip with --meshes), --budget, -o are missing; usage: sinew learn CHARACTER "
      "(--examples FILE | --clip CLIP --meshes PATH) --budget TEXT -o PATH\n");
  for (const char* given : {"--examples", "--meshes"}) {
    const CommandResult psd = runSinew({"psd", "a.glb", given, "e"});
    EXPECT_EQ(psd.err.find("sinew: psd: -o is missing"), 0u) << psd.err;
  }
}

TEST(Usage, WordsThatDoNotExistExitWithTwoAndNameTheNearest) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"reudce", "meshes", "-o", "m.glb"}, "'reduce'"},
      {{"Info", "a.glb"}, "'info'"},
      {{"help", "rendr"}, "'render'"},
      {{"help", "nonsense"}, "`sinew help` lists all"},
      {{"dance"}, "`sinew help` lists all"},
      {{}, "`sinew help` lists all"},
      {{"info", "--exmaples", "e.json"}, "--examples"},
      {{"render", "a.glb", "--colour", "error", "-o", "p.png"}, "--color"},
      {{"render", "--collumns=3"}, "--columns"},
      {{"fit", "--influences", "3"}, "--max-influences"},
      {{"fit", "-output", "f.glb"}, "--output"},
      {{"psd", "a.glb", "--examples", "e.json", "-o", "p.glb", "--kernel", "cubik"}, "'cubic'"},
      {{"render", "a.glb", "-o", "p.png", "--up", "w"}, "choose x, y or z"},
      {{"completion", "bsh"}, "'bash'"},
      {{"completion", "fish"}, "choose bash or zsh"},
      {{"--jason", "info"}, "sinew COMMAND --jason"},
      {{"--verson"}, "did you mean --version?"},
      {{"fit", "a.glb", "--examples", "e.json", "-o", "p.glb", "--helpers", "halves"}, "did you mean 'half'?"},
      {{"render", "a.glb", "-o", "p.png", "--color", "eror"}, "did you mean 'error'?"},
      {{"render", "a.glb", "-o", "p.png", "--color", "wieght:hand"}, "did you mean 'weight:hand'?"},
      {{"deform", "a.glb", "--pose", "rest", "-o", "p.obj", "--deformer", "linaer-blend"},
       "did you mean 'linear-blend'?"},
  };
  for (const auto& [words, nearest] : cases) {
    const CommandResult result = runSinew(words);
    EXPECT_EQ(result.exitCode, 2) << result.err;
    EXPECT_NE(result.err.find(nearest), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

/// Before any file is read: none of these exists.
TEST(Usage, WrongValuesNameTheirOptionTheRuleAndTheRemedyAndNoFile) {
  const std::vector<std::string> render = {"render", "nowhere.glb", "-o", "p.png"};
  const std::vector<std::string> fit = {"fit", "nowhere.glb", "--examples", "nowhere.json", "-o", "p.glb"};
  const std::vector<std::string> invert = {"invert",   "nowhere.glb", "--pose", "rest",
                                           "--sculpt", "nowhere.obj", "-o",     "p.obj"};
  const std::vector<std::string> pose = {"pose", "nowhere.glb", "-o", "p.obj"};
  const std::vector<std::string> psd = {"psd", "nowhere.glb", "--examples", "nowhere.json", "-o", "p.glb"};
  const std::vector<std::string> reduce = {"reduce", "nowhere.glb", "-o", "p.glb"};
  const std::vector<std::string> learn = {"learn", "nowhere.glb", "--examples", "nowhere.json", "-o", "p.glb"};
  const std::vector<std::string> sample = {"sample", "arm", "-o", "nowhere"};
  struct Case {
    std::vector<std::string> command;
    std::string flag;
    std::string value;
    int exitCode;
    std::string said;
  };
  const Case cases[] = {
      {render, "--size", "0x0", 1, "from 1 to 16384"},
      {render, "--size", "99999x99999", 1, "from 1 to 16384"},
      {render, "--size", "abc", 1, "as in 800x600"},
      {render, "--size", "800x600.5", 1, "as in 800x600"},
      {render, "--view", "30", 1, "as in 30,12"},
      {render, "--view", "nan,0", 1, "as in 30,12"},
      {render, "--range", "wide", 1, "percent"},
      {render, "--range", "5%", 1, "add --color error"},
      {render, "--against", "nowhere.obj", 1, "add --color error"},
      {render, "--color", "purple", 2, "write error, control or weight:JOINT"},
      {render, "--deformer", "lattice", 1, "lattice:FILE.json"},
      {render, "--columns", "-2", 1, "from 0 to 10000"},
      {render, "--against", "nowhere.obj nowhere2.obj", 1, "one mesh per pose"},
      {fit, "--prior", "banana", 1, "write auto, or a number"},
      {fit, "--prior", "atuo", 1, "did you mean 'auto'?"},
      {fit, "--prior", "-1", 1, "a number of at least 0"},
      {fit, "--lock-vertices", "seven", 1, "3,7,10-20"},
      {psd, "--radius", "abc", 1, "write auto, or a number"},
      {psd, "--radius", "atuo", 1, "did you mean 'auto'?"},
      {psd, "--radius", "-1", 1, "a positive number"},
      {psd, "--rank", "abc", 1, "a number from 1 up"},
      {psd, "--centres", "0", 1, "a number from 1 up"},
      {psd, "--ridge", "abc", 1, "is not a number"},
      {psd, "--pick", "abc", 1, "is not a whole number"},
      {psd, "--hold-out", "abc", 1, "is not a number"},
      {psd, "--hold-out", "0.999", 1, "from 0 to 0.99"},
      {psd, "--threads", "abc", 1, "is not a whole number"},
      {reduce, "--controls", "atuo", 1, "did you mean 'auto'?"},
      {learn, "--budget", "16morfs", 1, "did you mean 'morphs'?"},
      {sample, "--vertices", "50", 1, "1000 to 2000000"},
      {sample, "--vertices", "abc", 1, "is not a whole number"},
      {invert, "--deformer", "sponge", 2, "choose linear-blend"},
      {pose, "--handle", "7=1,2", 1, "V=X,Y,Z"},
      {pose, "--pin", "five", 1, "a whole number of at least 0"},
      {pose, "--blend", "sit", 1, "NAME=W"},
      {render, "--threads", "-1", 1, "from 0 to 1024"},
  };
  for (const Case& one : cases) {
    std::vector<std::string> words = one.command;
    words.push_back(one.flag);
    std::istringstream values(one.value);
    for (std::string value; values >> value;) words.push_back(value);
    const CommandResult result = runSinew(words);
    EXPECT_EQ(result.exitCode, one.exitCode) << result.err;
    EXPECT_NE(result.err.find(one.flag), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(one.said), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("nowhere.glb"), std::string::npos) << result.err;
    words.emplace_back("--json");
    const auto error = runSinew(words).json()["error"];
    EXPECT_EQ(error["file"], "") << error;
  }
  EXPECT_EQ(runSinew({"render", "nowhere.glb", "-o", "p.png", "--size", "0x0", "--json"}).json()["error"]["hint"],
            "write WIDTHxHEIGHT, each from 1 to 16384, as in 800x600");
}

TEST(Usage, BareCommandListsTheCommands) {
  const CommandResult bare = runSinew({});
  for (const std::string& name : kCommandNames) EXPECT_NE(bare.err.find("  " + name), std::string::npos) << name;
}

/// The long flags in a help text, without --help and negations.
std::set<std::string> flagsIn(const std::string& help) {
  std::set<std::string> names;
  std::istringstream lines(help);
  const std::regex flag("^  (?:-[a-z], )?--([a-z][a-z0-9-]*).*");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, flag)) names.insert(match[1]);
  }
  for (const char* about : {"help", "options", "print-options"}) names.erase(about);
  return names;
}

TEST(Usage, PrintOptionsListsEveryFlagAndNeedsNoFile) {
  for (const std::string& name : kCommandNames) {
    const std::set<std::string> flags = flagsIn(runSinew({"help", name}).out);
    ASSERT_FALSE(flags.empty());
    const CommandResult printed = runSinew({name, "--print-options", "--json"});
    ASSERT_EQ(printed.exitCode, 0) << name << printed.err;
    std::set<std::string> keys;
    const auto json = printed.json();
    for (const auto& [key, value] : json.items()) keys.insert(key);
    EXPECT_EQ(keys, flags) << name;
    if (json.contains("json")) {
      EXPECT_EQ(json["json"], false) << name << ": --json was about this list";
    }
    const std::string text = runSinew({name, "--print-options"}).out;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<long>(flags.size())) << text;
    EXPECT_NE(text.find("[default]"), std::string::npos);
  }
}

TEST(Usage, PrintedOptionsAreReadBack) {
  const TemporaryFolder folder;
  const std::vector<std::vector<std::string>> lines = {
      {"fit", "--max-influences", "6", "--helpers", "all", "--lock", "head", "--lock", "neck", "--rest", "-o", "f.glb"},
      {"psd", "--radius", "0.5", "--kernel", "gaussian", "--weighted", "--mirror", "x", "--threads", "2"},
      {"reduce", "--controls", "30", "--rigid", "--seed", "7"},
      {"drag", "--vertex", "3", "--target", "-1,0,0.5", "--soft", "0.25"},
      {"render", "--pose", "a.json", "b.json", "--columns", "2", "--skeleton"},
  };
  for (std::vector<std::string> line : lines) {
    line.insert(line.end(), {"--print-options", "--json"});
    const CommandResult printed = runSinew(line);
    ASSERT_EQ(printed.exitCode, 0) << printed.err;
    const std::string file = folder.write("options.json", printed.out);
    const CommandResult again = runSinew({line[0], "--options", file, "--print-options", "--json"});
    EXPECT_EQ(again.exitCode, 0) << again.err;
    EXPECT_EQ(again.out, printed.out);
    EXPECT_NE(again.out, runSinew({line[0], "--print-options", "--json"}).out);
  }
}

TEST(Usage, OptionsFilesMayGiveWhatIsRequiredAndSuggestForWrongKeysAndWords) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& json) {
    return runSinew({"sample", "arm", "--exact", "-q", "--options", folder.write("options.json", json)});
  };
  EXPECT_EQ(run(R"({"output": ")" + folder.file("arm") + "\"}").exitCode, 0);
  const CommandResult key = run(R"({"vertises": 1000})");
  EXPECT_EQ(key.exitCode, 2);
  EXPECT_NE(key.err.find("did you mean 'vertices'?"), std::string::npos) << key.err;
  const CommandResult kind = run(R"({"vertices": "many"})");
  EXPECT_EQ(kind.exitCode, 2);
  EXPECT_NE(kind.err.find("a whole number"), std::string::npos) << kind.err;
  const CommandResult word =
      runSinew({"psd", "--print-options", "--options", folder.write("o.json", R"({"kernel": "cubik"})")});
  EXPECT_EQ(word.exitCode, 2);
  EXPECT_NE(word.err.find("did you mean 'cubic'?"), std::string::npos) << word.err;
}

TEST(Usage, FailuresAreOneJsonObjectWithCodeMessageFileAndHint) {
  const TemporaryFolder folder;
  const std::string damaged = folder.write("damaged.glb", "glTF but not really");
  const std::string nowhere = folder.file("nowhere.glb");
  struct Case {
    std::vector<std::string> words;
    std::string code;
    int exitCode;
    std::string file;
  };
  const Case cases[] = {
      {{"dance"}, "unknown-word", 2, ""},
      {{}, "unknown-word", 2, ""},
      {{"info", nowhere, "--exmaples", "x"}, "unknown-word", 2, ""},
      {{"psd", nowhere, "--kernel", "cubik"}, "unknown-word", 2, ""},
      {{"convert", nowhere}, "usage", 1, ""},
      {{"drag", nowhere, "--pose", "rest", "--vertex", "five", "--target", "0,0,0"}, "usage", 1, ""},
      {{"info", nowhere}, "not-found", 2, nowhere},
      {{"info", "README-that-is-not-there"}, "not-found", 2, "README-that-is-not-there"},
      {{"evaluate", nowhere, "--examples", "none"}, "not-found", 2, nowhere},
      {{"render", nowhere, "-o", "p.png", "--size", "abc"}, "usage", 1, ""},
      {{"info", damaged}, "unreadable", 2, damaged},
      {{"sample", "amr", "-o", folder.file("a")}, "not-found", 2, ""},
      {{"sample", "arm", "--exact", "-o", "/proc/nowhere/arm"}, "unwritable", 2, "/proc/nowhere/arm"},
  };
  for (Case one : cases) {
    one.words.insert(one.words.end(), {"--json", "-q"});
    const CommandResult result = runSinew(one.words);
    EXPECT_EQ(result.exitCode, one.exitCode) << result.err;
    const auto json = result.json();
    ASSERT_EQ(json.size(), 1u) << result.out;
    const auto& error = json["error"];
    EXPECT_EQ(error["code"], one.code) << result.out;
    EXPECT_EQ(error["file"], one.file);
    EXPECT_EQ(error["exitCode"], one.exitCode);
    EXPECT_TRUE(error["hint"].is_string());
    EXPECT_EQ("sinew: " + error["message"].get<std::string>() + "\n", result.err);
  }
  EXPECT_EQ(runSinew({"psd", "--kernel", "cubik", "--json"}).json()["error"]["hint"], "did you mean 'cubic'?");
}

TEST(Usage, ExamplesOfHelpTextsAreReadAsTheyStand) {
  const TemporaryFolder folder;
  for (const std::string& name : kCommandNames) {
    const std::string help = runSinew({"help", name}).out;
    std::istringstream lines(help.substr(help.find("Examples:\n") + 10));
    int examples = 0;
    for (std::string line; std::getline(lines, line); ++examples) {
      const std::string words = line.substr(line.find("sinew ") + 6);
      // Quoted as a shell reads it; --print-options stops before any file is opened.
      const std::string script = folder.write(
          "example.sh", std::string("exec \"") + SINEW_COMMAND + "\" " + words + " --print-options > /dev/null\n");
      EXPECT_EQ(std::system(("sh '" + script + "'").c_str()), 0) << line;
    }
    EXPECT_GE(examples, 1) << name;
  }
}

TEST(Usage, VersionIsPrinted) {
  EXPECT_EQ(runSinew({"--version"}).out.rfind("sinew ", 0), 0u);
}

TEST(Usage, CompletionScriptsNameEveryCommandAndParse) {
  for (const std::string shell : {"bash", "zsh"}) {
    const CommandResult script = runSinew({"completion", shell});
    EXPECT_EQ(script.exitCode, 0);
    for (const std::string& name : kCommandNames) EXPECT_NE(script.out.find(name), std::string::npos);
    EXPECT_NE(script.out.find("--pose"), std::string::npos);
  }
  const TemporaryFolder folder;
  const std::string script = folder.write("sinew.bash", runSinew({"completion", "bash"}).out);
  EXPECT_EQ(std::system(("bash -n '" + script + "'").c_str()), 0);
}

TEST(Usage, SampleListHasNamesJointsAndExamples) {
  const auto samples = runSinew({"sample", "--list", "--json"}).json()["samples"];
  ASSERT_GE(samples.size(), 4u);
  for (const auto& sample : samples) {
    EXPECT_TRUE(sample["name"].is_string());
    EXPECT_TRUE(sample["joints"].is_number());
    EXPECT_GE(sample["examples"].get<int>(), 4);
  }
}

TEST(Usage, QuietSilencesProgressButNotTheError) {
  const TemporaryFolder folder;
  const CommandResult good = runSinew({"sample", "arm", "-o", folder.file("a"), "--vertices", "1000", "-q"});
  EXPECT_EQ(good.exitCode, 0);
  EXPECT_EQ(good.err, "");
  EXPECT_NE(runSinew({"info", folder.file("none.glb"), "-q"}).err, "");
}

}  // namespace
}  // namespace sinew::test::usage_test
