// How a command fails: an exit code, one sentence on stderr and, with --json, one object on stdout.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "command.h"
#include "console.h"
#include "sinew/base/error.h"

namespace sinew::cli {

struct Failure {
  ExitCode exit = InternalFault;
  std::string
      code;  ///< "unknown-word", "usage", "bad-input", "not-found", "unreadable", "unwritable", "cancelled", ...
  std::string message;  ///< the whole sentence
  std::string file;     ///< the file it is about, if there is one
  std::string hint;     ///< what to do, where that is known
};

/// The same error, with the first input named where it names none of them, nor any other file, nor an option. `files`:
/// as below.
Error naming(const Error& error, std::span<const std::string> inputs, std::span<const std::string> files);

/// Every exception that a command can end with. `command` is empty before a command is known; `files` are the names of
/// files on its command line, whether they exist or not.
Failure failureOf(const std::exception_ptr& exception, std::string_view command,
                  std::span<const std::string> files = {});

/// Prints it to stderr and, with --json, to stdout; returns the exit code.
int fail(const Failure& failure, const Console& console);

}  // namespace sinew::cli
