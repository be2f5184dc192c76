// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
import type { Reader, Writer } from './codec';

export const protocolVersion = 12;

/** What a sculpting stroke does. */
export const SculptTool = {
  Grab: 0,
  Smooth: 1,
  Inflate: 2,
  Flatten: 3,
  Pinch: 4,
  Erase: 5,
} as const;

/** What a brush does to a weight. */
export const PaintOperation = {
  Add: 0,
  Replace: 1,
  Smooth: 2,
  Scale: 3,
  Sharpen: 4,
} as const;

/** The content of an array of a blob. */
export const ArrayKind = {
  Rest: 1,
  Triangles: 2,
  InfluenceStart: 4,
  Bindings: 5,
  Weights: 6,
  PointOfVertex: 7,
  Instances: 8,
  Labels: 10,
  Proxies: 11,
  ProxyWeights: 14,
  MorphStart: 15,
  MorphVertices: 16,
  MorphDeltas: 17,
  Vertices: 20,
  Shares: 21,
  Distances: 22,
  NormalPoints: 23,
  ErrorsBefore: 40,
  ErrorsAfter: 41,
} as const;

/** How a soft selection or a brush fades out. */
export const falloffCurves = ['smooth', 'linear', 'sharp', 'round'] as const;

/** Planes of symmetry; auto: the one that fits. */
export const mirrorPlanes = ['auto', 'x', 'y', 'z'] as const;

/** Begins a drag of the skin: the weights follow. */
export interface WeightDragBegin {
  /** chosen by the page, rising */
  drag: number;
  /** the pose in which it is dragged */
  view: number;
  /** vertex under the pointer */
  lead: number;
  /** of the soft selection, scene units; 0: only the chosen vertices */
  radius: number;
  /** 1: the radius is measured through space, 0: over the surface */
  throughSpace: number;
  /** falloff: index in falloffCurves */
  curve: number;
  /** the selection; empty: only the lead */
  vertices: Uint32Array;
  /** views in which the vertex should stay in place */
  pinnedViews: Uint32Array;
  /** strength of the pinned views, 0 to 1 */
  alpha: number;
  /** where the solution is not unique: 1 few weights change (L1), 0 least squared change (L2) */
  sparse: number;
  /** 1: weights need only sum to 1; a drag that ends with a negative weight is undone */
  negativeWeights: number;
  /** joints that may get weight in addition to the current influences */
  addedJoints: Uint32Array;
  /** of a vertex; 0: unlimited */
  maxInfluences: number;
  /** 1: only joints that move the vertices now, not those near them */
  presentOnly: number;
}
export const WeightDragBeginCode = 16;
export function readWeightDragBegin(r: Reader): WeightDragBegin {
  return {
    drag: r.u32(),
    view: r.u32(),
    lead: r.u32(),
    radius: r.f32(),
    throughSpace: r.u32(),
    curve: r.u32(),
    vertices: r.u32s(),
    pinnedViews: r.u32s(),
    alpha: r.f32(),
    sparse: r.u32(),
    negativeWeights: r.u32(),
    addedJoints: r.u32s(),
    maxInfluences: r.u32(),
    presentOnly: r.u32(),
  };
}
export function writeWeightDragBegin(w: Writer, m: WeightDragBegin): void {
  w.u32(m.drag);
  w.u32(m.view);
  w.u32(m.lead);
  w.f32(m.radius);
  w.u32(m.throughSpace);
  w.u32(m.curve);
  w.u32s(m.vertices);
  w.u32s(m.pinnedViews);
  w.f32(m.alpha);
  w.u32(m.sparse);
  w.u32(m.negativeWeights);
  w.u32s(m.addedJoints);
  w.u32(m.maxInfluences);
  w.u32(m.presentOnly);
}

/** Begins a brush stroke on the weights. */
export interface PaintBegin {
  /** chosen by the page, rising */
  drag: number;
  /** the pose in which it is painted */
  view: number;
  /** scene units; 0: only the vertices under the pointer */
  radius: number;
  /** see PaintOperation */
  operation: number;
  /** the influence that is painted */
  binding: number;
  strength: number;
  /** of a vertex; 0: unlimited */
  maxInfluences: number;
  /** 0: off; otherwise the other side is painted too: 1 + index in mirrorPlanes */
  mirror: number;
}
export const PaintBeginCode = 21;
export function readPaintBegin(r: Reader): PaintBegin {
  return {
    drag: r.u32(),
    view: r.u32(),
    radius: r.f32(),
    operation: r.u32(),
    binding: r.u32(),
    strength: r.f32(),
    maxInfluences: r.u32(),
    mirror: r.u32(),
  };
}
export function writePaintBegin(w: Writer, m: PaintBegin): void {
  w.u32(m.drag);
  w.u32(m.view);
  w.f32(m.radius);
  w.u32(m.operation);
  w.u32(m.binding);
  w.f32(m.strength);
  w.u32(m.maxInfluences);
  w.u32(m.mirror);
}

/** Begins a drag of a handle: the reduced model follows. */
export interface HandleDragBegin {
  /** chosen by the page, rising */
  drag: number;
  handle: number;
}
export const HandleDragBeginCode = 22;
export function readHandleDragBegin(r: Reader): HandleDragBegin {
  return {
    drag: r.u32(),
    handle: r.u32(),
  };
}
export function writeHandleDragBegin(w: Writer, m: HandleDragBegin): void {
  w.u32(m.drag);
  w.u32(m.handle);
}

export interface DragMove {
  drag: number;
  /** in the page's space */
  target: Float32Array;
}
export const DragMoveCode = 17;
export function readDragMove(r: Reader): DragMove {
  return {
    drag: r.u32(),
    target: r.f32s(3),
  };
}
export function writeDragMove(w: Writer, m: DragMove): void {
  w.u32(m.drag);
  w.f32s(m.target, 3);
}

export interface DragEnd {
  drag: number;
  /** 1: commit as one step of undo, 0: restore everything */
  commit: number;
  target: Float32Array;
}
export const DragEndCode = 18;
export function readDragEnd(r: Reader): DragEnd {
  return {
    drag: r.u32(),
    commit: r.u32(),
    target: r.f32s(3),
  };
}
export function writeDragEnd(w: Writer, m: DragEnd): void {
  w.u32(m.drag);
  w.u32(m.commit);
  w.f32s(m.target, 3);
}

/** Local transforms of joints in a view. */
export interface PoseSet {
  view: number;
  /** 1 while a slider or gizmo moves, 0 for the last of a gesture */
  live: number;
  joints: Uint32Array;
  /** x y z w per joint */
  rotations: Float32Array;
  /** x y z per joint */
  translations: Float32Array;
  /** x y z per joint */
  scales: Float32Array;
  /** degrees x y z per joint as shown, or empty: stored with the step */
  angles: Float32Array;
  /** 1: the joints of the other side follow as mirror images */
  mirror: number;
}
export const PoseSetCode = 19;
export function readPoseSet(r: Reader): PoseSet {
  return {
    view: r.u32(),
    live: r.u32(),
    joints: r.u32s(),
    rotations: r.f32s(),
    translations: r.f32s(),
    scales: r.f32s(),
    angles: r.f32s(),
    mirror: r.u32(),
  };
}
export function writePoseSet(w: Writer, m: PoseSet): void {
  w.u32(m.view);
  w.u32(m.live);
  w.u32s(m.joints);
  w.f32s(m.rotations);
  w.f32s(m.translations);
  w.f32s(m.scales);
  w.f32s(m.angles);
  w.u32(m.mirror);
}

/** Samples of a brush stroke; none may be dropped. */
export interface Stroke {
  drag: number;
  /** under the pointer, one per sample */
  vertices: Uint32Array;
  /** 0 to 1, one per sample */
  pressures: Float32Array;
}
export const StrokeCode = 20;
export function readStroke(r: Reader): Stroke {
  return {
    drag: r.u32(),
    vertices: r.u32s(),
    pressures: r.f32s(),
  };
}
export function writeStroke(w: Writer, m: Stroke): void {
  w.u32(m.drag);
  w.u32s(m.vertices);
  w.f32s(m.pressures);
}

/** How one view is drawn. */
export interface Frame {
  view: number;
  /** number of views; frames of new views follow */
  views: number;
  /** 12 per binding of the skin, or per control of the reduced model: rows of world from rest; then those of further instances, in the order of ArrayKind Instances */
  palette: Float32Array;
  /** morph targets whose weight is not 0: number + number of targets x (0 for first instances, 1 + index for a further one) */
  targets: Uint32Array;
  /** of each */
  targetWeights: Float32Array;
  /** vertices of first instances that are displaced after skinning: corrections that are only shown */
  moved: Uint32Array;
  /** x y z of each */
  offsets: Float32Array;
}
export const FrameCode = 32;
export function readFrame(r: Reader): Frame {
  return {
    view: r.u32(),
    views: r.u32(),
    palette: r.f32s(),
    targets: r.u32s(),
    targetWeights: r.f32s(),
    moved: r.u32s(),
    offsets: r.f32s(),
  };
}
export function writeFrame(w: Writer, m: Frame): void {
  w.u32(m.view);
  w.u32(m.views);
  w.f32s(m.palette);
  w.u32s(m.targets);
  w.f32s(m.targetWeights);
  w.u32s(m.moved);
  w.f32s(m.offsets);
}

/** Columns of the skin weights that changed. */
export interface Weights {
  /** the drag in progress, which always sends the same columns; 0: a step */
  drag: number;
  vertices: Uint32Array;
  /** influences of each */
  counts: Uint32Array;
  bindings: Uint32Array;
  weights: Float32Array;
}
export const WeightsCode = 33;
export function readWeights(r: Reader): Weights {
  return {
    drag: r.u32(),
    vertices: r.u32s(),
    counts: r.u32s(),
    bindings: r.u32s(),
    weights: r.f32s(),
  };
}
export function writeWeights(w: Writer, m: Weights): void {
  w.u32(m.drag);
  w.u32s(m.vertices);
  w.u32s(m.counts);
  w.u32s(m.bindings);
  w.f32s(m.weights);
}

/** The reachable set of a vertex in one pose. */
export interface Reach {
  vertex: number;
  view: number;
  /** 1: the view in which it is dragged */
  leads: number;
  /** 0 point, 1 segment, 2 polygon, 3 hull */
  dimension: number;
  /** 1: the whole line, plane or space through the corners, because negative weights are allowed */
  unbounded: number;
  /** where the vertex is */
  position: Float32Array;
  /** target position; in other views the position before the drag */
  target: Float32Array;
  /** between the two */
  distance: number;
  /** one per corner */
  joints: Uint32Array;
  /** x y z per corner */
  corners: Float32Array;
  /** two corners each */
  edges: Uint32Array;
  /** three corners each */
  triangles: Uint32Array;
  /** a joint that would reduce the distance if added, or empty */
  suggested: Uint32Array;
  /** distance with that joint */
  suggestedDistance: number;
  /** per corner: 1 if its joint is near the vertex and has no weight yet */
  offered: Uint32Array;
}
export const ReachCode = 34;
export function readReach(r: Reader): Reach {
  return {
    vertex: r.u32(),
    view: r.u32(),
    leads: r.u32(),
    dimension: r.u32(),
    unbounded: r.u32(),
    position: r.f32s(3),
    target: r.f32s(3),
    distance: r.f32(),
    joints: r.u32s(),
    corners: r.f32s(),
    edges: r.u32s(),
    triangles: r.u32s(),
    suggested: r.u32s(),
    suggestedDistance: r.f32(),
    offered: r.u32s(),
  };
}
export function writeReach(w: Writer, m: Reach): void {
  w.u32(m.vertex);
  w.u32(m.view);
  w.u32(m.leads);
  w.u32(m.dimension);
  w.u32(m.unbounded);
  w.f32s(m.position, 3);
  w.f32s(m.target, 3);
  w.f32(m.distance);
  w.u32s(m.joints);
  w.f32s(m.corners);
  w.u32s(m.edges);
  w.u32s(m.triangles);
  w.u32s(m.suggested);
  w.f32(m.suggestedDistance);
  w.u32s(m.offered);
}

/** Mirror images of the joints of a live PoseSet: local transforms of their partners. */
export interface Followers {
  view: number;
  joints: Uint32Array;
  /** x y z w per joint */
  rotations: Float32Array;
  /** x y z per joint */
  translations: Float32Array;
  /** x y z per joint */
  scales: Float32Array;
}
export const FollowersCode = 35;
export function readFollowers(r: Reader): Followers {
  return {
    view: r.u32(),
    joints: r.u32s(),
    rotations: r.f32s(),
    translations: r.f32s(),
    scales: r.f32s(),
  };
}
export function writeFollowers(w: Writer, m: Followers): void {
  w.u32(m.view);
  w.u32s(m.joints);
  w.f32s(m.rotations);
  w.f32s(m.translations);
  w.f32s(m.scales);
}

/** The state of a posed reduced model. */
export interface Handles {
  /** example weights */
  activations: Float32Array;
  /** per handle, scene units */
  residuals: Float32Array;
  /** per handle, x y z of its vertex */
  reached: Float32Array;
}
export const HandlesCode = 38;
export function readHandles(r: Reader): Handles {
  return {
    activations: r.f32s(),
    residuals: r.f32s(),
    reached: r.f32s(),
  };
}
export function writeHandles(w: Writer, m: Handles): void {
  w.f32s(m.activations);
  w.f32s(m.residuals);
  w.f32s(m.reached);
}

/** A message of the page was handled; the changes were sent before. */
export interface Answer {
  /** of the solve */
  solveMs: number;
  /** the rest of the time since the message arrived */
  queueMs: number;
  /** messages replaced by a newer one since the last answer */
  coalesced: number;
  /** 1: the time budget ended the solve */
  draft: number;
  iterations: number;
}
export const AnswerCode = 39;
export function readAnswer(r: Reader): Answer {
  return {
    solveMs: r.f32(),
    queueMs: r.f32(),
    coalesced: r.u32(),
    draft: r.u32(),
    iterations: r.u32(),
  };
}
export function writeAnswer(w: Writer, m: Answer): void {
  w.f32(m.solveMs);
  w.f32(m.queueMs);
  w.u32(m.coalesced);
  w.u32(m.draft);
  w.u32(m.iterations);
}

/** Of a job, at most 10 a second. */
export interface Progress {
  job: number;
  fraction: number;
  seconds: number;
  /** UTF-8 text */
  stage: Uint8Array;
}
export const ProgressCode = 36;
export function readProgress(r: Reader): Progress {
  return {
    job: r.u32(),
    fraction: r.f32(),
    seconds: r.f32(),
    stage: r.u8s(),
  };
}
export function writeProgress(w: Writer, m: Progress): void {
  w.u32(m.job);
  w.f32(m.fraction);
  w.f32(m.seconds);
  w.u8s(m.stage);
}

export interface History {
  /** steps that can be undone */
  depth: number;
  redo: number;
}
export const HistoryCode = 37;
export function readHistory(r: Reader): History {
  return {
    depth: r.u32(),
    redo: r.u32(),
  };
}
export function writeHistory(w: Writer, m: History): void {
  w.u32(m.depth);
  w.u32(m.redo);
}

/** Begins a sculpting stroke on the posed skin. */
export interface SculptBegin {
  /** chosen by the page, rising */
  drag: number;
  /** the pose in which it is sculpted */
  view: number;
  /** see SculptTool */
  tool: number;
  /** vertex under the pointer */
  lead: number;
  /** scene units; at most the diagonal */
  radius: number;
  /** -1 to 1; a negative one does the inverse */
  strength: number;
  /** 0: off; otherwise the other side is sculpted too: 1 + index in mirrorPlanes */
  mirror: number;
}
export const SculptBeginCode = 23;
export function readSculptBegin(r: Reader): SculptBegin {
  return {
    drag: r.u32(),
    view: r.u32(),
    tool: r.u32(),
    lead: r.u32(),
    radius: r.f32(),
    strength: r.f32(),
    mirror: r.u32(),
  };
}
export function writeSculptBegin(w: Writer, m: SculptBegin): void {
  w.u32(m.drag);
  w.u32(m.view);
  w.u32(m.tool);
  w.u32(m.lead);
  w.f32(m.radius);
  w.f32(m.strength);
  w.u32(m.mirror);
}

/** Vertices that a sculpting stroke has moved. */
export interface Sculpted {
  /** the grab in progress, which always sends the same vertices; 0: a brush */
  drag: number;
  view: number;
  vertices: Uint32Array;
  /** x y z of each, as in Frame */
  offsets: Float32Array;
}
export const SculptedCode = 40;
export function readSculpted(r: Reader): Sculpted {
  return {
    drag: r.u32(),
    view: r.u32(),
    vertices: r.u32s(),
    offsets: r.f32s(),
  };
}
export function writeSculpted(w: Writer, m: Sculpted): void {
  w.u32(m.drag);
  w.u32(m.view);
  w.u32s(m.vertices);
  w.f32s(m.offsets);
}

/** What the pose of a view is to the examples, and how those of the learned model count there. */
export interface Activations {
  view: number;
  /** per example of the model, the first is rest; none before a model is learned */
  weights: Float32Array;
  /** the nearest of them */
  nearest: number;
  /** to it, in pose coordinates */
  distance: number;
  /** 1 near the examples, less beyond them */
  fade: number;
  /** on the map of the pose space */
  place: Float32Array;
  /** 1 + number of the example of the document that has this pose; 0: none */
  example: number;
  /** 1: the sculpt in progress has this pose */
  sculpted: number;
}
export const ActivationsCode = 41;
export function readActivations(r: Reader): Activations {
  return {
    view: r.u32(),
    weights: r.f32s(),
    nearest: r.u32(),
    distance: r.f32(),
    fade: r.f32(),
    place: r.f32s(2),
    example: r.u32(),
    sculpted: r.u32(),
  };
}
export function writeActivations(w: Writer, m: Activations): void {
  w.u32(m.view);
  w.f32s(m.weights);
  w.u32(m.nearest);
  w.f32(m.distance);
  w.f32(m.fade);
  w.f32s(m.place, 2);
  w.u32(m.example);
  w.u32(m.sculpted);
}

/** How the re-read file of Export is drawn; as Frame. */
export interface ExportFrame {
  palette: Float32Array;
  targets: Uint32Array;
  targetWeights: Float32Array;
}
export const ExportFrameCode = 60;
export function readExportFrame(r: Reader): ExportFrame {
  return {
    palette: r.f32s(),
    targets: r.u32s(),
    targetWeights: r.f32s(),
  };
}
export function writeExportFrame(w: Writer, m: ExportFrame): void {
  w.f32s(m.palette);
  w.u32s(m.targets);
  w.f32s(m.targetWeights);
}

/** How the skin that Fit learned is drawn in a view, as Frame. */
export interface FitFrame {
  view: number;
  views: number;
  palette: Float32Array;
  targets: Uint32Array;
  targetWeights: Float32Array;
}
export const FitFrameCode = 48;
export function readFitFrame(r: Reader): FitFrame {
  return {
    view: r.u32(),
    views: r.u32(),
    palette: r.f32s(),
    targets: r.u32s(),
    targetWeights: r.f32s(),
  };
}
export function writeFitFrame(w: Writer, m: FitFrame): void {
  w.u32(m.view);
  w.u32(m.views);
  w.f32s(m.palette);
  w.u32s(m.targets);
  w.f32s(m.targetWeights);
}

/** Every message of the server, by its code. */
export type ServerMessage =
  | { code: typeof FrameCode; body: Frame }
  | { code: typeof WeightsCode; body: Weights }
  | { code: typeof ReachCode; body: Reach }
  | { code: typeof FollowersCode; body: Followers }
  | { code: typeof HandlesCode; body: Handles }
  | { code: typeof AnswerCode; body: Answer }
  | { code: typeof ProgressCode; body: Progress }
  | { code: typeof HistoryCode; body: History }
  | { code: typeof SculptedCode; body: Sculpted }
  | { code: typeof ActivationsCode; body: Activations }
  | { code: typeof ExportFrameCode; body: ExportFrame }
  | { code: typeof FitFrameCode; body: FitFrame };

export function readServerMessage(code: number, r: Reader): ServerMessage | undefined {
  switch (code) {
    case FrameCode:
      return { code, body: readFrame(r) };
    case WeightsCode:
      return { code, body: readWeights(r) };
    case ReachCode:
      return { code, body: readReach(r) };
    case FollowersCode:
      return { code, body: readFollowers(r) };
    case HandlesCode:
      return { code, body: readHandles(r) };
    case AnswerCode:
      return { code, body: readAnswer(r) };
    case ProgressCode:
      return { code, body: readProgress(r) };
    case HistoryCode:
      return { code, body: readHistory(r) };
    case SculptedCode:
      return { code, body: readSculpted(r) };
    case ActivationsCode:
      return { code, body: readActivations(r) };
    case ExportFrameCode:
      return { code, body: readExportFrame(r) };
    case FitFrameCode:
      return { code, body: readFitFrame(r) };
    default:
      return undefined;
  }
}

/** Of queued messages of the page with the same code and key only the newest is kept; those without a key are all kept. */
export function newestKey(code: number, body: unknown): number | undefined {
  switch (code) {
    case DragMoveCode:
      return (body as DragMove).drag;
    case PoseSetCode:
      return (body as PoseSet).live === 0 ? undefined : (body as PoseSet).view;
    default:
      return undefined;
  }
}
