// The angles of each joint as they are shown. A turn has many angles, so what was typed is the truth while the joint's
// quaternion agrees with it; turns that come from elsewhere (a ring, a clip, undo) get the angles nearest to those shown
// before, so that no number jumps. What ended a gesture is remembered, so that undo, redo and a reload give it back.
import { effect } from '@preact/signals';
import { document_, documentNumber, poses, type Transform } from '../store';
import { remember, remembered } from '../ui/theme';
import { type Angles, nearestEuler, sameTurn, turnOf } from './pose_angles';

interface Known {
  turn: Transform['rotation'];
  angles: Angles;
}

const storage = 'sinew-angles';
/** Of all joints together: the newest. */
const most = 400;

/** Degrees: a larger change is no small step of a gesture; a smaller one is rounding. */
const leap = 30;
const rounding = 1e-3;

/** What is shown now, by view and joint. */
let shown = new Map<string, Known>();
/** What gestures ended with, the newest last; one entry per turn of a joint. */
let kept: (Known & { joint: string })[] = read();

function read(): typeof kept {
  const numbers = (list: unknown, count: number) => Array.isArray(list) && list.length === count && list.every((x) => Number.isFinite(x));
  try {
    const list = JSON.parse(remembered(storage) ?? '[]') as typeof kept;
    return Array.isArray(list) ? list.filter((one) => typeof one?.joint === 'string' && numbers(one.turn, 4) && numbers(one.angles, 3)) : [];
  } catch {
    return [];
  }
}

const nameOf = (j: number) => document_.peek()?.joints[j]?.name ?? `joint ${j}`;

const apart = (a: Angles, b: Angles) => Math.max(...a.map((angle, i) => Math.abs(angle - b[i])));

/** In degrees, x, y, z. */
export function shownAngles(view: number, j: number, now: Transform, rest: Transform): Angles {
  const turn = turnOf(now, rest);
  const key = `${view}:${j}`;
  const before = shown.get(key);
  if (before !== undefined && sameTurn(before.turn, turn)) return before.angles;
  const near = nearestEuler(turn, before?.angles);
  const far = before === undefined ? Infinity : apart(near, before.angles);
  const joint = nameOf(j);
  const known = kept.find((one) => one.joint === joint && sameTurn(one.turn, turn))?.angles;
  // In the middle of a gesture the nearest angles are the right ones; after a leap, those that were there.
  const angles = known !== undefined && (far > leap || apart(known, near) < rounding) ? known : near;
  shown.set(key, { turn, angles });
  return angles;
}

/** These angles are what was asked for. */
export function showAngles(view: number, j: number, local: Transform, rest: Transform, angles: Angles): void {
  shown.set(`${view}:${j}`, { turn: turnOf(local, rest), angles });
}

/** A gesture ended here. */
export function keepAngles(view: number, j: number, local: Transform): void {
  const rest = document_.peek()?.joints[j]?.rest;
  if (rest === undefined) return;
  const turn = turnOf(local, rest);
  const angles = shownAngles(view, j, local, rest);
  const joint = nameOf(j);
  kept = kept.filter((one) => one.joint !== joint || !sameTurn(one.turn, turn)).slice(1 - most);
  kept.push({ joint, turn, angles });
  remember(storage, JSON.stringify(kept));
}

/** Joints that are not picked are followed, too: their angles must not jump when they are. Returns how to stop. */
export function followAngles(): () => void {
  const stops = [
    effect(() => {
      void documentNumber.value;
      shown = new Map();
    }),
    effect(() => {
      const joints = document_.value?.joints ?? [];
      poses.value.forEach((pose, view) => pose.forEach((local, j) => joints[j] !== undefined && shownAngles(view, j, local, joints[j].rest)));
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
