// The table of modes: a new one is a row here and a folder beside this file.
#include "studio/modes/bind/bind_mode.h"
#include "studio/modes/handles/handles_mode.h"
#include "studio/modes/mode.h"
#include "studio/modes/pose/pose_mode.h"
#include "studio/modes/weights/weights_mode.h"

namespace sinew::studio {

std::span<const ModeRow> studioModes() {
  static constexpr ModeRow kModes[] = {
      {"pose", makeMode<pose::PoseMode>},
      {"bind", makeMode<bind::BindMode>},
      {"weights", makeMode<weights::WeightsMode>, weights::prepareSurface},
      {"handles", makeMode<handles::HandlesMode>},
  };
  return kModes;
}

}  // namespace sinew::studio
