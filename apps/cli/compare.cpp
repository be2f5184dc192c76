// sinew compare: error between two meshes, characters or folders of meshes.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/io/poses.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// One side of the comparison: its frames, and the names they go by.
struct Side {
  std::vector<Points> frames;
  std::vector<std::string> names;
  std::vector<bool> skinned;  ///< columns of skinned parts in each frame's vertices; empty: not known
  double diagonal = 0;        ///< of its rest shape
};

/// Frames of a folder, or of one character at the poses asked for (its rest where none is).
Side readSide(const fs::path& path, const std::vector<std::string>& poses) {
  Side side;
  if (fs::is_directory(path)) {
    if (!poses.empty()) throw Error(ErrorCode::BadInput, "is a folder; --pose is for characters", path.string());
    for (const fs::path& file : meshSequence(path)) {
      const Character character = readCharacter(file).character;
      side.frames.push_back(posePoints(character, restPose(character)));
      side.names.push_back(file.filename().string());
    }
    if (const auto rest = restOfSequence(path)) {
      side.diagonal = boundingBox(readCharacter(*rest).character.mesh.points).diagonal();
    } else {
      side.diagonal = boundingBox(side.frames.front()).diagonal();
    }
    return side;
  }
  const CharacterFile file = readCharacter(path);
  const Character& character = file.character;
  for (const MeshPart& part : character.mesh.parts)
    side.skinned.insert(side.skinned.end(), static_cast<std::size_t>(part.vertexCount), part.skinned);
  CharacterPoser poser(character, nullptr, file.learned());
  const Points rest = poser.pose(restPose(character));
  side.diagonal = boundingBox(rest).diagonal();
  if (poses.empty()) {
    side.frames.push_back(rest);
    side.names.push_back(path.filename().string());
  }
  for (const std::string& pose : poses) {
    side.frames.push_back(poser.pose(readPose(pose, character)));
    side.names.push_back(pose);
  }
  return side;
}

/// Posed outputs hold only the skinned parts: where the counts differ, try those of the larger side.
void keepSkinned(Side& side, Index wanted) {
  const Index skinned = std::count(side.skinned.begin(), side.skinned.end(), true);
  if (skinned != wanted) return;
  for (Points& frame : side.frames) {
    Points kept(3, skinned);
    Index column = 0;
    for (Index v = 0; v < frame.cols(); ++v) {
      if (side.skinned[static_cast<std::size_t>(v)]) kept.col(column++) = frame.col(v);
    }
    frame = std::move(kept);
  }
}

Json sequenceBlock(const SequenceError& error, const Side& a) {
  Json json = errorBlock(error.total);
  json["maxFrame"] = error.maxFrame;
  json["distortion"] = error.distortion;
  json["erms"] = error.erms;
  json["perFrame"] = Json::array();
  for (std::size_t f = 0; f < error.perFrame.size(); ++f) {
    Json frame = errorBlock(error.perFrame[f]);
    frame["name"] = a.names[f];
    json["perFrame"].push_back(frame);
  }
  return json;
}

class CompareCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("A", a_, "the truth: a mesh, a character or a folder of meshes");
    arguments.input("B", b_, "what is compared with it");
    arguments.option("--pose", "POSE", poses_, "compare characters at these poses: files or CLIP@SECONDS");
    arguments.option("--rest", "FILE", rest_,
                     "mesh whose bounding box gives the diagonal for percents; default: A's rest");
  }

  int run(Console& console) override {
    Side a = readSide(a_, poses_);
    Side b = readSide(b_, poses_);
    const double diagonal =
        rest_.empty() ? a.diagonal : boundingBox(readCharacter(rest_).character.mesh.points).diagonal();
    checkCounts(a, b);
    const SequenceError error = compareSequences(a.frames, b.frames, diagonal);
    Json json = sequenceBlock(error, a);
    json["vertices"] = a.frames.front().cols();
    json["frames"] = a.frames.size();
    json["diagonal"] = diagonal;
    std::string text = errorText(error.total) + "\n";
    if (a.frames.size() > 1) {
      text += fmt::format("distortion {:.6g}, erms {:.6g} over {} frames, worst {}\n", error.distortion, error.erms,
                          a.frames.size(), a.names[static_cast<std::size_t>(error.maxFrame)]);
    }
    console.result(text, json);
    return Done;
  }

 private:
  void checkCounts(Side& a, Side& b) const {
    if (a.frames.size() != b.frames.size()) {
      throw Error(ErrorCode::BadInput,
                  fmt::format("has {} meshes, {} has {}; compare folders with the same meshes", b.frames.size(), a_,
                              a.frames.size()),
                  b_);
    }
    if (a.frames.front().cols() > b.frames.front().cols()) keepSkinned(a, b.frames.front().cols());
    if (b.frames.front().cols() > a.frames.front().cols()) keepSkinned(b, a.frames.front().cols());
    for (std::size_t f = 0; f < a.frames.size(); ++f) {
      if (a.frames[f].cols() == b.frames[f].cols()) continue;
      throw Error(ErrorCode::BadInput,
                  fmt::format("has {} vertices in '{}', {} has {} in '{}'; compare meshes of one topology",
                              b.frames[f].cols(), b.names[f], a_, a.frames[f].cols(), a.names[f]),
                  b_);
    }
  }

  std::string a_;
  std::string b_;
  std::vector<std::string> poses_;
  std::string rest_;
};

}  // namespace

std::unique_ptr<Command> makeCompareCommand() {
  return std::make_unique<CompareCommand>();
}

}  // namespace sinew::cli
