// Edits and states as JSON values, for the journal (as CBOR) and for the page.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "studio/document/document.h"

namespace sinew::studio {

using Json = nlohmann::json;

Json toJson(const Edit& edit);
/// Throws BadInput if it is not an edit.
Edit editFromJson(const Json& json);

/// Ten numbers per joint: translation, rotation x y z w, scale.
std::vector<double> flatPose(const Pose& pose);
/// Joint, x, y, z.
std::vector<std::array<double, 4>> angleRows(const JointAngles& angles);
Json toJson(const Pose& pose);
Pose poseFromJson(const Json& json);
Json toJson(const JointAngles& angles);
Json toJson(const HandleState& handle);
HandleState handleFromJson(const Json& json);

}  // namespace sinew::studio
