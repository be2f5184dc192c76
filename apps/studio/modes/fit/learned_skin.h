// What the jobs of the mode compute: a skin from the examples of a document, and what it does at each of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/character/compare.h"
#include "sinew/learn/budgeted_skin.h"
#include "sinew/learn/fit.h"
#include "studio/modes/mode.h"

namespace sinew::studio::fit {

/// What a job learns from; the document may change meanwhile.
struct LearnSource {
  CharacterFile file;       ///< without learned corrections, which were made for its old skin
  PoseSpaceMorphs dropped;  ///< morph targets of those, by their numbers in the document
  ExampleSet examples;      ///< with poses of `file`
  bool corrected = false;   ///< whether the document has such corrections
  PageSpace space;          ///< of the document
};
LearnSource sourceOf(const Document& document, const PageSpace& space);

/// A pose of the document as one of `character`, which has other morph targets, and more joints at the end.
Pose poseFor(const LearnSource& source, const Character& character, const Pose& pose);

/// A skin before it is kept. Shared with the page's requests, so it does not change.
struct LearnedSkin {
  LearnSource source;
  CharacterFile file;
  DrawnCharacter drawn;  ///< in the space of the document
  std::optional<FitReport> fit;
  std::optional<BudgetedSkinReport> budget;
  std::vector<std::string> warnings;
  SequenceError before;  ///< at the examples, as both are drawn
  SequenceError after;
  double diagonal = 0;

  /// Distances at an example, per vertex.
  [[nodiscard]] Eigen::VectorXd errorsBefore(std::size_t example) const;
  [[nodiscard]] Eigen::VectorXd errorsAfter(std::size_t example) const;
};
using LearnedSkinPtr = std::shared_ptr<const LearnedSkin>;

/// If it is cancelled while it tries helper joints or the rest shape, the result is the fit of the weights alone, with
/// a warning; before that it throws Cancelled.
LearnedSkinPtr fitted(LearnSource source, const FitOptions& options, const sinew::Progress& progress);
LearnedSkinPtr learnedWithin(LearnSource source, const BudgetedSkinOptions& options, const sinew::Progress& progress);

/// The character that replaces that of the document: with its saved poses, for the joints that it has now.
CharacterFile keptFile(const LearnedSkin& learned, const CharacterFile& document);

/// How it is drawn at a pose of the document. `shown`: a document of its file, whose views change.
wire::FitFrame learnedFrame(const LearnedSkin& learned, Document& shown, const Pose& pose);

}  // namespace sinew::studio::fit
