// The mode Weights: drag the skin and the weights follow; locks, single weights, and columns of several vertices.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/base/error.h"
#include "studio/modes/weights/lead_reach.h"
#include "studio/modes/weights/soft_preview.h"
#include "studio/modes/weights/weight_columns.h"
#include "studio/session/describe.h"
#include "studio/session/session.h"

namespace sinew::studio {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<int> lockedJoints(const Document& document) {
  std::vector<int> joints;
  for (const std::string& name : document.locks) joints.push_back(document.file.character.skeleton.index(name));
  return joints;
}

std::vector<std::vector<Influence>> listOf(const WeightColumns& columns) {
  std::vector<std::vector<Influence>> list;
  for (std::size_t k = 0; k < columns.vertices.size(); ++k) list.emplace_back(columns[k].begin(), columns[k].end());
  return list;
}

/// Weights that an affine solve leaves within rounding of 0 are 0; those below are refused. Less of a change is none.
constexpr double kRounding = 1e-9;

bool alikeButForRounding(std::span<const Influence> a, std::span<const Influence> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Influence& one, const Influence& other) {
    return one.binding == other.binding && std::abs(one.weight - other.weight) <= kRounding;
  });
}

/// Columns as an edit has them: vertices ascending.
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

DragOptions dragOptions(const Document& document, const wire::DragBegin& begin) {
  if (!std::isfinite(begin.softRadius)) throw CommandFault("malformed", "a radius is not finite");
  if (!(begin.alpha >= 0 && begin.alpha <= 1)) throw CommandFault("malformed", "other poses count from 0 to 1");
  if (begin.curve >= falloffs().size()) throw CommandFault("malformed", "there is no such curve of a falloff");
  DragOptions options;
  options.soft = std::max(0.0f, begin.softRadius);
  options.falloff = falloffs()[begin.curve].name;
  options.volume = begin.falloff == 1;
  options.secondStage = begin.secondStage == 1 ? "l1" : "l2";
  options.negative = begin.negative == 1;
  for (const std::uint32_t joint : begin.added) options.added.push_back(static_cast<int>(joint));
  options.maxInfluences = static_cast<int>(begin.most);
  options.locked = lockedJoints(document);
  options.alpha = begin.pins.empty() ? 0 : begin.alpha;
  return options;
}

class WeightDrag final : public DragTarget {
 public:
  WeightDrag(Session& session, const wire::DragBegin& begin) : session_(session), centre_(session.space().centre) {
    session.requireSkin();
    const Document& document = session.document();
    if (begin.view >= document.views.size()) throw CommandFault("bad-input", "there is no such view");
    DragStart start;
    start.vertices.push_back(static_cast<Index>(begin.lead));
    for (const std::uint32_t v : begin.vertices) {
      if (v != begin.lead) start.vertices.push_back(static_cast<Index>(v));
    }
    keepOnePerSeam(start.vertices);
    handles_ = start.vertices.size();
    start.pose = document.views[begin.view];
    for (const std::uint32_t view : begin.pins) {
      if (view < document.views.size() && view != begin.view) start.also.push_back(document.views[view]);
    }
    start.learned = document.file.learned();
    DragOptions options = dragOptions(document, begin);
    reach_.emplace(document, centre_, static_cast<Index>(begin.lead), begin.view, options, session.dragSurface());
    drag_.emplace(document.file.character, std::move(start), std::move(options), session.dragSurface());
    sendReach(drag_->vertices()[0].start);
    session_.sendFrame();
  }

  void move(const wire::DragMove& move) override {
    const auto begin = Clock::now();
    const Vec3 target = Vec3(move.target[0], move.target[1], move.target[2]) + centre_;
    if (!target.allFinite()) throw CommandFault("malformed", "a target is not a finite place");
    drag_->move(target - drag_->vertices()[0].start);
    session_.sendNewest(changedWeights());
    sendReach(target);
    session_.sendFrame(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }

  std::optional<Edit> finish(const wire::DragEnd& end) override {
    move({.drag = end.drag, .target = end.target, .ray = {}, .pressure = 0});
    WeightsChange change = changeOf(drag_->before(), withoutRounding(drag_->after()));
    if (change.vertices.empty()) return std::nullopt;
    const std::size_t count = drag_->vertices().size();
    return Edit{
        count == 1 ? fmt::format("Drag vertex {}", drag_->vertices()[0].vertex) : fmt::format("Drag {} points", count),
        {std::move(change)}};
  }

  void cancel() override {
    std::vector<std::uint32_t> vertices;
    for (const Index v : drag_->before().vertices) vertices.push_back(static_cast<std::uint32_t>(v));
    session_.send(weightsMessage(session_.document().file.character.skin.weights, vertices));
    session_.sendFrame();
  }

 private:
  void keepOnePerSeam(std::vector<Index>& vertices) const {
    const auto surface = session_.dragSurface();
    const auto& pointOf = surface->weld().pointOfVertex;
    std::vector<bool> seen(surface->weld().firstVertex.size());
    std::vector<Index> kept;
    for (const Index v : vertices) {
      if (v < 0 || static_cast<std::size_t>(v) >= pointOf.size())
        throw CommandFault("bad-input", fmt::format("there is no vertex {}", v));
      const std::uint32_t point = pointOf[static_cast<std::size_t>(v)];
      if (seen[point]) continue;
      seen[point] = true;
      kept.push_back(v);
    }
    vertices = std::move(kept);
  }

  /// Throws where a weight is negative, with everything put back: a skin holds none.
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
    const Character& character = session_.document().file.character;
    const std::string& joint = character.skeleton[character.skin.bindings[influence.binding].joint].name;
    throw CommandFault("negative-weight",
                       fmt::format("There vertex {} needs the weight {:.4f} on '{}', and a skin holds none below 0.",
                                   vertex, influence.weight, joint),
                       "The drag was put back. Let go inside the drawn hull, drag without negative weights, or add a "
                       "joint that reaches farther.");
  }

  [[nodiscard]] wire::Weights changedWeights() const {
    wire::Weights message;
    for (std::size_t k = 0; k < drag_->vertices().size(); ++k) {
      const auto column = drag_->weights(k);
      for (const std::uint32_t v : drag_->seam(k)) {
        message.vertices.push_back(v);
        message.counts.push_back(static_cast<std::uint32_t>(column.size()));
        for (const Influence& influence : column) {
          message.bindings.push_back(influence.binding);
          message.weights.push_back(static_cast<float>(influence.weight));
        }
      }
    }
    return message;
  }

  void sendReach(const Vec3& target) const {
    const DraggedVertex& lead = drag_->vertices()[0];
    wire::Reach reach = reach_->leading();
    reach.nearest = reach_->toPage(lead.reached);
    reach.target = reach_->toPage(target);
    reach.distance = static_cast<float>(lead.distance);
    reach.followers = static_cast<std::uint32_t>(drag_->vertices().size() - handles_);
    if (const auto better = drag_->suggestion(0)) {
      reach.suggested.push_back(static_cast<std::uint32_t>(better->joint));
      reach.suggestedDistance = static_cast<float>(better->distance);
    }
    session_.send(reach);
    for (const wire::Reach& other : reach_->others(drag_->weights(0))) session_.send(other);
  }

  Session& session_;
  Vec3 centre_;
  std::size_t handles_ = 0;
  std::optional<LeadReach> reach_;
  std::optional<DragSession> drag_;
};

/// Where a vertex that nobody drags yet could go.
Json reachCommand(Session& session, const Json& args) {
  session.requireSkin();
  const Document& document = session.document();
  const auto vertex = args.at("vertex").get<Index>();
  const auto view = args.at("view").get<std::uint32_t>();
  if (vertex < 0 || vertex >= document.file.character.mesh.vertexCount() || view >= document.views.size())
    throw CommandFault("bad-input", fmt::format("there is no vertex {} in view {}", vertex, view));
  DragOptions options;
  options.locked = lockedJoints(document);
  options.negative = args.value("negative", false);
  const LeadReach reach(document, session.space().centre, vertex, view, std::move(options), session.dragSurface());
  session.send(reach.leading());
  for (const wire::Reach& other : reach.others(document.file.character.skin.weights[vertex])) session.send(other);
  return Json::object();
}

/// All that is not locked goes to one joint, at each of the vertices and on its seam.
Json assignCommand(Session& session, const Json& args) {
  session.requireSkin();
  const Document& document = session.document();
  const Skin& skin = document.file.character.skin;
  const auto joint = args.at("joint").get<int>();
  if (joint < 0 || joint >= document.file.character.skeleton.size())
    throw CommandFault("bad-input", fmt::format("there is no joint {}", joint));
  const std::string& name = document.file.character.skeleton[joint].name;
  if (std::find(document.locks.begin(), document.locks.end(), name) != document.locks.end())
    throw CommandFault("locked", fmt::format("'{}' is locked", name), "Unlock it first.");
  const ColumnRules rules = columnRules(document, 0);
  const auto surface = session.dragSurface();
  const auto& pointOf = surface->weld().pointOfVertex;
  std::vector<std::uint32_t> vertices;
  for (const std::uint32_t v : args.at("vertices").get<std::vector<std::uint32_t>>()) {
    if (v >= pointOf.size()) throw CommandFault("bad-input", fmt::format("there is no vertex {}", v));
    const auto seam = surface->verticesOf(pointOf[v]);
    vertices.insert(vertices.end(), seam.begin(), seam.end());
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  WeightsChange change;
  for (const std::uint32_t v : vertices) {
    const auto before = skin.weights[static_cast<Index>(v)];
    const int number = skin.bindings[before.front().binding].skin;
    const auto binding = std::find_if(skin.bindings.begin(), skin.bindings.end(),
                                      [&](const Binding& one) { return one.joint == joint && one.skin == number; });
    if (binding == skin.bindings.end())
      throw CommandFault("bad-input", fmt::format("the skin of vertex {} does not bind '{}'", v, name));
    Column column = withWeight(before, static_cast<std::uint32_t>(binding - skin.bindings.begin()), 1, rules);
    if (std::equal(before.begin(), before.end(), column.begin(), column.end())) continue;
    change.vertices.push_back(v);
    change.before.emplace_back(before.begin(), before.end());
    change.after.push_back(std::move(column));
  }
  const std::size_t changed = change.vertices.size();
  if (changed > 0) session.commit({fmt::format("All to {}", name), {std::move(change)}});
  return {{"changed", changed}};
}

Json locksCommand(Session& session, const Json& args) {
  session.requireSkin();
  auto names = args.at("joints").get<std::vector<std::string>>();
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) (void)session.document().file.character.skeleton.index(name);
  session.commit({"Lock joints", {LocksChange{session.document().locks, std::move(names)}}});
  return Json::object();
}

/// One weight of a vertex and its seam; the others that are not locked share the rest in their old proportions.
Json setCommand(Session& session, const Json& args) {
  session.requireSkin();
  const Document& document = session.document();
  const Skin& skin = document.file.character.skin;
  const auto vertex = args.at("vertex").get<Index>();
  const auto binding = args.at("binding").get<std::uint32_t>();
  const auto wanted = args.at("weight").get<double>();
  if (vertex < 0 || vertex >= skin.weights.vertexCount() || binding >= skin.bindings.size())
    throw CommandFault("bad-input", fmt::format("there is no vertex {} or joint {}", vertex, binding));
  if (!(wanted >= 0 && wanted <= 1))
    throw CommandFault("bad-input", fmt::format("a weight of {}; between 0 and 1", wanted));
  const ColumnRules rules = columnRules(document, 0);
  if (rules.locked[binding]) throw CommandFault("locked", "this joint is locked", "Unlock it first.");
  const Column column = withWeight(skin.weights[vertex], binding, wanted, rules);
  WeightsChange change;
  const auto surface = session.dragSurface();
  for (const std::uint32_t v : surface->verticesOf(surface->weld().pointOfVertex[static_cast<std::size_t>(vertex)])) {
    const auto before = skin.weights[static_cast<Index>(v)];
    change.vertices.push_back(v);
    change.before.emplace_back(before.begin(), before.end());
    change.after.push_back(column);
  }
  session.commit({fmt::format("Set a weight of vertex {}", vertex), {std::move(change)}});
  return {{"weight", skin.weights.weight(vertex, binding)}};
}

constexpr SessionCommand kWeightCommands[] = {{"weights.locks", locksCommand},
                                              {"weights.set", setCommand},
                                              {"weights.assign", assignCommand},
                                              {"weights.reach", reachCommand},
                                              {"weights.soft", softCommand}};

}  // namespace

std::span<const SessionCommand> weightCommands() {
  return kWeightCommands;
}

std::unique_ptr<DragTarget> beginWeightDrag(Session& session, const wire::DragBegin& begin) {
  return std::make_unique<WeightDrag>(session, begin);
}

}  // namespace sinew::studio
