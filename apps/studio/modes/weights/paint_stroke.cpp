#include "studio/modes/weights/drags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "sinew/deform/posing.h"
#include "studio/modes/weights/weight_columns.h"

namespace sinew::studio::weights {
namespace {

constexpr std::uint32_t kOperations = 5;
constexpr double kStrongest = 16;  // the largest strength of a brush

static_assert(std::all_of(kMirrorPlanes.begin(), kMirrorPlanes.end(),
                          [](std::string_view name) { return choiceOf<MirrorAxis>(name).has_value(); }));

class PaintStroke final : public DragTarget {
 public:
  PaintStroke(ModeContext& context, std::shared_ptr<const DragSurface> surface, const wire::PaintBegin& begin)
      : context_(context),
        operation_(static_cast<PaintOperation>(begin.operation)),
        binding_(begin.binding),
        strength_(begin.strength),
        radius_(begin.radius),
        partner_(begin.binding),
        sum_(context.document().file.character.skin.bindings.size()),
        surface_(std::move(surface)) {
    const Document& document = context.document();
    const Skin& skin = document.file.character.skin;
    if (begin.view >= document.views.size()) throw CommandFault("bad-input", "there is no such view");
    if (begin.operation >= kOperations) throw CommandFault("bad-input", "unknown brush");
    if (binding_ >= skin.bindings.size()) throw CommandFault("bad-input", "there is no such influence");
    if (!(std::abs(strength_) <= kStrongest)) throw CommandFault("bad-input", "brush strength out of range");
    if (!(radius_ >= 0) || !std::isfinite(radius_)) throw CommandFault("bad-input", "brush radius out of range");
    if (begin.maxInfluences > 64) throw CommandFault("bad-input", "max influences must be at most 64");
    rules_ = columnRules(document, static_cast<int>(begin.maxInfluences));
    if (begin.mirror > kMirrorPlanes.size()) throw CommandFault("malformed", "unknown mirror plane");
    if (begin.mirror > 0) {
      mirror_ = &context.mirror(choiceNamed<MirrorAxis>(kMirrorPlanes[begin.mirror - 1], "mirror plane"));
      partner_ = mirroredBindings(skin, *mirror_)[binding_];
    }
    for (const std::uint32_t one : {binding_, partner_}) {
      if (mixes() || !rules_.locked[one]) continue;
      throw CommandFault("locked", fmt::format("'{}' is locked", jointOf(one)), "Unlock it first.");
    }
    posed_ = posePoints(document.file.character, context.drawnViews()[begin.view]);
    if (operation_ == PaintOperation::Smooth)
      neighbours_.emplace(document.file.character.mesh, surface_->weld().pointOfVertex,
                          surface_->weld().firstVertex.size());
  }

  void move(const wire::DragMove& /*move*/) override {}

  void stroke(const wire::Stroke& stroke) override {
    const auto& pointOf = surface_->weld().pointOfVertex;
    if (stroke.vertices.size() > kMostSamples)
      throw CommandFault("malformed", fmt::format("a stroke message has {} samples; the limit is {}",
                                                  stroke.vertices.size(), kMostSamples));
    if (stroke.pressures.size() != stroke.vertices.size())
      throw CommandFault("malformed", "a stroke needs one pressure per sample");
    for (std::size_t i = 0; i < stroke.vertices.size(); ++i) {
      if (stroke.vertices[i] >= pointOf.size())
        throw CommandFault("bad-input", fmt::format("there is no vertex {}", stroke.vertices[i]));
      if (!(stroke.pressures[i] >= 0 && stroke.pressures[i] <= 1))
        throw CommandFault("malformed", "a pressure is not between 0 and 1");
    }
    changed_.clear();
    for (std::size_t i = 0; i < stroke.vertices.size(); ++i)
      sample(pointOf[stroke.vertices[i]], static_cast<double>(stroke.pressures[i]));
    context_.send(changedWeights());
    tellHeldBack();
  }

  std::optional<Edit> finish(const wire::DragEnd& /*end*/) override {
    const SkinWeights& weights = skinWeights();
    std::vector<std::pair<std::uint32_t, const Column*>> list;
    for (const auto& [point, state] : points_) {
      for (const std::uint32_t v : surface_->verticesOf(point)) {
        const auto before = weights[static_cast<Index>(v)];
        if (!std::equal(before.begin(), before.end(), state.column.begin(), state.column.end()))
          list.emplace_back(v, &state.column);
      }
    }
    if (list.empty()) return std::nullopt;
    std::sort(list.begin(), list.end());
    WeightsChange change;
    for (const auto& [v, column] : list) addColumnTo(change, weights, v, *column);
    return Edit{fmt::format("Paint {} vertices", list.size()), {std::move(change)}};
  }

  void cancel() override {
    std::vector<std::uint32_t> vertices;
    for (const auto& [point, state] : points_) {
      const auto seam = surface_->verticesOf(point);
      vertices.insert(vertices.end(), seam.begin(), seam.end());
    }
    std::sort(vertices.begin(), vertices.end());
    context_.send(weightsMessage(skinWeights(), vertices));
  }

 private:
  struct PointState {
    Column column;
    double share = 0;       ///< the largest share of the brush at this point
    double mirrored = 0;    ///< the same for its mirror image
    bool heldBack = false;  ///< the other weights could not make room for the painted one
  };

  /// The effect of one sample on a point.
  struct Touch {
    std::uint32_t point = 0;
    double share = 0;
    double mirrored = 0;
  };

  [[nodiscard]] const std::string& jointOf(std::uint32_t binding) const {
    const Character& character = context_.document().file.character;
    return character.skeleton[character.skin.bindings[binding].joint].name;
  }

  [[nodiscard]] bool mixes() const {
    return operation_ == PaintOperation::Smooth || operation_ == PaintOperation::Sharpen;
  }
  [[nodiscard]] const SkinWeights& skinWeights() const { return context_.document().file.character.skin.weights; }
  [[nodiscard]] std::span<const Influence> startOf(std::uint32_t point) const {
    return skinWeights()[static_cast<Index>(surface_->weld().firstVertex[point])];
  }
  [[nodiscard]] std::span<const Influence> columnOf(std::uint32_t point) const {
    const auto found = points_.find(point);
    return found == points_.end() ? startOf(point) : std::span<const Influence>(found->second.column);
  }

  /// The points that the brush covers, each once.
  void cover(std::uint32_t centre, double pressure, bool image) {
    if (radius_ > 0) {
      surface_->within(posed_, centre, radius_, search_, found_);
    } else {
      found_.assign(1, {centre, 0});
    }
    for (const DragSurface::Near& near : found_) {
      const double share = pressure * (radius_ > 0 ? falloffShare(Falloff::Smooth, near.distance / radius_) : 1);
      touches_.push_back({near.point, image ? 0 : share, image ? share : 0});
    }
  }

  void sample(std::uint32_t centre, double pressure) {
    touches_.clear();
    cover(centre, pressure, false);
    if (const auto image = mirrorImage(centre)) cover(*image, pressure, true);
    std::sort(touches_.begin(), touches_.end(), [](const Touch& a, const Touch& b) { return a.point < b.point; });
    std::size_t count = 0;
    for (const Touch& touch : touches_) {
      if (count > 0 && touches_[count - 1].point == touch.point) {
        touches_[count - 1].share += touch.share;
        touches_[count - 1].mirrored += touch.mirrored;
      } else {
        touches_[count++] = touch;
      }
    }
    touches_.resize(count);
    apply();
  }

  /// All points of a sample read the same state, so the order of points does not matter.
  void apply() {
    std::vector<std::pair<std::uint32_t, Column>> after;
    for (const Touch& touch : touches_) {
      if (mixes()) {
        after.emplace_back(touch.point, mixed(touch.point, std::max(touch.share, touch.mirrored)));
        continue;
      }
      PointState& state = points_[touch.point];
      if (!state.column.empty() && state.share >= touch.share && state.mirrored >= touch.mirrored) continue;
      state.share = std::max(state.share, touch.share);
      state.mirrored = std::max(state.mirrored, touch.mirrored);
      after.emplace_back(touch.point, painted(touch.point, state));
    }
    for (auto& [point, column] : after) {
      points_[point].column = std::move(column);
      changed_.push_back(point);
    }
  }

  /// The point on the other side, if there is one.
  [[nodiscard]] std::optional<std::uint32_t> mirrorImage(std::uint32_t point) const {
    if (mirror_ == nullptr) return std::nullopt;
    const MirrorPlace& place = mirror_->vertex[surface_->weld().firstVertex[point]];
    if (place.kind == MirrorPlace::Kind::None) return std::nullopt;
    std::size_t corner = 0;
    if (place.kind == MirrorPlace::Kind::Surface)
      corner = toSize(std::max_element(place.weight.begin(), place.weight.end()) - place.weight.begin());
    return surface_->weld().pointOfVertex[place.vertex[corner]];
  }

  Column painted(std::uint32_t point, PointState& state) {
    const auto old = startOf(point);
    const auto brush = [&](std::span<const Influence> from, std::uint32_t binding, double share) {
      return brushed(point, from, binding, share, state);
    };
    if (partner_ == binding_) return brush(old, binding_, std::max(state.share, state.mirrored));
    if (state.mirrored == 0) return brush(old, binding_, state.share);
    if (state.share == 0) return brush(old, partner_, state.mirrored);
    const Column one = brush(brush(old, binding_, state.share), partner_, state.mirrored);
    const Column other = brush(brush(old, partner_, state.mirrored), binding_, state.share);
    sum_.add(one, 0.5);
    sum_.add(other, 0.5);
    return fitted(sum_.take(), old, rules_);
  }

  /// The joints that receive erased weight where no other joint moves the point: the unlocked joints of the nearest
  /// ring of neighbours that has any, as of the start of the stroke. Empty if no other joint moves this part of the
  /// skin.
  const Column& receivers(std::uint32_t point, std::uint32_t binding) {
    const auto [entry, isNew] = receivers_.try_emplace({point, binding});
    if (!isNew) return entry->second;
    const Document& document = context_.document();
    const auto& bindings = document.file.character.skin.bindings;
    if (!neighbours_)
      neighbours_.emplace(document.file.character.mesh, surface_->weld().pointOfVertex,
                          surface_->weld().firstVertex.size());
    std::vector<std::uint32_t> ring{point};
    std::unordered_set<std::uint32_t> seen{point};
    ColumnSum sum(bindings.size());
    while (!ring.empty()) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t one : ring) {
        for (const std::uint32_t other : neighbours_->of(one)) {
          if (seen.insert(other).second) next.push_back(other);
        }
      }
      for (const std::uint32_t one : next) sum.add(startOf(one), 1);
      Column found = sum.take();
      std::erase_if(found, [&](const Influence& one) {
        return one.binding == binding || rules_.locked[one.binding] ||
               bindings[one.binding].skin != bindings[binding].skin || !(one.weight > 0);
      });
      if (!found.empty()) {
        entry->second = std::move(found);
        break;
      }
      ring = std::move(next);
    }
    return entry->second;
  }

  /// For a point that only one joint moves: the receivers get the weight that it loses.
  [[nodiscard]] Column handedOver(std::span<const Influence> old, std::uint32_t binding, double wanted,
                                  const Column& to) const {
    Column column{{binding, wanted}};
    double sum = 0;
    for (const Influence& one : to) sum += one.weight;
    for (const Influence& one : to) column.push_back({one.binding, one.weight / sum * std::max(0.0, 1 - wanted)});
    return fitted(column, old, rules_);
  }

  [[nodiscard]] Column brushed(std::uint32_t point, std::span<const Influence> old, std::uint32_t binding, double share,
                               PointState& state) {
    double weight = 0;
    double held = 0;
    double free = 0;
    for (const Influence& one : old) {
      if (one.binding == binding) {
        weight = one.weight;
      } else {
        (rules_.locked[one.binding] ? held : free) += one.weight;
      }
    }
    double wanted = weight;
    if (operation_ == PaintOperation::Add) wanted = weight + strength_ * share;
    if (operation_ == PaintOperation::Replace) wanted = weight + (strength_ - weight) * share;
    if (operation_ == PaintOperation::Scale) wanted = weight * (1 + (strength_ - 1) * share);
    wanted = std::clamp(wanted, 0.0, 1.0);
    constexpr double kNoticeable = 1e-6;
    if (free <= 0 && held <= 0 && wanted < weight - kNoticeable) {
      if (const Column& to = receivers(point, binding); !to.empty()) return handedOver(old, binding, wanted, to);
    }
    // Locked weights leave too little room, or no other joint may take the remainder.
    if (held > 0 && (wanted > 1 - held + kNoticeable || (free <= 0 && wanted < 1 - held - kNoticeable)))
      state.heldBack = true;
    return withWeight(old, binding, wanted, rules_);
  }

  /// Reports it to the panel the first time that it happens.
  void tellHeldBack() {
    const auto count =
        toSize(std::count_if(points_.begin(), points_.end(), [](const auto& one) { return one.second.heldBack; }));
    if (count == heldBack_) return;
    heldBack_ = count;
    context_.tell(wire::HeldBackEvent{
        .text = fmt::format("Too much is locked at {} {}: the weights could not sum to 1 with what was painted, so "
                            "they went only as far as the locks let them.",
                            count, count == 1 ? "point" : "points")});
  }

  Column mixed(std::uint32_t point, double share) {
    const auto old = columnOf(point);
    const double amount = std::clamp(strength_ * share, 0.0, 1.0);
    if (operation_ == PaintOperation::Sharpen) {
      Column wanted(old.begin(), old.end());
      for (Influence& one : wanted) one.weight = std::pow(one.weight, 1 + amount);
      return fitted(wanted, old, rules_);
    }
    const auto around = neighbours_->of(point);
    if (around.empty()) return {old.begin(), old.end()};
    sum_.add(old, 1 - amount);
    for (const std::uint32_t other : around) sum_.add(columnOf(other), amount / static_cast<double>(around.size()));
    return fitted(sum_.take(), old, rules_);
  }

  [[nodiscard]] wire::Weights changedWeights() {
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    wire::Weights message;
    for (const std::uint32_t point : changed_) {
      for (const std::uint32_t v : surface_->verticesOf(point)) addColumn(v, points_.at(point).column, message);
    }
    return message;
  }

  ModeContext& context_;
  PaintOperation operation_;
  std::uint32_t binding_;
  double strength_;
  double radius_;
  std::uint32_t partner_;  ///< the binding that the mirrored brush paints
  ColumnSum sum_;
  std::shared_ptr<const DragSurface> surface_;
  ColumnRules rules_;
  const MirrorMap* mirror_ = nullptr;
  std::size_t heldBack_ = 0;
  Points posed_;
  std::optional<PointNeighbours> neighbours_;
  DragSurface::Search search_;
  std::vector<DragSurface::Near> found_;
  std::vector<Touch> touches_;
  std::unordered_map<std::uint32_t, PointState> points_;
  std::vector<std::uint32_t> changed_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Column> receivers_;  ///< by point and binding, see receivers()
};

}  // namespace

std::unique_ptr<DragTarget> makePaintStroke(ModeContext& context, std::shared_ptr<const DragSurface> surface,
                                            const wire::PaintBegin& begin) {
  return std::make_unique<PaintStroke>(context, std::move(surface), begin);
}

}  // namespace sinew::studio::weights
