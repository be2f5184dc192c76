// The poses of the views: previews, their number, and views that are linked to the first one.
#include "studio/session/session.h"

namespace sinew::studio {

void Session::showPose(std::uint32_t view, Pose pose) {
  document_.views.at(linked_ ? 0 : view) = std::move(pose);
  followLinked();
}

void Session::linkViews(bool linked) {
  if (linked == linked_) return;
  if (linked) {
    ownPoses_.clear();
    ownAngles_.clear();
    keepOwnPoses();
  } else {
    restoreOwnPoses();
  }
  linked_ = linked;
  followLinked();
}

void Session::setViewCount(std::size_t count) {
  const std::size_t had = document_.views.size();
  document_.views.resize(count, Pose(document_.views.back()));
  for (std::size_t view = had; view < count; ++view) document_.angles[view] = document_.angles[had - 1];
}

void Session::keepOwnPoses() {
  const std::size_t count = document_.views.size() - 1;
  const Pose& first = document_.views.front();
  const bool sameJoints = !ownPoses_.empty() && ownPoses_.back().local.size() == first.local.size() &&
                          ownPoses_.back().morphWeights.size() == first.morphWeights.size();
  // Views that are not shown keep theirs while it fits the character.
  if (ownPoses_.size() < count || !sameJoints) {
    ownPoses_.resize(count);
    ownAngles_.resize(count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    ownPoses_[i] = document_.views[i + 1];
    ownAngles_[i] = document_.angles[i + 1];
  }
}

void Session::restoreOwnPoses() {
  for (std::size_t i = 0; i < ownPoses_.size() && i + 1 < document_.views.size(); ++i) {
    document_.views[i + 1] = ownPoses_[i];
    document_.angles[i + 1] = ownAngles_[i];
  }
}

void Session::followLinked() {
  if (!linked_) return;
  for (std::size_t view = 1; view < document_.views.size(); ++view) {
    document_.views[view] = document_.views[0];
    document_.angles[view] = document_.angles[0];
  }
}

void Session::withOwnPoses(const std::function<void()>& work) {
  if (!linked_) return work();
  restoreOwnPoses();
  struct Follows {
    Session& session;
    ~Follows() {
      try {
        session.keepOwnPoses();
        session.followLinked();
      } catch (const std::bad_alloc&) {
        // A view shows its own pose until the next edit.
      }
    }
  } const follows{*this};
  work();
}

}  // namespace sinew::studio
