// The mode Bind: initial weights of a mesh without a skin, from the skeleton of another file.
#pragma once

#include "studio/modes/mode.h"

namespace sinew::studio::bind {

class BindMode final : public Mode {
 public:
  explicit BindMode(ModeContext& context) : context_(context) {}
  [[nodiscard]] std::span<const CommandRow> commands() const override;

 private:
  /// {"skeleton": a file with joints}. Answers with the job.
  wire::BindAnswer start(const wire::BindCommand& asked);

  ModeContext& context_;
};

}  // namespace sinew::studio::bind
