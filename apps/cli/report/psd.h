// The page of `sinew psd --report`: what was learned, how good it is, what to sculpt next.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/page.h"
#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_source.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space_morphs.h"
#include "sinew/learn/tune_pose_space.h"

namespace sinew::cli {

struct HeldOut;

/// The contents of the page. Refers to the caller's data while the page is made.
struct PsdReportInput {
  const Character& character;
  ExampleSource& examples;  ///< as they were learned: mirrored ones too; only those with pictures are read
  const PoseSpaceResult& result;
  PoseSpaceOptions options = {};
  const PoseSpaceExportReport* exported = nullptr;  ///< null: nothing was exported to morph targets
  const PoseSpaceTuning* tuning = nullptr;          ///< null or empty: options were not tuned
  const HeldOut* heldOut = nullptr;                 ///< null: no example was held out
  std::string characterFile = {};                   ///< names for display; empty ones are left out
  std::string examplesFile = {};
  std::string outputFile = {};
  std::string commandLine = {};            ///< the command that made the page
  std::vector<std::string> warnings = {};  ///< further ones: those of the result and of the export are shown anyway
  std::vector<std::string> notes = {};     ///< further sentences: how sculpts were matched, what was mirrored
  std::string up = "y";                    ///< the axis that points up in the pictures
  std::size_t mostExamples = 12;           ///< with pictures; the page says how many are omitted
  int pictureSize = 360;                   ///< pixels of a picture's side
};

/// One self-contained HTML page. Throws if sizes do not fit together. Cost: four pictures per shown example, one per
/// suggested pose.
std::string psdReportPage(const PsdReportInput& input, const Progress& progress = {});

/// For each of the examples a chart of all weights along the straight path from rest to it and on to the next, with
/// their sum and the fade. If the model has groups of vertices, the largest group is shown.
std::vector<PageLineChart> activationCharts(const PoseSpaceModel& model, std::span<const std::size_t> examples,
                                            const Progress& progress = {});

}  // namespace sinew::cli
