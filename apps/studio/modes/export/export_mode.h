// The mode Export: what a file will hold and lose, before it is written; and what it plays, after it was read again.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "studio/document/blob.h"
#include "studio/modes/export/compare.h"
#include "studio/modes/mode.h"

namespace sinew::studio::exporting {

/// Results of the last plan.
struct Plan {
  Prepared prepared;
  std::vector<LimitCost> limits;
  wire::ExportPlanEvent told;
};

class ExportMode final : public Mode {
 public:
  explicit ExportMode(ModeContext& context) : context_(context) {}
  [[nodiscard]] std::span<const CommandRow> commands() const override;
  void opened(const std::shared_ptr<const void>& prepared) override;
  void edited(const Edit& edit) noexcept override;
  void settle() override;
  void shown(std::uint32_t view) override;

 private:
  /// A clip of the file that is played in a view.
  struct Playing {
    std::size_t clip = 0;
    double time = 0;
    std::uint32_t view = 0;
    Pose before;  ///< of the document
  };

  wire::ExportContentAnswer content(const wire::ExportContentCommand& asked);
  wire::ExportPlanAnswer plan(const wire::ExportPlanCommand& asked);
  wire::ExportInfluencesAnswer influences(const wire::ExportInfluencesCommand& asked);
  wire::ExportWriteAnswer write(const wire::ExportWriteCommand& asked);
  void compare(const wire::ExportCompareCommand& asked);
  void play(const wire::ExportPlayCommand& asked);
  void stop(const wire::ExportStopCommand& asked);
  wire::ExportVertexAnswer vertex(const wire::ExportVertexCommand& asked);

  void requireCharacter() const;
  void requireFile() const;
  /// A file was written: it is drawn beside the document, if that is the `same`. Returns a sentence.
  std::string adopt(wire::ExportWrittenEvent& told, const Comparison& compared, const std::vector<Pose>& examples,
                    bool same);
  /// The compared view, or the last one if there are fewer now.
  [[nodiscard]] std::uint32_t shownView() const;
  /// The pose of the re-read file beside it.
  [[nodiscard]] Pose pose() const;
  [[nodiscard]] Pose shownPose() const;
  void forgetFile();

  ModeContext& context_;
  ExportOptions options_;
  bool asked_ = false;                          ///< there are options, and the document has not changed since
  std::uint64_t changes_ = 0;                   ///< counts what a file would have
  std::shared_ptr<std::atomic<bool>> dropped_;  ///< of the plan at work: a newer one replaces it
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const ReRead> read_;
  std::vector<Pose> examples_;  ///< of the file at hand
  Document beside_;             ///< the re-read file, in the pose in which it is drawn
  DrawnCharacter drawn_;
  std::uint32_t view_ = 0;
  bool comparing_ = false;
  std::optional<Playing> playing_;
  Points apart_;  ///< displacements of the re-read file from the document in the shown pose; empty: not known
};

}  // namespace sinew::studio::exporting
