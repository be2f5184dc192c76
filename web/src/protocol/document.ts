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
  /** Of a helper joint: its rule as a sentence. */
  rule?: string;
}

export interface HandleInfo {
  vertex: number;
  target: [number, number, number];
  pinned: boolean;
  strength: number;
}

export interface DocumentInfo {
  open: boolean;
  /** Increases with every document that is opened; unchanged by edits and saving. */
  number: number;
  title: string;
  path: string;
  saved: boolean;
  vertices: number;
  triangles: number;
  /** Further instances of meshes that are drawn besides the first ones. */
  instances: number;
  skinned: boolean;
  maxInfluences: number;
  joints: Joint[];
  /** Left and right; `fault` if the character has no mirror plane. */
  mirror?: { axis?: string; /** Per joint, or -1. */ partners?: number[]; fault?: string };
  /** The joint of each binding. */
  bindings: number[];
  clips: { index: number; name: string; seconds: number; /** Times of its keys, ascending. */ times?: number[] }[];
  /** Local transforms of all joints, per view. */
  views: Transform[][];
  /** Of the morph targets, per view. */
  morphWeights: number[][];
  /** Per view: joint, and x, y, z in degrees as typed. */
  angles?: [number, number, number, number][][];
  savedPoses: string[];
  locks: string[];
  handles: HandleInfo[];
  keys: { time: number; handles: number; smooth: boolean }[];
  centre: [number, number, number];
  diagonal: number;
  problems: string[];
  history: { depth: number; redo: number; names: string[] };
  /** This document and related ones: a character and the models learned from it. */
  beside: { what: string; title: string; current: boolean }[];
  /** Names; `morphs` is empty where no morph target is drawn. */
  blobs: { mesh: string; weights: string; morphs: string };
  reduced?: { controls: number; proxies: number; examples: string[]; rigid: boolean };
}
