// What the OBJ reader keeps of a file for the OBJ writer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "sinew/io/formats.h"
#include "sinew/io/text/text_formats.h"

namespace sinew::obj {

/// The whole text, and the positions in it that may change.
struct ObjDocument final : SourceDocument {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::filesystem::path path;
  std::string text;
  Mesh mesh;  ///< as read; a coordinate that was not finite stays NaN here, so that it always counts as changed
  std::vector<text::TextSpan> points;       ///< "x y z" of every v line
  std::vector<text::TextSpan> normals;      ///< "x y z" of every vn line
  std::vector<text::TextSpan> normalLines;  ///< the whole of every vn line, with its line break
  std::vector<text::TextSpan> faces;        ///< the corners of every f line
  std::vector<std::uint32_t> cornerNormal;  ///< per corner: number of its vn, or kNone
  std::vector<std::uint32_t> vertexNormal;  ///< per vertex: number of its vn, or kNone; empty if one vertex has
                                            ///< several different normals
  std::vector<std::string> materialFiles;   ///< names after mtllib
};

}  // namespace sinew::obj
