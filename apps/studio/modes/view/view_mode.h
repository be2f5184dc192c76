// What every mode can ask about how a document looks: the materials of its file.
#pragma once

#include "studio/modes/mode.h"

namespace sinew::studio::view {

class ViewMode final : public Mode {
 public:
  explicit ViewMode(ModeContext& context) : context_(context) {}
  [[nodiscard]] std::span<const CommandRow> commands() const override;
  void opened(const std::shared_ptr<const void>& /*prepared*/) override { known_.reset(); }
  void edited(const Edit& edit) noexcept override;

 private:
  wire::ViewMaterialsAnswer materials(const wire::ViewMaterialsCommand& asked);
  /// Packs them.
  wire::ViewMaterialsAnswer packed();

  ModeContext& context_;
  std::optional<wire::ViewMaterialsAnswer> known_;  ///< of the character
};

}  // namespace sinew::studio::view
