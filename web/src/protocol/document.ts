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
}
