// Corrective shapes on a packed skin: sparse deltas, weighted per frame, in the same pass as the skinning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sinew/play/packed_skin.h"
#include "sinew/play/skinning.h"

namespace sinew::play {

/// The deltas of every shape as plain arrays of T, float or double: a vertex moves to skin(x + before) + turn(after),
/// each a sum over shapes of weight times delta. At most 256 shapes.
template <class T>
struct CorrectiveArrays {
  /// Those that shapes move, ascending. Empty: the shapes have a delta for every vertex.
  std::span<const std::uint32_t> vertices = {};
  std::span<const std::span<const T>> before = {};  ///< per shape: x y z per vertex, added before skinning
  std::span<const std::span<const T>> after = {};   ///< the same, added after skinning. One of the two may be empty.
  /// `after` turns with its vertex, as the joints that move it turn; not together with `before`. Otherwise by one of
  /// the turns of the frame.
  bool turnsWithVertex = false;
  std::span<const std::uint32_t> turnOf = {};   ///< per vertex of `vertices`: which turn of the frame; empty: the first
  std::size_t turnCount = 1;                    ///< turns of a frame, where `after` is turned by them
  std::span<const std::uint32_t> groupOf = {};  ///< per vertex of `vertices`: whose weights; empty: those of the first
  std::size_t groupCount = 1;                   ///< how often a frame has a weight for every shape
};

struct CorrectiveOptions {
  PackOptions skin = {};
  bool dualQuaternions = false;  ///< the palette: dual quaternions, or matrices
  /// In diagonals of the rest shape: deltas may be off by this, as long as the weights of the shapes add up to at most
  /// 2 in magnitude. It decides where 16 bits do.
  double tolerance = 1e-5;
};

struct CorrectiveReport {
  PackReport skin;
  std::size_t corrected = 0;      ///< vertices that some shape moves
  std::size_t segments = 0;       ///< stretches of them with the same shapes
  double meanTerms = 0;           ///< rows of 16-bit deltas per corrected vertex
  double mixed = 0;               ///< share of the corrected vertices whose neighbours have other weights
  double bytesPerCorrection = 0;  ///< read per frame and corrected vertex besides the skin

  /// One line.
  [[nodiscard]] std::string text() const;
};

inline constexpr std::size_t kRotationFloats = 4;  ///< a quaternion: x y z w
inline constexpr std::size_t kTurnFloats = 12;     ///< 3 x 3 by columns of 4 floats, the fourth is not read

/// What one frame adds to the palette.
struct CorrectiveFrame {
  std::span<const float> weights;         ///< of the shapes, group after group
  std::span<const float> rotations = {};  ///< needsRotations(): kRotationFloats per joint, unit, from rest to posed
  std::span<const float> turns = {};      ///< turnCount() times kTurnFloats
};

class CorrectiveCall;

/// Made once per mesh, then only read: any number of threads may play it. Copies share their memory.
class PackedCorrectives {
 public:
  /// Throws as PackedSkin does, and for vertices, groups or shapes that do not fit.
  PackedCorrectives(const SkinArrays<float>& skin, const CorrectiveArrays<float>& shapes,
                    const CorrectiveOptions& options = {});
  PackedCorrectives(const SkinArrays<double>& skin, const CorrectiveArrays<double>& shapes,
                    const CorrectiveOptions& options = {});

  /// Packed order, index buffers: as for plain skinning.
  [[nodiscard]] const PackedSkin& skin() const;
  [[nodiscard]] const CorrectiveReport& report() const;
  [[nodiscard]] bool takesDualQuaternions() const;
  [[nodiscard]] std::size_t shapeCount() const;
  [[nodiscard]] std::size_t groupCount() const;
  [[nodiscard]] std::size_t turnCount() const;
  [[nodiscard]] bool needsRotations() const;

  /// The work of one frame: `palette` as for skinLinear or skinDualQuaternion. Normals are those of the skinning alone:
  /// deltas do not turn them. Throws on sizes that do not fit and weights that are not finite. Does not allocate.
  [[nodiscard]] CorrectiveCall call(std::span<const float> palette, const CorrectiveFrame& frame,
                                    const SkinOutput& output) const;
  /// The same at once, on this thread.
  void play(std::span<const float> palette, const CorrectiveFrame& frame, const SkinOutput& output) const;

 private:
  friend class CorrectiveCall;
  struct Packed;
  std::shared_ptr<const Packed> packed_;
};

/// As SkinCall: ranges of blocks, on any threads. It refers to the correctives, the palette, the frame's arrays and the
/// outputs, which must outlive it.
class CorrectiveCall {
 public:
  [[nodiscard]] std::uint32_t blockCount() const { return skinning_.blockCount(); }
  void run(std::uint32_t first, std::uint32_t end) const;
  void run() const { run(0, blockCount()); }

 private:
  friend class PackedCorrectives;
  CorrectiveCall(const PackedCorrectives::Packed& packed, std::span<const float> palette, const CorrectiveFrame& frame,
                 const SkinOutput& output);

  SkinCall skinning_;
  const PackedCorrectives::Packed* packed_;
  CorrectiveFrame frame_;
};

}  // namespace sinew::play
