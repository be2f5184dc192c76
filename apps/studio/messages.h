// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

// clang-format off
namespace sinew::studio {

/// A message or bulk data as it goes over the wire.
using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kProtocolVersion = 8;

/// What a drag does.
enum class DragTool : std::uint32_t {
  Weights = 0,  ///< drag the skin, the weights follow
  Paint = 1,  ///< a brush on the weights
  Handle = 2,  ///< pose a reduced model
};

/// What a brush does to a weight.
enum class PaintOperation : std::uint32_t {
  Add = 0,  ///< strength is added; below 0 it is taken
  Replace = 1,  ///< strength is the new weight
  Smooth = 2,  ///< towards the mean of the neighbours
  Scale = 3,  ///< strength is the factor
  Sharpen = 4,  ///< large weights grow, small ones shrink
};

/// What an array of a blob is.
enum class ArrayKind : std::uint32_t {
  Rest = 1,  ///< f32, 3 x vertices: before skinning, in the page's space
  Triangles = 2,  ///< u32, 3 x triangles
  InfluenceStart = 4,  ///< u32, vertices + 1
  Bindings = 5,  ///< u32, per influence
  Weights = 6,  ///< f32, per influence
  PointOfVertex = 7,  ///< u32, per vertex: welded point
  Instances = 8,  ///< u32, 3 per further instance of a mesh: first vertex, number of vertices, and how many matrices after that of the binding the instance's own lies in a palette
  Labels = 10,  ///< u32, per triangle: control group
  Proxies = 11,  ///< f32, 3 x proxies
  ProxyWeights = 14,  ///< f32, controls x proxies
  MorphStart = 15,  ///< u32, morph targets + 1: where their displacements start
  MorphVertices = 16,  ///< u32, per displacement: the vertex
  MorphDeltas = 17,  ///< f32, 3 per displacement: added to Rest
  Vertices = 20,  ///< u32: which vertices the other arrays are about
  Shares = 21,  ///< f32, per entry of Vertices: of a soft selection
  Distances = 22,  ///< f32, per entry of Vertices: in radii of a soft selection
};

/// How a soft selection or a brush fades out.
inline constexpr std::array<std::string_view, 4> kFalloffCurves{"smooth", "linear", "sharp", "round"};

/// Planes of symmetry; auto: the one that is found.
inline constexpr std::array<std::string_view, 4> kMirrorPlanes{"auto", "x", "y", "z"};

namespace wire {

// visitFields calls for every field in the order of the wire.

/// A gesture starts; which fields count depends on the tool.
struct DragBegin {
  static constexpr std::uint32_t kCode = 16;
  std::uint32_t drag = 0;  ///< chosen by the page, rising
  std::uint32_t tool = 0;  ///< see DragTool
  std::uint32_t view = 0;  ///< the pose it happens in
  std::uint32_t lead = 0;  ///< vertex under the pointer, or number of the handle
  float radius = 0;  ///< of the soft selection or the brush, scene units; 0: the chosen vertices alone
  std::uint32_t throughSpace = 0;  ///< 1: the radius is measured through space, 0: over the surface
  std::uint32_t curve = 0;  ///< how the share fades out: index in falloffCurves
  std::vector<std::uint32_t> vertices{};  ///< the selection; empty: the lead alone
  std::vector<std::uint32_t> pinnedViews{};  ///< views in which the vertex shall stay
  float alpha = 0;  ///< how much the pinned views count, 0 to 1
  std::uint32_t sparse = 0;  ///< where many weights do: 1 few of them change (L1), 0 least squared change (L2)
  std::uint32_t negativeWeights = 0;  ///< 1: weights need only sum to 1; what ends below 0 is not kept
  std::vector<std::uint32_t> addedJoints{};  ///< joints that may move the vertices besides those that do
  std::uint32_t maxInfluences = 0;  ///< of a vertex; 0: unlimited
  std::uint32_t operation = 0;  ///< of a brush, see PaintOperation
  std::uint32_t binding = 0;  ///< that a brush paints
  float strength = 0;  ///< of a brush
  std::uint32_t mirror = 0;  ///< a brush paints the other side of the body, too: 0 not, else 1 + index in mirrorPlanes

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.tool); visit(m.view); visit(m.lead); visit(m.radius); visit(m.throughSpace); visit(m.curve); visit(m.vertices); visit(m.pinnedViews); visit(m.alpha); visit(m.sparse); visit(m.negativeWeights); visit(m.addedJoints); visit(m.maxInfluences); visit(m.operation); visit(m.binding); visit(m.strength); visit(m.mirror); }
  friend bool operator==(const DragBegin&, const DragBegin&) = default;
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
  std::uint32_t commit = 0;  ///< 1 keep as one step of undo, 0 put everything back
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
  std::vector<float> angles{};  ///< degrees x y z per joint as they are shown, or none: kept with the step
  std::uint32_t mirror = 0;  ///< 1: the partners of the joints on the other side follow as mirror images

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.view); visit(m.live); visit(m.joints); visit(m.rotations); visit(m.translations); visit(m.scales); visit(m.angles); visit(m.mirror); }
  friend bool operator==(const PoseSet&, const PoseSet&) = default;
};

/// A stretch of a brush stroke: the whole path matters.
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
  std::uint32_t views = 0;  ///< how many there are; those that are new follow
  std::vector<float> palette{};  ///< 12 per binding of the skin, or per control of the reduced model: rows of world from rest; then those of further instances, in the order of ArrayKind Instances
  std::vector<std::uint32_t> targets{};  ///< morph targets whose weight is not 0: number + number of targets x (0 for first instances, 1 + index for a further one)
  std::vector<float> targetWeights{};  ///< of each

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.view); visit(m.views); visit(m.palette); visit(m.targets); visit(m.targetWeights); }
  friend bool operator==(const Frame&, const Frame&) = default;
};

/// Columns of the skin that changed.
struct Weights {
  static constexpr std::uint32_t kCode = 33;
  std::uint32_t drag = 0;  ///< the drag that is under way, whose columns are always the same ones; 0: a step
  std::vector<std::uint32_t> vertices{};
  std::vector<std::uint32_t> counts{};  ///< influences of each
  std::vector<std::uint32_t> bindings{};
  std::vector<float> weights{};

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.drag); visit(m.vertices); visit(m.counts); visit(m.bindings); visit(m.weights); }
  friend bool operator==(const Weights&, const Weights&) = default;
};

/// Where a vertex can go in one pose.
struct Reach {
  static constexpr std::uint32_t kCode = 34;
  std::uint32_t vertex = 0;
  std::uint32_t view = 0;
  std::uint32_t leads = 0;  ///< 1 in the view in which it is dragged
  std::uint32_t dimension = 0;  ///< 0 point, 1 segment, 2 polygon, 3 hull
  std::uint32_t unbounded = 0;  ///< 1: the whole line, plane or space through it, weights below 0 being allowed
  std::array<float, 3> position{};  ///< where the vertex is
  std::array<float, 3> target{};  ///< where it should be; in other views where it was
  float distance = 0;  ///< between the two
  std::vector<std::uint32_t> joints{};  ///< one per corner
  std::vector<float> corners{};  ///< x y z per corner
  std::vector<std::uint32_t> edges{};  ///< two corners each
  std::vector<std::uint32_t> triangles{};  ///< three corners each
  std::vector<std::uint32_t> suggested{};  ///< a joint whose addition would bring it nearer, or none
  float suggestedDistance = 0;  ///< that would be left then

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.vertex); visit(m.view); visit(m.leads); visit(m.dimension); visit(m.unbounded); visit(m.position); visit(m.target); visit(m.distance); visit(m.joints); visit(m.corners); visit(m.edges); visit(m.triangles); visit(m.suggested); visit(m.suggestedDistance); }
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

/// How a reduced model stands to its handles and examples.
struct Handles {
  static constexpr std::uint32_t kCode = 38;
  std::vector<float> activations{};  ///< example weights
  std::vector<float> residuals{};  ///< per handle, scene units
  std::vector<float> reached{};  ///< per handle, x y z where its vertex came to be

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { visit(m.activations); visit(m.residuals); visit(m.reached); }
  friend bool operator==(const Handles&, const Handles&) = default;
};

/// A message of the page was dealt with; what changed was told before.
struct Answer {
  static constexpr std::uint32_t kCode = 39;
  float solveMs = 0;  ///< of the solve behind it
  float queueMs = 0;  ///< all other time since the message arrived
  std::uint32_t coalesced = 0;  ///< messages that a newer one replaced since the last answer
  std::uint32_t draft = 0;  ///< 1 where the time budget ended the solve
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
  std::vector<std::uint8_t> stage{};  ///< UTF-8 words

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

using PageMessage = std::variant<DragBegin, DragMove, DragEnd, PoseSet, Stroke>;
using ServerMessage = std::variant<Frame, Weights, Reach, Followers, Handles, Answer, Progress, History>;

/// Of messages that wait and have the same key only the newest counts.
struct NewestRule {
  std::uint32_t code;
  int key;      ///< where the field with the key lies in the body; below 0: all of the kind have the same
  int whileAt;  ///< where the field lies that is not 0 in messages with a key; below 0: all have one
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
};

}  // namespace wire
}  // namespace sinew::studio
// clang-format on
