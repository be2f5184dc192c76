// Reading SINEW_helper_joints: every index and number is checked before it is used.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/error.h"
#include "sinew/io/gltf_block.h"
#include "sinew/io/gltf_helpers.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kVersion = 1;
constexpr const char* kWhere = "extensions.SINEW_helper_joints";
constexpr const char* kRemedy = "fit the character again";
constexpr double kUnitTolerance = 1e-6;

class HelperReader : private BlockReader {
 public:
  HelperReader(const Reading& reading, const Json& block) : BlockReader(reading, kWhere, kRemedy), block_(block) {}

  /// Throws Outdated or Error.
  std::vector<HelperJoint> rules() {
    if (!block_.is_object()) refuseBlock(where() + " is not an object");
    const std::size_t version = requiredCount(block_, "version", where());
    if (version != kVersion) throw Outdated{fmt::format("it has version {}, not {}", version, kVersion)};
    required(block_, "rules", where());
    std::vector<HelperJoint> helpers;
    for (const Json& rule : objectsOf(block_, "rules", where())) helpers.push_back(readRule(rule, helpers.size()));
    checkReferences(helpers);
    try {
      checkHelpers(reading().character.skeleton, helpers, "");
    } catch (const Error& error) {
      // Numbers were checked before; this checks the positions of the joints in the hierarchy.
      throw Outdated{error.message()};
    }
    return helpers;
  }

 private:
  [[nodiscard]] HelperJoint readRule(const Json& json, std::size_t index) const {
    const std::string place = fmt::format("{}[{}]", placeOf("rules"), index);
    HelperJoint helper;
    helper.kind = kindOf(requiredText(json, "kind", place), place);
    helper.joint = jointOf(json, "joint", requiredText(json, "name", place), "helper joint", place);
    helper.source = jointOf(json, "source", requiredText(json, "sourceName", place), "joint", place);
    if (helper.kind == HelperKind::Bulge) {
      helper.gain = requiredNumber(json, "gain", place);
      if (!(helper.gain > -1)) refuseBlock(fmt::format("{}.gain is {}, which is not above -1", place, helper.gain));
    } else {
      helper.share = requiredNumber(json, "share", place);
      if (helper.share < 0 || helper.share > 1)
        refuseBlock(fmt::format("{}.share is {}, which is not between 0 and 1", place, helper.share));
    }
    if (helper.kind == HelperKind::Half) return helper;
    const std::vector<double> direction = requiredNumbers(json, "direction", 3, place);
    helper.direction = Vec3(direction[0], direction[1], direction[2]);
    if (!(std::abs(helper.direction.norm() - 1) < kUnitTolerance))
      refuseBlock(fmt::format("{}.direction is not a unit vector", place));
    return helper;
  }

  [[nodiscard]] HelperKind kindOf(const std::string& name, const std::string& place) const {
    try {
      return helperKind(name.substr(0, 40));
    } catch (const Error& error) {
      refuseBlock(fmt::format("{}.kind: {}", place, error.message()));
    }
  }

  /// A joint has one rule, and no rule follows a joint that has one.
  void checkReferences(const std::vector<HelperJoint>& helpers) const {
    std::vector<bool> ruled(static_cast<std::size_t>(reading().character.skeleton.size()), false);
    for (const HelperJoint& helper : helpers) {
      auto&& mine = ruled[static_cast<std::size_t>(helper.joint)];
      if (mine) refuseBlock(fmt::format("{} has two rules for node {}", placeOf("rules"), helper.joint));
      mine = true;
    }
    for (const HelperJoint& helper : helpers) {
      if (!ruled[static_cast<std::size_t>(helper.source)]) continue;
      refuseBlock(fmt::format("{} lets node {} follow node {}, which is a helper itself", placeOf("rules"),
                              helper.joint, helper.source));
    }
  }

  const Json& block_;
};

}  // namespace

void readHelpers(Reading& reading) {
  const Json* block = findBlock(reading.document.json, kHelperBlock);
  if (block == nullptr) return;
  try {
    reading.character.helpers = HelperReader(reading, *block).rules();
  } catch (const Outdated& outdated) {
    reading.problems.push_back(
        fmt::format("{} no longer matches the file: {}; the rules were ignored, so the joints move only by their keys "
                    "(fit the character again).",
                    kHelperBlock, outdated.why));
  }
}

}  // namespace sinew::gltf
