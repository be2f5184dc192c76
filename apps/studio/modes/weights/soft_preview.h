// Who would follow a drag, and by how much, before it starts.
#pragma once

#include "studio/session/session.h"

namespace sinew::studio {

/// args: `vertices` that would be dragged, `view`, `radius`, `curve`, `volume`. Answers with the number of points that
/// follow and the name of a blob: vertices, their distances in radii (a little beyond 1, so that the page can draw
/// where it ends), their shares.
Json softCommand(Session& session, const Json& args);

}  // namespace sinew::studio
