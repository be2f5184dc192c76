// Morph targets that the document has for its learned corrections, written as they are rather than fitted again.
#pragma once

#include <optional>

#include "sinew/io/formats.h"
#include "studio/modes/export/prepare.h"

namespace sinew::studio::exporting {

struct LearnedMorphs {
  int morphs = 0;  ///< per mesh
  MorphMethod method = MorphMethod::Knots;
};

/// Those of the document; none if it has none.
std::optional<LearnedMorphs> learnedMorphsOf(const CharacterFile& file);

/// Whether they are written as they are: somebody chose their number when they were learned, and no other number or
/// technique is asked for. Targets that are not stored in 16 bits yet are fitted again if that is asked for.
bool keepsMorphs(const CharacterFile& document, const ExportOptions& options);

/// Bakes the weights of these targets into every clip that has none for them.
void bakeKeptMorphs(const CharacterFile& file, double framesPerSecond, std::vector<Clip>& clips);

/// Takes the normals out of these targets.
void dropKeptNormals(CharacterFile& file);

/// Bytes of the displacements of these targets, in a file that was read again.
double learnedMorphBytes(const CharacterFile& read, bool quantized);

}  // namespace sinew::studio::exporting
