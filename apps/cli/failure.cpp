#include "failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "streams.h"

namespace sinew::cli {
namespace {

struct CodeRow {
  ErrorCode code;
  const char* name;
  ExitCode exit;
};
constexpr CodeRow kCodes[] = {
    {ErrorCode::BadInput, "bad-input", BadInput},     {ErrorCode::NotFound, "not-found", BadInput},
    {ErrorCode::Unreadable, "unreadable", BadInput},  {ErrorCode::Unwritable, "unwritable", BadInput},
    {ErrorCode::Cancelled, "cancelled", Interrupted}, {ErrorCode::Internal, "internal", InternalFault},
};

/// Sentences read "what is wrong; what to do".
std::string hintIn(const std::string& message) {
  const std::size_t mark = message.rfind("; ");
  return mark == std::string::npos ? "" : message.substr(mark + 2);
}

/// `where` may be a file, but also a flag, a joint or a function of the library.
std::string fileIn(const Error& error, std::span<const std::string> files) {
  const std::string& where = error.where();
  if (where.empty() || where.starts_with('-')) return "";
  if (std::find(files.begin(), files.end(), where) != files.end()) return where;
  // A file that is named in another file may have neither an extension nor a folder.
  if (error.code() == ErrorCode::NotFound && error.message().starts_with("there is no such file")) return where;
  std::error_code ignored;
  const std::filesystem::path path(where);
  const bool isFile = path.has_extension() || path.has_parent_path() || std::filesystem::exists(path, ignored);
  return isFile ? where : "";
}

/// The message as one printable line of limited length.
constexpr std::size_t kMostCharacters = 290;
constexpr std::size_t kMostOfPlace = 140;

std::string sentenceOf(const std::string& place, const std::string& message) {
  const std::string shownPlace = shortened(tamed(place), kMostOfPlace, true);
  // "--size abc is not a size ..." is one sentence.
  const bool subject = place.starts_with("--") && message.starts_with("is ");
  const std::string begin = shownPlace.empty() ? "" : shownPlace + (subject ? " " : ": ");
  return begin + shortened(tamed(message), kMostCharacters - std::min(begin.size(), kMostCharacters / 2 + 2));
}

Failure failureOf(const Error& error, std::span<const std::string> files) {
  for (const CodeRow& row : kCodes) {
    if (row.code != error.code()) continue;
    // What is wrong with an option alone is wrong with the command line.
    if (row.code == ErrorCode::BadInput && error.where().starts_with("--"))
      return {Usage, "usage", sentenceOf(error.where(), error.message()), "", tamed(hintIn(error.message()))};
    if (row.code == ErrorCode::Cancelled) return {row.exit, row.name, "cancelled; nothing was written", "", ""};
    return {row.exit, row.name, sentenceOf(error.where(), error.message()), fileIn(error, files),
            tamed(hintIn(error.message()))};
  }
  return {InternalFault, "internal", error.what(), "", ""};
}

std::string prefixed(std::string_view command, const std::string& sentence) {
  return sentenceOf(std::string(command), sentence);
}

}  // namespace

Error naming(const Error& error, std::span<const std::string> inputs, std::span<const std::string> files) {
  if (error.code() == ErrorCode::Cancelled || !fileIn(error, files).empty()) return error;
  if (error.where().starts_with("--")) return error;
  const std::string_view said = error.what();
  for (const std::string& input : inputs) {
    if (!input.empty() && said.find(input) != std::string_view::npos) return error;
  }
  for (const std::string& input : inputs) {
    if (!input.empty()) return {error.code(), error.what(), input};
  }
  return error;
}

Failure failureOf(const std::exception_ptr& exception, std::string_view command, std::span<const std::string> files) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    return failureOf(error, files);
  } catch (const UnknownWordError& error) {
    return {BadInput, "unknown-word", prefixed(command, error.what()), "", hintIn(error.what())};
  } catch (const UsageError& error) {
    return {Usage, "usage", prefixed(command, error.what()), "", hintIn(error.what())};
  } catch (const std::bad_alloc&) {
    const std::string sentence = "not enough memory; try a smaller mesh";
    return {InternalFault, "out-of-memory", prefixed(command, sentence), "", hintIn(sentence)};
  } catch (const std::exception& error) {
    const std::string sentence = fmt::format("internal error ({}); please report it", error.what());
    return {InternalFault, "internal", prefixed(command, sentence), "", "please report it"};
  }
}

int fail(const Failure& failure, const Console& console) {
  console.clearProgress();
  tell(fmt::format("sinew: {}\n", failure.message));
  if (!console.json) return failure.exit;
  try {
    console.print({{"error",
                    {{"code", failure.code},
                     {"message", failure.message},
                     {"file", failure.file},
                     {"hint", failure.hint},
                     {"exitCode", static_cast<int>(failure.exit)}}}});
    finishSaying();
  } catch (const Error&) {
    // stdout is closed; the exit code reports the error.
  }
  return failure.exit;
}

}  // namespace sinew::cli
