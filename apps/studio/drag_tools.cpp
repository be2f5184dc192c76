// Which mode takes which drags.
#include "session.h"

namespace sinew::studio {

std::span<const DragToolRow> dragTools() {
  static constexpr DragToolRow kRows[] = {
      {DragTool::Weights, beginWeightDrag},
      {DragTool::Paint, beginPaint},
      {DragTool::Handle, beginHandleDrag},
  };
  return kRows;
}

}  // namespace sinew::studio
