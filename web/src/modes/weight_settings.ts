// What the mode Weights is set to, and what it last heard of the server. Panels, gestures and overlays all read it here.
import { computed, signal } from '@preact/signals';
import { falloffCurves, mirrorPlanes, type Reach } from '../protocol/messages';
import { stage as liveStage } from '../client';
import { colourGroups, touchingGroups } from '../render/colours';
import { document_, documentNumber, meshLoads, perDocument } from '../store';
import { operations } from './paint_stroke';

export type WeightTool = 'drag' | 'box' | 'lasso' | 'paint';
export const tool = signal<WeightTool>('drag');
/** Boxes, lassos and brushes reach through the surface. */
export const xray = signal(false);

// Dragging.
export const pins = perDocument<number[]>([]);
/** How much the pinned poses count, 0 to 1. */
export const alpha = signal(1);
export const leastSum = signal(false);
export const negative = signal(false);
/** Max influences of a vertex; 0: unlimited. */
export const cap = signal(0);

// Soft selection. Radii are shares of the character's diagonal.
export const softOn = signal(false);
export const softShare = signal(0.05);
export const volume = signal(false);
export const curveNames = falloffCurves;
export const curve = signal(0);
/** Points that would follow, as the server counts them; undefined where nothing is shown. */
export const followers = perDocument<number | undefined>(undefined);

// Painting.
export const operation = signal(0);
export const strengths = signal(operations.map((one) => one.strength[2]));
export const brushShare = signal(0.06);
export const mirrorBrush = signal(false);
/** Across which plane brushes and the tool mirror. */
export const mirrorAxes = mirrorPlanes;
export const mirrorAxis = signal<(typeof mirrorAxes)[number]>('auto');
/** Why the last stroke did less than it was told to. */
export const heldBack = perDocument('');

export const shareLimits = { least: 0.002, most: 0.5 };
export const limitedShare = (share: number) => Math.min(shareLimits.most, Math.max(shareLimits.least, share));
export const sceneUnits = (share: number) => share * (document_.value?.diagonal ?? 1);

export const shownBinding = perDocument<number | undefined>(undefined);
/** Counts changes of weights, so that tables follow. */
export const columns = signal(0);

/** Of the lead vertex, by view. */
export const reaches = perDocument<ReadonlyMap<number, Reach>>(new Map());
/** While the skin is dragged: where the hand wants the vertex, ahead of the server. */
export const handTarget = perDocument<{ view: number; place: [number, number, number] } | undefined>(undefined);
/** The vertex under the pointer, while nothing is dragged. */
export const hovered = perDocument<{ vertex: number; view: number; place: [number, number, number] } | undefined>(undefined);

let coloured: { document: number; colours: Uint8Array } | undefined;

/** Joints in colours that differ where their regions meet on the skin, and between parents and children. They stay while the weights change, as long as that holds. */
export const jointColours = computed(() => {
  void meshLoads.value;
  const joints = document_.peek()?.joints ?? [];
  const bindings = document_.peek()?.bindings ?? [];
  const families = joints.flatMap((joint, j): [number, number][] => (joint.parent >= 0 ? [[j, joint.parent]] : []));
  const influences = liveStage?.deformer?.influences;
  const mesh = liveStage?.topology;
  const largest = (v: number) => bindings[influences?.column(v)[0]?.binding ?? -1] ?? -1;
  const meeting = influences === undefined || mesh === undefined ? [] : touchingGroups(mesh.triangles, mesh.points, cached(mesh.points.length, largest));
  const pairs = [...families, ...meeting];
  const same = coloured?.document === documentNumber.peek() && coloured.colours.length === joints.length;
  if (!same || pairs.some(([a, b]) => coloured?.colours[a] === coloured?.colours[b])) coloured = { document: documentNumber.peek(), colours: colourGroups(joints.length, pairs) };
  return coloured?.colours ?? new Uint8Array();
});

/** Asked once per vertex. */
function cached(count: number, of: (v: number) => number): (v: number) => number {
  const known = Int32Array.from({ length: count }, (_, v) => of(v));
  return (v) => known[v];
}

export const bindingColours = computed(() => Uint8Array.from((document_.value?.bindings ?? []).map((joint) => jointColours.value[joint] ?? 7)));

export const jointName = (joint: number) => document_.value?.joints[joint]?.name ?? `joint ${joint}`;

/** What a set of places is called. */
export function reachWords(reach: Reach): string {
  if (reach.joints.length === 0) return 'a point: all its joints are locked';
  if (reach.unbounded === 1) return ['a point', 'a whole line (weights below 0 allowed)', 'a whole plane (weights below 0 allowed)', 'anywhere (weights below 0 allowed)'][reach.dimension];
  if (reach.dimension === 2) return reach.edges.length / 2 === 3 ? 'a triangle' : 'a flat polygon';
  return ['a point', 'a segment', '', 'a hull'][reach.dimension];
}

/** Lengths in scene units, as labels write them. */
export const lengthText = (length: number) => (length < 1e-7 * (document_.value?.diagonal ?? 1) ? '0' : length.toPrecision(3));
