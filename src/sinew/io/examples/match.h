// How the meshes of an examples file become shapes of the character.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/character/correspondence.h"
#include "sinew/character/sculpt_check.h"
#include "sinew/io/examples/shapes.h"
#include "sinew/io/file_rules.h"

namespace sinew::examples {

/// A mesh file of any readable format. Throws as the readers do, and BadInput for a file without a mesh.
Shape readShape(const std::filesystem::path& path, const FileRules& rules, const Progress& progress = {});

/// What becomes of sculpts that contradict their pose.
struct SculptRules {
  bool force = false;  ///< they are taken, with a warning
  bool inPose = true;  ///< the posed skin is where the sculpt should be; false: something else moves it
  std::string unlessForced = "or continue anyway with --force";  ///< ends the sentence otherwise
};

/// Maps sculpts to the vertices of one character.
class SculptMatcher {
 public:
  /// `madeOn`: the rest points that sculpts were made on (3 x V), where the character's were moved since; else 3 x 0.
  explicit SculptMatcher(const Character& character, const Points& madeOn = Points(3, 0));

  /// Finds the correspondence from the sculpts' own rest mesh. Throws if more than half of the character's vertices
  /// have no match. Notes describe the match.
  void matchRestMesh(const std::filesystem::path& path, const FileRules& rules, std::vector<std::string>& notes);

  /// The sculpt in the character's vertex order, in world space; vertices without a partner take the column of
  /// `otherwise`. Throws if the sculpt has other vertices than the rest mesh, or, without one, than the character.
  Points carry(const std::filesystem::path& path, const Points& sculpt, const Points& otherwise) const;

  /// Throws BadInput if the sculpt cannot belong to the character's vertices in the pose, whose skin is `posed`
  /// (character/sculpt_check); with `force` the sentence is returned instead. `points` is the result of
  /// carry().
  [[nodiscard]] std::vector<std::string> check(const std::filesystem::path& path, const Shape& sculpt,
                                               const Points& points, const Points& posed,
                                               const SculptRules& rules) const;

  /// Values per sculpt vertex as values per character vertex; 0 without a partner.
  [[nodiscard]] std::vector<double> carryValues(const std::vector<double>& values, Index sculptVertices) const;

  /// Whether a sculpt with this number of vertices contains every instance of a mesh.
  [[nodiscard]] bool holdsAllPlaces(Index sculptVertices) const;

  /// Character vertices without a partner, or none of them.
  [[nodiscard]] bool allMatched() const { return !match_ || match_->unmatched == 0; }
  [[nodiscard]] bool isMatched(Index vertex) const { return !match_ || match_->sculptVertex[toSize(vertex)] >= 0; }
  /// The rest mesh in the character's vertex order, or 3 x 0 without one.
  [[nodiscard]] const Points& rest() const { return rest_; }

 private:
  [[nodiscard]] const WeldMap& welded() const;
  /// Per vertex of the character: the sculpt's, or -1.
  [[nodiscard]] std::vector<std::int64_t> columnsOf(Index sculptVertices) const;
  [[nodiscard]] std::vector<std::array<std::uint32_t, 2>> joinedBy(const Faces& faces, Index sculptVertices) const;

  const Character& character_;
  Points restPoints_;  ///< that sculpts were made on
  Points world_;       ///< the same in world space
  std::optional<MatchResult> match_;
  Affine worldFromMatch_ = Affine::Identity();  ///< where the match was made in the space of the rest points
  std::filesystem::path restPath_;
  Index restCount_ = 0;
  Points rest_{3, 0};
  mutable std::optional<WeldMap> weld_;         ///< made when first needed
  mutable std::unique_ptr<SculptCheck> check_;  ///< the same
  mutable Faces accepted_;                      ///< of the sculpt that was accepted last
  mutable Index acceptedVertices_ = -1;
};

}  // namespace sinew::examples
