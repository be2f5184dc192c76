// The angles of each joint as they are shown. A turn has many angles, so what was typed is the truth while the joint's
// quaternion agrees with it: the server keeps it with the step. Turns that come from elsewhere (a ring, a clip) get the
// angles nearest to those shown before, so that no number jumps; a joint that the server puts at rest shows 0, 0, 0.
import { effect } from '@preact/signals';
import type { Transform } from '../protocol/document';
import { document_, documentNumber, poses, toldAngles } from '../store';
import { type Angles, fromEuler, nearestEuler, sameTurn, turnOf } from './joint_angles';

interface Known {
  turn: Transform['rotation'];
  angles: Angles;
}

/** Of all joints together: the newest. */
const most = 400;

/** Degrees: a larger change is no small step of a gesture; a smaller one is rounding. */
const leap = 30;
const rounding = 1e-3;

const noTurn: Transform['rotation'] = [0, 0, 0, 1];

/** What is shown now, by view and joint. */
let shown = new Map<string, Known>();
/** What gestures of this document ended with, the newest last; one entry per turn of a joint: saved poses give it back. */
let kept: (Known & { joint: number })[] = [];

const apart = (a: Angles, b: Angles) => Math.max(...a.map((angle, i) => Math.abs(angle - b[i])));

/** In degrees, x, y, z. */
export function shownAngles(view: number, j: number, now: Transform, rest: Transform): Angles {
  const turn = turnOf(now, rest);
  const key = `${view}:${j}`;
  const before = shown.get(key);
  if (before !== undefined && sameTurn(before.turn, turn)) return before.angles;
  const near = nearestEuler(turn, before?.angles);
  const far = before === undefined ? Infinity : apart(near, before.angles);
  const known = kept.find((one) => one.joint === j && sameTurn(one.turn, turn))?.angles;
  // In the middle of a gesture the nearest angles are the right ones; after a leap, those that were there.
  const angles = known !== undefined && (far > leap || apart(known, near) < rounding) ? known : near;
  shown.set(key, { turn, angles });
  return angles;
}

/** The server told a pose: what was asked for, where it is what the joint does. */
function adopt(view: number, j: number, now: Transform, rest: Transform): void {
  const turn = turnOf(now, rest);
  const told = toldAngles.peek()[view]?.get(j);
  if (told !== undefined && sameTurn(turnOf({ ...rest, rotation: fromEuler(told, rest) }, rest), turn)) {
    shown.set(`${view}:${j}`, { turn, angles: told });
    keep(j, turn, told);
  } else if (sameTurn(turn, noTurn)) shown.set(`${view}:${j}`, { turn, angles: [0, 0, 0] });
  else shownAngles(view, j, now, rest);
}

/** These angles are what was asked for. */
export function showAngles(view: number, j: number, local: Transform, rest: Transform, angles: Angles): void {
  shown.set(`${view}:${j}`, { turn: turnOf(local, rest), angles });
}

function keep(joint: number, turn: Transform['rotation'], angles: Angles): void {
  kept = kept.filter((one) => one.joint !== joint || !sameTurn(one.turn, turn)).slice(1 - most);
  if (!sameTurn(turn, noTurn)) kept.push({ joint, turn, angles });
}

/** A gesture ended here: what is shown of its joints, in their order. */
export function keepAngles(view: number, changes: Map<number, Transform>): Angles[] {
  return [...changes].map(([j, local]) => {
    const rest = document_.peek()?.joints[j]?.rest ?? local;
    const angles = shownAngles(view, j, local, rest);
    keep(j, turnOf(local, rest), angles);
    return angles;
  });
}

/** Joints that are not picked are followed, too: their angles must not jump when they are. Returns how to stop. */
export function followAngles(): () => void {
  let adopted: unknown[] = [];
  let number = documentNumber.peek();
  return effect(() => {
    // In one effect: those of a batch run in no known order.
    if (documentNumber.value !== number) {
      number = documentNumber.value;
      shown = new Map();
      kept = [];
      adopted = [];
    }
    const joints = document_.value?.joints ?? [];
    const told = toldAngles.value;
    poses.value.forEach((pose, view) => {
      const show = told[view] === adopted[view] ? shownAngles : adopt;
      adopted[view] = told[view];
      pose.forEach((local, j) => joints[j] !== undefined && show(view, j, local, joints[j].rest));
    });
  });
}
