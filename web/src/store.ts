// What the page knows: the server's document, and its own settings. Signals, so that one number can change without the
// rest being drawn anew.
import { computed, signal } from '@preact/signals';

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
  savedPoses: string[];
  locks: string[];
  handles: HandleInfo[];
  keys: { time: number; handles: number; smooth: boolean }[];
  centre: [number, number, number];
  diagonal: number;
  problems: string[];
  history: { depth: number; redo: number; names: string[] };
  blobs: { mesh: string; weights: string };
  reduced?: { controls: number; proxies: number; examples: string[]; rigid: boolean };
}

export type ModeName = 'pose' | 'correct' | 'weights' | 'fit' | 'handles' | 'export';
export type LinkState = 'connecting' | 'open' | 'reconnecting' | 'closed' | 'refused' | 'takenOver';

export interface ErrorCard {
  text: string;
  hint: string;
  /** A verdict for each file. */
  rows?: { name: string; ok: boolean; text: string }[];
  actions?: { label: string; run: () => void }[];
  /** Something to know, not a failure. */
  calm?: boolean;
}

export const link = signal<LinkState>('connecting');
export const linkAttempt = signal(0);
export const document_ = signal<DocumentInfo | undefined>(undefined);
export const mode = signal<ModeName>('pose');
export const viewCount = signal(1);
export const activeView = signal(0);
/** Local transforms as the page shows them: ahead of the server's while a slider moves. */
export const poses = signal<Transform[][]>([]);
export const selectedJoint = signal<number | undefined>(undefined);
export const selectedVertices = signal<number[]>([]);
export const theme = signal<'dark' | 'light'>('dark');
export const errorCard = signal<ErrorCard | undefined>(undefined);
export const notice = signal('');
export const job = signal<{ id: number; what: string; fraction: number; stage: string; seconds: number; cancel?: () => void } | undefined>(undefined);
export const numbers = signal({ solveMs: 0, roundTripMs: 0, dropped: 0, undo: 0, redo: 0, iterations: 0, draft: false });
export type PanelName = 'left' | 'right' | 'dock';
export const panels = signal({ left: true, right: true, dock: true });
/** Pixels. */
export const panelSizes = signal<Record<PanelName, number>>({ left: 260, right: 320, dock: 180 });
/** Parallel rays instead of perspective. */
export const parallel = signal(false);
/** How the mouse moves the view, and whether single letters are keys. */
export const navigation = signal<'default' | 'blender'>('default');
export const letterKeys = signal(true);
/** While frames are drawn. */
export const framesPerSecond = signal<number | undefined>(undefined);
/** Counts meshes that came to the stage. */
export const meshLoads = signal(0);
/** The GPU forgot everything: the last picture stays until it is back. */
export const gpuLost = signal(false);
export const testHooks = signal(false);

export const isOpen = computed(() => document_.value?.open === true);
