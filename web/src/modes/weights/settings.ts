// Settings of the mode Weights and its last results from the server, shared by panels, gestures and overlays.
import { computed, effect, signal } from '@preact/signals';
import { stage as liveStage } from '../../client';
import { falloffCurves, mirrorPlanes, type Reach } from '../../protocol/messages';
import { colourGroups, touchingGroups } from '../../render/colours';
import { document_, documentNumber, meshLoads, perDocument } from '../../store';
import { counted, threeDigits } from '../../ui/labels';
import { remember, remembered } from '../../ui/settings';
import { operations } from './paint_stroke';

export type WeightTool = 'drag' | 'box' | 'lasso' | 'paint';
export const tool = signal<WeightTool>('drag');
/** Whether boxes, lassos and brushes also affect hidden vertices. */
export const xray = signal(false);

// Dragging.
export const pins = perDocument<number[]>([]);
/** Weight of the pinned poses, 0 to 1. */
export const alpha = signal(1);
export const leastSum = signal(false);
export const negative = signal(false);
const keptJoints = 'sinew-drag-joints';
/** Whether drags use only the joints that move a vertex now, not those near it. */
export const presentOnly = signal(remembered(keptJoints) === 'present');
effect(() => remember(keptJoints, presentOnly.value ? 'present' : 'near'));
/** Max influences of a vertex; 0: unlimited. */
export const cap = signal(0);

// Soft selection. Radii are relative to the character's diagonal.
export const softOn = signal(false);
export const softShare = signal(0.05);
export const volume = signal(false);
export const curveNames = falloffCurves;
export const curve = signal(0);
/** Number of affected points, from the server; undefined if nothing is shown. */
export const followers = perDocument<number | undefined>(undefined);

// Painting.
export const operation = signal(0);
export const strengths = signal(operations.map((one) => one.strength[2]));
export const brushShare = signal(0.06);
export const mirrorBrush = signal(false);
/** The mirror plane of brushes and of the mirror tool. */
export const mirrorAxes = mirrorPlanes;
export const mirrorAxis = signal<(typeof mirrorAxes)[number]>('auto');
/** Why the last stroke had less effect than requested. */
export const heldBack = perDocument('');

export const shownBinding = perDocument<number | undefined>(undefined);
/** Increases with every change of weights, to update tables. */
export const columns = signal(0);

/** Reach of the lead vertex, by view. */
export const reaches = perDocument<ReadonlyMap<number, Reach>>(new Map());
/** While the skin is dragged: the target under the pointer, ahead of the server. */
export const handTarget = perDocument<{ view: number; place: [number, number, number] } | undefined>(undefined);
/** The vertex under the pointer, while nothing is dragged. */
export const hovered = perDocument<{ vertex: number; view: number; place: [number, number, number] } | undefined>(undefined);

let coloured: { document: number; colours: Uint8Array } | undefined;

/** Per joint: a colour that differs from regions it touches, and from its parent. Kept while weights change, as long as it differs. */
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

/** Evaluates `of` once per vertex. */
function cached(count: number, of: (v: number) => number): (v: number) => number {
  const known = Int32Array.from({ length: count }, (_, v) => of(v));
  return (v) => known[v];
}

export const bindingColours = computed(() => Uint8Array.from((document_.value?.bindings ?? []).map((joint) => jointColours.value[joint] ?? 7)));

export const jointName = (joint: number) => document_.value?.joints[joint]?.name ?? `joint ${joint}`;

/** The joint of corner `i` is near the vertex and has no weight yet. */
export const isOffered = (reach: Reach, i: number) => reach.offered[i] === 1;
/** Joints near the lead vertex that have no weight yet. */
export const offeredJoints = computed(() => {
  const lead = [...reaches.value.values()].find((reach) => reach.leads === 1);
  return lead === undefined ? [] : [...lead.joints].filter((_, i) => isOffered(lead, i));
});

/** "2 joints, 3 near". */
export function jointWords(reach: Reach): string {
  const near = [...reach.joints].filter((_, i) => isOffered(reach, i)).length;
  return `${counted(reach.joints.length - near, 'joint')}${near > 0 ? `, ${near} near` : ''}`;
}

/** The shape of a reach. */
export function reachWords(reach: Reach): string {
  if (reach.joints.length === 0) return 'a point (all its joints are locked)';
  if (reach.unbounded === 1) return ['a point', 'a whole line (negative weights allowed)', 'a whole plane (negative weights allowed)', 'anywhere (negative weights allowed)'][reach.dimension];
  if (reach.dimension === 2) return reach.edges.length / 2 === 3 ? 'a triangle' : 'a flat polygon';
  return ['a point', 'a segment', '', 'a hull'][reach.dimension];
}

/** A length in scene units, as labels show it. */
export const lengthText = (length: number) => (length < 1e-7 * (document_.value?.diagonal ?? 1) ? '0' : threeDigits(length));
