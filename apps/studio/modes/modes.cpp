// The table of modes: a new one is a row here and a folder beside this file.
#include "studio/modes/bind/bind_mode.h"
#include "studio/modes/correct/correct_mode.h"
#include "studio/modes/export/export_mode.h"
#include "studio/modes/fit/fit_mode.h"
#include "studio/modes/handles/handles_mode.h"
#include "studio/modes/mode.h"
#include "studio/modes/pose/pose_mode.h"
#include "studio/modes/view/view_mode.h"
#include "studio/modes/weights/weights_mode.h"

namespace sinew::studio {

std::span<const ModeRow> studioModes() {
  static constexpr ModeRow kModes[] = {
      {"pose", makeMode<pose::PoseMode>},
      {"bind", makeMode<bind::BindMode>},
      {"correct", makeMode<correct::CorrectMode>},
      {"weights", makeMode<weights::WeightsMode>, weights::prepareSurface},
      {"fit", makeMode<fit::FitMode>},
      {"handles", makeMode<handles::HandlesMode>},
      {"export", makeMode<exporting::ExportMode>},
      {"view", makeMode<view::ViewMode>},
  };
  return kModes;
}

}  // namespace sinew::studio
