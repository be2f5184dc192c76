// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

// clang-format off
namespace sinew::studio {

/// An encoded message, or bulk data.
using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kProtocolVersion = 12;

/// What a sculpting stroke does.
enum class SculptTool : std::uint32_t {
  Grab = 0,  ///< what is under the brush moves with the pointer
  Smooth = 1,  ///< towards the mean of the neighbours
  Inflate = 2,  ///< along the normals
  Flatten = 3,  ///< towards the mean plane
  Pinch = 4,  ///< towards the pointer, along the surface
  Erase = 5,  ///< back to plain skin
};

/// What a brush does to a weight.
enum class PaintOperation : std::uint32_t {
  Add = 0,  ///< strength is added; a negative one is subtracted
  Replace = 1,  ///< strength is the new weight
  Smooth = 2,  ///< towards the mean of the neighbours
  Scale = 3,  ///< strength is the factor
  Sharpen = 4,  ///< large weights grow, small ones shrink
};

/// The content of an array of a blob.
enum class ArrayKind : std::uint32_t {
  Rest = 1,  ///< f32, 3 x vertices: before skinning, in the page's space
  Triangles = 2,  ///< u32, 3 x triangles
  InfluenceStart = 4,  ///< u32, vertices + 1
  Bindings = 5,  ///< u32, per influence
  Weights = 6,  ///< f32, per influence
  PointOfVertex = 7,  ///< u32, per vertex: welded point
  Instances = 8,  ///< u32, 3 per further instance of a mesh: first vertex, number of vertices, and offset in a palette from the matrix of a binding to the matrix of the instance
  Labels = 10,  ///< u32, per triangle: control group
  Proxies = 11,  ///< f32, 3 x proxies
  ProxyWeights = 14,  ///< f32, controls x proxies
  MorphStart = 15,  ///< u32, morph targets + 1: where their displacements start
  MorphVertices = 16,  ///< u32, per displacement: the vertex
  MorphDeltas = 17,  ///< f32, 3 per displacement: added to Rest
  Vertices = 20,  ///< u32: the vertices that the other arrays describe
  Shares = 21,  ///< f32, per entry of Vertices: its share of a soft selection
  Distances = 22,  ///< f32, per entry of Vertices: in radii of a soft selection
  NormalPoints = 23,  ///< u32, per vertex: the first vertex that it shares its normal with; missing: those of a welded point do
  ErrorsBefore = 40,  ///< f32, per vertex: distance from an example, scene units
  ErrorsAfter = 41,  ///< f32, per vertex: the same of the skin that was learned
};

/// How a soft selection or a brush fades out.
inline constexpr std::array<std::string_view, 4> kFalloffCurves{"smooth", "linear", "sharp", "round"};

/// Planes of symmetry; auto: the one that fits.
inline constexpr std::array<std::string_view, 4> kMirrorPlanes{"auto", "x", "y", "z"};

namespace wire {

// visitFields calls for every field in the order of the encoding.

/// Begins a drag of the skin: the weights follow.
struct WeightDragBegin {
  static constexpr std::uint32_t kCode = 16;
  std::uint32_t drag = 0;  ///< chosen by the page, rising
  std::uint32_t view = 0;  ///< the pose in which it is dragged
  std::uint32_t lead = 0;  ///< vertex under the pointer
  float radius = 0;  ///< of the soft selection, scene units; 0: only the chosen vertices
  std::uint32_t throughSpace = 0;  ///< 1: the radius is measured through space, 0: over the surface
  std::uint32_t curve = 0;  ///< falloff: index in falloffCurves
  std::vector<std::uint32_t> vertices{};  ///< the selection; empty: only the lead
  std::vector<std::uint32_t> pinnedViews{};  ///< views in which the vertex should stay in place
  float alpha = 0;  ///< strength of the pinned views, 0 to 1
  std::uint32_t sparse = 0;  ///< where the solution is not unique: 1 few weights change (L1), 0 least squared change (L2)
  std::uint32_t negativeWeights = 0;  ///< 1: weights need only sum to 1; a drag that ends with a negative weight is undone
  std::vector<std::uint32_t> addedJoints{};  ///< joints that may get weight in addition to the current influences
  std::uint32_t maxInfluences = 0;  ///< of a vertex; 0: unlimited
  std::uint32_t presentOnly = 0;  ///< 1: only joints that move the vertices now, not those near them

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.view); visit(m.lead); visit(m.radius); visit(m.throughSpace); visit(m.curve); visit(m.vertices); visit(m.pinnedViews); visit(m.alpha); visit(m.sparse); visit(m.negativeWeights); visit(m.addedJoints); visit(m.maxInfluences); visit(m.presentOnly); }
  friend bool operator==(const WeightDragBegin&, const WeightDragBegin&) = default;
};

/// Begins a brush stroke on the weights.
struct PaintBegin {
  static constexpr std::uint32_t kCode = 21;
  std::uint32_t drag = 0;  ///< chosen by the page, rising
  std::uint32_t view = 0;  ///< the pose in which it is painted
  float radius = 0;  ///< scene units; 0: only the vertices under the pointer
  std::uint32_t operation = 0;  ///< see PaintOperation
  std::uint32_t binding = 0;  ///< the influence that is painted
  float strength = 0;
  std::uint32_t maxInfluences = 0;  ///< of a vertex; 0: unlimited
  std::uint32_t mirror = 0;  ///< 0: off; otherwise the other side is painted too: 1 + index in mirrorPlanes

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.view); visit(m.radius); visit(m.operation); visit(m.binding); visit(m.strength); visit(m.maxInfluences); visit(m.mirror); }
  friend bool operator==(const PaintBegin&, const PaintBegin&) = default;
};

/// Begins a drag of a handle: the reduced model follows.
struct HandleDragBegin {
  static constexpr std::uint32_t kCode = 22;
  std::uint32_t drag = 0;  ///< chosen by the page, rising
  std::uint32_t handle = 0;

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.handle); }
  friend bool operator==(const HandleDragBegin&, const HandleDragBegin&) = default;
};

struct DragMove {
  static constexpr std::uint32_t kCode = 17;
  std::uint32_t drag = 0;
  std::array<float, 3> target{};  ///< in the page's space

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.target); }
  friend bool operator==(const DragMove&, const DragMove&) = default;
};

struct DragEnd {
  static constexpr std::uint32_t kCode = 18;
  std::uint32_t drag = 0;
  std::uint32_t commit = 0;  ///< 1: commit as one step of undo, 0: restore everything
  std::array<float, 3> target{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.commit); visit(m.target); }
  friend bool operator==(const DragEnd&, const DragEnd&) = default;
};

/// Local transforms of joints in a view.
struct PoseSet {
  static constexpr std::uint32_t kCode = 19;
  std::uint32_t view = 0;
  std::uint32_t live = 0;  ///< 1 while a slider or gizmo moves, 0 for the last of a gesture
  std::vector<std::uint32_t> joints{};
  std::vector<float> rotations{};  ///< x y z w per joint
  std::vector<float> translations{};  ///< x y z per joint
  std::vector<float> scales{};  ///< x y z per joint
  std::vector<float> angles{};  ///< degrees x y z per joint as shown, or empty: stored with the step
  std::uint32_t mirror = 0;  ///< 1: the joints of the other side follow as mirror images

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.view); visit(m.live); visit(m.joints); visit(m.rotations); visit(m.translations); visit(m.scales); visit(m.angles); visit(m.mirror); }
  friend bool operator==(const PoseSet&, const PoseSet&) = default;
};

/// Samples of a brush stroke; none may be dropped.
struct Stroke {
  static constexpr std::uint32_t kCode = 20;
  std::uint32_t drag = 0;
  std::vector<std::uint32_t> vertices{};  ///< under the pointer, one per sample
  std::vector<float> pressures{};  ///< 0 to 1, one per sample

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.vertices); visit(m.pressures); }
  friend bool operator==(const Stroke&, const Stroke&) = default;
};

/// How one view is drawn.
struct Frame {
  static constexpr std::uint32_t kCode = 32;
  std::uint32_t view = 0;
  std::uint32_t views = 0;  ///< number of views; frames of new views follow
  std::vector<float> palette{};  ///< 12 per binding of the skin, or per control of the reduced model: rows of world from rest; then those of further instances, in the order of ArrayKind Instances
  std::vector<std::uint32_t> targets{};  ///< morph targets whose weight is not 0: number + number of targets x (0 for first instances, 1 + index for a further one)
  std::vector<float> targetWeights{};  ///< of each
  std::vector<std::uint32_t> moved{};  ///< vertices of first instances that are displaced after skinning: corrections that are only shown
  std::vector<float> offsets{};  ///< x y z of each

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.view); visit(m.views); visit(m.palette); visit(m.targets); visit(m.targetWeights); visit(m.moved); visit(m.offsets); }
  friend bool operator==(const Frame&, const Frame&) = default;
};

/// Columns of the skin weights that changed.
struct Weights {
  static constexpr std::uint32_t kCode = 33;
  std::uint32_t drag = 0;  ///< the drag in progress, which always sends the same columns; 0: a step
  std::vector<std::uint32_t> vertices{};
  std::vector<std::uint32_t> counts{};  ///< influences of each
  std::vector<std::uint32_t> bindings{};
  std::vector<float> weights{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.vertices); visit(m.counts); visit(m.bindings); visit(m.weights); }
  friend bool operator==(const Weights&, const Weights&) = default;
};

/// The reachable set of a vertex in one pose.
struct Reach {
  static constexpr std::uint32_t kCode = 34;
  std::uint32_t vertex = 0;
  std::uint32_t view = 0;
  std::uint32_t leads = 0;  ///< 1: the view in which it is dragged
  std::uint32_t dimension = 0;  ///< 0 point, 1 segment, 2 polygon, 3 hull
  std::uint32_t unbounded = 0;  ///< 1: the whole line, plane or space through the corners, because negative weights are allowed
  std::array<float, 3> position{};  ///< where the vertex is
  std::array<float, 3> target{};  ///< target position; in other views the position before the drag
  float distance = 0;  ///< between the two
  std::vector<std::uint32_t> joints{};  ///< one per corner
  std::vector<float> corners{};  ///< x y z per corner
  std::vector<std::uint32_t> edges{};  ///< two corners each
  std::vector<std::uint32_t> triangles{};  ///< three corners each
  std::vector<std::uint32_t> suggested{};  ///< a joint that would reduce the distance if added, or empty
  float suggestedDistance = 0;  ///< distance with that joint
  std::vector<std::uint32_t> offered{};  ///< per corner: 1 if its joint is near the vertex and has no weight yet

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.vertex); visit(m.view); visit(m.leads); visit(m.dimension); visit(m.unbounded); visit(m.position); visit(m.target); visit(m.distance); visit(m.joints); visit(m.corners); visit(m.edges); visit(m.triangles); visit(m.suggested); visit(m.suggestedDistance); visit(m.offered); }
  friend bool operator==(const Reach&, const Reach&) = default;
};

/// Mirror images of the joints of a live PoseSet: local transforms of their partners.
struct Followers {
  static constexpr std::uint32_t kCode = 35;
  std::uint32_t view = 0;
  std::vector<std::uint32_t> joints{};
  std::vector<float> rotations{};  ///< x y z w per joint
  std::vector<float> translations{};  ///< x y z per joint
  std::vector<float> scales{};  ///< x y z per joint

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.view); visit(m.joints); visit(m.rotations); visit(m.translations); visit(m.scales); }
  friend bool operator==(const Followers&, const Followers&) = default;
};

/// The state of a posed reduced model.
struct Handles {
  static constexpr std::uint32_t kCode = 38;
  std::vector<float> activations{};  ///< example weights
  std::vector<float> residuals{};  ///< per handle, scene units
  std::vector<float> reached{};  ///< per handle, x y z of its vertex

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.activations); visit(m.residuals); visit(m.reached); }
  friend bool operator==(const Handles&, const Handles&) = default;
};

/// A message of the page was handled; the changes were sent before.
struct Answer {
  static constexpr std::uint32_t kCode = 39;
  float solveMs = 0;  ///< of the solve
  float queueMs = 0;  ///< the rest of the time since the message arrived
  std::uint32_t coalesced = 0;  ///< messages replaced by a newer one since the last answer
  std::uint32_t draft = 0;  ///< 1: the time budget ended the solve
  std::uint32_t iterations = 0;

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.solveMs); visit(m.queueMs); visit(m.coalesced); visit(m.draft); visit(m.iterations); }
  friend bool operator==(const Answer&, const Answer&) = default;
};

/// Of a job, at most 10 a second.
struct Progress {
  static constexpr std::uint32_t kCode = 36;
  std::uint32_t job = 0;
  float fraction = 0;
  float seconds = 0;
  std::vector<std::uint8_t> stage{};  ///< UTF-8 text

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.job); visit(m.fraction); visit(m.seconds); visit(m.stage); }
  friend bool operator==(const Progress&, const Progress&) = default;
};

struct History {
  static constexpr std::uint32_t kCode = 37;
  std::uint32_t depth = 0;  ///< steps that can be undone
  std::uint32_t redo = 0;

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.depth); visit(m.redo); }
  friend bool operator==(const History&, const History&) = default;
};

/// Begins a sculpting stroke on the posed skin.
struct SculptBegin {
  static constexpr std::uint32_t kCode = 23;
  std::uint32_t drag = 0;  ///< chosen by the page, rising
  std::uint32_t view = 0;  ///< the pose in which it is sculpted
  std::uint32_t tool = 0;  ///< see SculptTool
  std::uint32_t lead = 0;  ///< vertex under the pointer
  float radius = 0;  ///< scene units; at most the diagonal
  float strength = 0;  ///< -1 to 1; a negative one does the inverse
  std::uint32_t mirror = 0;  ///< 0: off; otherwise the other side is sculpted too: 1 + index in mirrorPlanes

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.view); visit(m.tool); visit(m.lead); visit(m.radius); visit(m.strength); visit(m.mirror); }
  friend bool operator==(const SculptBegin&, const SculptBegin&) = default;
};

/// Vertices that a sculpting stroke has moved.
struct Sculpted {
  static constexpr std::uint32_t kCode = 40;
  std::uint32_t drag = 0;  ///< the grab in progress, which always sends the same vertices; 0: a brush
  std::uint32_t view = 0;
  std::vector<std::uint32_t> vertices{};
  std::vector<float> offsets{};  ///< x y z of each, as in Frame

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.view); visit(m.vertices); visit(m.offsets); }
  friend bool operator==(const Sculpted&, const Sculpted&) = default;
};

/// What the pose of a view is to the examples, and how those of the learned model count there.
struct Activations {
  static constexpr std::uint32_t kCode = 41;
  std::uint32_t view = 0;
  std::vector<float> weights{};  ///< per example of the model, the first is rest; none before a model is learned
  std::uint32_t nearest = 0;  ///< the nearest of them
  float distance = 0;  ///< to it, in pose coordinates
  float fade = 0;  ///< 1 near the examples, less beyond them
  std::array<float, 2> place{};  ///< on the map of the pose space
  std::uint32_t example = 0;  ///< 1 + number of the example of the document that has this pose; 0: none
  std::uint32_t sculpted = 0;  ///< 1: the sculpt in progress has this pose

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.view); visit(m.weights); visit(m.nearest); visit(m.distance); visit(m.fade); visit(m.place); visit(m.example); visit(m.sculpted); }
  friend bool operator==(const Activations&, const Activations&) = default;
};

/// How the re-read file of Export is drawn; as Frame.
struct ExportFrame {
  static constexpr std::uint32_t kCode = 60;
  std::vector<float> palette{};
  std::vector<std::uint32_t> targets{};
  std::vector<float> targetWeights{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.palette); visit(m.targets); visit(m.targetWeights); }
  friend bool operator==(const ExportFrame&, const ExportFrame&) = default;
};

/// How the skin that Fit learned is drawn in a view, as Frame.
struct FitFrame {
  static constexpr std::uint32_t kCode = 48;
  std::uint32_t view = 0;
  std::uint32_t views = 0;
  std::vector<float> palette{};
  std::vector<std::uint32_t> targets{};
  std::vector<float> targetWeights{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.view); visit(m.views); visit(m.palette); visit(m.targets); visit(m.targetWeights); }
  friend bool operator==(const FitFrame&, const FitFrame&) = default;
};

using PageMessage = std::variant<WeightDragBegin, PaintBegin, HandleDragBegin, DragMove, DragEnd, PoseSet, Stroke, SculptBegin>;
using ServerMessage = std::variant<Frame, Weights, Reach, Followers, Handles, Answer, Progress, History, Sculpted, Activations, ExportFrame, FitFrame>;

/// Of queued messages with the same key only the newest is kept.
struct NewestRule {
  std::uint32_t code;
  int key;      ///< offset in the body of the field with the key; negative: all messages of the kind have the same key
  int whileAt;  ///< offset of a field that is not 0 in messages with a key; negative: all have one
};
inline constexpr NewestRule kNewestRules[] = {
  {DragMove::kCode, 0, -1},
  {PoseSet::kCode, 0, 4},
  {Frame::kCode, 0, -1},
  {Weights::kCode, 0, 0},
  {Followers::kCode, 0, -1},
  {Handles::kCode, -1, -1},
  {Answer::kCode, -1, -1},
  {Progress::kCode, 0, -1},
  {Sculpted::kCode, 0, 0},
  {Activations::kCode, 0, -1},
  {ExportFrame::kCode, -1, -1},
  {FitFrame::kCode, 0, -1},
};

}  // namespace wire
}  // namespace sinew::studio
// clang-format on
