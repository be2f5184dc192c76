// The mode Pose: joints, saved poses, clips, mirroring, and the number of poses side by side.
#pragma once

#include "studio/modes/mode.h"

namespace sinew::studio::pose {

class PoseMode final : public Mode {
 public:
  explicit PoseMode(ModeContext& context) : context_(context) {}
  [[nodiscard]] std::span<const CommandRow> commands() const override;
  bool receive(const wire::PageMessage& message) override;
  void opened(const std::shared_ptr<const void>& prepared) override;
  void edited(const Edit& edit) noexcept override;
  void settle() override;
  void keepGesture() override;

 private:
  /// A preview pose while a slider, a ring or a clip moves.
  struct Live {
    std::uint32_t view = 0;
    Pose before;
    std::string name;  ///< of the step that it becomes if the page disconnects
  };

  Json reset(const Json& args);
  Json showClip(const Json& args);
  Json mirror(const Json& args);
  /// {"view", "joint"}: applies its pose to its mirror partner.
  Json mirrorJoint(const Json& args);
  Json save(const Json& args);
  Json apply(const Json& args);
  Json remove(const Json& args);
  Json key(const Json& args);
  Json unkey(const Json& args);
  Json takeBack(const Json& args);
  Json setViews(const Json& args);

  void setPose(const wire::PoseSet& set);
  /// Sets the mirror partner of a joint to the mirror image of the joint's pose. -1: it has none.
  int mirrorTo(std::size_t joint, Pose& pose);
  void show(std::uint32_t view, Pose pose, const std::string& name);
  /// Cancels a gesture that was not committed.
  void dropLive();
  /// A step of undo, from the pose before the gesture.
  void commitPose(std::uint32_t view, Pose pose, const std::string& name, JointAngles angles = {});
  /// Throws if there is no such view, or no document.
  [[nodiscard]] std::uint32_t viewOf(const Json& args) const;

  ModeContext& context_;
  std::optional<Live> live_;
  std::vector<JointMirror> mirrors_;  // of the joints, computed on first use
};

}  // namespace sinew::studio::pose
