// What a person has made in the document that is not in its character yet, so that no file will have it.
#pragma once

#include <string>
#include <vector>

#include "sinew/character/example_set.h"
#include "studio/document/document.h"

namespace sinew::studio::exporting {

struct UnkeptWork {
  ExampleSet examples;  ///< all of the document, and the sculpt in progress as the last one
  bool sculpt = false;
};

UnkeptWork unkeptWork(const Document& document);

/// A sentence each about examples that the character does not play as they are, and about the sculpt in progress. Empty
/// if it plays them all.
std::vector<std::string> unkeptSentences(const CharacterFile& file, const UnkeptWork& work);

}  // namespace sinew::studio::exporting
