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

  void reset(const wire::PoseResetCommand& asked);
  void showClip(const wire::PoseClipCommand& asked);
  wire::PoseMirrorAnswer mirror(const wire::PoseMirrorCommand& asked);
  /// {"view", "joint"}: applies its pose to its mirror partner.
  void mirrorJoint(const wire::PoseMirrorJointCommand& asked);
  void save(const wire::PoseSaveCommand& asked);
  void apply(const wire::PoseApplyCommand& asked);
  void remove(const wire::PoseDeleteCommand& asked);
  wire::PoseKeyAnswer key(const wire::PoseKeyCommand& asked);
  void unkey(const wire::PoseUnkeyCommand& asked);
  void takeBack(const wire::PoseTakeBackCommand& asked);
  void setViews(const wire::ViewsCommand& asked);
  void setMorph(const wire::PoseMorphCommand& asked);
  void copy(const wire::PoseCopyCommand& asked);

  void setPose(const wire::PoseSet& set);
  /// Sets the mirror partner of a joint to the mirror image of the joint's pose. -1: it has none.
  int mirrorTo(std::size_t joint, Pose& pose);
  void show(std::uint32_t view, Pose pose, const std::string& name);
  /// Cancels a gesture that was not committed.
  void dropLive();
  /// A step of undo, from the pose before the gesture.
  void commitPose(std::uint32_t view, Pose pose, const std::string& name, JointAngles angles = {});

  ModeContext& context_;
  std::optional<Live> live_;
  std::vector<JointMirror> mirrors_;  // of the joints, computed on first use
};

}  // namespace sinew::studio::pose
