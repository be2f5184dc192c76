// What waits for a session's worker.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "studio/net/server.h"

namespace sinew::studio {

/// A command or a message of a page, or something that the studio itself does next.
struct SessionTask {
  ConnectionPtr from;
  std::string text;
  Bytes binary;
  std::function<void()> call;
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
};

}  // namespace sinew::studio
