// Correctives on a packed skin. Corrected vertices are packed after the others, so the plain kernels move the blocks
// before the first of them and kernels/corrected.cpp the rest. Inside a run they are ordered by the shapes that move
// them, so that blocks store few deltas (packing/deltas.cpp).
// Dual quaternions move x + delta to where they move x, plus the delta turned by the vertex: there deltas that turn
// with the vertex are added before skinning.
#include "sinew/play/correctives.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iomanip>

#include "sinew/play/kernels/kernels.h"
#include "sinew/play/packing/refuse.h"
#include "sinew/play/packing/shapes.h"

namespace sinew::play {
namespace {

constexpr const char* kCorrectivesWhere = "packed correctives";
/// Deltas shorter than this share of the tolerance are zero.
constexpr double kNothing = 0.01;

/// Half of the tolerance, in each of three components: deltas may be off by that, and the sums of them too.
double componentShare(double tolerance) {
  return 0.5 * tolerance / std::sqrt(3.0);
}

double diagonal(std::span<const double> positions) {
  if (positions.empty()) return 0;
  double squared[3] = {0, 0, 0};
  for (std::size_t c = 0; c < 3; ++c) {
    double least = positions[c];
    double most = positions[c];
    for (std::size_t i = c; i < positions.size(); i += 3) {
      least = std::min(least, positions[i]);
      most = std::max(most, positions[i]);
    }
    squared[c] = (most - least) * (most - least);
  }
  return std::sqrt(squared[0] + squared[1] + squared[2]);
}

DeltaSource sourceOf(const Shapes& shapes, std::span<const std::span<const double>> deltas, double tolerance) {
  DeltaSource source;
  source.vertices = shapes.vertices;
  source.deltas = deltas;
  source.groupOf = shapes.groupOf;
  source.least = kNothing * tolerance;
  // Half a step times weights that add up to 2.
  source.step = componentShare(tolerance);
  return source;
}

/// In scene units, of arguments that fit.
double toleranceOf(const SkinArrays<double>& skin, const Shapes& shapes, const CorrectiveOptions& options) {
  require(options.tolerance > 0, kCorrectivesWhere, "the tolerance is ", options.tolerance, "; it must be positive");
  checkShapes(shapes, skin.positions.size() / 3, kCorrectivesWhere);
  return options.tolerance * diagonal(skin.positions);
}

/// Class 0 is not corrected; the others are, and where deltas turn by a turn of the frame each of those has its own.
std::vector<VertexClass> classify(const Shapes& shapes, std::size_t vertexCount, double tolerance) {
  std::vector<VertexClass> classes(vertexCount);
  const std::vector<std::uint32_t> places =
      deltaPlaces(sourceOf(shapes, shapes.before.empty() ? shapes.after : shapes.before, tolerance));
  const bool turns = !shapes.after.empty() && !shapes.turnsWithVertex && !shapes.turnOf.empty();
  for (std::size_t i = 0; i < shapes.vertices.size(); ++i) {
    classes[shapes.vertices[i]] = {(turns ? shapes.turnOf[i] : 0) + 1, places[i]};
  }
  return classes;
}

CorrectiveReport reportOf(const PackedSkin& skin, std::size_t corrected,
                          std::initializer_list<const PackedDeltas*> streams) {
  CorrectiveReport report;
  report.skin = skin.report();
  report.corrected = corrected;
  if (report.corrected == 0) return report;
  double rows = 0;
  double mixed = 0;
  double blocks = 0;
  double bytes = 0;
  for (const PackedDeltas* deltas : streams) {
    report.segments += deltas->segments.size();
    for (const DeltaSegment& segment : deltas->segments) {
      rows += static_cast<double>(segment.blockCount) * segment.terms;
      blocks += segment.blockCount;
      if (segment.group == kMixedGroups) mixed += segment.blockCount;
    }
    bytes += static_cast<double>(deltas->shorts.size() * sizeof(std::int16_t));
  }
  const auto count = static_cast<double>(corrected);
  report.meanTerms = rows * kBlockLanes / count;
  report.mixed = mixed / blocks;
  report.bytesPerCorrection = bytes / count;
  return report;
}

}  // namespace

struct PackedCorrectives::Packed {
  Packed(const SkinArrays<double>& arrays, const Shapes& shapes, const CorrectiveOptions& options)
      : tolerance(toleranceOf(arrays, shapes, options)),
        dualQuaternions(options.dualQuaternions),
        framed(shapes.turnsWithVertex && !dualQuaternions),
        shapeCount(std::max(shapes.before.size(), shapes.after.size())),
        groupCount(shapes.groupCount),
        turnCount(shapes.after.empty() || shapes.turnsWithVertex ? 0 : shapes.turnCount),
        skin(arrays, classify(shapes, arrays.positions.size() / 3, tolerance), options.skin) {
    const PackedLayout& layout = skin.layout();
    firstCorrected = layout.blockCount;
    for (const PackedRun& run : layout.runs) {
      if (run.vertexClass > 0) firstCorrected = std::min(firstCorrected, run.firstBlock);
    }
    const bool turnedBySkinning = shapes.turnsWithVertex && dualQuaternions;
    const auto pack = [&](std::span<const std::span<const double>> deltas) {
      return deltas.empty() ? PackedDeltas{} : packDeltas(layout, firstCorrected, sourceOf(shapes, deltas, tolerance));
    };
    before = pack(turnedBySkinning ? shapes.after : shapes.before);
    if (!turnedBySkinning) after = pack(shapes.after);
    report = reportOf(skin, shapes.vertices.size(), {&before, &after});
  }

  double tolerance;  // scene units
  bool dualQuaternions;
  bool framed;  // deltas turn with each vertex, after linear blend
  std::size_t shapeCount;
  std::size_t groupCount;
  std::size_t turnCount;
  PackedSkin skin;
  PackedDeltas before;
  PackedDeltas after;
  std::uint32_t firstCorrected = 0;  // block
  CorrectiveReport report;
};

PackedCorrectives::PackedCorrectives(const SkinArrays<float>& skin, const CorrectiveArrays<float>& shapes,
                                     const CorrectiveOptions& options) {
  const std::vector<double> positions(skin.positions.begin(), skin.positions.end());
  const std::vector<double> normals(skin.normals.begin(), skin.normals.end());
  const std::vector<double> weights(skin.weights.begin(), skin.weights.end());
  const SkinArrays<double> wide{positions, normals, skin.jointCount, skin.joints, weights, skin.starts};
  packed_ = std::make_shared<Packed>(wide, GatheredShapes(shapes, positions.size() / 3).arrays(), options);
}

PackedCorrectives::PackedCorrectives(const SkinArrays<double>& skin, const CorrectiveArrays<double>& shapes,
                                     const CorrectiveOptions& options)
    : packed_(std::make_shared<Packed>(skin, GatheredShapes(shapes, skin.positions.size() / 3).arrays(), options)) {}

const PackedSkin& PackedCorrectives::skin() const {
  return packed_->skin;
}

const CorrectiveReport& PackedCorrectives::report() const {
  return packed_->report;
}

bool PackedCorrectives::takesDualQuaternions() const {
  return packed_->dualQuaternions;
}

std::size_t PackedCorrectives::shapeCount() const {
  return packed_->shapeCount;
}

std::size_t PackedCorrectives::groupCount() const {
  return packed_->groupCount;
}

std::size_t PackedCorrectives::turnCount() const {
  return packed_->turnCount;
}

bool PackedCorrectives::needsRotations() const {
  return packed_->framed;
}

CorrectiveCall PackedCorrectives::call(std::span<const float> palette, const CorrectiveFrame& frame,
                                       const SkinOutput& output) const {
  return {*packed_, palette, frame, output};
}

void PackedCorrectives::play(std::span<const float> palette, const CorrectiveFrame& frame,
                             const SkinOutput& output) const {
  call(palette, frame, output).run();
}

CorrectiveCall::CorrectiveCall(const PackedCorrectives::Packed& packed, std::span<const float> palette,
                               const CorrectiveFrame& frame, const SkinOutput& output)
    : skinning_(kCorrectivesWhere, packed.skin, packed.dualQuaternions, palette, output),
      packed_(&packed),
      frame_(frame) {
  const auto fits = [](const char* what, std::size_t has, std::size_t wanted) {
    require(has == wanted, kCorrectivesWhere, "the frame has ", has, " floats of ", what, ", ", wanted, " are needed");
  };
  fits("weights", frame.weights.size(), packed.shapeCount * packed.groupCount);
  fits("turns", frame.turns.size(), packed.turnCount * kTurnFloats);
  if (packed.framed) fits("rotations", frame.rotations.size(), packed.skin.jointCount() * kRotationFloats);
  const auto bad = std::find_if(frame.weights.begin(), frame.weights.end(), [](float w) { return !std::isfinite(w); });
  require(bad == frame.weights.end(), kCorrectivesWhere, "weight ", bad - frame.weights.begin(),
          " of the frame is not finite");
}

void CorrectiveCall::run(std::uint32_t first, std::uint32_t end) const {
  require(first <= end && end <= blockCount(), kCorrectivesWhere, "blocks ", first, " to ", end,
          " are asked for; there are ", blockCount());
  const PackedCorrectives::Packed& packed = *packed_;
  const kernels::SkinJob plain =
      kernels::skinJob(*skinning_.layout_, skinning_.palette_, skinning_.output_, skinning_.streamed_);
  // Where normals are wanted, the plain kernels move corrected blocks first, for their normals.
  const std::uint32_t plainEnd = plain.wantsNormals() ? blockCount() : packed.firstCorrected;
  if (first < plainEnd) skinning_.run(first, std::min(end, plainEnd));
  if (end <= packed.firstCorrected || first == end) return;
  kernels::CorrectionJob job{plain};
  job.normals = nullptr;
  job.packedNormals = nullptr;
  job.before = packed.before.empty() ? nullptr : &packed.before;
  job.after = packed.after.empty() ? nullptr : &packed.after;
  job.weights = frame_.weights.data();
  job.shapes = packed.shapeCount;
  job.coarse = static_cast<float>(componentShare(packed.tolerance));
  job.quaternions = packed.framed ? frame_.rotations.data() : nullptr;
  job.turns = frame_.turns.data();
  const auto correct = packed.dualQuaternions ? kernels::correctedDualQuaternionBlocks : kernels::correctedLinearBlocks;
  correct(job, std::max(first, packed.firstCorrected), end);
}

std::string CorrectiveReport::text() const {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << skin.text() << "; " << corrected << " corrected in " << segments << " segments, " << std::fixed
       << std::setprecision(2) << meanTerms << " rows of deltas and " << std::setprecision(1) << bytesPerCorrection
       << " bytes read per corrected vertex, " << std::setprecision(0) << 100 * mixed << " % in blocks of mixed groups";
  return text.str();
}

}  // namespace sinew::play
