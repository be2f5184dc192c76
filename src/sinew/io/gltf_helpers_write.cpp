// Writing SINEW_helper_joints, and VRMC_node_constraint 1.0 if a rule is one of its rotation constraints, which are
// local: target = rest * slerp(1, source rest^-1 * source, weight). That is the rule of a half joint as long as its
// source does not move away from its place, since a half joint goes along and a constraint only turns.
#include <algorithm>
#include <cmath>

#include "sinew/io/gltf_block.h"
#include "sinew/io/gltf_helpers.h"

namespace sinew::gltf {
namespace {

constexpr const char* kConstraint = "VRMC_node_constraint";
/// Of the distance to the parent: exporters write rounded keys for joints that do not move.
constexpr double kStandsStill = 1e-5;

Json ruleJson(const Skeleton& skeleton, const HelperJoint& helper) {
  Json json{{"kind", helperKindName(helper.kind)},
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
    changed = setConstraint(root["nodes"][static_cast<std::size_t>(joint)], wanted) || changed;
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

}  // namespace

bool writeHelpers(Json& root, const Character& character, std::span<const HelperJoint> before) {
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

}  // namespace sinew::gltf
