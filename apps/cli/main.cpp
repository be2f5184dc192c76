// The `sinew` command: parses, calls the library, replies. docs/cli.md is its manual.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>

#include "argument_value.h"
#include "arguments.h"
#include "command.h"
#include "completion.h"
#include "console.h"
#include "failure.h"
#include "interrupts.h"
#include "named_outputs.h"
#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/io/foreign.h"
#include "streams.h"

namespace {

using namespace sinew;
using namespace sinew::cli;

constexpr CommandRow kCompletion{"completion", "print the completion script of a shell",
                                 "  sinew completion bash > ~/.local/share/bash-completion/completions/sinew\n"
                                 "  sinew completion zsh > \"${fpath[1]}/_sinew\"",
                                 nullptr};

/// A command with its arguments and the flags that all commands have.
struct Declared {
  const CommandRow& row;
  std::unique_ptr<Command> command;
  std::unique_ptr<Arguments> arguments;
  std::int64_t threads = 0;

  Declared(const CommandRow& chosen, Console& console)
      : row(chosen), command(row.make()), arguments(std::make_unique<Arguments>(row.name, row.summary, row.example)) {
    command->declare(*arguments);
    arguments->flag("--json", console.json, "print the result as one JSON object");
    arguments->flag("--rare-formats", console.rareFormats, "also read .x .b3d .ms3d .md5mesh .smd .3ds .lwo");
    arguments->option("--threads", "N", threads, "threads to use; 0: all cores", 0, 1024);
    arguments->flag("-q,--quiet", console.quiet, "print no progress and no notes");
    arguments->flag("-v,--verbose", console.verbose, "more notes");
  }
};

std::string mainHelp() {
  std::string text =
      "Sinew learns skin deformation from examples.\n\nUsage: sinew COMMAND INPUT... -o OUTPUT [flags]\n\nCommands:\n";
  for (const CommandRow& row : commands()) text += fmt::format("  {:<12} {}\n", row.name, row.summary);
  text += fmt::format("  {:<12} {}\n", kCompletion.name, kCompletion.summary);
  return text +
         "\n`sinew help COMMAND` shows flags and examples, `sinew --version` the version.\nExit codes: 0 done, 1 "
         "incomplete or contradictory command line or invalid value,\n2 bad input or unknown name, 3 did not converge "
         "or exceeded a limit, 4 internal error, 130 cancelled.\n";
}

int runCompletion(std::span<const std::string> words, Console& console) {
  std::string shell;
  Arguments arguments(kCompletion.name, kCompletion.summary, kCompletion.example);
  arguments.choice("SHELL", shell, {"bash", "zsh"}, "bash or zsh");
  if (const auto help = arguments.parse(words)) {
    say(*help);
    return Done;
  }
  if (const auto options = arguments.printedOptions(console.json)) {
    say(*options);
    return Done;
  }
  std::vector<std::unique_ptr<Declared>> declared;
  std::vector<CompletionEntry> entries;
  Console unused;
  for (const CommandRow& row : commands()) declared.push_back(std::make_unique<Declared>(row, unused));
  for (const auto& one : declared) entries.push_back({&one->row, &one->arguments->declared()});
  say(completionScript(shell, entries));
  return Done;
}

/// What is known of the command line when something fails.
struct Asked {
  std::string command;
  std::vector<std::string> files;
};

int runCommand(const CommandRow& row, std::span<const std::string> words, Console& console, Asked& asked) {
  Declared declared(row, console);
  if (const auto help = declared.arguments->parse(words)) {
    say(*help);
    return Done;
  }
  if (const auto options = declared.arguments->printedOptions(console.json)) {
    say(*options);
    return Done;
  }
  asked.files = declared.arguments->files();
  checkNamedOutputs(words);
  std::optional<ThreadLimit> limit;
  if (declared.threads > 0) limit.emplace(static_cast<int>(declared.threads));
  const Interrupts interrupts(console.outputs(), [&console] {
    fail(failureOf(std::make_exception_ptr(Error(ErrorCode::Cancelled, "cancelled")), {}), console);
    std::fflush(stdout);
  });
  try {
    return declared.command->run(console);
  } catch (const Error& error) {
    throw naming(error, declared.arguments->inputValues(), asked.files);
  }
}

/// `sinew help X` is `sinew X --help`; `sinew help` is `sinew --help`. Throws for more than one command.
std::vector<std::string> rewriteHelp(std::vector<std::string> words) {
  if (words.empty() || words[0] != "help") return words;
  if (words.size() == 1 || words[1] == "help" || words[1].starts_with('-')) return {"--help"};
  if (words.size() > 2 && !words[2].starts_with('-')) {
    throw UsageError(fmt::format("'{}' is one word too many; `sinew help` explains one command at a time", words[2]));
  }
  return {words[1], "--help"};
}

/// Throws for an unknown word in the place of a command.
const CommandRow& commandNamed(const std::string& word) {
  std::vector<std::string> names{std::string(kCompletion.name), "help"};
  for (const CommandRow& row : commands()) {
    if (row.name == word) return row;
    names.emplace_back(row.name);
  }
  if (word == kCompletion.name) return kCompletion;
  if (word.starts_with('-')) {
    const std::vector<std::string> flags = {"version", "help"};
    const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    if (const std::string nearest = nearestName(name, flags); !nearest.empty())
      throw UnknownWordError(fmt::format("the flag {} does not exist; did you mean --{}?", word, nearest));
    throw UnknownWordError(
        fmt::format("the flag {} does not exist before a command; write `sinew COMMAND {}`", word, word));
  }
  throw UnknownWordError(
      fmt::format("the command '{}' does not exist{}", word, didYouMean(word, names, "; `sinew help` lists all")));
}

int runWords(const std::vector<std::string>& words, Console& console, Asked& asked) {
  if (words.empty()) {
    if (!console.json) tell(mainHelp() + '\n');
    throw UnknownWordError("no command is given; `sinew help` lists all");
  }
  if (words[0] == "--help" || words[0] == "-h") {
    say(mainHelp());
    return Done;
  }
  if (words[0] == "--version") {
    say(fmt::format("sinew {}\n", SINEW_VERSION));
    return Done;
  }
  const CommandRow& row = commandNamed(words[0]);
  asked.command = row.name;
  const std::span<const std::string> rest(words.begin() + 1, words.end());
  return row.make == nullptr ? runCompletion(rest, console) : runCommand(row, rest, console, asked);
}

OutputFiles* unfinished = nullptr;

/// If memory runs out while an error is reported or during cleanup, exceptions no longer work; this still prints a
/// sentence and removes temporary files.
[[noreturn]] void onTerminate() {
  bool noMemory = false;
  try {
    if (const std::exception_ptr fault = std::current_exception()) std::rethrow_exception(fault);
  } catch (const std::bad_alloc&) {
    noMemory = true;
  } catch (...) {
    noMemory = false;
  }
  tell(noMemory ? "sinew: not enough memory; try a smaller mesh\n" : "sinew: internal error; please report it\n");
  if (unfinished != nullptr) unfinished->discard();
  ::_exit(InternalFault);
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto code = runForeignReader(argc, argv)) return *code;
  openStreams();
  std::set_terminate(onTerminate);
  Console console;
  unfinished = &console.outputs();
  Asked asked;
  try {
    const std::vector<std::string> given{argv + 1, argv + argc};
    // Known before parsing, so that errors of the command line are reported the same way.
    console.json = std::find(given.begin(), given.end(), "--json") != given.end();
    const std::vector<std::string> words = rewriteHelp(given);
    console.commandLine = "sinew " + quotedWords(words);
    const int code = runWords(words, console, asked);
    finishSaying();
    return code;
  } catch (...) {
    // After an interrupt outputs are being removed: resulting failures are not errors of their own.
    const std::exception_ptr fault =
        interrupted() ? std::make_exception_ptr(Error(ErrorCode::Cancelled, "cancelled")) : std::current_exception();
    return fail(failureOf(fault, asked.command, asked.files), console);
  }
}
