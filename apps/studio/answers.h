// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "studio/document_info.h"

// clang-format off
namespace sinew::studio::wire {

// What commands answer, as records. record_json.h makes JSON of it.

struct HelloAnswer {
  bool testHooks{};
  std::string root{};  ///< the folder that files are in
  std::optional<Unfinished> resumed{};  ///< the document was opened at the start and continues from unsaved steps; told once
  std::vector<std::string> warnings{};
  std::vector<JobInfo> jobs{};  ///< that run now, the oldest first
  nlohmann::json document{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("testHooks", m.testHooks);
    visit("root", m.root);
    visit("resumed", m.resumed);
    visit("warnings", m.warnings);
    visit("jobs", m.jobs);
    visit("document", m.document);
  }
};

struct HistoryListAnswer {
  std::vector<std::string> names{};  ///< of all steps, from the oldest, undone ones too

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("names", m.names);
  }
};

struct OpenAnswer {
  std::optional<std::uint32_t> job{};
  std::optional<Unfinished> unfinished{};  ///< the user must choose first

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
    visit("unfinished", m.unfinished);
  }
};

struct SamplesAnswer {
  std::vector<SampleInfo> samples{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("samples", m.samples);
  }
};

struct FilesAnswer {
  std::string path{};
  std::string parent{};  ///< empty: this is the root
  std::vector<FileEntry> entries{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("path", m.path);
    visit("parent", m.parent);
    visit("entries", m.entries);
  }
};

struct SaveAnswer {
  std::string path{};
  std::vector<std::string> lost{};  ///< what the format cannot store, a sentence each

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("path", m.path);
    visit("lost", m.lost);
  }
};

struct PoseMirrorAnswer {
  bool changed{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("changed", m.changed);
  }
};

struct PoseKeyAnswer {
  std::uint32_t clip{};  ///< that has the key

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("clip", m.clip);
  }
};

struct WeightsAssignAnswer {
  std::uint32_t changed{};  ///< vertices

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("changed", m.changed);
  }
};

struct WeightsSoftAnswer {
  std::uint32_t followers{};  ///< points that would be affected
  std::string blob{};  ///< Vertices, Distances and Shares, a little beyond the radius

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("followers", m.followers);
    visit("blob", m.blob);
  }
};

struct WeightsNormaliseAnswer {
  std::uint32_t changed{};  ///< vertices

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("changed", m.changed);
  }
};

struct WeightsPruneAnswer {
  std::uint32_t changed{};  ///< vertices

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("changed", m.changed);
  }
};

struct WeightsSmoothAnswer {
  std::uint32_t changed{};  ///< vertices

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("changed", m.changed);
  }
};

struct WeightsMirrorAnswer {
  std::uint32_t changed{};  ///< vertices
  std::optional<std::string> warning{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("changed", m.changed);
    visit("warning", m.warning);
  }
};

struct HandlesLearnAnswer {
  std::uint32_t job{};  ///< its progress and end are told under this number

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
  }
};

struct HandlesPlaceAnswer {
  std::uint32_t handle{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("handle", m.handle);
  }
};

struct HandlesExportAnswer {
  std::string path{};
  double deviation{};  ///< of the file from the keys, in diagonals

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("path", m.path);
    visit("deviation", m.deviation);
  }
};

struct BindAnswer {
  std::uint32_t job{};  ///< its progress and end are told under this number

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
  }
};

struct ExamplesOpenAnswer {
  std::uint32_t job{};  ///< its progress and end are told under this number

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
  }
};

struct ExamplesSaveAnswer {
  std::string path{};  ///< of the examples file
  std::uint32_t files{};  ///< written

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("path", m.path);
    visit("files", m.files);
  }
};

struct ExamplesImportAnswer {
  std::string name{};
  std::vector<std::string> notes{};  ///< how the mesh was matched
  std::vector<std::string> warnings{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("notes", m.notes);
    visit("warnings", m.warnings);
  }
};

struct CorrectFieldsAnswer {
  std::vector<OptionField> fields{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("fields", m.fields);
  }
};

struct CorrectLearnAnswer {
  std::uint32_t job{};  ///< 0: there are no examples

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
  }
};

struct CorrectKeepAnswer {
  std::uint32_t job{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
  }
};

struct CorrectCurvesAnswer {
  std::vector<std::vector<double>> activations{};  ///< per example of the model and step
  std::vector<double> fade{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("activations", m.activations);
    visit("fade", m.fade);
  }
};

struct ExportContentAnswer {
  std::vector<ExportFormat> formats{};
  bool learned{};  ///< there are learned corrections
  bool refits{};  ///< their morph targets are fitted for the file
  std::uint32_t morphs{};  ///< morph targets per mesh that imitate them now
  std::uint32_t examples{};  ///< of the learned corrections
  std::int32_t examplesClip{};  ///< index of the clip that visits them, which is made again; -1: none
  std::uint32_t helpers{};
  std::uint32_t ownMorphs{};  ///< morph targets that are not learned

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("formats", m.formats);
    visit("learned", m.learned);
    visit("refits", m.refits);
    visit("morphs", m.morphs);
    visit("examples", m.examples);
    visit("examplesClip", m.examplesClip);
    visit("helpers", m.helpers);
    visit("ownMorphs", m.ownMorphs);
  }
};

struct ExportPlanAnswer {
  std::uint32_t job{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
  }
};

struct ExportInfluencesAnswer {
  std::string blob{};  ///< Vertices, and Distances in scene units

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("blob", m.blob);
  }
};

struct ExportWriteAnswer {
  std::uint32_t job{};
  std::string path{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
    visit("path", m.path);
  }
};

struct ExportVertexAnswer {
  double deviation{};  ///< scene units

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("deviation", m.deviation);
  }
};

struct ViewMaterialsAnswer {
  std::string blob{};  ///< a .glb, see materialsOf; empty: the file has none
  std::string fault{};  ///< why they cannot be shown; empty: no fault

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("blob", m.blob);
    visit("fault", m.fault);
  }
};

struct FitFieldsAnswer {
  std::vector<FitField> fields{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("fields", m.fields);
  }
};

struct FitStartAnswer {
  std::uint32_t job{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
  }
};

struct FitLearnAnswer {
  std::uint32_t job{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
  }
};

struct FitExplainAnswer {
  std::uint32_t job{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
  }
};

struct FitErrorsAnswer {
  std::string blob{};  ///< ErrorsBefore and ErrorsAfter

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("blob", m.blob);
  }
};

}  // namespace sinew::studio::wire
// clang-format on
