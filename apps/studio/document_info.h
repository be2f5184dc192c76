// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// clang-format off
namespace sinew::studio::wire {

// visitFields calls with the name of every field and the field. record_json.h makes JSON of it.

/// A local transform.
struct Transform {
  std::array<double, 3> translation{};
  std::array<double, 4> rotation{};  ///< x y z w
  std::array<double, 3> scale{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("translation", m.translation);
    visit("rotation", m.rotation);
    visit("scale", m.scale);
  }
};

struct Joint {
  std::string name{};
  std::int32_t parent{};  ///< -1: none
  Transform rest{};
  std::optional<std::string> rule{};  ///< of a helper joint: its rule as a sentence

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("parent", m.parent);
    visit("rest", m.rest);
    visit("rule", m.rule);
  }
};

/// Left and right of the skeleton.
struct MirrorInfo {
  std::optional<std::string> axis{};
  std::optional<std::vector<std::int32_t>> partners{};  ///< per joint, or -1
  std::optional<std::string> fault{};  ///< why the character has no mirror plane

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("axis", m.axis);
    visit("partners", m.partners);
    visit("fault", m.fault);
  }
};

struct ClipInfo {
  std::uint32_t index{};
  std::string name{};
  double seconds{};
  std::vector<double> times{};  ///< of its keys, ascending; empty if there are too many

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("index", m.index);
    visit("name", m.name);
    visit("seconds", m.seconds);
    visit("times", m.times);
  }
};

struct HandleInfo {
  std::uint32_t vertex{};
  std::array<double, 3> target{};
  bool pinned{};
  double strength{};  ///< 0: exact

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("vertex", m.vertex);
    visit("target", m.target);
    visit("pinned", m.pinned);
    visit("strength", m.strength);
  }
};

/// A key of a reduced model.
struct KeyInfo {
  double time{};  ///< seconds
  std::uint32_t handles{};  ///< their number
  bool smooth{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("time", m.time);
    visit("handles", m.handles);
    visit("smooth", m.smooth);
  }
};

struct HistoryInfo {
  std::uint32_t depth{};  ///< steps that can be undone
  std::uint32_t redo{};
  std::vector<std::string> names{};  ///< of all steps, from the oldest, undone ones too

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("depth", m.depth);
    visit("redo", m.redo);
    visit("names", m.names);
  }
};

/// A character, or a model learned from it.
struct RelatedInfo {
  std::string what{};  ///< its name in the command `open`
  std::string title{};
  bool current{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("what", m.what);
    visit("title", m.title);
    visit("current", m.current);
  }
};

struct BlobNames {
  std::string mesh{};
  std::string weights{};
  std::string morphs{};  ///< empty: no morph target is drawn

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("mesh", m.mesh);
    visit("weights", m.weights);
    visit("morphs", m.morphs);
  }
};

struct ReducedInfo {
  std::uint32_t controls{};
  std::uint32_t proxies{};
  std::vector<std::string> examples{};
  bool rigid{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("controls", m.controls);
    visit("proxies", m.proxies);
    visit("examples", m.examples);
    visit("rigid", m.rigid);
  }
};

/// An option of learning.
struct OptionField {
  std::string name{};
  std::string help{};
  std::string unit{};
  std::string kind{};  ///< choice, switch, number or whole
  std::string value{};  ///< its default
  std::vector<std::string> values{};  ///< of a choice
  std::optional<double> least{};
  std::optional<double> most{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("help", m.help);
    visit("unit", m.unit);
    visit("kind", m.kind);
    visit("value", m.value);
    visit("values", m.values);
    visit("least", m.least);
    visit("most", m.most);
  }
};

/// Errors are in percent of the diagonal.
struct LearnedExample {
  std::string name{};
  double before{};  ///< of plain skin
  double after{};  ///< of the learned model
  double leaveOneOut{};  ///< of the model without this example
  double nearest{};  ///< distance of the nearest other example
  std::string nearestName{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("before", m.before);
    visit("after", m.after);
    visit("leaveOneOut", m.leaveOneOut);
    visit("nearest", m.nearest);
    visit("nearestName", m.nearestName);
  }
};

/// A pose that should be sculpted next.
struct HintInfo {
  std::string between{};
  double error{};  ///< predicted, in percent of the diagonal
  std::array<double, 2> place{};  ///< on the map of the pose space

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("between", m.between);
    visit("error", m.error);
    visit("place", m.place);
  }
};

struct ExampleInfo {
  std::string name{};
  std::string shape{};  ///< changes with its points
  double confidence{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("shape", m.shape);
    visit("confidence", m.confidence);
  }
};

struct DriverInfo {
  std::string joint{};  ///< or a morph target
  double weight{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("joint", m.joint);
    visit("weight", m.weight);
  }
};

/// The examples of the document: poses, and how the skin should look there.
struct ExamplesInfo {
  std::vector<ExampleInfo> examples{};
  std::vector<DriverInfo> drivers{};  ///< empty: chosen from what the examples move
  std::optional<ExampleInfo> sculpt{};  ///< in progress; it has the name of the example that it changes, or none
  std::string offered{};  ///< examples that can be opened with the document: an examples file beside it, or the sample's sculpts; empty: there are none

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("examples", m.examples);
    visit("drivers", m.drivers);
    visit("sculpt", m.sculpt);
    visit("offered", m.offered);
  }
};

/// A part of the mesh: a primitive of the file.
struct PartInfo {
  std::string name{};
  std::uint32_t firstVertex{};
  std::uint32_t vertices{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("firstVertex", m.firstVertex);
    visit("vertices", m.vertices);
  }
};

/// A morph target.
struct MorphInfo {
  std::string name{};
  bool learned{};  ///< it imitates learned corrections: its weight follows the pose

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("learned", m.learned);
  }
};

/// The open document; without one, the server sends only `open`.
struct DocumentInfo {
  bool open{};
  std::uint32_t number{};  ///< increases with every document that is opened; unchanged by edits and saving
  std::string title{};
  std::string path{};
  bool saved{};
  std::uint32_t vertices{};
  std::uint32_t triangles{};
  std::uint32_t instances{};  ///< further instances of meshes that are drawn in addition to the first ones
  bool skinned{};
  std::uint32_t maxInfluences{};
  std::vector<Joint> joints{};
  MirrorInfo mirror{};
  std::vector<std::int32_t> bindings{};  ///< the joint of each binding
  std::vector<ClipInfo> clips{};
  std::vector<std::vector<Transform>> views{};  ///< local transforms of all joints, per view
  std::vector<std::vector<double>> morphWeights{};  ///< of the morph targets, per view
  std::vector<std::vector<std::array<double, 4>>> angles{};  ///< per view: joint, and x, y, z in degrees as typed
  std::vector<std::string> savedPoses{};
  std::vector<std::string> locks{};  ///< names of locked joints
  std::vector<HandleInfo> handles{};
  std::vector<KeyInfo> keys{};
  std::array<double, 3> centre{};  ///< of the rest shape: the origin of the page's space
  double diagonal{};  ///< of the bounding box of the rest shape
  std::vector<std::string> problems{};
  HistoryInfo history{};
  std::vector<RelatedInfo> beside{};  ///< this document and related ones; empty if there are none
  BlobNames blobs{};
  std::optional<ReducedInfo> reduced{};
  ExamplesInfo examples{};
  bool onlyExamples{};  ///< example meshes without a skin, from a folder or a sample
  std::vector<PartInfo> parts{};  ///< of the mesh, in the order of its vertices; empty: it has one
  std::vector<MorphInfo> morphs{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("open", m.open);
    visit("number", m.number);
    visit("title", m.title);
    visit("path", m.path);
    visit("saved", m.saved);
    visit("vertices", m.vertices);
    visit("triangles", m.triangles);
    visit("instances", m.instances);
    visit("skinned", m.skinned);
    visit("maxInfluences", m.maxInfluences);
    visit("joints", m.joints);
    visit("mirror", m.mirror);
    visit("bindings", m.bindings);
    visit("clips", m.clips);
    visit("views", m.views);
    visit("morphWeights", m.morphWeights);
    visit("angles", m.angles);
    visit("savedPoses", m.savedPoses);
    visit("locks", m.locks);
    visit("handles", m.handles);
    visit("keys", m.keys);
    visit("centre", m.centre);
    visit("diagonal", m.diagonal);
    visit("problems", m.problems);
    visit("history", m.history);
    visit("beside", m.beside);
    visit("blobs", m.blobs);
    visit("reduced", m.reduced);
    visit("examples", m.examples);
    visit("onlyExamples", m.onlyExamples);
    visit("parts", m.parts);
    visit("morphs", m.morphs);
  }
};

/// A task that runs.
struct JobInfo {
  std::uint32_t job{};
  std::string what{};  ///< as the event job names it
  std::string title{};  ///< for people; empty: it runs in the background
  double fraction{};
  double seconds{};
  std::string stage{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("job", m.job);
    visit("what", m.what);
    visit("title", m.title);
    visit("fraction", m.fraction);
    visit("seconds", m.seconds);
    visit("stage", m.stage);
  }
};

/// Steps of an earlier session.
struct Unfinished {
  std::string what{};  ///< to be given to open
  std::uint32_t steps{};  ///< that are not saved
  bool changed{};  ///< the file has changed since they were made
  std::string damaged{};  ///< which steps could not be read; empty: none

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("what", m.what);
    visit("steps", m.steps);
    visit("changed", m.changed);
    visit("damaged", m.damaged);
  }
};

struct SampleInfo {
  std::string name{};
  std::string description{};
  std::uint32_t joints{};
  std::uint32_t vertices{};
  bool picture{};  ///< whether samples/NAME.png is beside the page

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("description", m.description);
    visit("joints", m.joints);
    visit("vertices", m.vertices);
    visit("picture", m.picture);
  }
};

struct FileEntry {
  std::string name{};
  bool folder{};
  std::string path{};
  double bytes{};  ///< 0 for folders
  double modified{};  ///< seconds since 1970

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("folder", m.folder);
    visit("path", m.path);
    visit("bytes", m.bytes);
    visit("modified", m.modified);
  }
};

/// On a mesh of a folder.
struct Verdict {
  std::string name{};
  bool ok{};
  std::string text{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("ok", m.ok);
    visit("text", m.text);
  }
};

struct FlatPose {
  std::vector<double> joints{};  ///< 10 per joint: translation, rotation x y z w, scale
  std::vector<double> morphs{};  ///< weights of the morph targets

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("joints", m.joints);
    visit("morphs", m.morphs);
  }
};

struct ExportFormat {
  std::string name{};
  std::string extension{};  ///< with the dot
  bool animated{};  ///< holds a skin and clips

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("extension", m.extension);
    visit("animated", m.animated);
  }
};

/// Of a file, played by linear blend and morph targets, from the document.
struct ExportDeviation {
  double max{};  ///< scene units
  double rms{};  ///< over all vertices and poses
  std::int32_t vertex{};  ///< where max is; -1: no vertex
  std::string pose{};  ///< where max is
  std::uint32_t poses{};  ///< that were compared

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("max", m.max);
    visit("rms", m.rms);
    visit("vertex", m.vertex);
    visit("pose", m.pose);
    visit("poses", m.poses);
  }
};

/// The cost of a limit of influences per vertex.
struct ExportInfluences {
  std::uint32_t most{};  ///< 0: all
  std::uint32_t vertices{};  ///< that have more
  double max{};  ///< scene units
  double rms{};  ///< over the vertices that have more

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("most", m.most);
    visit("vertices", m.vertices);
    visit("max", m.max);
    visit("rms", m.rms);
  }
};

/// What a number of morph targets leaves.
struct ExportTrade {
  std::uint32_t morphs{};
  std::string method{};  ///< svd or knots
  double bytes{};  ///< of their displacements in the file: as many times the mean of those that it has
  double rms{};  ///< against the learned model, scene units
  double heldOut{};  ///< the same at poses that were not fitted

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("morphs", m.morphs);
    visit("method", m.method);
    visit("bytes", m.bytes);
    visit("rms", m.rms);
    visit("heldOut", m.heldOut);
  }
};

/// An option of a fit.
struct FitField {
  std::string name{};
  std::string help{};
  std::string unit{};
  std::string value{};  ///< the default
  std::optional<double> least{};
  std::optional<double> most{};
  std::vector<std::string> choices{};  ///< of a choice

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("help", m.help);
    visit("unit", m.unit);
    visit("value", m.value);
    visit("least", m.least);
    visit("most", m.most);
    visit("choices", m.choices);
  }
};

/// Distances of vertices from examples, scene units.
struct ErrorInfo {
  double rms{};
  double p95{};
  double max{};
  std::int32_t vertex{};  ///< that has the largest; -1: none

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("rms", m.rms);
    visit("p95", m.p95);
    visit("max", m.max);
    visit("vertex", m.vertex);
  }
};

struct FitExample {
  std::string name{};
  ErrorInfo before{};
  ErrorInfo after{};
  std::optional<double> leftOut{};  ///< rms of a fit without it

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("before", m.before);
    visit("after", m.after);
    visit("leftOut", m.leftOut);
  }
};

/// A helper joint that was added.
struct FitHelper {
  std::string name{};
  std::string rule{};
  std::optional<double> gain{};  ///< how much larger the squared error of some example is without it, as a share of its own

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("rule", m.rule);
    visit("gain", m.gain);
  }
};

/// A half-step of a fit.
struct FitStepInfo {
  std::string what{};
  double rms{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("what", m.what);
    visit("rms", m.rms);
  }
};

/// A skin that was learned and is not kept yet.
struct FitResult {
  std::uint32_t number{};  ///< rises with every result
  std::string what{};  ///< fit or learn
  std::string sentence{};
  double diagonal{};  ///< of the rest shape: errors are shown in percent of it
  ErrorInfo before{};
  ErrorInfo after{};
  std::optional<double> leftOut{};  ///< rms at examples that were not learned
  std::optional<double> leftOutBefore{};  ///< of the character as it was, at those
  std::string heldOutBy{};  ///< how they were left out
  std::uint32_t maxInfluences{};
  double meanInfluences{};  ///< joints per vertex
  std::vector<FitHelper> helpers{};
  std::uint32_t morphs{};  ///< morph targets that were added
  double drift{};  ///< the farthest that a rest vertex moved, diagonals
  std::vector<FitStepInfo> steps{};
  std::vector<FitExample> examples{};
  std::vector<std::string> warnings{};
  BlobNames blobs{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("number", m.number);
    visit("what", m.what);
    visit("sentence", m.sentence);
    visit("diagonal", m.diagonal);
    visit("before", m.before);
    visit("after", m.after);
    visit("leftOut", m.leftOut);
    visit("leftOutBefore", m.leftOutBefore);
    visit("heldOutBy", m.heldOutBy);
    visit("maxInfluences", m.maxInfluences);
    visit("meanInfluences", m.meanInfluences);
    visit("helpers", m.helpers);
    visit("morphs", m.morphs);
    visit("drift", m.drift);
    visit("steps", m.steps);
    visit("examples", m.examples);
    visit("warnings", m.warnings);
    visit("blobs", m.blobs);
  }
};

/// A stage of the triage, on top of the ones before.
struct FitStageInfo {
  std::string name{};
  double rms{};  ///< percent of the diagonal, as all errors here
  double leftOut{};
  std::vector<double> examples{};
  std::uint32_t joints{};
  std::uint32_t morphs{};
  double bytes{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("rms", m.rms);
    visit("leftOut", m.leftOut);
    visit("examples", m.examples);
    visit("joints", m.joints);
    visit("morphs", m.morphs);
    visit("bytes", m.bytes);
  }
};

struct FitTriage {
  std::vector<std::string> examples{};  ///< names
  std::vector<FitStageInfo> stages{};
  std::string advice{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("examples", m.examples);
    visit("stages", m.stages);
    visit("advice", m.advice);
  }
};

/// A way to make a skin within a budget.
struct FitChoice {
  std::string name{};
  double error{};  ///< rms at examples that were left out, percent of the diagonal
  bool partly{};  ///< measured at some of them only
  std::uint32_t influences{};
  std::uint32_t helpers{};
  std::uint32_t morphs{};
  double bytes{};
  double nanoseconds{};
  bool fits{};  ///< within the budget
  bool front{};  ///< nothing cheaper is as good
  bool chosen{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("name", m.name);
    visit("error", m.error);
    visit("partly", m.partly);
    visit("influences", m.influences);
    visit("helpers", m.helpers);
    visit("morphs", m.morphs);
    visit("bytes", m.bytes);
    visit("nanoseconds", m.nanoseconds);
    visit("fits", m.fits);
    visit("front", m.front);
    visit("chosen", m.chosen);
  }
};

/// The state of Fit.
struct FitInfo {
  std::optional<FitResult> result{};
  std::optional<FitTriage> triage{};
  std::vector<FitChoice> choices{};  ///< of the last budget

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("result", m.result);
    visit("triage", m.triage);
    visit("choices", m.choices);
  }
};

}  // namespace sinew::studio::wire
// clang-format on
