// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.

/** A local transform. */
export interface Transform {
  translation: [number, number, number];
  /** x y z w */
  rotation: [number, number, number, number];
  scale: [number, number, number];
}

export interface Joint {
  name: string;
  /** -1: none */
  parent: number;
  rest: Transform;
  /** of a helper joint: its rule as a sentence */
  rule?: string;
}

/** Left and right of the skeleton. */
export interface MirrorInfo {
  axis?: string;
  /** per joint, or -1 */
  partners?: number[];
  /** why the character has no mirror plane */
  fault?: string;
}

export interface ClipInfo {
  index: number;
  name: string;
  seconds: number;
  /** of its keys, ascending; empty if there are too many */
  times: number[];
}

export interface HandleInfo {
  vertex: number;
  target: [number, number, number];
  pinned: boolean;
  /** 0: exact */
  strength: number;
}

/** A key of a reduced model. */
export interface KeyInfo {
  /** seconds */
  time: number;
  /** their number */
  handles: number;
  smooth: boolean;
}

export interface HistoryInfo {
  /** steps that can be undone */
  depth: number;
  redo: number;
  /** of all steps, from the oldest, undone ones too */
  names: string[];
}

/** A character, or a model learned from it. */
export interface RelatedInfo {
  /** its name in the command `open` */
  what: string;
  title: string;
  current: boolean;
}

export interface BlobNames {
  mesh: string;
  weights: string;
  /** empty: no morph target is drawn */
  morphs: string;
}

export interface ReducedInfo {
  controls: number;
  proxies: number;
  examples: string[];
  rigid: boolean;
}

/** An option of learning. */
export interface OptionField {
  name: string;
  help: string;
  unit: string;
  /** choice, switch, number or whole */
  kind: string;
  /** its default */
  value: string;
  /** of a choice */
  values: string[];
  least?: number;
  most?: number;
}

/** Errors are in percent of the diagonal. */
export interface LearnedExample {
  name: string;
  /** of plain skin */
  before: number;
  /** of the learned model */
  after: number;
  /** of the model without this example */
  leaveOneOut: number;
  /** distance of the nearest other example */
  nearest: number;
  nearestName: string;
}

/** A pose that should be sculpted next. */
export interface HintInfo {
  between: string;
  /** predicted, in percent of the diagonal */
  error: number;
  /** on the map of the pose space */
  place: [number, number];
}

export interface ExampleInfo {
  name: string;
  /** changes with its points */
  shape: string;
  confidence: number;
}

export interface DriverInfo {
  /** or a morph target */
  joint: string;
  weight: number;
}

/** The examples of the document: poses, and how the skin should look there. */
export interface ExamplesInfo {
  examples: ExampleInfo[];
  /** empty: chosen from what the examples move */
  drivers: DriverInfo[];
  /** in progress; it has the name of the example that it changes, or none */
  sculpt?: ExampleInfo;
  /** examples that can be opened with the document: an examples file beside it, or the sample's sculpts; empty: there are none */
  offered: string;
}

/** A part of the mesh: a primitive of the file. */
export interface PartInfo {
  name: string;
  firstVertex: number;
  vertices: number;
}

/** A morph target. */
export interface MorphInfo {
  name: string;
  /** it imitates learned corrections: its weight follows the pose */
  learned: boolean;
}

/** The open document; without one, the server sends only `open`. */
export interface DocumentInfo {
  open: boolean;
  /** increases with every document that is opened; unchanged by edits and saving */
  number: number;
  title: string;
  path: string;
  saved: boolean;
  vertices: number;
  triangles: number;
  /** further instances of meshes that are drawn in addition to the first ones */
  instances: number;
  skinned: boolean;
  maxInfluences: number;
  joints: Joint[];
  mirror: MirrorInfo;
  /** the joint of each binding */
  bindings: number[];
  clips: ClipInfo[];
  /** local transforms of all joints, per view */
  views: Transform[][];
  /** of the morph targets, per view */
  morphWeights: number[][];
  /** per view: joint, and x, y, z in degrees as typed */
  angles: [number, number, number, number][][];
  savedPoses: string[];
  /** names of locked joints */
  locks: string[];
  handles: HandleInfo[];
  keys: KeyInfo[];
  /** of the rest shape: the origin of the page's space */
  centre: [number, number, number];
  /** of the bounding box of the rest shape */
  diagonal: number;
  problems: string[];
  history: HistoryInfo;
  /** this document and related ones; empty if there are none */
  beside: RelatedInfo[];
  blobs: BlobNames;
  reduced?: ReducedInfo;
  examples: ExamplesInfo;
  /** example meshes without a skin, from a folder or a sample */
  onlyExamples: boolean;
  /** of the mesh, in the order of its vertices; empty: it has one */
  parts: PartInfo[];
  morphs: MorphInfo[];
}

/** A task that runs. */
export interface JobInfo {
  job: number;
  /** as the event job names it */
  what: string;
  /** for people; empty: it runs in the background */
  title: string;
  fraction: number;
  seconds: number;
  stage: string;
}

/** Steps of an earlier session. */
export interface Unfinished {
  /** to be given to open */
  what: string;
  /** that are not saved */
  steps: number;
  /** the file has changed since they were made */
  changed: boolean;
  /** which steps could not be read; empty: none */
  damaged: string;
}

export interface SampleInfo {
  name: string;
  description: string;
  joints: number;
  vertices: number;
  /** whether samples/NAME.png is beside the page */
  picture: boolean;
}

export interface FileEntry {
  name: string;
  folder: boolean;
  path: string;
  /** 0 for folders */
  bytes: number;
  /** seconds since 1970 */
  modified: number;
}

/** On a mesh of a folder. */
export interface Verdict {
  name: string;
  ok: boolean;
  text: string;
}

export interface FlatPose {
  /** 10 per joint: translation, rotation x y z w, scale */
  joints: number[];
  /** weights of the morph targets */
  morphs: number[];
}

export interface ExportFormat {
  name: string;
  /** with the dot */
  extension: string;
  /** holds a skin and clips */
  animated: boolean;
}

/** Of a file, played by linear blend and morph targets, from the document. */
export interface ExportDeviation {
  /** scene units */
  max: number;
  /** over all vertices and poses */
  rms: number;
  /** where max is; -1: no vertex */
  vertex: number;
  /** where max is */
  pose: string;
  /** that were compared */
  poses: number;
}

/** The cost of a limit of influences per vertex. */
export interface ExportInfluences {
  /** 0: all */
  most: number;
  /** that have more */
  vertices: number;
  /** scene units */
  max: number;
  /** over the vertices that have more */
  rms: number;
}

/** What a number of morph targets leaves. */
export interface ExportTrade {
  morphs: number;
  /** svd or knots */
  method: string;
  /** of their displacements in the file: as many times the mean of those that it has */
  bytes: number;
  /** against the learned model, scene units */
  rms: number;
  /** the same at poses that were not fitted */
  heldOut: number;
}

/** An option of a fit. */
export interface FitField {
  name: string;
  help: string;
  unit: string;
  /** the default */
  value: string;
  least?: number;
  most?: number;
  /** of a choice */
  choices: string[];
}

/** Distances of vertices from examples, scene units. */
export interface ErrorInfo {
  rms: number;
  p95: number;
  max: number;
  /** that has the largest; -1: none */
  vertex: number;
}

export interface FitExample {
  name: string;
  before: ErrorInfo;
  after: ErrorInfo;
  /** rms of a fit without it */
  leftOut?: number;
}

/** A helper joint that was added. */
export interface FitHelper {
  name: string;
  rule: string;
  /** how much larger the squared error of some example is without it, as a share of its own */
  gain?: number;
}

/** A half-step of a fit. */
export interface FitStepInfo {
  what: string;
  rms: number;
}

/** A skin that was learned and is not kept yet. */
export interface FitResult {
  /** rises with every result */
  number: number;
  /** fit or learn */
  what: string;
  sentence: string;
  /** of the rest shape: errors are shown in percent of it */
  diagonal: number;
  before: ErrorInfo;
  after: ErrorInfo;
  /** rms at examples that were not learned */
  leftOut?: number;
  /** of the character as it was, at those */
  leftOutBefore?: number;
  /** how they were left out */
  heldOutBy: string;
  maxInfluences: number;
  /** joints per vertex */
  meanInfluences: number;
  helpers: FitHelper[];
  /** morph targets that were added */
  morphs: number;
  /** the farthest that a rest vertex moved, diagonals */
  drift: number;
  steps: FitStepInfo[];
  examples: FitExample[];
  warnings: string[];
  blobs: BlobNames;
}

/** A stage of the triage, on top of the ones before. */
export interface FitStageInfo {
  name: string;
  /** percent of the diagonal, as all errors here */
  rms: number;
  leftOut: number;
  examples: number[];
  joints: number;
  morphs: number;
  bytes: number;
}

export interface FitTriage {
  /** names */
  examples: string[];
  stages: FitStageInfo[];
  advice: string;
}

/** A way to make a skin within a budget. */
export interface FitChoice {
  name: string;
  /** rms at examples that were left out, percent of the diagonal */
  error: number;
  /** measured at some of them only */
  partly: boolean;
  influences: number;
  helpers: number;
  morphs: number;
  bytes: number;
  nanoseconds: number;
  /** within the budget */
  fits: boolean;
  /** nothing cheaper is as good */
  front: boolean;
  chosen: boolean;
}

/** The state of Fit. */
export interface FitInfo {
  result?: FitResult;
  triage?: FitTriage;
  /** of the last budget */
  choices: FitChoice[];
}
