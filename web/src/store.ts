// What the page knows: the server's document, and its own settings. Signals, so that one number can change without the
// rest being drawn anew.
import { batch, computed, effect, signal, type Signal } from '@preact/signals';

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
  /** Left and right, found by the server: per joint its partner, or -1; `fault` where the body has no plane of symmetry. */
  mirror?: { axis?: string; partners?: number[]; fault?: string };
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

export type ModeName = 'pose' | 'correct' | 'weights' | 'fit' | 'handles' | 'export';
export type LinkState = 'connecting' | 'open' | 'reconnecting' | 'closed' | 'refused' | 'takenOver';

export interface ErrorCard {
  text: string;
  hint: string;
  /** A verdict for each file. */
  rows?: { name: string; ok: boolean; text: string }[];
  /** One sentence each. */
  notes?: string[];
  actions?: { label: string; run: () => void }[];
  /** Something to know, not a failure. */
  calm?: boolean;
}

/** Counts the documents that came to this page. */
export const documentNumber = signal(0);
const resets: (() => void)[] = [];

/** A signal that belongs to one document (a selection, a moment of a clip, a message): the next one begins with `first`. */
export function perDocument<Value>(first: Value): Signal<Value> {
  const made = signal(first);
  resets.push(() => (made.value = first));
  return made;
}

/** For what is no signal. */
export function onNewDocument(reset: () => void): void {
  resets.push(reset);
}

interface Kept {
  name: string;
  get: () => unknown;
  put: (value: unknown) => void;
}
const keptSignals: Kept[] = [];

/** A setting that a document has again after a reload of the page; others begin as the page is set then. */
export function keptOfDocument<Value>(name: string, made: Signal<Value>, accepts: (value: unknown) => boolean): Signal<Value> {
  keptSignals.push({ name, get: () => made.value, put: (value) => accepts(value) && (made.value = value as Value) });
  return made;
}

export const isSwitch = (value: unknown) => typeof value === 'boolean';

/** Storage of this tab, which may be switched off. */
const keyOf = (info: DocumentInfo) => `sinew-of:${info.path}|${info.title}`;

/** After the document came. */
export function restoreOfDocument(): void {
  const info = document_.peek();
  if (info?.open !== true) return;
  try {
    const values = JSON.parse(sessionStorage.getItem(keyOf(info)) ?? '{}') as Record<string, unknown>;
    for (const one of keptSignals) one.put(values[one.name]);
  } catch {
    // Nothing was kept.
  }
}

/** Returns how to stop. */
export function keepOfDocument(): () => void {
  return effect(() => {
    const info = document_.value;
    const values = JSON.stringify(Object.fromEntries(keptSignals.map((one) => [one.name, one.get()])));
    if (info?.open !== true) return;
    try {
      sessionStorage.setItem(keyOf(info), values);
    } catch {
      // Nothing is kept, and nothing breaks.
    }
  });
}

export function beginDocument(): void {
  batch(() => {
    documentNumber.value += 1;
    for (const reset of resets) reset();
  });
}

export const link = signal<LinkState>('connecting');
export const linkAttempt = signal(0);
export const document_ = signal<DocumentInfo | undefined>(undefined);
export const mode = keptOfDocument('mode', signal<ModeName>('pose'), (value) => ['pose', 'weights', 'handles'].includes(value as string));
export const viewCount = signal(1);
export const activeView = perDocument(0);
/** Local transforms as the page shows them: ahead of the server's while a slider moves. */
export const poses = perDocument<Transform[][]>([]);
/** Degrees as they were asked for, by joint, per view: as the server keeps them with its steps. */
export const toldAngles = perDocument<Map<number, [number, number, number]>[]>([]);
export const selectedJoint = keptOfDocument('joint', perDocument<number | undefined>(undefined), (value) => Number.isInteger(value) && document_.peek()?.joints[value as number] !== undefined);
export const selectedVertices = perDocument<number[]>([]);
export const theme = signal<'dark' | 'light'>('dark');
export const errorCard = perDocument<ErrorCard | undefined>(undefined);
export const notice = perDocument('');
export const job = signal<{ id: number; what: string; fraction: number; stage: string; seconds: number; cancel?: () => void } | undefined>(undefined);
export const numbers = perDocument({ solveMs: 0, roundTripMs: 0, dropped: 0, undo: 0, redo: 0, iterations: 0, draft: false });
export type PanelName = 'left' | 'right' | 'dock';
export const panels = signal({ left: true, right: true, dock: true });
/** Pixels. */
export const panelSizes = signal<Record<PanelName, number>>({ left: 260, right: 320, dock: 180 });
/** Orthographic instead of perspective. */
export const parallel = signal(false);
/** How the mouse moves the view, and whether single letters are keys. */
export const navigation = signal<'default' | 'blender'>('default');
export const letterKeys = signal(true);
/** While frames are drawn. */
export const framesPerSecond = signal<number | undefined>(undefined);
/** Counts meshes that came to the stage. */
export const meshLoads = signal(0);
/** The graphics context was lost: the last picture stays until it is back. */
export const gpuLost = signal(false);
export const testHooks = signal(false);

export const isOpen = computed(() => document_.value?.open === true);
