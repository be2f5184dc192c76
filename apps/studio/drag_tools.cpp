// Which mode takes which drags.
#include "session.h"

namespace sinew::studio {

std::span<const DragToolRow> dragTools() {
  return {};
}

}  // namespace sinew::studio
