// The document as the server describes it in JSON.

export interface Transform {
  translation: [number, number, number];
  rotation: [number, number, number, number];
  scale: [number, number, number];
}

export interface Joint {
  name: string;
  parent: number;
  rest: Transform;
  /** What a helper joint does, for people. */
  rule?: string;
}

/** How the partner of a joint follows it: rotation' = above rotation own^-1, translation' = rest' - above (translation - rest). */
export interface JointMirror {
  /** -1: none. */
  partner: number;
  above: [number, number, number, number];
  own: [number, number, number, number];
}

export interface HandleInfo {
  vertex: number;
  target: [number, number, number];
  pinned: boolean;
  strength: number;
}

export interface DocumentInfo {
  open: boolean;
  /** Counts what was opened: the same while one document is edited and saved. */
  number: number;
  title: string;
  path: string;
  saved: boolean;
  vertices: number;
  triangles: number;
  skinned: boolean;
  maxInfluences: number;
  joints: Joint[];
  /** Left and right, found by the server; `fault` where the body has no plane of symmetry. */
  mirror?: { axis?: string; joints?: JointMirror[]; fault?: string };
  /** The joint of every binding. */
  bindings: number[];
  clips: { index: number; name: string; seconds: number; /** Of its keys, ascending. */ times?: number[] }[];
  /** Local transforms of all joints, per view. */
  views: Transform[][];
  /** Per view: joint, and degrees x, y, z as they were asked for. */
  angles?: [number, number, number, number][][];
  savedPoses: string[];
  locks: string[];
  handles: HandleInfo[];
  keys: { time: number; handles: number; smooth: boolean }[];
  centre: [number, number, number];
  diagonal: number;
  problems: string[];
  history: { depth: number; redo: number; names: string[] };
  /** This document and those that belong to it: a character and the models learned from it. */
  beside: { what: string; title: string; current: boolean }[];
  blobs: { mesh: string; weights: string };
  reduced?: { controls: number; proxies: number; examples: string[]; rigid: boolean };
}
