#include "studio/modes/correct/sculpt_stroke.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace sinew::studio::correct {
namespace {

constexpr std::uint32_t kTools = 6;
/// Of a full sample: how far inflate moves, in radii, and which share of the way the others go.
constexpr double kInflateStep = 0.08;
constexpr double kShare = 0.5;
constexpr double kPinchShare = 0.25;
/// A sample acts fully once the brush has moved this share of its radius, and at least so much where it is held.
constexpr double kSpacing = 0.25;
constexpr double kHeld = 0.15;
/// Displacements up to this are not a change, in radii.
constexpr double kLeastMove = 1e-9;

class SculptStroke final : public DragTarget {
 public:
  SculptStroke(ModeContext& context, SculptStart start, const wire::SculptBegin& begin)
      : context_(context),
        start_(std::move(start)),
        tool_(static_cast<SculptTool>(begin.tool)),
        drag_(begin.drag),
        radius_(std::min<double>(begin.radius, context.space().diagonal)),
        strength_(begin.strength),
        lead_(begin.lead),
        now_(start_.shape) {
    if (begin.tool >= kTools) throw CommandFault("bad-input", "unknown sculpting tool");
    if (!(begin.radius > 0) || !std::isfinite(begin.radius))
      throw CommandFault("bad-input", "brush radius out of range");
    if (!(std::abs(strength_) <= 1)) throw CommandFault("bad-input", "brush strength out of range");
    if (static_cast<Index>(lead_) >= now_.cols())
      throw CommandFault("bad-input", fmt::format("there is no vertex {}", lead_));
    if (begin.mirror > kMirrorPlanes.size()) throw CommandFault("malformed", "unknown mirror plane");
    if (begin.mirror > 0)
      mirror_ = &context.mirror(choiceNamed<MirrorAxis>(kMirrorPlanes[begin.mirror - 1], "mirror plane"));
    if (tool_ == SculptTool::Grab) beginGrab();
  }

  void move(const wire::DragMove& move) override {
    if (tool_ != SculptTool::Grab) return;
    const Vec3 target = Vec3(move.target[0], move.target[1], move.target[2]) + context_.space().centre;
    const Vec3 by = target - start_.shape.col(static_cast<Index>(lead_));
    if (!by.allFinite()) throw CommandFault("malformed", "a target is not finite");
    for (const auto& [point, share] : grabbed_) {
      const double sum = std::max(1.0, share.own + share.mirrored);
      const Vec3 place = surface().place(start_.shape, point) + (share.own * by + share.mirrored * (image_ * by)) / sum;
      surface().setPlace(point, place, now_);
    }
    changed_.clear();
    for (const auto& [point, share] : grabbed_) changed_.push_back(point);
    tellChanged();
  }

  void stroke(const wire::Stroke& stroke) override {
    if (tool_ == SculptTool::Grab) return;
    if (stroke.vertices.size() > kMostSamples)
      throw CommandFault("malformed", fmt::format("a stroke message has {} samples; the limit is {}",
                                                  stroke.vertices.size(), kMostSamples));
    if (stroke.pressures.size() != stroke.vertices.size())
      throw CommandFault("malformed", "a stroke needs one pressure per sample");
    for (std::size_t i = 0; i < stroke.vertices.size(); ++i) {
      if (static_cast<Index>(stroke.vertices[i]) >= now_.cols())
        throw CommandFault("bad-input", fmt::format("there is no vertex {}", stroke.vertices[i]));
      if (!(stroke.pressures[i] >= 0 && stroke.pressures[i] <= 1))
        throw CommandFault("malformed", "a pressure is not between 0 and 1");
    }
    changed_.clear();
    for (std::size_t i = 0; i < stroke.vertices.size(); ++i) {
      const std::uint32_t centre = surface().pointOf(stroke.vertices[i]);
      sample(centre, static_cast<double>(stroke.pressures[i]) * travelled(stroke.vertices[i]));
    }
    tellChanged();
  }

  std::optional<Edit> finish(const wire::DragEnd& end) override {
    if (tool_ == SculptTool::Grab) move({.drag = end.drag, .target = end.target});
    std::size_t count = 0;
    for (std::uint32_t point = 0; point < surface().drag().weld().firstVertex.size(); ++point) {
      const Vec3 by = surface().place(now_, point) - surface().place(start_.shape, point);
      if (by.norm() > kLeastMove * radius_) ++count;
    }
    if (count == 0) return std::nullopt;
    return start_.edit(std::move(now_), count);
  }

  void cancel() override { context_.sendView(start_.view); }

 private:
  struct Share {
    double own = 0;
    double mirrored = 0;
  };

  [[nodiscard]] const SculptSurface& surface() const { return *start_.surface; }

  /// The vertex on the other side, if there is one.
  [[nodiscard]] std::optional<std::uint32_t> mirrorImage(std::uint32_t vertex) const {
    if (mirror_ == nullptr) return std::nullopt;
    const MirrorPlace& place = mirror_->vertex[vertex];
    if (place.kind == MirrorPlace::Kind::None) return std::nullopt;
    std::size_t corner = 0;
    if (place.kind == MirrorPlace::Kind::Surface)
      corner = toSize(std::max_element(place.weight.begin(), place.weight.end()) - place.weight.begin());
    return place.vertex[corner];
  }

  void beginGrab() {
    const auto cover = [&](std::uint32_t vertex, double Share::*share) {
      surface().drag().within(start_.shape, surface().pointOf(vertex), radius_, search_, found_);
      for (const DragSurface::Near& near : found_)
        grabbed_[near.point].*share = strength_ * falloffShare(Falloff::Smooth, near.distance / radius_);
    };
    cover(lead_, &Share::own);
    const auto image = mirrorImage(lead_);
    if (!image) return;
    cover(*image, &Share::mirrored);
    Mat3 reflection = Mat3::Identity();
    reflection(mirror_->axis, mirror_->axis) = -1;
    image_ = start_.rotation(*image) * reflection * start_.rotation(lead_).transpose();
  }

  /// Which part of a full sample it is.
  double travelled(std::uint32_t vertex) {
    const Vec3 place = start_.shape.col(static_cast<Index>(vertex));
    const double part = last_ ? std::clamp((place - *last_).norm() / (kSpacing * radius_), kHeld, 1.0) : 1.0;
    last_ = place;
    return part;
  }

  void sample(std::uint32_t centre, double amount) {
    brush(centre, amount);
    const std::uint32_t vertex = surface().drag().weld().firstVertex[centre];
    if (const auto image = mirrorImage(vertex); image && surface().pointOf(*image) != centre)
      brush(surface().pointOf(*image), amount);
  }

  /// All points of a sample read the same state, so the order of points does not matter.
  void brush(std::uint32_t centre, double amount) {
    surface().drag().within(now_, centre, radius_, search_, found_);
    if (tool_ == SculptTool::Flatten) findPlane();
    const Vec3 middle = surface().place(now_, centre);
    places_.clear();
    for (const DragSurface::Near& near : found_) {
      const double share = amount * strength_ * falloffShare(Falloff::Smooth, near.distance / radius_);
      places_.push_back(moved(near.point, middle, share));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      surface().setPlace(found_[i].point, places_[i], now_);
      changed_.push_back(found_[i].point);
    }
  }

  [[nodiscard]] Vec3 moved(std::uint32_t point, const Vec3& middle, double share) const {
    Vec3 place = surface().place(now_, point);
    switch (tool_) {
      case SculptTool::Smooth: {
        const auto around = surface().neighbours(point);
        if (around.empty()) return place;
        Vec3 mean = Vec3::Zero();
        for (const std::uint32_t other : around) mean += surface().place(now_, other);
        return place + kShare * std::abs(share) * (mean / static_cast<double>(around.size()) - place);
      }
      case SculptTool::Inflate:
        return place + kInflateStep * share * radius_ * surface().normal(now_, point);
      case SculptTool::Flatten:
        return place - kShare * share * planeNormal_.dot(place - planePoint_) * planeNormal_;
      case SculptTool::Pinch: {
        // Along the surface: what is pinched does not sink in.
        const Vec3 normal = surface().normal(now_, point);
        const Vec3 by = middle - place;
        return place + kPinchShare * share * (by - normal.dot(by) * normal);
      }
      case SculptTool::Erase:
        return place + kShare * std::abs(share) * (surface().place(start_.plain, point) - place);
      case SculptTool::Grab:
        break;
    }
    return place;
  }

  /// The plane through the points of the brush, with their mean normal.
  void findPlane() {
    planePoint_ = Vec3::Zero();
    planeNormal_ = Vec3::Zero();
    double sum = 0;
    for (const DragSurface::Near& near : found_) {
      const double share = falloffShare(Falloff::Smooth, near.distance / radius_);
      planePoint_ += share * surface().place(now_, near.point);
      planeNormal_ += share * surface().normal(now_, near.point);
      sum += share;
    }
    planePoint_ /= std::max(sum, 1e-12);
    planeNormal_ = planeNormal_.norm() > 0 ? Vec3(planeNormal_.normalized()) : Vec3::Zero();
  }

  void tellChanged() {
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    wire::Sculpted message{.drag = tool_ == SculptTool::Grab ? drag_ : 0, .view = start_.view};
    for (const std::uint32_t point : changed_) {
      for (const std::uint32_t v : surface().drag().verticesOf(point)) {
        const Vec3 offset = now_.col(static_cast<Index>(v)) - start_.drawn.col(static_cast<Index>(v));
        message.vertices.push_back(v);
        for (const double x : offset) message.offsets.push_back(static_cast<float>(x));
      }
    }
    context_.send(message);
  }

  ModeContext& context_;
  SculptStart start_;
  SculptTool tool_;
  std::uint32_t drag_;
  double radius_;  ///< at most the diagonal
  double strength_;
  std::uint32_t lead_;
  const MirrorMap* mirror_ = nullptr;
  Points now_;
  Mat3 image_ = Mat3::Zero();  ///< from a displacement of the lead to that of its mirror image
  std::unordered_map<std::uint32_t, Share> grabbed_;
  std::optional<Vec3> last_;
  Vec3 planePoint_ = Vec3::Zero();
  Vec3 planeNormal_ = Vec3::Zero();
  DragSurface::Search search_;
  std::vector<DragSurface::Near> found_;
  std::vector<Vec3> places_;
  std::vector<std::uint32_t> changed_;
};

}  // namespace

std::unique_ptr<DragTarget> makeSculptStroke(ModeContext& context, SculptStart start, const wire::SculptBegin& begin) {
  return std::make_unique<SculptStroke>(context, std::move(start), begin);
}

}  // namespace sinew::studio::correct
