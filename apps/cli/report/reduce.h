// The page of `sinew reduce --report`: which parts move together, where posing looks, and what the model misses.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/compare.h"
#include "sinew/learn/reduced_model.h"

namespace sinew::cli {

/// The contents of the page. Refers to the caller's data while the page is made.
struct ReduceReportInput {
  const Character& character;         ///< the model as joints and skin; its mesh gives the faces
  const std::vector<Points>& shapes;  ///< the training meshes as they came
  const ReducedResult& result;
  const SequenceError& exported;         ///< of the file's clip at its keys against the model
  std::vector<std::string> inputs = {};  ///< names for display; empty ones are left out
  std::string outputFile = {};
  std::string commandLine = {};
  std::vector<std::string> notes = {};
  std::string up = "y";   ///< the axis that points up in the pictures
  int pictureSize = 420;  ///< pixels of a picture's side
};

/// One self-contained HTML page. Throws if sizes do not fit together.
std::string reduceReportPage(const ReduceReportInput& input, const Progress& progress = {});

}  // namespace sinew::cli
