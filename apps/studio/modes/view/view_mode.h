// What every mode can ask about how a document looks: the materials of its file.
#pragma once

#include "studio/modes/mode.h"

namespace sinew::studio::view {

class ViewMode final : public Mode {
 public:
  explicit ViewMode(ModeContext& context) : context_(context) {}
  [[nodiscard]] std::span<const CommandRow> commands() const override;

 private:
  wire::ViewMaterialsAnswer materials(const wire::ViewMaterialsCommand& asked);

  ModeContext& context_;
};

}  // namespace sinew::studio::view
