// The options of learning as the page edits them: from the fields of PoseSpaceOptions, so that nothing is written
// twice.
#pragma once

#include <string>
#include <vector>

#include "sinew/learn/pose_space.h"
#include "studio/modes/mode.h"

namespace sinew::studio::correct {

/// Every option with its default.
std::vector<wire::OptionField> optionFields();

/// The options with some set, by name. Throws CommandFault for an unknown name, and for a value that it does not take.
PoseSpaceOptions optionsOf(const std::vector<std::string>& names, const std::vector<std::string>& values);

}  // namespace sinew::studio::correct
