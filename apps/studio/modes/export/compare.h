// How far a file is from the document it was made from, played as other programs play it: linear blend and morph
// targets only, without rules of helper joints and without the learned model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/compare.h"
#include "sinew/deform/pose_space_morphs.h"
#include "studio/modes/export/prepare.h"
#include "studio/modes/mode.h"

namespace sinew::studio::exporting {

/// A pose in which both are compared.
struct Moment {
  std::string name;  ///< "walk at 0.42 s"
  Pose pose;         ///< of the document
  int clip = -1;     ///< of the file, which gives its pose; -1: the pose of the document is transferred
  double time = 0;   ///< seconds
};

/// A file that was read again, and its place beside the document.
class ReRead {
 public:
  /// Throws BadInput if the file does not have the vertices of the document.
  ReRead(const CharacterFile& document, CharacterFile file, const Prepared& prepared);

  /// What plays: no rules, no learned model.
  [[nodiscard]] const Character& character() const { return plain_; }
  [[nodiscard]] const CharacterFile& file() const { return file_; }
  [[nodiscard]] const std::vector<ClipSource>& clips() const { return clips_; }
  /// Whether it has the vertices of the document in their order.
  [[nodiscard]] bool sameVertices() const { return columns_.empty(); }
  /// Otherwise it only rests.
  [[nodiscard]] bool animated() const { return animated_; }
  /// Its points in the order of the document's vertices; those that it does not have are those of `otherwise`.
  [[nodiscard]] Points inOrder(const Points& points, const Points& otherwise) const;

  /// Its own pose where a clip has it.
  [[nodiscard]] Pose poseAt(std::size_t clip, double time) const;
  /// A pose of the document: joints by name with what their rules make of them, and the weights of morph targets as the
  /// file describes them.
  [[nodiscard]] Pose transferred(const Character& document, const Pose& pose) const;
  [[nodiscard]] Pose poseOf(const Character& document, const Moment& moment) const;

 private:
  CharacterFile file_;
  Character plain_;
  bool animated_ = true;
  std::vector<ClipSource> clips_;
  std::vector<int> joints_;                               // of the document, per joint; -1: it has none
  std::vector<int> morphs_;                               // of the document, per morph target; -1: it has none
  std::vector<Index> columns_;                            // per vertex of the document; empty: the same
  std::shared_ptr<const PoseSpaceMorphWeights> weights_;  // of the learned morph targets, or null
};

/// The pose of the document at a moment of a clip of the file.
Pose documentPose(const CharacterFile& document, const ClipSource& source, const std::vector<Pose>& examples,
                  double time);

/// The keys of all clips of the file, the saved poses, and the shown pose; evenly fewer where there are many.
std::vector<Moment> momentsOf(const CharacterFile& document, const Prepared& prepared, const Pose& shown,
                              const ReRead& read);

wire::ExportDeviation deviationOf(const CharacterFile& document, const ReRead& read, const std::vector<Moment>& moments,
                                  const sinew::Progress& progress);

/// A written file beside the document that it was made from.
struct Comparison {
  std::shared_ptr<const ReRead> read;  ///< null: it could not be compared
  wire::ExportDeviation deviation;
  std::string fault;  ///< why it could not
};
/// Reads the file again. `shown`: a pose that is compared, too.
Comparison comparedWith(const std::filesystem::path& path, const FileRules& rules, const CharacterFile& document,
                        const Prepared& prepared, const Pose& shown, const sinew::Progress& progress);

/// What a limit of influences costs.
struct LimitCost {
  int most = 0;                         ///< 0: all
  std::vector<std::uint32_t> vertices;  ///< that have more
  std::vector<float> distances;         ///< of each, the largest over the moments
  double rms = 0;
};
/// No limit, 8 and 4, for a document with a skin; as the document plays, with its learned corrections.
std::vector<LimitCost> limitCosts(const CharacterFile& document, const std::vector<Moment>& moments,
                                  const sinew::Progress& progress);

}  // namespace sinew::studio::exporting
