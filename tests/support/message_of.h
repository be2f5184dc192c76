// What a call refuses with.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "sinew/base/error.h"

namespace sinew::test {

/// The sentence of the Error that a call throws, or "no error".
inline std::string messageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Of play, which has no errors of its own: the sentence of the std::invalid_argument that a call throws, or "no
/// error".
inline std::string invalidArgumentOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace sinew::test
