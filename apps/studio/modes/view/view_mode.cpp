#include "studio/modes/view/view_mode.h"

#include <fmt/format.h>

#include "sinew/base/error.h"
#include "sinew/io/gltf.h"
#include "studio/bounds.h"

namespace sinew::studio::view {

std::span<const CommandRow> ViewMode::commands() const {
  static constexpr CommandRow kCommands[] = {command<&ViewMode::materials>()};
  return kCommands;
}

void ViewMode::edited(const Edit& edit) noexcept {
  for (const Change& change : edit.changes) {
    if (std::holds_alternative<CharacterChange>(change)) known_.reset();
  }
}

wire::ViewMaterialsAnswer ViewMode::materials(const wire::ViewMaterialsCommand& /*asked*/) {
  context_.requireDocument();
  if (!known_ || (!known_->blob.empty() && !context_.keepBlob(known_->blob))) known_ = packed();
  return *known_;
}

/// Whatever is wrong with them, the document stays usable without.
wire::ViewMaterialsAnswer ViewMode::packed() {
  try {
    const std::string glb = materialsOf(context_.document().file);
    if (glb.empty()) return {};
    if (glb.size() > kMostMaterials)
      return {.fault = fmt::format("The materials and textures take {} MB, more than the {} MB that are shown.",
                                   glb.size() >> 20, kMostMaterials >> 20)};
    return {.blob = context_.putBlob(Bytes(glb.begin(), glb.end()))};
  } catch (const Error& error) {
    return {.fault = error.message()};
  }
}

}  // namespace sinew::studio::view
