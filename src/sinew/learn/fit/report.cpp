#include "sinew/learn/fit/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/character/mirror.h"
#include "sinew/deform/posing.h"

namespace sinew::fit {
namespace {

constexpr double kStillTurn = 0.5 * 3.14159265358979 / 180;  // radians: smaller rotations count as none
constexpr double kStillShift = 1e-4;                         // diagonals
constexpr std::size_t kNamed = 4;                            // joints named in one sentence
constexpr double kWorseSquare = 1.02;                        // of a squared error: less is noise
constexpr double kRoundingPercent = 1e-9;                    // smaller errors are reported as 0
constexpr double kChangedWeight = 1e-3;                      // of a weight: less is rounding
constexpr double kCosts = 1.02;                              // of an rms: less is noise
constexpr double kSamePose = 1 * 3.14159265358979 / 180;     // radians
constexpr double kUnevenSides = 0.01;                        // mean difference of weights, as shares of 1
constexpr double kUnevenSurface = 0.05;                      // the same if the image is between vertices
constexpr double kVisible = 1e-4;                            // diagonals: what no one sees

bool isStill(const LocalTransform& a, const LocalTransform& b, double diagonal) {
  return a.rotation.angularDistance(b.rotation) < kStillTurn &&
         (a.translation - b.translation).norm() < kStillShift * diagonal && (a.scale - b.scale).norm() < 1e-3;
}

/// Per joint: whether some point has a weight on it.
std::vector<bool> weightedJoints(const Character& character, const FitProblem& problem) {
  std::vector<bool> weighted(toSize(character.skeleton.size()), false);
  for (const auto& column : problem.prior) {
    for (const Influence& influence : column) weighted[toSize(character.skin.bindings[influence.binding].joint)] = true;
  }
  return weighted;
}

std::string quotedNames(const Character& character, const std::vector<int>& joints) {
  std::string names;
  for (std::size_t k = 0; k < std::min(joints.size(), kNamed); ++k)
    names += fmt::format("{}'{}'", k == 0 ? "" : ", ", character.skeleton[joints[k]].name);
  return joints.size() > kNamed ? fmt::format("{} and {} more", names, joints.size() - kNamed) : names;
}

/// "'knee' against 'hip'", "3 joints against their parents ('knee', 'ankle', 'toe')".
std::string stillText(const Character& character, const std::vector<int>& still) {
  if (still.size() > 1)
    return fmt::format("{} joints against their parents ({})", still.size(), quotedNames(character, still));
  const Joint& joint = character.skeleton[still.front()];
  return fmt::format("'{}' against '{}'", joint.name, character.skeleton[joint.parent].name);
}

/// Per joint: the largest change of a point's weight on it.
std::vector<double> changesOf(const Character& character, const FitProblem& problem,
                              const std::vector<std::vector<Influence>>& columns) {
  std::vector<double> changes(toSize(character.skeleton.size()), 0);
  std::vector<double> here(changes.size(), 0);
  const auto jointOf = [&](const Influence& influence) {
    return toSize(character.skin.bindings[influence.binding].joint);
  };
  for (std::size_t p = 0; p < columns.size(); ++p) {
    for (const Influence& influence : problem.prior[p]) here[jointOf(influence)] -= influence.weight;
    for (const Influence& influence : columns[p]) here[jointOf(influence)] += influence.weight;
    for (const auto* column : {&problem.prior[p], &columns[p]}) {
      for (const Influence& influence : *column) {
        double& change = here[jointOf(influence)];
        changes[jointOf(influence)] = std::max(changes[jointOf(influence)], std::abs(change));
        change = 0;
      }
    }
  }
  return changes;
}

bool samePose(const Pose& a, const Pose& b) {
  for (std::size_t j = 0; j < a.local.size(); ++j) {
    if (a.local[j].rotation.angularDistance(b.local[j].rotation) > kSamePose) return false;
  }
  return true;
}

/// How many examples are mirror images of an earlier one.
int mirroredExamples(const Character& character, const ExampleSet& set, const MirrorMap& mirror) {
  int count = 0;
  for (std::size_t e = 0; e < set.examples.size(); ++e) {
    const Pose image = mirrorPose(character, mirror, set.examples[e].pose);
    if (samePose(image, set.examples[e].pose)) continue;  // both sides do the same
    for (std::size_t f = 0; f < e; ++f) {
      if (!samePose(image, set.examples[f].pose)) continue;
      ++count;
      break;
    }
  }
  return count;
}

/// Half the sum of the differences between a vertex's weights and those of its mirror image, which is a vertex or a
/// point of the surface: 0 to 1.
double sideGap(const Skin& skin, const MirrorMap& mirror, std::size_t vertex) {
  const MirrorPlace& place = mirror.vertex[vertex];
  const bool onVertex = place.kind == MirrorPlace::Kind::Vertex;
  std::map<int, double> gaps;
  for (const Influence& influence : skin.weights[static_cast<Index>(vertex)])
    gaps[skin.bindings[influence.binding].joint] += influence.weight;
  for (std::size_t k = 0; k < (onVertex ? 1u : 3u); ++k) {
    for (const Influence& influence : skin.weights[place.vertex[k]]) {
      const auto joint = toSize(skin.bindings[influence.binding].joint);
      gaps[mirror.joint[joint]] -= (onVertex ? 1 : place.weight[k]) * influence.weight;
    }
  }
  double sum = 0;
  for (const auto& [joint, gap] : gaps) sum += std::abs(gap);
  return sum / 2;
}

}  // namespace

std::vector<int> stillJoints(const Character& character, const ExampleSet& set, const FitProblem& problem) {
  std::vector<int> still;
  const std::vector<bool> weighted = weightedJoints(character, problem);
  const auto weightsAbove = [&](int joint) {
    int above = character.skeleton[joint].parent;
    while (above >= 0 && !weighted[toSize(above)]) above = character.skeleton[above].parent;
    return above >= 0;
  };
  for (int joint = 0; joint < character.skeleton.size(); ++joint) {
    if (!weighted[toSize(joint)] || isHelper(character.helpers, joint) || !weightsAbove(joint)) continue;
    const bool moved = std::any_of(set.examples.begin(), set.examples.end(), [&](const Example& example) {
      return example.confidence > 0 &&
             !isStill(example.pose.local[toSize(joint)], character.skeleton[joint].rest, problem.diagonal);
    });
    if (!moved) still.push_back(joint);
  }
  return still;
}

std::vector<std::string> stillWarnings(const Character& character, const FitProblem& problem,
                                       const std::vector<int>& still,
                                       const std::vector<std::vector<Influence>>& columns) {
  const std::vector<double> changes = changesOf(character, problem, columns);
  std::vector<int> kept;
  std::vector<int> changed;
  std::vector<int> helpers;
  for (const int joint : still) {
    bool stays = changes[toSize(joint)] <= kChangedWeight;
    for (const HelperJoint& helper : character.helpers) {
      if (helper.source != joint || changes[toSize(helper.joint)] <= kChangedWeight) continue;
      stays = false;
      helpers.push_back(helper.joint);
    }
    (stays ? kept : changed).push_back(joint);
  }
  std::vector<std::string> warnings;
  if (!kept.empty()) {
    warnings.push_back(fmt::format("no example moves {}, so {} weights are unchanged", stillText(character, kept),
                                   kept.size() == 1 ? "its" : "their"));
  }
  if (!changed.empty()) {
    warnings.push_back(fmt::format(
        "no example moves {}, so the weights there cannot be verified; they changed with those of {}",
        stillText(character, changed),
        helpers.empty() ? "neighbouring joints"
                        : fmt::format("other joints (of helper joints: {})", quotedNames(character, helpers))));
  }
  return warnings;
}

ErrorCollector::ErrorCollector(std::vector<std::uint32_t> fitted, std::size_t examples, double diagonal)
    : fitted_(std::move(fitted)),
      diagonal_(diagonal),
      all_(static_cast<Index>(fitted_.size()) * static_cast<Index>(examples)) {}

void ErrorCollector::add(const Example& example, const ConstPointsRef& shape) {
  Eigen::VectorXd distances(static_cast<Index>(fitted_.size()));
  for (Index i = 0; i < distances.size(); ++i) {
    const std::uint32_t v = fitted_[toSize(i)];
    const bool counts = example.mask.empty() || example.mask[v] > 0;
    distances[i] = counts ? (shape.col(v) - example.points.col(v)).norm() : 0;
  }
  all_.segment(used_, distances.size()) = distances;
  used_ += distances.size();
  ShapeError error = errorOfDistances(std::move(distances), diagonal_);
  if (error.maxVertex >= 0) error.maxVertex = fitted_[toSize(error.maxVertex)];
  errors_.examples.push_back(error);
}

ExampleErrors ErrorCollector::finish() {
  errors_.total = errorOfDistances(all_.head(used_), diagonal_);
  if (errors_.total.maxVertex >= 0) {
    const auto place = toSize(errors_.total.maxVertex) % fitted_.size();
    errors_.total.maxVertex = fitted_[place];
  }
  return std::move(errors_);
}

std::vector<std::uint32_t> fittedVertices(const FitProblem& problem) {
  std::vector<std::uint32_t> fitted;
  for (std::size_t v = 0; v < problem.pointOfVertex.size(); ++v) {
    if (problem.pointOfVertex[v] != kNotFitted) fitted.push_back(static_cast<std::uint32_t>(v));
  }
  return fitted;
}

ExampleErrors skinErrors(const Character& character, const ExampleSet& set, const FitProblem& problem) {
  ErrorCollector errors(fittedVertices(problem), set.examples.size(), problem.diagonal);
  CharacterPoser poser(character);
  for (const Example& example : set.examples) errors.add(example, poser.pose(example.pose));
  return errors.finish();
}

std::vector<std::string> exampleWarnings(const ExampleSet& set, const FitProblem& problem) {
  std::vector<std::string> warnings;
  for (const Example& example : set.examples) {
    const bool covered = example.mask.empty() || std::any_of(example.mask.begin(), example.mask.end(),
                                                             [](double factor) { return factor > 0; });
    if (example.confidence == 0) {
      warnings.push_back(fmt::format("the example '{}' has confidence 0 and is ignored", example.name));
    } else if (!covered) {
      warnings.push_back(
          fmt::format("the mask of the example '{}' covers no vertex, so the example is ignored", example.name));
    }
  }
  const auto counted = std::count_if(problem.confidence.begin(), problem.confidence.end(),
                                     [](double confidence) { return confidence > 0; });
  std::size_t most = 0;
  for (const auto& candidates : problem.candidates) most = std::max(most, candidates.size());
  if (3 * toSize(counted) + 1 < most) {
    warnings.push_back(
        fmt::format("{} {} equations for the weights of {} joints at a vertex: where they cannot distinguish joints, "
                    "the old weights decide; more examples would help",
                    counted == 1 ? "1 pose gives" : fmt::format("{} poses give", counted), 3 * counted, most));
  }
  return warnings;
}

std::vector<std::string> fitWarnings(const FitProblem& problem, const AlternationOptions& options,
                                     const Alternation& fit) {
  std::vector<std::string> warnings;
  if (options.moveRest && fit.rest.limited > 0) {
    warnings.push_back(fmt::format(
        "{} of {} rest points reached their drift limit ({:g} % of the diagonal); the examples pull them farther",
        fit.rest.limited, problem.pointCount(), 100 * options.rest.mostDrift));
  }
  if (fit.weights.report.unconverged > 0) {
    warnings.push_back(fmt::format("the weights of {} are not optimal: the solver reached its step limit",
                                   counted(toSize(fit.weights.report.unconverged), "point", "points")));
  }
  return warnings;
}

std::vector<std::string> leftOutWarnings(const Character& character, const FitProblem& problem,
                                         const PointRegions& regions, const std::vector<RegionChoice>& choices,
                                         const FitOptions& options, bool cut, const LeftOutErrors& errors,
                                         const LeftOutErrors* plain) {
  std::vector<std::string> warnings;
  if (!errors.measured) {
    warnings.emplace_back(
        "with one example there is no leave-one-out error, so the quality at other poses is unknown; sculpt at least "
        "two");
    return warnings;
  }
  const std::string asked = options.smoothness > 0 && options.normals > 0 ? "--smooth and --normals"
                            : options.normals > 0                         ? "--normals"
                                                                          : "--smooth";
  const bool costs = plain != nullptr && options.normals > 0 && errors.total.rms > kCosts * plain->total.rms;
  if (costs) {
    warnings.push_back(fmt::format(
        "{} costs position accuracy: the leave-one-out error is rms {:.3g} % of the diagonal, {:.3g} % without", asked,
        errors.total.rmsPercent, plain->total.rmsPercent));
  }
  std::vector<std::size_t> worse;
  std::vector<std::size_t> kept;
  for (std::size_t r = 0; r < regions.count(); ++r) {
    const double seen = kVisible * problem.diagonal;
    if (errors.after[r] > kWorseSquare * errors.before[r] && errors.after[r] > seen * seen * errors.counts[r])
      worse.push_back(r);
    if (r < choices.size() && !choices[r].met && std::isinf(choices[r].prior)) kept.push_back(r);
  }
  const auto rms = [&](const std::vector<double>& squares, std::size_t r) {
    const double percent = 100 * std::sqrt(squares[r] / std::max(1.0, errors.counts[r])) / problem.diagonal;
    return percent < kRoundingPercent ? 0 : percent;
  };
  std::stable_sort(worse.begin(), worse.end(), [&](std::size_t a, std::size_t b) {
    return errors.after[a] - errors.before[a] > errors.after[b] - errors.before[b];
  });
  for (std::size_t k = 0; k < std::min(worse.size(), kNamed); ++k) {
    const std::size_t r = worse[k];
    const bool asTold = plain != nullptr && errors.after[r] > kWorseSquare * plain->after[r];
    warnings.push_back(fmt::format(
        "the leave-one-out error of the skin {} rises: rms {:.3g} % of the diagonal before, {:.3g} % after; {}",
        regions.name(character, r), rms(errors.before, r), rms(errors.after, r),
        asTold ? fmt::format("without {} it would be {:.3g} %, so use a smaller value", asked, rms(plain->after, r))
               : "more examples of these joints, or a stronger prior, would help"));
  }
  if (worse.size() > kNamed)
    warnings.push_back(
        fmt::format("it also rises in {}", counted(worse.size() - kNamed, "more region", "more regions")));
  if (kept.empty()) return warnings;
  std::string names;
  for (std::size_t k = 0; k < std::min(kept.size(), kNamed); ++k)
    names += fmt::format("{}{}", k == 0 ? "" : ", ", regions.name(character, kept[k]));
  if (kept.size() > kNamed) names += fmt::format(" and {} more", kept.size() - kNamed);
  warnings.push_back(fmt::format(
      "the examples do not determine better weights in {} of {} regions ({}); the weights there are unchanged{}{}",
      kept.size(), regions.count(), names,
      cut ? fmt::format(", limited to {} joints per vertex", options.maxInfluences) : "",
      options.smoothness > 0 ? ", and --smooth has no effect on them (it does if --prior is a number)" : ""));
  return warnings;
}

std::vector<std::string> budgetWarnings(const std::vector<HelperTrial>& helpers, int most) {
  const auto kept = std::count_if(helpers.begin(), helpers.end(), [](const HelperTrial& trial) { return trial.kept; });
  const HelperTrial* pair = nullptr;
  for (const HelperTrial& trial : helpers) {
    if (trial.noRoom && trial.paired && (pair == nullptr || trial.gain > pair->gain)) pair = &trial;
  }
  if (pair == nullptr || most - kept != 1) return {};
  return {
      fmt::format("--max-helpers {} allows one more joint, but '{}' and its mirror image are kept or removed together "
                  "and need two: --max-helpers {} would keep such a pair",
                  most, pair->name, most + 1)};
}

std::vector<std::string> mirrorWarnings(const Character& character, const ExampleSet& set, const MirrorMap& mirror) {
  const int images = mirroredExamples(character, set, mirror);
  if (images == 0) return {};
  double allowed = 0;
  double sum = 0;
  double most = 0;
  double count = 0;
  for (std::size_t v = 0; v < mirror.vertex.size(); ++v) {
    if (mirror.vertex[v].kind == MirrorPlace::Kind::None) continue;
    const double gap = sideGap(character.skin, mirror, v);
    allowed += mirror.vertex[v].kind == MirrorPlace::Kind::Vertex ? kUnevenSides : kUnevenSurface;
    sum += gap;
    most = std::max(most, gap);
    ++count;
  }
  if (!(sum > allowed)) return {};
  return {fmt::format(
      "{} of others, but the weights of the skin are not symmetric: those of mirrored vertices differ by {:.2g} on "
      "average and {:.2g} at most, so a mirrored sculpt does not match the other side; make the weights symmetric "
      "first, or fit without --mirror",
      images == 1 ? std::string("1 example is the mirror image") : fmt::format("{} examples are mirror images", images),
      sum / count, most)};
}

}  // namespace sinew::fit
