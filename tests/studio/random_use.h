// Any commands and messages in any order, as bytes choose: for the fuzzer and for tests with random bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "studio/session/session.h"

namespace sinew::studio::test {

/// A session without a network, on a folder of its own, in which two small documents are opened in turn.
class RandomUse {
 public:
  RandomUse();
  ~RandomUse();
  RandomUse(const RandomUse&) = delete;
  RandomUse& operator=(const RandomUse&) = delete;

  /// Opens a document and sends what the bytes say. Returns the number of messages and commands. Throws logic_error if
  /// what a restart would find differs from the document, if it is not a sound document, or if something was written
  /// outside of the root.
  std::size_t play(std::span<const std::uint8_t> bytes);
  /// Undo steps that have been made.
  [[nodiscard]] std::size_t steps() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sinew::studio::test
