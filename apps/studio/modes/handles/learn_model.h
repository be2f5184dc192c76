// A reduced model from what a document was opened from: a sample's examples, a folder of meshes, or a clip.
#pragma once

#include <filesystem>
#include <string>

#include "sinew/base/progress.h"
#include "studio/document/document.h"
#include "studio/document/edit_json.h"

namespace sinew::studio::handles {

/// Everything that the job needs from the document, which may change or be closed meanwhile.
struct LearnSource {
  Json about;
  CharacterFile file;
  std::filesystem::path scratch;  ///< a temporary file, removed afterwards
  Index sampleVertices = 0;
  FileRules rules = {};
};

struct Learning {
  CharacterFile file;
  std::string sentence;
};

/// `controls` of 0: as many as the examples need. Throws as reading and learning do.
Learning learnModel(const LearnSource& source, int controls, const sinew::Progress& progress);

}  // namespace sinew::studio::handles
