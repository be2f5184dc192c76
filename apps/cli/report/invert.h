// The page of `sinew invert --report`: what one sculpt became in the rest pose, and which vertices could not follow.
#pragma once

#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/learn/invert.h"

namespace sinew::cli {

/// The contents of the page. Refers to the caller's data while the page is made; points are in the character's vertex
/// order.
struct InvertReportInput {
  const Character& character;
  const Points& rest;    ///< before the operator
  const Points& sculpt;  ///< world space
  const InvertResult& result;
  const Points* before = nullptr;  ///< operator(rest) in world space; null: no picture of it
  std::string operatorName = {};   ///< in words: "linear-blend", or the command of a black box
  std::string characterFile = {};  ///< names for display; empty ones are left out
  std::string poseFile = {};
  std::string sculptFile = {};
  std::string outputFile = {};
  std::string commandLine = {};
  std::vector<std::string> notes = {};
  std::string up = "y";   ///< the axis that points up in the pictures
  int pictureSize = 480;  ///< pixels of a picture's side
};

/// One self-contained HTML page. Throws if sizes do not fit together.
std::string invertReportPage(const InvertReportInput& input);

}  // namespace sinew::cli
