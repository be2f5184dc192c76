// The mode Pose: joints, saved poses, clips, mirrors, and how many poses are seen at once.
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
  /// A pose that is seen while a slider, a ring or a clip moves.
  struct Live {
    std::uint32_t view = 0;
    Pose before;
    std::string name;  ///< of the step that it becomes where the page goes away
  };

  Json reset(const Json& args);
  Json showClip(const Json& args);
  Json mirror(const Json& args);
  /// {"view", "joint"}: its partner on the other side does the same.
  Json mirrorJoint(const Json& args);
  Json save(const Json& args);
  Json apply(const Json& args);
  Json remove(const Json& args);
  Json key(const Json& args);
  Json unkey(const Json& args);
  Json takeBack(const Json& args);
  Json setViews(const Json& args);

  void setPose(const wire::PoseSet& set);
  /// The partner of a joint gets the mirror image of what the joint does in this pose. -1: it has none.
  int mirrorTo(std::size_t joint, Pose& pose);
  void show(std::uint32_t view, Pose pose, const std::string& name);
  /// Ends a gesture that was not kept.
  void dropLive();
  /// A step of undo, from the pose before the gesture.
  void commitPose(std::uint32_t view, Pose pose, const std::string& name, JointAngles angles = {});
  /// Throws where there is none of that number, or no document.
  [[nodiscard]] std::uint32_t viewOf(const Json& args) const;

  ModeContext& context_;
  std::optional<Live> live_;
  std::vector<JointMirror> mirrors_;  // of the joints, found when they are asked for
};

}  // namespace sinew::studio::pose
