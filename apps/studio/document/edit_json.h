// Edits and states as JSON values, for the journal (as CBOR) and for the page.
#pragma once

#include <nlohmann/json.hpp>

#include "studio/document/document.h"

namespace sinew::studio {

using Json = nlohmann::json;

Json toJson(const Edit& edit);
/// Throws BadInput if it is not an edit.
Edit editFromJson(const Json& json);

Json toJson(const Pose& pose);
Pose poseFromJson(const Json& json);
/// [[joint, x, y, z], ...]
Json toJson(const JointAngles& angles);
Json toJson(const HandleState& handle);
HandleState handleFromJson(const Json& json);

}  // namespace sinew::studio
