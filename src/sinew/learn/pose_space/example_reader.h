// Examples one after the other, each posed by plain skinning.
#pragma once

#include "sinew/character/character.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/pose_space.h"
#include "sinew/learn/pose_space/deltas.h"

namespace sinew::pose_space {

/// Holds one example at a time. Refers to its arguments.
class ExampleReader {
 public:
  ExampleReader(const Character& character, ExampleSource& source, const Deformer& base, DeltaSpace space,
                double regularisation);

  /// Reads example k of the source and poses the skin. Throws BadInput for a shape that does not fit the character.
  void read(std::size_t k);

  [[nodiscard]] const Example& example() const { return example_; }
  [[nodiscard]] const DeltaFrames& frames() const { return frames_; }
  /// Points before and after plain skinning.
  [[nodiscard]] const Points& morphed() const { return morphed_; }
  [[nodiscard]] const Points& skinned() const { return skinned_; }
  [[nodiscard]] const PosedJoints& joints() const { return joints_; }
  /// Memory of operators at this pose.
  [[nodiscard]] DeformScratch& scratch() { return scratch_; }
  /// The correction of a vertex in world space; zero where a mask hides it.
  [[nodiscard]] Vec3 correction(Index vertex) const {
    const Vec3 whole = example_.points.col(vertex) - skinned_.col(vertex);
    return example_.mask.empty() ? whole : Vec3(example_.mask[toSize(vertex)] * whole);
  }

 private:
  const Character& character_;
  ExampleSource& source_;
  const Deformer& base_;
  DeltaFrames frames_;
  Example example_;
  PosedJoints joints_;
  DeformScratch scratch_;
  Points morphed_;
  Points skinned_;
};

/// Throws BadInput for poses and confidences that do not fit, and without any example. Shapes are not read.
void checkOutline(const Character& character, const ExampleSet& outline);

}  // namespace sinew::pose_space
