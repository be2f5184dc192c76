// Scrubbing between two examples: the ends, and how far the shown pose is along the way.
import { computed, effect } from '@preact/signals';
import { command } from '../../client';
import { flatPose, mergeSteps, samePose } from '../../gestures/pose_joints';
import { activeView, document_, documentNumber, morphWeights, onNewDocument, perDocument, poses } from '../../store';
import { exampleHere, examples } from './state';

/** Instead of the name of an example, which is never empty. */
const rest = '';
/** The ends by name, so that they stay when the list changes; the second one is the first example until it is chosen. */
export const fromName = perDocument(rest);
export const toName = perDocument<string | undefined>(undefined);
effect(() => {
  const first = examples.value[0]?.name;
  if (first === undefined) fromName.value = rest;
  if (first === undefined || toName.value === undefined) toName.value = first;
});

/** The number of an example, -1 is rest; undefined: there is none of that name. */
function numberOf(name: string | undefined): number | undefined {
  if (name === rest) return -1;
  const at = examples.value.findIndex((one) => one.name === name);
  return at < 0 ? undefined : at;
}
export const from = computed(() => numberOf(fromName.value));
export const to = computed(() => numberOf(toName.value));
export const endText = (name: string | undefined) => (name === rest ? 'rest' : (name ?? ''));

/** The ends, if they exist and differ. */
export const way = computed(() => (from.value === undefined || to.value === undefined || from.value === to.value ? undefined : { from: from.value, to: to.value }));
const wayName = () => `${fromName.value}\n${toName.value}`;

/** The ends follow an example that is renamed. */
export function renameEnds(old: string, name: string): void {
  for (const end of [fromName, toName]) if (end.value === old) end.value = name;
}

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

const shownPose = (view: number) => flatPose(poses.value[view], morphWeights.value[view]);

/** From 0 to 1; undefined: the pose is neither one that was scrubbed to, nor an end. */
export const along = computed<number | undefined>(() => {
  if (wantedAlong.value !== undefined) return wantedAlong.value;
  const view = activeView.value;
  const pose = shownPose(view);
  const last = scrubbed.value;
  if (last !== undefined && last.view === view && last.way === wayName() && samePose(pose, last.pose)) return last.along;
  const joints = (document_.value?.joints ?? []).map((joint) => joint.rest);
  const isRest = samePose(pose, flatPose(joints, (morphWeights.value[view] ?? []).map(() => 0)));
  const isAt = (end: number | undefined) => end !== undefined && (end === -1 ? isRest : end === exampleHere.value);
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
    const ends = way.peek();
    if (ends === undefined) continue;
    const view = activeView.value;
    const number = documentNumber.peek();
    const answer = await command('correct.scrub', { view, ...ends, ...next });
    if (answer !== undefined && number === documentNumber.peek()) scrubbed.value = { way: wayName(), along: next.t, view, pose: shownPose(view) };
    if (!next.live) before = undefined;
  }
  asking = false;
  wantedAlong.value = undefined;
}

/** One of several key presses, which become one step of undo. */
export function stepScrub(t: number): void {
  void scrub(t, true);
  mergeSteps(() => void scrub(t, false));
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
