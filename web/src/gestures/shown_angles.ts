// The shown angles of each joint. A rotation has many angles, so typed angles are shown as long as they give the joint's
// quaternion; the server stores them with the step. Other rotations (from a ring, a clip) get the angles nearest to those
// shown before, so that no number jumps; a joint that the server resets shows 0, 0, 0.
import { effect } from '@preact/signals';
import type { Transform } from '../protocol/document';
import { document_, documentNumber, poses, typedAngles } from '../store';
import { type Angles, fromEuler, nearestEuler, sameTurn, turnOf } from './joint_angles';

interface Known {
  turn: Transform['rotation'];
  angles: Angles;
}

/** Largest number of kept angles, of all joints; older ones are dropped. */
const most = 400;

/** In degrees: a larger change than `leap` is not a step of a gesture; a smaller one than `rounding` is no change. */
const leap = 30;
const rounding = 1e-3;

const noTurn: Transform['rotation'] = [0, 0, 0, 1];

/** The shown angles, by view and joint. */
let shown = new Map<string, Known>();
/** Angles at the end of gestures in this document, newest last, one entry per rotation of a joint; used for saved poses. */
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
  // During a gesture the nearest angles are right; after a leap, the kept ones.
  const angles = known !== undefined && (far > leap || apart(known, near) < rounding) ? known : near;
  shown.set(key, { turn, angles });
  return angles;
}

/** For a pose from the server: its typed angles, if they give the joint's rotation. */
function adopt(view: number, j: number, now: Transform, rest: Transform): void {
  const turn = turnOf(now, rest);
  const told = typedAngles.peek()[view]?.get(j);
  if (told !== undefined && sameTurn(turnOf({ ...rest, rotation: fromEuler(told, rest) }, rest), turn)) {
    shown.set(`${view}:${j}`, { turn, angles: told });
    keep(j, turn, told);
  } else if (sameTurn(turn, noTurn)) shown.set(`${view}:${j}`, { turn, angles: [0, 0, 0] });
  else shownAngles(view, j, now, rest);
}

/** Shows typed angles. */
export function showAngles(view: number, j: number, local: Transform, rest: Transform, angles: Angles): void {
  shown.set(`${view}:${j}`, { turn: turnOf(local, rest), angles });
}

function keep(joint: number, turn: Transform['rotation'], angles: Angles): void {
  kept = kept.filter((one) => one.joint !== joint || !sameTurn(one.turn, turn)).slice(1 - most);
  if (!sameTurn(turn, noTurn)) kept.push({ joint, turn, angles });
}

/** At the end of a gesture: keeps and returns the shown angles of its joints, in their order. */
export function keepAngles(view: number, changes: Map<number, Transform>): Angles[] {
  return [...changes].map(([j, local]) => {
    const rest = document_.peek()?.joints[j]?.rest ?? local;
    const angles = shownAngles(view, j, local, rest);
    keep(j, turnOf(local, rest), angles);
    return angles;
  });
}

/** Tracks all joints, so that angles do not jump when another joint is picked. Returns a function that stops it. */
export function followAngles(): () => void {
  let adopted: unknown[] = [];
  let number = documentNumber.peek();
  return effect(() => {
    // In one effect: the order of effects in a batch is not defined.
    if (documentNumber.value !== number) {
      number = documentNumber.value;
      shown = new Map();
      kept = [];
      adopted = [];
    }
    const joints = document_.value?.joints ?? [];
    const told = typedAngles.value;
    poses.value.forEach((pose, view) => {
      const show = told[view] === adopted[view] ? shownAngles : adopt;
      adopted[view] = told[view];
      pose.forEach((local, j) => joints[j] !== undefined && show(view, j, local, joints[j].rest));
    });
  });
}
