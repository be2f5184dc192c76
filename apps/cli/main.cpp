// The `sinew` command: parses, calls the library, replies. docs/cli.md is its manual.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "completion.h"
#include "console.h"
#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

namespace {

using namespace sinew;
using namespace sinew::cli;

struct Registered {
  const CommandRow* row = nullptr;
  CLI::App* app = nullptr;
  std::unique_ptr<Command> command;
  std::unique_ptr<Arguments> arguments;
};

/// `sinew help X` is `sinew X --help`.
std::vector<std::string> rewriteHelp(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return {"--help"};
  if (words[0] != "help") return words;
  if (words.size() == 1) return {"--help"};
  return {words[1], "--help"};
}

int runCommand(const Registered& chosen, Console& console, std::int64_t threads) {
  std::optional<ThreadLimit> limit;
  if (threads > 0) limit.emplace(static_cast<int>(threads));
  chosen.arguments->finish();
  if (const auto options = chosen.arguments->printedOptions(console.json)) {
    fmt::print("{}", *options);
    return Done;
  }
  cancelOnInterrupt();
  return chosen.command->run(console);
}

/// Every way a command can end badly, as an exit code and one sentence on stderr.
int guarded(const Registered& chosen, Console& console, std::int64_t threads) {
  try {
    return runCommand(chosen, console, threads);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Cancelled) {
      fmt::print(stderr, "sinew: cancelled; nothing was written\n");
      return Interrupted;
    }
    fmt::print(stderr, "sinew: {}\n", error.what());
    return error.code() == ErrorCode::Internal ? InternalFault : BadInput;
  } catch (const UsageError& error) {
    fmt::print(stderr, "sinew: {}: {}\n", chosen.row->name, error.what());
    return Usage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "sinew: {}: not enough memory; try a smaller mesh\n", chosen.row->name);
    return InternalFault;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sinew: {}: internal fault ({}); please report it\n", chosen.row->name, error.what());
    return InternalFault;
  }
}

int mainChecked(int argc, char** argv) {
  CLI::App app{"Sinew teaches a character's skin from examples.", "sinew"};
  app.set_version_flag("--version", std::string("sinew ") + SINEW_VERSION);
  app.require_subcommand(1);
  app.footer(
      "`sinew help COMMAND` tells more, with examples. Exit codes: 0 done, 1 usage, 2 bad input, 3 missed an asked-for "
      "limit, "
      "4 internal fault.");

  Console console;
  std::int64_t threads = 0;
  std::vector<Registered> registered;
  for (const CommandRow& row : commands()) {
    Registered entry{&row, app.add_subcommand(std::string(row.name), std::string(row.summary)), row.make(), nullptr};
    entry.arguments = std::make_unique<Arguments>(entry.app);
    entry.command->declare(*entry.arguments);
    entry.arguments->flag("--json", console.json, "print exactly one JSON object");
    entry.arguments->option("--threads", "N", threads, "threads to use; 0: all cores");
    entry.arguments->flag("-q,--quiet", console.quiet, "no progress, no remarks");
    entry.arguments->flag("-v,--verbose", console.verbose, "more remarks");
    entry.app->footer("Examples:\n" + std::string(row.example));
    registered.push_back(std::move(entry));
  }
  std::string shell;
  CLI::App* completion = app.add_subcommand("completion", "print the completion script of a shell");
  completion->add_option("SHELL", shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  completion->footer(
      "Examples:\n  sinew completion bash > ~/.local/share/bash-completion/completions/sinew\n"
      "  sinew completion zsh > \"${fpath[1]}/_sinew\"");

  std::vector<std::string> words = rewriteHelp(argc, argv);
  console.commandLine = "sinew " + quotedWords(words);
  std::reverse(words.begin(), words.end());  // CLI11 takes them last first
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? Done : Usage;
  }
  if (completion->parsed()) {
    std::vector<CompletionEntry> entries;
    for (const Registered& entry : registered) entries.push_back({entry.row, &entry.arguments->declared()});
    fmt::print("{}", completionScript(shell, entries));
    return Done;
  }
  for (const Registered& entry : registered) {
    if (entry.app->parsed()) return guarded(entry, console, threads);
  }
  return Usage;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return mainChecked(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sinew: internal fault (%s); please report it\n", error.what());
    return InternalFault;
  }
}
