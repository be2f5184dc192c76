// The one exception of the library: thrown for bad input, never for "did not converge" (that is in a report).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sinew {

enum class ErrorCode {
  BadInput,    ///< a value breaks a rule; the message names both
  NotFound,    ///< a file, joint, clip or example that does not exist
  Unreadable,  ///< a file that is damaged or of a kind that is not understood
  Unwritable,  ///< an output that cannot be written
  Cancelled,   ///< the caller's progress callback said stop
  Internal     ///< a fault of the library itself
};

/// `what()` is one sentence: where, what is wrong, what to do. `where()` is a file, joint or function, or empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string where = {})
      : std::runtime_error(where.empty() ? message : where + ": " + message),
        code_(code),
        message_(message),
        where_(std::move(where)) {}

  [[nodiscard]] ErrorCode code() const { return code_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& where() const { return where_; }

  /// The same error with `where` set: for callers that know the file.
  [[nodiscard]] Error in(const std::string& where) const {
    return where_.empty() ? Error(code_, message_, where) : *this;
  }

 private:
  ErrorCode code_;
  std::string message_;
  std::string where_;
};

}  // namespace sinew
