#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sinew::cli {
namespace {

/// "-q,--quiet" has two spellings.
std::vector<std::string> spellings(const std::string& flag) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  while (begin < flag.size()) {
    const std::size_t comma = flag.find(',', begin);
    all.push_back(flag.substr(begin, comma == std::string::npos ? std::string::npos : comma - begin));
    begin = comma == std::string::npos ? flag.size() : comma + 1;
  }
  return all;
}

std::string bashScript(std::span<const CompletionEntry> entries) {
  std::string names;
  std::string flagCases;
  std::string valueCases;
  for (const CompletionEntry& entry : entries) {
    names += fmt::format("{} ", entry.row->name);
    std::string flags;
    for (const ArgumentInfo& argument : *entry.arguments) {
      for (const std::string& spelling : spellings(argument.flag)) {
        flags += spelling + " ";
        if (!argument.choices.empty()) {
          valueCases += fmt::format("    {}\\ {}) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return;;\n",
                                    entry.row->name, spelling, fmt::join(argument.choices, " "));
        }
      }
    }
    flagCases += fmt::format("    {}) flags=\"{}\";;\n", entry.row->name, flags);
  }
  return fmt::format(
      "# bash completion for sinew\n"
      "_sinew() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\" "
      "command=\"${{COMP_WORDS[1]}}\" flags=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{names}help completion --version --help\" -- \"$current\")); return\n"
      "  fi\n"
      "  case \"$command $previous\" in\n{values}  esac\n"
      "  case \"$command\" in\n{flags}"
      "    help) COMPREPLY=($(compgen -W \"{names}\" -- \"$current\")); return;;\n"
      "    completion) COMPREPLY=($(compgen -W \"bash zsh\" -- \"$current\")); return;;\n"
      "  esac\n"
      "  if [[ \"$current\" == -* ]]; then COMPREPLY=($(compgen -W \"$flags\" -- \"$current\")); else "
      "COMPREPLY=($(compgen -f -- \"$current\")); fi\n"
      "}}\n"
      "complete -o filenames -F _sinew sinew\n",
      fmt::arg("names", names), fmt::arg("values", valueCases), fmt::arg("flags", flagCases));
}

/// zsh reads [ ] : and ' inside a description as its own.
std::string zshText(std::string_view text) {
  std::string plain;
  for (const char c : text) plain += (c == '[' || c == ']' || c == ':' || c == '\'' || c == '`' || c == '"') ? ' ' : c;
  return plain;
}

std::string zshScript(std::span<const CompletionEntry> entries) {
  std::string names;
  std::string cases;
  for (const CompletionEntry& entry : entries) {
    names += fmt::format("    '{}:{}'\n", entry.row->name, zshText(entry.row->summary));
    std::string specs;
    for (const ArgumentInfo& argument : *entry.arguments) {
      for (const std::string& spelling : spellings(argument.flag)) {
        std::string action;
        if (!argument.choices.empty()) {
          action = fmt::format(":value:({})", fmt::join(argument.choices, " "));
        } else if (argument.takesValue) {
          action = argument.takesFile ? ":file:_files" : ":value:";
        }
        specs += fmt::format(" '*{}[{}]{}'", spelling, zshText(argument.help), action);
      }
    }
    cases += fmt::format("    {}) _arguments{} '*:file:_files';;\n", entry.row->name, specs);
  }
  return fmt::format(
      "#compdef sinew\n"
      "_sinew() {{\n"
      "  local -a names\n"
      "  names=(\n{}    'help:show flags and examples of a command'\n    'completion:print a completion script'\n  )\n"
      "  if (( CURRENT == 2 )); then _describe command names; return; fi\n"
      "  local command=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $command in\n{}"
      "    help) _describe command names;;\n"
      "    completion) _values shell bash zsh;;\n"
      "  esac\n"
      "}}\n"
      "_sinew \"$@\"\n",
      names, cases);
}

}  // namespace

std::string completionScript(std::string_view shell, std::span<const CompletionEntry> entries) {
  return shell == "zsh" ? zshScript(entries) : bashScript(entries);
}

}  // namespace sinew::cli
