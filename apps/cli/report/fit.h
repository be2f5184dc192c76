// The page of `sinew fit --report`: what was fitted, how good it is, what each new joint does.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_set.h"
#include "sinew/learn/fit.h"

namespace sinew::cli {

/// The contents of the page. Refers to the caller's data while the page is made.
struct FitReportInput {
  const Character& before;
  const ExampleSet& set;  ///< as it was fitted: mirrored ones too, with poses of `before`
  FitOptions options = {};
  const FitResult* result = nullptr;            ///< null: nothing was fitted
  const FitExplanation* explanation = nullptr;  ///< null: not requested
  std::string characterFile = {};               ///< names for display; empty ones are left out
  std::string examplesFile = {};
  std::string outputFile = {};
  std::string commandLine = {};            ///< the command that made the page
  std::vector<std::string> warnings = {};  ///< further ones: those of the result are shown anyway
  std::vector<std::string> notes = {};     ///< further sentences
  std::string up = "y";                    ///< the axis that points up in the pictures
  std::size_t mostExamples = 12;           ///< with pictures; the page says how many are omitted
  std::size_t mostJoints = 24;             ///< also for new joints
  int pictureSize = 360;                   ///< pixels of a picture's side
};

/// What a helper joint is worth, as a percentage.
std::string gainText(double gain);

/// One self-contained HTML page. Throws if sizes do not fit together. Cost: three pictures per shown example, one per
/// new joint.
std::string fitReportPage(const FitReportInput& input, const Progress& progress = {});

}  // namespace sinew::cli
