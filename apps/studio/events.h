// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "studio/document_info.h"

// clang-format off
namespace sinew::studio::wire {

// visitFields calls with the name of every field and the field. record_json.h makes JSON of it.

/// Another document, or lists of it that changed. Its fields are those of DocumentInfo.
struct DocumentEvent {
  static constexpr std::string_view kName = "document";
};

/// The joints of a view.
struct PoseEvent {
  static constexpr std::string_view kName = "pose";
  std::uint32_t view{};
  std::uint32_t count{};  ///< number of views
  FlatPose pose{};
  std::vector<std::array<double, 4>> angles{};  ///< joint, and x, y, z in degrees as typed

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("view", m.view);
    visit("count", m.count);
    visit("pose", m.pose);
    visit("angles", m.angles);
  }
};

/// The number of views changed; poses follow.
struct ViewsEvent {
  static constexpr std::string_view kName = "views";
  std::uint32_t count{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("count", m.count);
  }
};

/// A job has ended.
struct JobEvent {
  static constexpr std::string_view kName = "job";
  std::uint32_t job{};
  std::string what{};  ///< open, learn, bind, fit, fit.learn, fit.explain, export or exportPlan
  std::string fault{};  ///< a sentence; empty: it succeeded
  bool cancelled{};
  std::optional<std::string> sentence{};  ///< the result
  std::optional<std::string> opened{};  ///< of open: what was asked for
  std::optional<std::string> hint{};
  std::optional<std::vector<std::string>> skipped{};  ///< of open: meshes that were left out as asked
  std::optional<std::vector<std::string>> refused{};  ///< of open: meshes that do not fit
  std::optional<std::vector<Verdict>> verdicts{};  ///< of open: every mesh of a folder

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
    visit("what", m.what);
    visit("fault", m.fault);
    visit("cancelled", m.cancelled);
    visit("sentence", m.sentence);
    visit("opened", m.opened);
    visit("hint", m.hint);
    visit("skipped", m.skipped);
    visit("refused", m.refused);
    visit("verdicts", m.verdicts);
  }
};

struct SavedEvent {
  static constexpr std::string_view kName = "saved";
  std::string path{};
  std::string title{};
  std::vector<RelatedInfo> beside{};  ///< as in DocumentInfo

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("path", m.path);
    visit("title", m.title);
    visit("beside", m.beside);
  }
};

/// Locks hold back the brush in progress.
struct HeldBackEvent {
  static constexpr std::string_view kName = "heldBack";
  std::string text{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("text", m.text);
  }
};

/// A binary message, or a task, failed.
struct ErrorEvent {
  static constexpr std::string_view kName = "error";
  std::string text{};
  std::string hint{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("text", m.text);
    visit("hint", m.hint);
  }
};

/// About storage; the document stays usable.
struct WarningEvent {
  static constexpr std::string_view kName = "warning";
  std::string text{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("text", m.text);
  }
};

/// Another page is in control.
struct TakenOverEvent {
  static constexpr std::string_view kName = "takenOver";

  template <class Self, class Visitor>
  static void visitFields(Self& /*m*/, Visitor&& /*visit*/) {}
};

/// What was found in an examples file.
struct ExamplesOpenedEvent {
  static constexpr std::string_view kName = "examplesOpened";
  std::string source{};
  std::vector<std::string> notes{};  ///< how each mesh was matched
  std::vector<std::string> warnings{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("source", m.source);
    visit("notes", m.notes);
    visit("warnings", m.warnings);
  }
};

/// The result of correct.learn. Errors are in percent of the diagonal.
struct LearnedEvent {
  static constexpr std::string_view kName = "learned";
  std::string fault{};  ///< why nothing was learned; empty: no fault
  std::string sentence{};
  std::string kernel{};
  double radius{};
  double condition{};
  std::uint32_t rank{};
  std::uint32_t touched{};  ///< vertices that are corrected
  double coverage{};
  double before{};
  double after{};
  double leaveOneOut{};
  double seconds{};
  std::vector<std::string> names{};  ///< of the examples of the model; the first is rest
  std::vector<std::array<double, 2>> places{};  ///< of each, on the map of the pose space
  std::vector<LearnedExample> examples{};
  std::vector<DriverInfo> drivers{};
  std::vector<HintInfo> hints{};
  std::vector<std::string> warnings{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("fault", m.fault);
    visit("sentence", m.sentence);
    visit("kernel", m.kernel);
    visit("radius", m.radius);
    visit("condition", m.condition);
    visit("rank", m.rank);
    visit("touched", m.touched);
    visit("coverage", m.coverage);
    visit("before", m.before);
    visit("after", m.after);
    visit("leaveOneOut", m.leaveOneOut);
    visit("seconds", m.seconds);
    visit("names", m.names);
    visit("places", m.places);
    visit("examples", m.examples);
    visit("drivers", m.drivers);
    visit("hints", m.hints);
    visit("warnings", m.warnings);
  }
};

/// What a file with the options of export.plan would hold, before it is written.
struct ExportPlanEvent {
  static constexpr std::string_view kName = "exportPlan";
  std::uint32_t job{};
  std::vector<std::string> lost{};  ///< what the file cannot hold, and what is left out, a sentence each
  double bytes{};  ///< of all its files
  ExportDeviation deviation{};  ///< of the file
  std::vector<ExportInfluences> influences{};  ///< by falling limit; empty: there is no skin
  std::uint32_t morphs{};  ///< learned morph targets per mesh
  std::string method{};  ///< of these: svd or knots; empty: there are none
  bool kept{};  ///< they are those of the document, as they are; false: they were fitted for the file
  double morphBytes{};  ///< of their displacements in the file
  std::vector<ExportTrade> trade{};  ///< morph targets against error
  std::uint32_t baked{};  ///< helper joints with keys in every clip

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
    visit("lost", m.lost);
    visit("bytes", m.bytes);
    visit("deviation", m.deviation);
    visit("influences", m.influences);
    visit("morphs", m.morphs);
    visit("method", m.method);
    visit("kept", m.kept);
    visit("morphBytes", m.morphBytes);
    visit("trade", m.trade);
    visit("baked", m.baked);
  }
};

/// A file was written and read again.
struct ExportWrittenEvent {
  static constexpr std::string_view kName = "exportWritten";
  std::uint32_t job{};
  std::string path{};
  double bytes{};
  double seconds{};
  std::vector<std::string> lost{};
  ExportDeviation deviation{};
  std::uint32_t vertices{};
  std::vector<ClipInfo> clips{};  ///< of the file, which export.play shows
  BlobNames blobs{};  ///< of the re-read file; without names it is not shown

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
    visit("path", m.path);
    visit("bytes", m.bytes);
    visit("seconds", m.seconds);
    visit("lost", m.lost);
    visit("deviation", m.deviation);
    visit("vertices", m.vertices);
    visit("clips", m.clips);
    visit("blobs", m.blobs);
  }
};

/// The document has changed since the last plan.
struct ExportStaleEvent {
  static constexpr std::string_view kName = "exportStale";

  template <class Self, class Visitor>
  static void visitFields(Self& /*m*/, Visitor&& /*visit*/) {}
};

/// The state of Fit changed. Its fields are those of FitInfo.
struct FitEvent {
  static constexpr std::string_view kName = "fit";
};

}  // namespace sinew::studio::wire
// clang-format on
