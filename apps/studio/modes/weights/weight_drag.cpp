#include "studio/modes/weights/drags.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/base/types.h"
#include "studio/modes/weights/lead_reach.h"
#include "studio/modes/weights/weight_columns.h"

namespace sinew::studio::weights {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::vector<Influence>> listOf(const WeightColumns& columns) {
  std::vector<std::vector<Influence>> list;
  for (std::size_t k = 0; k < columns.vertices.size(); ++k) list.emplace_back(columns[k].begin(), columns[k].end());
  return list;
}

/// An affine solve's weights within this of 0 are set to 0, and negative ones beyond it are refused. A smaller change
/// counts as none.
constexpr double kRounding = 1e-9;

bool alikeButForRounding(std::span<const Influence> a, std::span<const Influence> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Influence& one, const Influence& other) {
    return one.binding == other.binding && std::abs(one.weight - other.weight) <= kRounding;
  });
}

/// In the form of an edit: vertices ascending.
WeightsChange changeOf(const WeightColumns& before, const WeightColumns& after) {
  std::vector<std::size_t> order(before.vertices.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return before.vertices[a] < before.vertices[b]; });
  const auto oldColumns = listOf(before);
  const auto newColumns = listOf(after);
  WeightsChange change;
  for (const std::size_t k : order) {
    if (alikeButForRounding(oldColumns[k], newColumns[k])) continue;
    change.vertices.push_back(static_cast<std::uint32_t>(before.vertices[k]));
    change.before.push_back(oldColumns[k]);
    change.after.push_back(newColumns[k]);
  }
  return change;
}

static_assert(std::all_of(kFalloffCurves.begin(), kFalloffCurves.end(),
                          [](std::string_view name) { return choiceOf<Falloff>(name).has_value(); }));

DragOptions dragOptions(const Document& document, const wire::WeightDragBegin& begin) {
  if (!std::isfinite(begin.radius)) throw CommandFault("malformed", "a radius is not finite");
  if (!(begin.alpha >= 0 && begin.alpha <= 1)) throw CommandFault("malformed", "pin strength must be 0 to 1");
  if (begin.curve >= kFalloffCurves.size()) throw CommandFault("malformed", "unknown falloff curve");
  DragOptions options;
  options.soft = std::max(0.0f, begin.radius);
  options.falloff = choiceNamed<Falloff>(kFalloffCurves[begin.curve], "falloff");
  options.volume = begin.throughSpace == 1;
  options.secondStage = begin.sparse == 1 ? SecondStage::LeastSum : SecondStage::LeastSquares;
  options.negative = begin.negativeWeights == 1;
  options.presentOnly = begin.presentOnly == 1;
  for (const std::uint32_t joint : begin.addedJoints) options.added.push_back(static_cast<int>(joint));
  options.maxInfluences = static_cast<int>(begin.maxInfluences);
  options.locked = lockedJoints(document);
  options.alpha = begin.pinnedViews.empty() ? 0 : begin.alpha;
  return options;
}

class WeightDrag final : public DragTarget {
 public:
  WeightDrag(ModeContext& context, std::shared_ptr<const DragSurface> surface, const wire::WeightDragBegin& begin)
      : context_(context), surface_(std::move(surface)), drag_(begin.drag), centre_(context.space().centre) {
    const Document& document = context.document();
    if (begin.view >= document.views.size()) throw CommandFault("bad-input", "there is no such view");
    DragStart start;
    start.vertices.push_back(static_cast<Index>(begin.lead));
    for (const std::uint32_t v : begin.vertices) {
      if (v != begin.lead) start.vertices.push_back(static_cast<Index>(v));
    }
    keepOnePerSeam(start.vertices);
    const std::vector<Pose> views = context.drawnViews();
    start.pose = views[begin.view];
    for (const std::uint32_t view : begin.pinnedViews) {
      if (view < views.size() && view != begin.view) start.also.push_back(views[view]);
    }
    DragOptions options = dragOptions(document, begin);
    solver_.emplace(document.file.character, std::move(start), options, surface_);
    reach_.emplace(document, views, centre_, begin.view, *solver_, std::move(options), surface_);
    sendReach(solver_->vertices()[0].start);
  }

  void move(const wire::DragMove& move) override {
    const auto begin = Clock::now();
    const Vec3 target = Vec3(move.target[0], move.target[1], move.target[2]) + centre_;
    if (!target.allFinite()) throw CommandFault("malformed", "a target is not finite");
    solver_->move(target - solver_->vertices()[0].start);
    context_.send(changedWeights());
    sendReach(target);
    context_.reportSolve({.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count()});
  }

  std::optional<Edit> finish(const wire::DragEnd& end) override {
    move({.drag = end.drag, .target = end.target});
    WeightsChange change = changeOf(solver_->before(), withoutRounding(solver_->after()));
    if (change.vertices.empty()) return std::nullopt;
    const std::size_t count = solver_->vertices().size();
    return Edit{count == 1 ? fmt::format("Drag vertex {}", solver_->vertices()[0].vertex)
                           : fmt::format("Drag {} points", count),
                {std::move(change)}};
  }

  void cancel() override {
    std::vector<std::uint32_t> vertices;
    for (const Index v : solver_->before().vertices) vertices.push_back(static_cast<std::uint32_t>(v));
    context_.send(weightsMessage(context_.document().file.character.skin.weights, vertices));
  }

 private:
  void keepOnePerSeam(std::vector<Index>& vertices) const {
    const auto& pointOf = surface_->weld().pointOfVertex;
    std::vector<bool> seen(surface_->weld().firstVertex.size());
    std::vector<Index> kept;
    for (const Index v : vertices) {
      if (v < 0 || toSize(v) >= pointOf.size())
        throw CommandFault("bad-input", fmt::format("there is no vertex {}", v));
      const std::uint32_t point = pointOf[toSize(v)];
      if (seen[point]) continue;
      seen[point] = true;
      kept.push_back(v);
    }
    vertices = std::move(kept);
  }

  /// Throws if a weight is negative, after restoring everything: a skin cannot store it.
  WeightColumns withoutRounding(const WeightColumns& columns) {
    WeightColumns kept;
    std::vector<Influence> column;
    for (std::size_t k = 0; k < columns.vertices.size(); ++k) {
      column.clear();
      double sum = 0;
      for (const Influence& one : columns[k]) {
        if (one.weight < -kRounding) refuse(columns.vertices[k], one);
        if (one.weight <= 0) continue;
        column.push_back(one);
        sum += one.weight;
      }
      const bool same = column.size() == columns[k].size();
      for (Influence& one : column) one.weight = same ? one.weight : one.weight / sum;
      kept.add(columns.vertices[k], column);
    }
    return kept;
  }

  [[noreturn]] void refuse(Index vertex, const Influence& influence) {
    cancel();
    const Character& character = context_.document().file.character;
    const std::string& joint = character.skeleton[character.skin.bindings[influence.binding].joint].name;
    throw CommandFault(
        "negative-weight",
        fmt::format("Vertex {} would need the weight {:.4f} on '{}'; a skin cannot store negative weights.", vertex,
                    influence.weight, joint),
        "The drag was undone. Release inside the drawn hull, turn off negative weights, or add a joint "
        "that reaches farther.");
  }

  [[nodiscard]] wire::Weights changedWeights() const {
    wire::Weights message{.drag = drag_};
    for (std::size_t k = 0; k < solver_->vertices().size(); ++k) {
      for (const std::uint32_t v : solver_->seam(k)) addColumn(v, solver_->weights(k), message);
    }
    return message;
  }

  void sendReach(const Vec3& target) const {
    const DraggedVertex& lead = solver_->vertices()[0];
    wire::Reach reach = reach_->leading(solver_->weights(0));
    reach.position = reach_->toPage(lead.reached);
    reach.target = reach_->toPage(target);
    reach.distance = static_cast<float>(lead.distance);
    if (const auto better = solver_->suggestion(0)) {
      reach.suggested.push_back(static_cast<std::uint32_t>(better->joint));
      reach.suggestedDistance = static_cast<float>(better->distance);
    }
    context_.send(reach);
    for (const wire::Reach& other : reach_->others(solver_->weights(0))) context_.send(other);
  }

  ModeContext& context_;
  std::shared_ptr<const DragSurface> surface_;
  std::uint32_t drag_;
  Vec3 centre_;
  std::optional<LeadReach> reach_;
  std::optional<DragSession> solver_;
};

}  // namespace

std::unique_ptr<DragTarget> makeWeightDrag(ModeContext& context, std::shared_ptr<const DragSurface> surface,
                                           const wire::WeightDragBegin& begin) {
  return std::make_unique<WeightDrag>(context, std::move(surface), begin);
}

}  // namespace sinew::studio::weights
