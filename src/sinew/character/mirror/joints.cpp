// Partners of joints. Rigs put several joints in one place (a root and its hips, twist and end joints), so a place
// alone does not tell who is whose mirror image. Going down the tree, the children of a joint are paired with those of
// its partner by the least cost
//   |S p_j - p_k| + |S below_j - below_k| + |S moved_j - moved_k|  (in diagonals)  + names + axes,
// p the joint, below the mean of all joints under it, moved the mean of the skin that it moves. Names that are each
// other's other side, and rest axes that mirror each other, count so little that they only settle ties.
// The mirror image of a helper joint is a helper joint of the mirrored source that has the same rule.
#include <algorithm>
#include <tuple>

#include "sinew/character/mirror/parts.h"

namespace sinew::mirror {
namespace {

constexpr double kNameCost = 0.01;
constexpr double kAxesCost = 1e-4;
constexpr double kBelowReach = 5;  ///< what is below may differ this many times more than the joint itself

struct Pair {
  double cost = 0;
  int first = 0;
  int second = 0;
};

class JointMatcher {
 public:
  JointMatcher(const Body& body, const MirrorMap& plane, double reach)
      : body_(body), plane_(plane), reach_(reach), partner_(body.worldFromJoint.size(), -1) {}

  std::vector<int> match() {
    const Skeleton& skeleton = body_.character.skeleton;
    std::vector<Pair> open = matchAmong(childrenOf(-1), childrenOf(-1));
    while (!open.empty()) {
      const Pair pair = open.back();
      open.pop_back();
      const std::vector<Pair> below = matchAmong(childrenOf(pair.first), childrenOf(pair.second));
      open.insert(open.end(), below.begin(), below.end());
    }
    // Trees with different structure left and right: remaining joints are paired anywhere in the tree.
    std::vector<int> alone;
    for (int j = 0; j < skeleton.size(); ++j) {
      if (partner_[toSize(j)] < 0 && !isHelper(j)) alone.push_back(j);
    }
    matchAmong(alone, alone);
    matchHelpers();
    return partner_;
  }

 private:
  [[nodiscard]] std::vector<int> childrenOf(int parent) const {
    std::vector<int> children;
    for (int j = 0; j < body_.character.skeleton.size(); ++j) {
      if (body_.character.skeleton[j].parent == parent && !isHelper(j)) children.push_back(j);
    }
    return children;
  }

  [[nodiscard]] bool isHelper(int joint) const { return body_.follows[toSize(joint)] >= 0; }

  void matchHelpers() {
    const auto& helpers = body_.character.helpers;
    for (const HelperJoint& helper : helpers) {
      const int source = partner_[toSize(helper.source)];
      if (source < 0) continue;
      // Of one source and of its partner, those with this rule: all pairs are made when the first comes by.
      std::vector<int> here;
      std::vector<int> there;
      for (const HelperJoint& other : helpers) {
        if (other.kind != helper.kind || other.share != helper.share || other.gain != helper.gain) continue;
        if (other.source == helper.source) here.push_back(other.joint);
        if (other.source == source) there.push_back(other.joint);
      }
      matchAmong(here, there);
    }
  }

  [[nodiscard]] double gap(const Vec3& a, const Vec3& b) const { return (plane_.point(a) - b).norm(); }

  /// Nothing where the two are too far from each other's mirror image.
  [[nodiscard]] std::optional<double> cost(int first, int second) const {
    const auto j = toSize(first);
    const auto k = toSize(second);
    const double place = gap(body_.worldFromJoint[j].translation(), body_.worldFromJoint[k].translation());
    const double below = gap(body_.below[j], body_.below[k]);
    if (place > reach_ || below > kBelowReach * reach_) return std::nullopt;
    const double skin = gap(body_.moved[j], body_.moved[k]);
    const Mat3 change = frameChange(plane_, body_.worldFromJoint, first, second);
    // 3 where each axis of one is, up to sign, the mirror image of the same axis of the other.
    const double axes = 3 - change.diagonal().cwiseAbs().cwiseMin(1.0).sum();
    return (place + below + skin) / body_.diagonal + nameCost(first, second) + kAxesCost * axes;
  }

  [[nodiscard]] double nameCost(int first, int second) const {
    const std::string& a = body_.character.skeleton[first].name;
    const std::string& b = body_.character.skeleton[second].name;
    if (first == second) return otherSide(a) ? kNameCost : 0;
    return otherSide(a) == b || otherSide(b) == a ? 0 : kNameCost;
  }

  /// Pairs of the two lists, cheapest first; each joint is taken once. Returns the pairs made.
  std::vector<Pair> matchAmong(const std::vector<int>& left, const std::vector<int>& right) {
    std::vector<Pair> pairs;
    const bool same = left == right;
    for (const int j : left) {
      for (const int k : right) {
        if (same && k < j) continue;
        if (const auto c = cost(j, k)) pairs.push_back({*c, j, k});
      }
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      return std::tie(a.cost, a.first, a.second) < std::tie(b.cost, b.first, b.second);
    });
    std::vector<Pair> made;
    for (const Pair& pair : pairs) {
      int& one = partner_[toSize(pair.first)];
      int& two = partner_[toSize(pair.second)];
      if (one >= 0 || two >= 0) continue;
      one = pair.second;
      two = pair.first;
      made.push_back(pair);
    }
    return made;
  }

  const Body& body_;
  const MirrorMap& plane_;
  double reach_;
  std::vector<int> partner_;
};

}  // namespace

Mat3 frameChange(const MirrorMap& map, std::span<const Affine> worldFromJoint, int from, int to) {
  Mat3 change = from < 0 ? Mat3(Mat3::Identity()) : Mat3(worldFromJoint[toSize(from)].linear());
  change.row(map.axis) *= -1;
  if (to >= 0) change = worldFromJoint[toSize(to)].linear().inverse() * change;
  return change;
}

std::vector<int> jointPartners(const Body& body, const MirrorMap& plane, double reach) {
  return JointMatcher(body, plane, reach).match();
}

}  // namespace sinew::mirror
