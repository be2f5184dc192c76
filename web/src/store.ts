// The state of the page: the server's document and the page's own settings, as signals.
import { batch, computed, effect, signal, type Signal } from '@preact/signals';
import type { DocumentInfo, Transform } from './protocol/document';

export type LinkState = 'connecting' | 'open' | 'reconnecting' | 'closed' | 'refused' | 'takenOver';

export interface ErrorCard {
  text: string;
  hint: string;
  /** The result for each file. */
  rows?: { name: string; ok: boolean; text: string }[];
  /** One sentence each. */
  notes?: string[];
  actions?: { label: string; run: () => void }[];
  /** A note, not a failure. */
  calm?: boolean;
}

/** Increases with every document that this page shows. */
export const documentNumber = signal(0);
const resets: (() => void)[] = [];

/** A signal that belongs to one document (a selection, the time of a clip, a message): reset to `first` for the next one. */
export function perDocument<Value>(first: Value): Signal<Value> {
  const made = signal(first);
  resets.push(() => (made.value = first));
  return made;
}

/** For state that is not a signal. */
export function onNewDocument(reset: () => void): void {
  resets.push(reset);
}

interface Kept {
  name: string;
  get: () => unknown;
  put: (value: unknown) => void;
}
const keptSignals: Kept[] = [];

/** A setting that is stored per document, for as long as the tab is open, and restored after a reload. */
export function keptOfDocument<Value>(name: string, made: Signal<Value>, accepts: (value: unknown) => boolean): Signal<Value> {
  keptSignals.push({ name, get: () => made.value, put: (value) => accepts(value) && (made.value = value as Value) });
  return made;
}

export const isSwitch = (value: unknown) => typeof value === 'boolean';

/** In the session storage of the tab, which may be disabled. */
const keyOf = (info: DocumentInfo) => `sinew-of:${info.path}|${info.title}`;

/** Whether settings of the shown document were restored. */
export const restored = signal(false);

/** Call it once the document is set. */
export function restoreOfDocument(): void {
  const info = document_.peek();
  if (info?.open !== true) return;
  restored.value = false;
  try {
    const stored = sessionStorage.getItem(keyOf(info));
    restored.value = stored !== null;
    const values = JSON.parse(stored ?? '{}') as Record<string, unknown>;
    for (const one of keptSignals) one.put(values[one.name]);
  } catch {
    // Storage is disabled, or its content is damaged.
  }
}

/** Returns a function that stops it. */
export function keepOfDocument(): () => void {
  return effect(() => {
    const info = document_.value;
    const values = JSON.stringify(Object.fromEntries(keptSignals.map((one) => [one.name, one.get()])));
    if (info?.open !== true) return;
    try {
      sessionStorage.setItem(keyOf(info), values);
    } catch {
      // Storage is disabled or full.
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
export const viewCount = signal(1);
/** A mode shows one view with another character beside it (Stage.setBeside), and names both itself. */
export const besideShown = signal(false);
export const activeView = perDocument(0);
/** Local transforms as shown, which may be ahead of the server during a gesture. */
export const poses = perDocument<Transform[][]>([]);
/** Of the morph targets, per view; without those that imitate learned corrections. */
export const morphWeights = perDocument<number[][]>([]);
/** Per view and joint: angles in degrees as typed, which the server stores with the step. */
export const typedAngles = perDocument<Map<number, [number, number, number]>[]>([]);
export const selectedJoint = keptOfDocument('joint', perDocument<number | undefined>(undefined), (value) => Number.isInteger(value) && document_.peek()?.joints[value as number] !== undefined);
export const selectedVertices = perDocument<number[]>([]);
export const theme = signal<'dark' | 'light'>('dark');
export const errorCard = perDocument<ErrorCard | undefined>(undefined);
export const notice = perDocument('');
/** A button beside the notice with this text. */
export const noticeAction = perDocument<{ of: string; label: string; run: () => unknown } | undefined>(undefined);

export function noticeWith(text: string, label: string, run: () => unknown): void {
  noticeAction.value = { of: text, label, run };
  notice.value = text;
}

/** `kind` as the server names it, of a job that began before the page was loaded. */
export const job = signal<{ id: number; what: string; kind?: string; fraction: number; stage: string; seconds: number; cancel?: () => void } | undefined>(undefined);
export const numbers = perDocument({ solveMs: 0, roundTripMs: 0, dropped: 0, undo: 0, redo: 0, iterations: 0, draft: false });
export type PanelName = 'left' | 'right' | 'dock';
export const panels = signal({ left: true, right: true, dock: true });
/** Of the window, in pixels of the page: smaller when zoomed. */
export const windowSize = signal({ width: 1280, height: 800 });
/** In pixels. */
export const panelSizes = signal<Record<PanelName, number>>({ left: 260, right: 320, dock: 180 });
/** Orthographic instead of perspective. */
export const orthographic = signal(false);
/** Mouse navigation, and whether single letters are shortcuts. */
export const navigation = signal<'default' | 'blender'>('default');
export const letterKeys = signal(true);
/** Shown digits after the point. */
export const angleDecimals = signal(2);
export const weightDecimals = signal(4);
/** Undefined while nothing is drawn. */
export const framesPerSecond = signal<number | undefined>(undefined);
/** Increases with every mesh that is loaded. */
export const meshLoads = signal(0);
/** The graphics context is lost; the last image stays until it is restored. */
export const gpuLost = signal(false);
export const testHooks = signal(false);

export const isOpen = computed(() => document_.value?.open === true);
