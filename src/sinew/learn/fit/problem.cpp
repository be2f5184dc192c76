// Welding first, so that seams cannot crack: solvers see points, and every vertex of a point gets its weights.
#include "sinew/learn/fit/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/correspondence.h"
#include "sinew/deform/posing.h"

namespace sinew::fit {
namespace {

constexpr const char* kProblemWhere = "skin fitting";
constexpr double kWeldTolerance = 1e-6;
constexpr double kRestTolerance = 1e-6;
/// A point on the border of two skins is limited to the joints of both only if these have most of its weight.
constexpr double kSharedWeight = 0.5;

void checkMorphs(const Character& character, const Example& example) {
  for (std::size_t m = 0; m < character.morphs.size(); ++m) {
    const MorphTarget& morph = character.morphs[m];
    SINEW_CHECK(std::abs(example.pose.morphWeights[m] - morph.defaultWeight) <= kRestTolerance ||
                    morph.deltas.cwiseAbs().sum() == 0,
                kProblemWhere,
                fmt::format("the example '{}' sets the morph target '{}' to {}, the rest pose to {}; a skin is fitted "
                            "to one rest shape, so remove such examples",
                            example.name, morph.name, example.pose.morphWeights[m], morph.defaultWeight));
  }
}

void checkExample(const Character& character, const Example& example) {
  const auto joints = toSize(character.skeleton.size());
  SINEW_CHECK(example.points.cols() == character.mesh.vertexCount(), kProblemWhere,
              fmt::format("the example '{}' has {} vertices, the character {}; it must be a sculpt of this mesh",
                          example.name, example.points.cols(), character.mesh.vertexCount()));
  SINEW_CHECK(example.points.allFinite(), kProblemWhere,
              fmt::format("the example '{}' has a position that is not a finite number", example.name));
  SINEW_CHECK(
      example.pose.local.size() == joints && example.pose.morphWeights.size() == character.morphs.size(), kProblemWhere,
      fmt::format("the pose of the example '{}' is for {} joints and {} morph targets, the character has {} and {}",
                  example.name, example.pose.local.size(), example.pose.morphWeights.size(), joints,
                  character.morphs.size()));
  SINEW_CHECK(example.mask.empty() || static_cast<Index>(example.mask.size()) == example.points.cols(), kProblemWhere,
              fmt::format("the mask of the example '{}' has {} entries for {} vertices", example.name,
                          example.mask.size(), example.points.cols()));
  SINEW_CHECK(
      std::all_of(example.mask.begin(), example.mask.end(), [](double m) { return std::isfinite(m) && m >= 0; }),
      kProblemWhere, fmt::format("the mask of the example '{}' has a value below 0 or not finite", example.name));
  SINEW_CHECK(
      std::isfinite(example.confidence) && example.confidence >= 0, kProblemWhere,
      fmt::format("the example '{}' has the confidence {}; it must be 0 or more", example.name, example.confidence));
  checkMorphs(character, example);
}

/// Whether a skin moves each vertex.
std::vector<char> fittedVertices(const Character& character) {
  std::vector<char> fitted(toSize(character.mesh.vertexCount()), 1);
  for (const MeshPart& part : character.mesh.parts) {
    if (part.skinned) continue;
    const auto first = fitted.begin() + part.firstVertex;
    std::fill(first, first + part.vertexCount, 0);
  }
  return fitted;
}

/// The skin of the joint that moves a vertex most.
int skinOfVertex(const Skin& skin, Index vertex) {
  return skin.bindings[skin.weights[vertex].front().binding].skin;
}

/// The binding of a joint in a skin, or kNotFitted.
std::uint32_t bindingOf(const Skin& skin, int joint, int ofSkin) {
  for (std::size_t b = 0; b < skin.bindings.size(); ++b) {
    if (skin.bindings[b].joint == joint && skin.bindings[b].skin == ofSkin) return static_cast<std::uint32_t>(b);
  }
  return kNotFitted;
}

class ProblemMaker {
 public:
  ProblemMaker(const Character& character, const ExampleSet& set)
      : character_(character), set_(set), skin_(character.skin), fitted_(fittedVertices(character)) {}

  FitProblem run() {
    applyMorphs(character_, restPose(character_).morphWeights, morphed_);
    world_ = posePoints(character_, restPose(character_));
    weldWithinSkins();
    weldAcrossSkins();
    numberPoints();
    makeCandidates();
    makePrior();
    addExamples();
    return std::move(problem_);
  }

 private:
  /// label_: per vertex the first vertex of its point.
  void weldWithinSkins() {
    label_.assign(fitted_.size(), kNotFitted);
    std::map<int, std::vector<std::uint32_t>> ofSkin;
    for (std::size_t v = 0; v < fitted_.size(); ++v) {
      if (fitted_[v] != 0) ofSkin[skinOfVertex(skin_, static_cast<Index>(v))].push_back(static_cast<std::uint32_t>(v));
    }
    SINEW_CHECK(!ofSkin.empty(), kProblemWhere, "no part of the mesh has a skin; bind it to a skeleton first");
    for (const auto& [skin, vertices] : ofSkin) {
      Points points(3, static_cast<Index>(vertices.size()));
      for (std::size_t i = 0; i < vertices.size(); ++i)
        points.col(static_cast<Index>(i)) = morphed_.col(static_cast<Index>(vertices[i]));
      const WeldMap map = weld(points, kWeldTolerance);
      for (std::size_t i = 0; i < vertices.size(); ++i)
        label_[vertices[i]] = vertices[map.firstVertex[map.pointOfVertex[i]]];
    }
    severalSkins_ = ofSkin.size() > 1;
  }

  void weldAcrossSkins() {
    if (!severalSkins_) return;
    std::vector<std::uint32_t> firsts;
    for (std::size_t v = 0; v < label_.size(); ++v) {
      if (label_[v] == v) firsts.push_back(static_cast<std::uint32_t>(v));
    }
    Points points(3, static_cast<Index>(firsts.size()));
    for (std::size_t i = 0; i < firsts.size(); ++i)
      points.col(static_cast<Index>(i)) = world_.col(static_cast<Index>(firsts[i]));
    const WeldMap map = weld(points, kWeldTolerance);
    std::vector<std::uint32_t> joined(label_.size(), kNotFitted);
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::uint32_t master = firsts[map.firstVertex[map.pointOfVertex[i]]];
      joined[firsts[i]] = master != firsts[i] && join(master, firsts[i]) ? master : firsts[i];
    }
    for (std::uint32_t& label : label_) {
      if (label != kNotFitted) label = joined[label];
    }
  }

  /// Merges a vertex with the point of another skin, unless the joints that both skins share have too little weight.
  bool join(std::uint32_t master, std::uint32_t other) {
    const int masterSkin = skinOfVertex(skin_, master);
    const int otherSkin = skinOfVertex(skin_, other);
    if (masterSkin == otherSkin) return false;
    std::vector<std::uint32_t> shared = bindingsOf(masterSkin);
    if (const auto found = border_.find(master); found != border_.end()) shared = found->second;
    std::erase_if(shared,
                  [&](std::uint32_t b) { return bindingOf(skin_, skin_.bindings[b].joint, otherSkin) == kNotFitted; });
    double kept = 0;
    for (const Influence& influence : skin_.weights[master]) {
      if (std::binary_search(shared.begin(), shared.end(), influence.binding)) kept += influence.weight;
    }
    if (kept < kSharedWeight) return false;
    border_[master] = std::move(shared);
    return true;
  }

  /// Bindings of a skin, without those that only place unskinned parts.
  std::vector<std::uint32_t> bindingsOf(int skin) {
    if (moves_.empty()) {
      std::vector<char> places(skin_.bindings.size(), 0);
      moves_.assign(skin_.bindings.size(), 0);
      for (std::size_t v = 0; v < fitted_.size(); ++v) {
        for (const Influence& influence : skin_.weights[static_cast<Index>(v)])
          (fitted_[v] != 0 ? moves_ : places)[influence.binding] = 1;
      }
      for (std::size_t b = 0; b < moves_.size(); ++b) {
        if (places[b] == 0) moves_[b] = 1;
      }
    }
    std::vector<std::uint32_t> bindings;
    for (std::size_t b = 0; b < skin_.bindings.size(); ++b) {
      if (skin_.bindings[b].skin == skin && moves_[b] != 0) bindings.push_back(static_cast<std::uint32_t>(b));
    }
    return bindings;
  }

  void numberPoints() {
    problem_.pointOfVertex.assign(label_.size(), kNotFitted);
    for (std::size_t v = 0; v < label_.size(); ++v) {
      if (label_[v] == kNotFitted) continue;
      if (label_[v] == v) {
        problem_.pointOfVertex[v] = static_cast<std::uint32_t>(problem_.firstVertex.size());
        problem_.firstVertex.push_back(static_cast<std::uint32_t>(v));
      } else {
        problem_.pointOfVertex[v] = problem_.pointOfVertex[label_[v]];
      }
    }
    const auto count = static_cast<Index>(problem_.firstVertex.size());
    problem_.rest.resize(3, count);
    restWorld_.resize(3, count);
    for (Index p = 0; p < count; ++p) {
      problem_.rest.col(p) = morphed_.col(problem_.firstVertex[toSize(p)]);
      restWorld_.col(p) = world_.col(problem_.firstVertex[toSize(p)]);
    }
    problem_.diagonal = boundingBox(restWorld_).diagonal();
    SINEW_CHECK(problem_.diagonal > 0, kProblemWhere, "all vertices of the character are at one point");
  }

  void makeCandidates() {
    std::map<std::vector<std::uint32_t>, std::uint32_t> rows;
    std::map<int, std::uint32_t> rowOfSkin;
    const auto rowOf = [&](const std::vector<std::uint32_t>& bindings) {
      const auto [place, isNew] = rows.try_emplace(bindings, static_cast<std::uint32_t>(problem_.candidates.size()));
      if (isNew) problem_.candidates.push_back(bindings);
      return place->second;
    };
    for (const std::uint32_t first : problem_.firstVertex) {
      if (const auto found = border_.find(first); found != border_.end()) {
        problem_.skinOf.push_back(rowOf(found->second));
        continue;
      }
      const int skin = skinOfVertex(skin_, first);
      if (!rowOfSkin.contains(skin)) rowOfSkin[skin] = rowOf(bindingsOf(skin));
      problem_.skinOf.push_back(rowOfSkin[skin]);
    }
  }

  void makePrior() {
    for (std::size_t p = 0; p < problem_.firstVertex.size(); ++p) {
      const auto& candidates = problem_.candidates[problem_.skinOf[p]];
      std::vector<Influence> column;
      double sum = 0;
      for (const Influence& influence : skin_.weights[problem_.firstVertex[p]]) {
        if (!std::binary_search(candidates.begin(), candidates.end(), influence.binding)) continue;
        column.push_back(influence);
        sum += influence.weight;
      }
      for (Influence& influence : column) influence.weight /= sum;
      problem_.prior.push_back(std::move(column));
    }
  }

  void addExamples() {
    PosedJoints joints;
    poseJoints(character_, restPose(character_), joints);
    const std::vector<Affine> rest = joints.worldFromRest;
    bool hasRest = false;
    for (const Example& example : set_.examples) {
      poseJoints(character_, example.pose, joints);
      hasRest = hasRest || (example.confidence > 0 && example.mask.empty() && same(joints.worldFromRest, rest));
      problem_.worldFromRest.push_back(joints.worldFromRest);
      problem_.confidence.push_back(example.confidence);
      addTargets(example);
    }
    if (hasRest) return;
    problem_.worldFromRest.push_back(rest);
    problem_.confidence.push_back(1);
    problem_.targets.push_back(restWorld_);
    problem_.masks.emplace_back();
  }

  [[nodiscard]] bool same(const std::vector<Affine>& a, const std::vector<Affine>& b) const {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if ((a[i].linear() - b[i].linear()).norm() > kRestTolerance * b[i].linear().norm()) return false;
      if ((a[i].translation() - b[i].translation()).norm() > kRestTolerance * problem_.diagonal) return false;
    }
    return true;
  }

  /// Of several vertices their mean, by mask.
  void addTargets(const Example& example) {
    const Index points = problem_.pointCount();
    Points sums = Points::Zero(3, points);
    Eigen::VectorXd masses = Eigen::VectorXd::Zero(points);
    Eigen::VectorXd counts = Eigen::VectorXd::Zero(points);
    for (std::size_t v = 0; v < problem_.pointOfVertex.size(); ++v) {
      const std::uint32_t p = problem_.pointOfVertex[v];
      if (p == kNotFitted) continue;
      const double mass = example.mask.empty() ? 1 : example.mask[v];
      sums.col(p) += mass * example.points.col(static_cast<Index>(v));
      masses[p] += mass;
      counts[p] += 1;
    }
    for (Index p = 0; p < points; ++p) {
      const auto first = static_cast<Index>(problem_.firstVertex[toSize(p)]);
      if (masses[p] > 0) sums.col(p) /= masses[p];
      if (!(masses[p] > 0) || counts[p] == 1) sums.col(p) = example.points.col(first);
    }
    problem_.targets.push_back(std::move(sums));
    problem_.masks.emplace_back();
    if (example.mask.empty()) return;
    std::vector<double>& mask = problem_.masks.back();
    for (Index p = 0; p < points; ++p) mask.push_back(masses[p] / counts[p]);
  }

  const Character& character_;
  const ExampleSet& set_;
  const Skin& skin_;
  std::vector<char> fitted_;
  Points morphed_;                                              // per vertex, in rest space
  Points world_;                                                // per vertex, at rest
  Points restWorld_;                                            // per point
  std::vector<std::uint32_t> label_;                            // per vertex: the first of its point
  std::map<std::uint32_t, std::vector<std::uint32_t>> border_;  // per first vertex between skins: what may move it
  std::vector<char> moves_;                                     // per binding: it does more than place a part
  bool severalSkins_ = false;
  FitProblem problem_;
};

}  // namespace

FitProblem makeFitProblem(const Character& character, const ExampleSet& set) {
  checkCharacter(character, kProblemWhere);
  SINEW_CHECK(character.hasSkin(), kProblemWhere,
              "the character has no skin to fit; bind it to a skeleton first (sinew bind)");
  SINEW_CHECK(!set.examples.empty(), kProblemWhere, "there is no example to fit to; add one to the examples");
  for (const Example& example : set.examples) checkExample(character, example);
  return ProblemMaker(character, set).run();
}

SkinWeights weightsOfVertices(const Character& character, const FitProblem& problem,
                              const std::vector<std::vector<Influence>>& columns) {
  const Skin& skin = character.skin;
  SINEW_CHECK(columns.size() == problem.firstVertex.size() &&
                  static_cast<Index>(problem.pointOfVertex.size()) == character.mesh.vertexCount(),
              kProblemWhere,
              fmt::format("{} columns of weights for {} points, {} vertices for {}", columns.size(),
                          problem.firstVertex.size(), problem.pointOfVertex.size(), character.mesh.vertexCount()));
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  for (Index v = 0; v < character.mesh.vertexCount(); ++v) {
    const std::uint32_t p = problem.pointOfVertex[toSize(v)];
    if (p == kNotFitted) {
      influences.insert(influences.end(), skin.weights[v].begin(), skin.weights[v].end());
    } else {
      const int own = skinOfVertex(skin, v);
      for (Influence influence : columns[p]) {
        const Binding& binding = skin.bindings[influence.binding];
        if (binding.skin != own) influence.binding = bindingOf(skin, binding.joint, own);
        influences.push_back(influence);
      }
    }
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  return {skin.bindings.size(), std::move(offsets), std::move(influences)};
}

}  // namespace sinew::fit
