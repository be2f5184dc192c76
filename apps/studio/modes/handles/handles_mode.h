// The mode Handles: learn a reduced model from example meshes, pose it by dragging a few vertices, and key poses on a
// timeline.
#pragma once

#include "sinew/manipulate/reduced_ik.h"
#include "studio/modes/mode.h"

namespace sinew::studio::handles {

class HandlesMode final : public Mode {
 public:
  explicit HandlesMode(ModeContext& context) : context_(context) {}
  [[nodiscard]] std::span<const CommandRow> commands() const override;
  [[nodiscard]] std::span<const DragRow> drags() const override;
  void opened(const std::shared_ptr<const void>& prepared) override;
  void edited(const Edit& edit) noexcept override;

 private:
  wire::HandlesLearnAnswer learn(const wire::HandlesLearnCommand& asked);
  wire::HandlesPlaceAnswer place(const wire::HandlesPlaceCommand& asked);
  void remove(const wire::HandlesRemoveCommand& asked);
  void pin(const wire::HandlesPinCommand& asked);
  void unpinAll(const wire::HandlesUnpinCommand& asked);
  void move(const wire::HandlesMoveCommand& asked);
  void reset(const wire::HandlesResetCommand& asked);
  void showExample(const wire::HandlesExampleCommand& asked);
  void setStrength(const wire::HandlesStrengthCommand& asked);
  std::unique_ptr<DragTarget> beginDrag(const wire::HandleDragBegin& begin);

  // handle_keys.cpp
  void addKey(const wire::HandlesKeyCommand& asked);
  void goToKey(const wire::HandlesGotoCommand& asked);
  void removeKey(const wire::HandlesUnkeyCommand& asked);
  void moveKey(const wire::HandlesMoveKeyCommand& asked);
  void setEasing(const wire::HandlesEaseCommand& asked);
  void showTime(const wire::HandlesShowCommand& asked);
  wire::HandlesExportAnswer exportClip(const wire::HandlesExportCommand& asked);

  /// The solver of the reduced model, made once. Throws a CommandFault where there is no model.
  ReducedIk& ik();
  /// The reduced model with the keys as its clip, made once. Throws a CommandFault where there are none.
  const Character& keyed();
  void adopt(const CharacterFile& model);
  void commitHandles(const std::string& name, std::vector<HandleState> handles);
  /// Commits a shape of the model. Handles stay on their vertices and move along.
  void commitShape(const std::string& name, HandlesState shape);
  [[nodiscard]] std::size_t checkedHandle(std::size_t handle) const;
  [[nodiscard]] std::size_t checkedKey(std::size_t index) const;
  void commitKeys(const std::string& name, std::vector<KeyState> keys);
  HandlesState stateAt(double seconds);

  ModeContext& context_;
  std::unique_ptr<ReducedIk> ik_;
  std::unique_ptr<const Character> keyed_;
};

}  // namespace sinew::studio::handles
