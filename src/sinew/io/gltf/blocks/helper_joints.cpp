// SINEW_helper_joints: the rules that helper joints follow, beside the keys that play them elsewhere (docs/formats.md).
// Also VRMC_node_constraint 1.0 where a rule is one of its rotation constraints, which are local:
// target = rest * slerp(1, source rest^-1 * source, weight). That is the rule of a half joint as long as its source
// does not move away from its position, since a half joint goes along and a constraint only turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/error.h"
#include "sinew/io/gltf/blocks/rows.h"

namespace sinew::gltf {
namespace {

constexpr const char* kHelperBlock = "SINEW_helper_joints";
constexpr std::size_t kHelperVersion = 1;
constexpr const char* kHelperWhere = "extensions.SINEW_helper_joints";
constexpr const char* kHelperRemedy = "fit the character again";
constexpr double kHelperUnitTolerance = 1e-6;

class HelperReader : private BlockReader {
 public:
  HelperReader(const Reading& reading, const Json& block)
      : BlockReader(reading, kHelperWhere, kHelperRemedy), block_(block) {}

  /// Throws Outdated or Error.
  std::vector<HelperJoint> rules() {
    if (!block_.is_object()) refuseBlock(where() + " is not an object");
    const std::size_t version = requiredCount(block_, "version", where());
    if (version != kHelperVersion) throw Outdated{fmt::format("it has version {}, not {}", version, kHelperVersion)};
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
    if (!(std::abs(helper.direction.norm() - 1) < kHelperUnitTolerance))
      refuseBlock(fmt::format("{}.direction is not a unit vector", place));
    return helper;
  }

  [[nodiscard]] HelperKind kindOf(const std::string& name, const std::string& place) const {
    try {
      return choiceNamed<HelperKind>(name.substr(0, 40), "kind of helper joint");
    } catch (const Error& error) {
      refuseBlock(fmt::format("{}.kind: {}", place, error.message()));
    }
  }

  /// A joint has one rule, and no rule follows a joint that has one.
  void checkReferences(const std::vector<HelperJoint>& helpers) const {
    std::vector<bool> ruled(toSize(reading().character.skeleton.size()), false);
    for (const HelperJoint& helper : helpers) {
      auto&& mine = ruled[toSize(helper.joint)];
      if (mine) refuseBlock(fmt::format("{} has two rules for node {}", placeOf("rules"), helper.joint));
      mine = true;
    }
    for (const HelperJoint& helper : helpers) {
      if (!ruled[toSize(helper.source)]) continue;
      refuseBlock(fmt::format("{} lets node {} follow node {}, which is a helper itself", placeOf("rules"),
                              helper.joint, helper.source));
    }
  }

  const Json& block_;
};

constexpr const char* kConstraint = "VRMC_node_constraint";
/// Of the distance to the parent: exporters write rounded keys for joints that do not move.
constexpr double kStandsStill = 1e-5;

Json ruleJson(const Skeleton& skeleton, const HelperJoint& helper) {
  Json json{{"kind", nameOf(helper.kind)},
            {"joint", helper.joint},
            {"name", skeleton[helper.joint].name},
            {"source", helper.source},
            {"sourceName", skeleton[helper.source].name}};
  if (helper.kind == HelperKind::Bulge) {
    json["gain"] = helper.gain;
  } else {
    json["share"] = helper.share;
  }
  if (helper.kind != HelperKind::Half) {
    json["direction"] = Json::array({helper.direction.x(), helper.direction.y(), helper.direction.z()});
  }
  json["rule"] = helperRule(skeleton, helper);
  return json;
}

bool standsStill(const Character& character, int joint) {
  const Vec3& rest = character.skeleton[joint].rest.translation;
  const double tolerance = kStandsStill * rest.norm();
  for (const Clip& clip : character.clips) {
    for (const ClipChannel& channel : clip.channels) {
      if (channel.path != ClipPath::Translation || channel.joint != joint) continue;
      const bool spline = channel.interpolation == Interpolation::CubicSpline;
      for (Index c = 0; c < channel.values.cols(); ++c) {
        const bool tangent = spline && c % 3 != 1;
        const Vec3 away = tangent ? Vec3(channel.values.col(c)) : Vec3(channel.values.col(c) - rest);
        if (away.norm() > tolerance) return false;
      }
    }
  }
  return true;
}

/// The constraint that is equivalent to a rule, or null.
Json constraintJson(const Character& character, const HelperJoint& helper) {
  if (helper.kind != HelperKind::Half || !standsStill(character, helper.source)) return nullptr;
  const Json rotation{{"source", helper.source}, {"weight", helper.share}};
  return Json{{"specVersion", "1.0"}, {"constraint", Json{{"rotation", rotation}}}};
}

/// Sets or takes out the constraint of a node; returns whether that changed it.
bool setConstraint(Json& node, const Json& wanted) {
  const Json* extensions = find(node, "extensions");
  const Json* present = extensions == nullptr ? nullptr : find(*extensions, kConstraint);
  if (present == nullptr ? wanted.is_null() : *present == wanted) return false;
  if (!wanted.is_null()) {
    if (extensions != nullptr && !extensions->is_object()) node.erase("extensions");
    node["extensions"][kConstraint] = wanted;
    return true;
  }
  node["extensions"].erase(kConstraint);
  if (node["extensions"].empty()) node.erase("extensions");
  return true;
}

bool writeConstraints(Json& root, const Character& character, std::span<const HelperJoint> before) {
  bool changed = false;
  const auto set = [&](int joint, const Json& wanted) {
    changed = setConstraint(root["nodes"][toSize(joint)], wanted) || changed;
  };
  for (const HelperJoint& old : before) {
    if (!isHelper(character.helpers, old.joint)) set(old.joint, nullptr);
  }
  for (const HelperJoint& helper : character.helpers) set(helper.joint, constraintJson(character, helper));
  if (!changed) return false;
  const Json& nodes = listOf(root, "nodes", "");
  const bool used = std::any_of(nodes.begin(), nodes.end(), [](const Json& node) {
    const Json* extensions = find(node, "extensions");
    return extensions != nullptr && find(*extensions, kConstraint) != nullptr;
  });
  setExtensionUsed(root, kConstraint, used);
  return true;
}

/// Whether the block equals the character's rules, ignoring other data in it.
bool sameRules(const Json& block, const Json& rules) {
  const Json* present = find(block, "rules");
  if (present == nullptr || !present->is_array() || present->size() != rules.size()) return false;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    for (const auto& [key, value] : rules[r].items()) {
      const Json* member = find((*present)[r], key.c_str());
      if (member == nullptr || *member != value) return false;
    }
  }
  return true;
}

/// If the joints of a rule no longer exist, all rules are dropped: the joints still play their keys.
void readHelperJoints(Reading& reading, const Json& block, CharacterFile& /*file*/) {
  try {
    reading.character.helpers = HelperReader(reading, block).rules();
  } catch (const Outdated& outdated) {
    reading.problems.push_back(
        fmt::format("{} no longer matches the file: {}; the rules were ignored, so the joints move only by their keys "
                    "(fit the character again).",
                    kHelperBlock, outdated.why));
  }
}

bool hasHelperJoints(const CharacterFile& file) {
  return !file.character.helpers.empty();
}

void validateHelperJoints(const CharacterFile& file) {
  checkHelpers(file.character.skeleton, file.character.helpers, "");
}

/// Joints are the first nodes of the document, in order. Joints that are no helpers any more lose their constraint.
bool writeHelperJoints(const BlockTarget& target) {
  Json& root = target.document.json;
  const Character& character = target.file.character;
  std::span<const HelperJoint> before;
  if (target.before != nullptr) before = target.before->character.helpers;
  const bool constrained = writeConstraints(root, character, before);
  const Json* block = findBlock(root, kHelperBlock);
  if (character.helpers.empty()) {
    const bool had = block != nullptr;
    eraseBlock(root, kHelperBlock);
    return had || constrained;
  }
  Json rules = Json::array();
  for (const HelperJoint& helper : character.helpers) rules.push_back(ruleJson(character.skeleton, helper));
  if (block != nullptr && sameRules(*block, rules)) return constrained;
  putBlock(root, kHelperBlock, Json{{"version", 1}, {"rules", std::move(rules)}});
  return true;
}

}  // namespace

const BlockRow kHelperJointsRow{kHelperBlock, readHelperJoints, hasHelperJoints, validateHelperJoints,
                                writeHelperJoints};

}  // namespace sinew::gltf
