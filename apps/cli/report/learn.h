// The page of `sinew learn --report`: the error of every choice against its cost, and what the chosen one looks like.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/example_source.h"
#include "sinew/learn/budgeted_skin.h"

namespace sinew::cli {

/// The contents of the page. Refers to the caller's data while the page is made.
struct LearnReportInput {
  const Character& before;
  ExampleSource& examples;  ///< for the pictures, with poses of `before`
  const BudgetedSkinResult& result;
  SkinBudget budget = {};
  std::string characterFile = {};  ///< names for display; empty ones are left out
  std::string examplesFile = {};
  std::string outputFile = {};
  std::string commandLine = {};            ///< the command that made the page
  std::vector<std::string> warnings = {};  ///< further ones: those of the result are shown anyway
  std::vector<std::string> notes = {};     ///< further sentences
  std::string up = "y";                    ///< the axis that points up in the pictures
  std::size_t mostExamples = 6;            ///< with pictures
  int pictureSize = 360;                   ///< pixels of a picture's side
};

/// One self-contained HTML page. Throws if sizes do not fit together. Cost: three pictures per shown example.
std::string learnReportPage(const LearnReportInput& input, const Progress& progress = {});

}  // namespace sinew::cli
