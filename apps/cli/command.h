// A command of `sinew`: one file with a class, and one row in the table.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sinew::cli {

class Arguments;
class Console;

enum ExitCode { Done = 0, Usage = 1, BadInput = 2, LimitMissed = 3, InternalFault = 4, Interrupted = 130 };

/// A command line that is incomplete, contradicts itself or has a value that its option cannot take: exit code 1.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A command, flag or choice that does not exist: exit code 2, as for every other name that is not found.
class UnknownWordError : public UsageError {
 public:
  using UsageError::UsageError;
};

/// Commands translate, they do not compute: parse, call the library, reply.
class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(Arguments& arguments) = 0;
  virtual int run(Console& console) = 0;
};

struct CommandRow {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  ///< shown by `sinew help NAME`
  std::unique_ptr<Command> (*make)();
};

std::span<const CommandRow> commands();

std::unique_ptr<Command> makeSampleCommand();
std::unique_ptr<Command> makeInfoCommand();
std::unique_ptr<Command> makeConvertCommand();
std::unique_ptr<Command> makeDeformCommand();
std::unique_ptr<Command> makeBindCommand();
std::unique_ptr<Command> makeInvertCommand();
std::unique_ptr<Command> makePsdCommand();
std::unique_ptr<Command> makeFitCommand();
std::unique_ptr<Command> makeLearnCommand();
std::unique_ptr<Command> makeReduceCommand();
std::unique_ptr<Command> makePoseCommand();
std::unique_ptr<Command> makeReconstructCommand();
std::unique_ptr<Command> makeDragCommand();
std::unique_ptr<Command> makeEvaluateCommand();
std::unique_ptr<Command> makeCompareCommand();
std::unique_ptr<Command> makeRenderCommand();
std::unique_ptr<Command> makeStudioCommand();

}  // namespace sinew::cli
