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
  Json learn(const Json& args);
  Json place(const Json& args);
  Json remove(const Json& args);
  Json pin(const Json& args);
  Json unpinAll(const Json& args);
  Json move(const Json& args);
  Json reset(const Json& args);
  Json setStrength(const Json& args);
  std::unique_ptr<DragTarget> beginDrag(const wire::HandleDragBegin& begin);

  // handle_keys.cpp
  Json addKey(const Json& args);
  Json goToKey(const Json& args);
  Json removeKey(const Json& args);
  Json moveKey(const Json& args);
  Json setEasing(const Json& args);
  Json showTime(const Json& args);
  Json exportClip(const Json& args);

  /// The solver of the reduced model, made once. Throws a CommandFault where there is no model.
  ReducedIk& ik();
  /// The reduced model with the keys as its clip, made once. Throws a CommandFault where there are none.
  const Character& keyed();
  void adopt(const CharacterFile& model);
  void commitHandles(const std::string& name, std::vector<HandleState> handles);
  [[nodiscard]] std::size_t handleOf(const Json& args) const;
  [[nodiscard]] std::size_t keyOf(const Json& args) const;
  void commitKeys(const std::string& name, std::vector<KeyState> keys);
  HandlesState stateAt(double seconds);
  void requireFree(const std::filesystem::path& path) const;

  ModeContext& context_;
  std::unique_ptr<ReducedIk> ik_;
  std::unique_ptr<const Character> keyed_;
};

}  // namespace sinew::studio::handles
