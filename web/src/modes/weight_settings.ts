// What the mode Weights is set to, and what it last heard of the server. Panels, gestures and overlays all read it here.
import { computed, signal } from '@preact/signals';
import type { Reach } from '../protocol/messages';
import { colourGroups } from '../render/colours';
import { document_ } from '../store';
import { operations } from './paint_stroke';

export type WeightTool = 'drag' | 'box' | 'lasso' | 'paint';
export const tool = signal<WeightTool>('drag');
/** Boxes, lassos and brushes reach through the surface. */
export const xray = signal(false);

// Dragging.
export const pins = signal<number[]>([]);
/** How much the pinned poses count, 0 to 1. */
export const alpha = signal(1);
export const leastSum = signal(false);
export const negative = signal(false);
/** Influences of a vertex at most; 0: any number. */
export const cap = signal(0);

// Soft selection. Radii are shares of the character's diagonal.
export const softOn = signal(false);
export const softShare = signal(0.05);
export const volume = signal(false);
export const curveNames = ['smooth', 'linear', 'sharp', 'round'] as const;
export const curve = signal(0);
/** Points that would follow, as the server counts them; undefined where nothing is shown. */
export const followers = signal<number | undefined>(undefined);

// Painting.
export const operation = signal(0);
export const strengths = signal(operations.map((one) => one.strength[2]));
export const brushShare = signal(0.06);
export const mirrorBrush = signal(false);
/** Across which plane brushes and the tool mirror. */
export const mirrorAxes = ['auto', 'x', 'y', 'z'] as const;
export const mirrorAxis = signal<(typeof mirrorAxes)[number]>('auto');
/** Why the last stroke did less than it was told to. */
export const heldBack = signal('');

export const shareLimits = { least: 0.002, most: 0.5 };
export const limitedShare = (share: number) => Math.min(shareLimits.most, Math.max(shareLimits.least, share));
export const sceneUnits = (share: number) => share * (document_.value?.diagonal ?? 1);

export const shownBinding = signal<number | undefined>(undefined);
/** Counts changes of weights, so that tables follow. */
export const columns = signal(0);

/** Of the lead vertex, by view. */
export const reaches = signal<ReadonlyMap<number, Reach>>(new Map());
/** While the skin is dragged: where the hand wants the vertex, ahead of the server. */
export const handTarget = signal<{ view: number; place: [number, number, number] } | undefined>(undefined);
/** The vertex under the pointer, while nothing is dragged. */
export const hovered = signal<{ vertex: number; view: number; place: [number, number, number] } | undefined>(undefined);

/** Joints in colours in which parents and children differ. */
export const jointColours = computed(() => {
  const joints = document_.value?.joints ?? [];
  return colourGroups(
    joints.length,
    joints.flatMap((joint, j): [number, number][] => (joint.parent >= 0 ? [[j, joint.parent]] : [])),
  );
});

export const bindingColours = computed(() => Uint8Array.from((document_.value?.bindings ?? []).map((joint) => jointColours.value[joint] ?? 7)));

export const jointName = (joint: number) => document_.value?.joints[joint]?.name ?? `joint ${joint}`;

/** What a set of places is called. */
export function reachWords(reach: Reach): string {
  if (reach.joints.length === 0) return 'a point: all its joints are locked';
  if (reach.span === 1) return ['a point', 'a whole line (weights below 0 allowed)', 'a whole plane (weights below 0 allowed)', 'anywhere (weights below 0 allowed)'][reach.dimension];
  if (reach.dimension === 2) return reach.edges.length / 2 === 3 ? 'a triangle' : 'a flat polygon';
  return ['a point', 'a segment', '', 'a hull'][reach.dimension];
}

/** Lengths in scene units, as labels write them. */
export const lengthText = (length: number) => (length < 1e-7 * (document_.value?.diagonal ?? 1) ? '0' : length.toPrecision(3));
