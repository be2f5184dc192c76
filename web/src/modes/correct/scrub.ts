// Scrubbing between two examples: the ends, and how far the shown pose is along the way.
import { computed } from '@preact/signals';
import { command } from '../../client';
import type { Transform } from '../../protocol/document';
import { activeView, document_, morphWeights, onNewDocument, perDocument, poses } from '../../store';
import { exampleHere, examples } from './state';

/** Numbers of examples, -1 is rest. */
export const from = perDocument(-1);
export const to = perDocument(0);
export const stopName = (example: number) => (example < 0 ? 'rest' : (examples.value[example]?.name ?? ''));
/** The ends exist, and differ. */
export const isWay = () => from.value < examples.value.length && to.value < examples.value.length && from.value !== to.value;
const wayName = () => `${stopName(from.value)}\n${stopName(to.value)}`;

/** A pose that scrubbing has made, and how far it is along its way. */
interface Scrubbed {
  way: string;
  along: number;
  view: number;
  pose: number[];
}
const scrubbed = perDocument<Scrubbed | undefined>(undefined);
/** While requests are in flight. */
const wantedAlong = perDocument<number | undefined>(undefined);

const flat = (joints: Transform[]) => joints.flatMap(({ translation, rotation, scale }) => [...translation, ...rotation, ...scale]);
const isSame = (a: number[], b: number[]) => a.length === b.length && a.every((value, i) => Math.abs(value - b[i]) < 1e-6);
const shownPose = (view: number) => [...flat(poses.value[view] ?? []), ...(morphWeights.value[view] ?? [])];

/** From 0 to 1; undefined: the pose is neither one that was scrubbed to, nor an end. */
export const along = computed<number | undefined>(() => {
  if (wantedAlong.value !== undefined) return wantedAlong.value;
  const view = activeView.value;
  const pose = shownPose(view);
  const last = scrubbed.value;
  if (last !== undefined && last.view === view && last.way === wayName() && isSame(pose, last.pose)) return last.along;
  const rest = flat((document_.value?.joints ?? []).map((joint) => joint.rest));
  const isRest = isSame(pose.slice(0, rest.length), rest) && pose.slice(rest.length).every((weight) => Math.abs(weight) < 1e-6);
  const isAt = (stop: number) => (stop < 0 ? isRest : stop === exampleHere.value);
  return isAt(from.value) ? 0 : isAt(to.value) ? 1 : undefined;
});

let asking = false;
let wanted: { t: number; live: boolean } | undefined;
/** What a cancelled gesture returns to; set while it lasts. */
let before: { scrubbed: Scrubbed | undefined } | undefined;
onNewDocument(() => {
  wanted = undefined;
  before = undefined;
});

/** While a request is in flight, only the newest one waits. */
export async function scrub(t: number, live: boolean): Promise<void> {
  before ??= { scrubbed: scrubbed.peek() };
  wantedAlong.value = t;
  wanted = { t, live };
  if (asking) return;
  asking = true;
  while (wanted !== undefined) {
    const next: { t: number; live: boolean } = wanted;
    wanted = undefined;
    if (!isWay()) continue;
    const view = activeView.value;
    if ((await command('correct.scrub', { view, from: from.value, to: to.value, ...next })) !== undefined) scrubbed.value = { way: wayName(), along: next.t, view, pose: shownPose(view) };
    if (!next.live) before = undefined;
  }
  asking = false;
  wantedAlong.value = undefined;
}

/** Cancels the gesture. */
export async function takeBackScrub(): Promise<void> {
  wanted = undefined;
  const start = before;
  before = undefined;
  await command('pose.takeBack');
  scrubbed.value = start?.scrubbed;
}

export const nudgeAlong = (by: number) => void scrub(Math.min(1, Math.max(0, (along.value ?? 0) + by)), false);
