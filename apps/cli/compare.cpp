// sinew compare: error between two meshes, characters or folders of meshes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/character/weld.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/io/poses.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// One side of the comparison: its frames, and the names they go by.
struct Side {
  std::vector<Points> frames;
  std::vector<std::string> names;
  /// Alternative vertex sets for the comparison, as columns of each frame's vertices: its skinned parts, the first
  /// instance of each mesh, and those of skinned parts. Posed outputs contain all instances of skinned parts.
  std::vector<std::vector<Index>> subsets;
  /// The first vertex of each welded point, for a mesh whose seams are closed; null if some mesh has several instances.
  std::function<std::vector<Index>()> welded;
  double diagonal = 0;  ///< of its rest shape
};

/// The rest mesh of a file in world space.
Points worldRest(const fs::path& path, const ReadOptions& options) {
  const CharacterFile file = readCharacter(path, options);
  return PlacedPoser(file.character, instancesOf(file), file.playback()).pose(restPose(file.character));
}

std::vector<std::vector<Index>> subsetsOf(const Character& character, const PlacedPoser& poser) {
  std::vector<std::vector<Index>> subsets(3);
  if (character.mesh.parts.empty()) return {};
  for (const PlacedPart& placed : poser.parts()) {
    const bool skinned = character.mesh.parts[placed.part].skinned;
    const bool first = placed.instance < 0;
    for (Index v = placed.firstVertex; v < placed.firstVertex + placed.vertexCount; ++v) {
      if (skinned) subsets[0].push_back(v);
      if (first) subsets[1].push_back(v);
      if (skinned && first) subsets[2].push_back(v);
    }
  }
  return subsets;
}

/// Frames of a folder, or of one character at the given poses (default: rest).
Side readSide(const fs::path& path, const std::vector<std::string>& poses, ReadOptions options,
              const Console& console) {
  const Progress progress = options.progress;
  options.facesOptional = true;  // shapes are compared by their points
  Side side;
  if (fs::is_directory(path)) {
    if (!poses.empty()) throw Error(ErrorCode::BadInput, "is a folder; --pose is for characters", path.string());
    const std::vector<fs::path> files = meshSequence(path, options.rules);
    for (const fs::path& file : files) {
      const double share = 1.0 / static_cast<double>(files.size());
      const double from = share * static_cast<double>(side.frames.size());
      options.progress = partProgress(progress, from, from + share);
      side.frames.push_back(worldRest(file, options));
      side.names.push_back(file.filename().string());
    }
    if (const auto rest = restOfSequence(path, options.rules)) {
      side.diagonal = boundingBox(worldRest(*rest, options)).diagonal();
    } else {
      side.diagonal = boundingBox(side.frames.front()).diagonal();
    }
    return side;
  }
  const auto read = std::make_shared<const CharacterFile>(readCharacter(path, options));
  const CharacterFile& file = *read;
  const Character& character = file.character;
  if (!poses.empty() && character.skeleton.empty())
    throw Error(ErrorCode::BadInput, "has no joints and no clips, so it cannot be posed; --pose is for characters",
                path.string());
  PlacedPoser poser(character, instancesOf(file), file.playback());
  side.subsets = subsetsOf(character, poser);
  const Points rest = poser.pose(restPose(character));
  side.diagonal = boundingBox(rest).diagonal();
  if (rest.cols() == character.mesh.vertexCount())
    side.welded = [read, rest] {
      const WeldMap weld = weldCharacter(read->character, rest);
      return std::vector<Index>(weld.firstVertex.begin(), weld.firstVertex.end());
    };
  if (poses.empty()) {
    side.frames.push_back(rest);
    side.names.push_back(path.filename().string());
  }
  for (const std::string& pose : poses) {
    report(progress, {static_cast<double>(side.frames.size()) / static_cast<double>(poses.size()), "posing"});
    side.frames.push_back(poser.pose(poseOf(pose, character, path.string(), console)));
    side.names.push_back(pose);
  }
  return side;
}

/// If the counts differ, the part of the larger side that has the other's count.
void keepSubset(Side& side, Index wanted) {
  const auto kept = [&](const std::vector<Index>& subset) {
    if (static_cast<Index>(subset.size()) != wanted) return false;
    for (Points& frame : side.frames) frame = Points(frame(Eigen::all, subset));
    return true;
  };
  if (std::any_of(side.subsets.begin(), side.subsets.end(), kept)) return;
  if (side.welded) kept(side.welded());
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
    arguments.input("A", a_, "the ground truth: a mesh, a character or a folder of meshes");
    arguments.input("B", b_, "the result to compare with A");
    arguments.option("--pose", "POSE", poses_, "compare characters at these poses: files or CLIP@SECONDS");
    arguments.option("--rest", "FILE", rest_,
                     "mesh whose bounding box gives the diagonal for percentages; default: A's rest");
  }

  int run(Console& console) override {
    Side a = readSide(a_, poses_, console.reading(0, 0.5), console);
    Side b = readSide(b_, poses_, console.reading(0.5, 1), console);
    ReadOptions restOptions = console.reading(1, 1);
    restOptions.facesOptional = true;
    const double diagonal = rest_.empty() ? a.diagonal : boundingBox(worldRest(rest_, restOptions)).diagonal();
    checkCounts(a, b);
    const SequenceError error = compareSequences(a.frames, b.frames, diagonal);
    Json json = sequenceBlock(error, a);
    json["vertices"] = a.frames.front().cols();
    json["frames"] = a.frames.size();
    json["diagonal"] = diagonal;
    std::string text = errorText(error.total) + "\n";
    if (a.frames.size() > 1) {
      text += fmt::format("distortion {:.6g}, erms {:.6g} over {} frames, worst {}\n", error.distortion, error.erms,
                          a.frames.size(), a.names[toSize(error.maxFrame)]);
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
    if (a.frames.front().cols() > b.frames.front().cols()) keepSubset(a, b.frames.front().cols());
    if (b.frames.front().cols() > a.frames.front().cols()) keepSubset(b, a.frames.front().cols());
    for (std::size_t f = 0; f < a.frames.size(); ++f) {
      if (a.frames[f].cols() == b.frames[f].cols()) continue;
      throw Error(ErrorCode::BadInput,
                  fmt::format("has {} vertices in '{}', {} has {} in '{}'; compare meshes with the same topology",
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
