// What a mode brings to a session: gestures, and faults that the page shows.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "studio/document/document.h"
#include "studio/messages.h"

namespace sinew::studio {

/// A command that cannot be done: what the page shows.
struct CommandFault : std::runtime_error {
  CommandFault(std::string code_, const std::string& text, std::string hint_ = {})
      : std::runtime_error(text), code(std::move(code_)), hint(std::move(hint_)) {}
  std::string code;
  std::string hint;
};

/// Said where an allocation failed; the document is what it was before.
inline constexpr const char* kNoMemory = "there is not enough memory for this";
inline constexpr const char* kNoMemoryHint = "Nothing was changed. Close other programs, or work on a smaller mesh.";

/// A gesture in progress: drags the skin, a handle, a brush.
class DragTarget {
 public:
  virtual ~DragTarget() = default;
  /// The newest place of the pointer; what changed is sent by the target.
  virtual void move(const wire::DragMove& move) = 0;
  virtual void stroke(const wire::Stroke& /*stroke*/) {}
  /// The edit to keep, not yet applied, or nothing where nothing changed.
  virtual std::optional<Edit> finish(const wire::DragEnd& end) = 0;
  virtual void cancel() = 0;
};

/// A pose that is seen while a slider, a ring or a clip moves.
struct LivePose {
  std::uint32_t view = 0;
  Pose before;
  std::string name;  ///< of the step that it becomes
};

}  // namespace sinew::studio
