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

/// Whatever is wrong with them, the document stays usable without.
wire::ViewMaterialsAnswer ViewMode::materials(const wire::ViewMaterialsCommand& /*asked*/) {
  context_.requireDocument();
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
