// The mode Weights: drag the skin and the weights follow; locks, single weights, and columns of several vertices.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "session.h"
#include "session_view.h"
#include "sinew/base/error.h"
#include "weight_columns.h"

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

/// Columns as an edit has them: vertices ascending.
WeightsChange changeOf(const WeightColumns& before, const WeightColumns& after) {
  std::vector<std::size_t> order(before.vertices.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return before.vertices[a] < before.vertices[b]; });
  const auto oldColumns = listOf(before);
  const auto newColumns = listOf(after);
  WeightsChange change;
  for (const std::size_t k : order) {
    if (oldColumns[k] == newColumns[k]) continue;
    change.vertices.push_back(static_cast<std::uint32_t>(before.vertices[k]));
    change.before.push_back(oldColumns[k]);
    change.after.push_back(newColumns[k]);
  }
  return change;
}

class WeightDrag final : public DragTarget {
 public:
  WeightDrag(Session& session, const wire::DragBegin& begin)
      : session_(session), centre_(session.space().centre), view_(begin.view) {
    session.requireSkin();
    const Document& document = session.document();
    if (begin.view >= document.views.size()) throw CommandFault("bad-input", "there is no such view");
    DragStart start;
    start.vertices.push_back(static_cast<Index>(begin.lead));
    for (const std::uint32_t v : begin.vertices) {
      if (v != begin.lead) start.vertices.push_back(static_cast<Index>(v));
    }
    keepOnePerSeam(start.vertices);
    start.pose = document.views[begin.view];
    for (std::uint32_t v = 0; v < document.views.size(); ++v) {
      const bool pinned = std::find(begin.pins.begin(), begin.pins.end(), v) != begin.pins.end();
      if (v == begin.view || (!begin.pins.empty() && !pinned)) continue;
      others_.push_back(v);
      start.also.push_back(document.views[v]);
    }
    start.learned = document.file.learned();
    DragOptions options;
    if (!std::isfinite(begin.softRadius)) throw CommandFault("malformed", "a radius is not finite");
    options.soft = std::max(0.0f, begin.softRadius);
    for (const std::uint32_t joint : begin.added) options.added.push_back(static_cast<int>(joint));
    options.maxInfluences = static_cast<int>(begin.most);
    options.locked = lockedJoints(document);
    options.alpha = begin.pins.empty() ? 0 : 1;
    drag_.emplace(document.file.character, std::move(start), options, session.dragSurface());
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
    WeightsChange change = changeOf(drag_->before(), drag_->after());
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

  [[nodiscard]] std::array<float, 3> toPage(const Vec3& p) const {
    const Vec3 q = p - centre_;
    return {static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z())};
  }

  void sendReach(const Vec3& target) const {
    const DraggedVertex& lead = drag_->vertices()[0];
    wire::Reach reach = reachOf(0, view_);
    reach.nearest = toPage(lead.reached);
    reach.target = toPage(target);
    reach.distance = static_cast<float>(lead.distance);
    if (const auto better = drag_->suggestion(0)) {
      reach.suggested.push_back(static_cast<std::uint32_t>(better->joint));
      reach.suggestedDistance = static_cast<float>(better->distance);
    }
    session_.send(reach);
    for (std::size_t i = 0; i < others_.size(); ++i) {
      wire::Reach other = reachOf(i + 1, others_[i]);
      other.distance = static_cast<float>(drag_->movedIn(0, i));
      session_.send(other);
    }
  }

  [[nodiscard]] wire::Reach reachOf(std::size_t pose, std::uint32_t view) const {
    const ReachableSet set = drag_->reachable(0, pose);
    wire::Reach reach;
    reach.vertex = static_cast<std::uint32_t>(drag_->vertices()[0].vertex);
    reach.view = view;
    reach.dimension = static_cast<std::uint32_t>(std::max(set.hull.dimension, 0));
    for (Index c = 0; c < set.corners.cols(); ++c) {
      // Where all its joints are locked, a vertex stands at a corner that is no joint's.
      const auto corner = static_cast<std::size_t>(c);
      reach.joints.push_back(corner < set.joints.size() ? static_cast<std::uint32_t>(set.joints[corner]) : 0);
      for (const float x : toPage(set.corners.col(c))) reach.corners.push_back(x);
    }
    for (const auto& edge : set.hull.edges) reach.edges.insert(reach.edges.end(), edge.begin(), edge.end());
    for (const Triangle& t : set.hull.triangles) reach.triangles.insert(reach.triangles.end(), t.begin(), t.end());
    return reach;
  }

  Session& session_;
  Vec3 centre_;
  std::uint32_t view_;
  std::vector<std::uint32_t> others_;
  std::optional<DragSession> drag_;
};

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

constexpr SessionCommand kCommands[] = {{"weights.locks", locksCommand}, {"weights.set", setCommand}};

}  // namespace

std::span<const SessionCommand> weightCommands() {
  return kCommands;
}

std::unique_ptr<DragTarget> beginWeightDrag(Session& session, const wire::DragBegin& begin) {
  return std::make_unique<WeightDrag>(session, begin);
}

}  // namespace sinew::studio
