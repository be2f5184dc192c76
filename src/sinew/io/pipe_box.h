// An operator in another process: points go to its standard input, moved points come back on its standard output.
#pragma once

#include <memory>
#include <string>

#include "sinew/deform/point_map.h"

namespace sinew {

struct PipeBoxOptions {
  double timeout = 20;  ///< seconds that one answer may take
};

/// Runs a command once by `/bin/sh -c` and talks to it until it is destroyed. Per call it writes `u32 count`, then the
/// points as little-endian `f64 x y z`, and reads the same back; both directions at once, so no mesh is too large for a
/// pipe. The command's standard error is left alone.
///
/// Each of these throws an Error (BadInput) that names the command and the remedy, and none hangs: a command that
/// cannot be started, ends early, answers too late, with another number of points, or with values that are not finite.
/// After an error every further call throws the same. The process and all that it started are ended with the object:
/// first by closing its input, then, if it does not go by itself within half a second, by a signal. They are also
/// ended where this process ends without destroying the object, even by SIGKILL.
class PipeBox {
 public:
  explicit PipeBox(std::string command, const PipeBoxOptions& options = {});
  ~PipeBox();
  PipeBox(const PipeBox&) = delete;
  PipeBox& operator=(const PipeBox&) = delete;

  /// `moved` is resized; it must not be `points`.
  void move(const Points& points, Points& moved);
  /// Refers to this object, which must outlive it.
  [[nodiscard]] PointMap map();

  [[nodiscard]] const std::string& command() const;
  [[nodiscard]] int calls() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
