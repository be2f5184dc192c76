// Poses, for every tool: joints that are mirrored to the other side if that is on, repeated key presses as one step of undo,
// and comparing poses. The server finds partners and computes their mirror images.
import { signal } from '@preact/signals';
import { command, setJoints, cancelPose } from '../client';
import type { Transform } from '../protocol/document';
import { document_, isSwitch, keptOfDocument, notice, poses } from '../store';
import { changesWith } from './joint_selection';
import { keepAngles } from './shown_angles';

/** Whether both sides are posed at once. */
export const mirrorX = keptOfDocument('mirror', signal(false), isSwitch);

/** 'X', 'Y' or 'Z': the normal of the mirror plane; undefined if the character has none. */
export const mirrorAxis = () => document_.value?.mirror?.axis?.toUpperCase();

/** Why the character cannot be mirrored. */
export const mirrorFault = () => document_.value?.mirror?.fault;

export function partnerOf(j: number): number | undefined {
  const partner = document_.value?.mirror?.partners?.[j] ?? -1;
  return partner < 0 ? undefined : partner;
}

/** Gives the partner of `j` the mirrored transform of `j`, as one step. */
export function mirrorJoint(view: number, j: number): void {
  void command('pose.mirrorJoint', { view, joint: j });
}

const mergeMilliseconds = 500;
let waiting: { timer: number; keep: () => void } | undefined;

/** While `live`, newer values replace older ones; the last one of a gesture is a step of undo. */
export function setJoint(view: number, j: number, local: Transform, live: boolean): void {
  window.clearTimeout(waiting?.timer);
  waiting = undefined;
  const mirrored = mirrorX.peek() && mirrorAxis() !== undefined;
  const changes = changesWith(view, j, local, mirrored);
  setJoints(view, changes, live, live ? [] : keepAngles(view, changes), mirrored);
}

/** After one of several key presses was shown: `keep` of the last makes one step of undo of all, after a pause or at any other input. */
export function mergeSteps(keep: () => void): void {
  window.clearTimeout(waiting?.timer);
  waiting = { timer: window.setTimeout(endSteps, mergeMilliseconds), keep };
}

export function stepJoint(view: number, j: number, local: Transform): void {
  setJoint(view, j, local, true);
  mergeSteps(() => setJoint(view, j, local, false));
}

function endSteps(): void {
  const last = waiting;
  window.clearTimeout(last?.timer);
  waiting = undefined;
  last?.keep();
}

/** All numbers of a pose: of its joints, then of its morph targets. */
export function flatPose(joints: Transform[] = [], morphs: number[] = []): number[] {
  return [...joints.flatMap(({ translation, rotation, scale }) => [...translation, ...rotation, ...scale]), ...morphs];
}

export const samePose = (a: number[], b: number[]) => a.length === b.length && a.every((value, i) => Math.abs(value - b[i]) < 1e-6);

/** Swaps left and right. */
export async function mirrorPose(view: number): Promise<void> {
  const answer = await command('pose.mirror', { view });
  if (answer?.changed === false) notice.value = 'The pose is symmetric; mirroring it changes nothing.';
}

/** Call it when a gesture starts; the returned function restores the pose. */
export function startPosing(view: number): () => void {
  const before = poses.peek()[view] ?? [];
  return () => {
    const now = poses.peek()[view] ?? [];
    const changed = new Map(before.map((local, j) => [j, local] as const).filter(([j, local]) => now[j] !== local));
    if (changed.size === 0) return;
    setJoints(view, changed, true);
    void cancelPose();
  };
}

/** Returns a function that stops it. */
export function installStepEnds(): () => void {
  const otherwise = (event: Event) => {
    if (!(event instanceof KeyboardEvent && /^(Arrow|Page|Home|End|Shift)/.test(event.key))) endSteps();
  };
  const types = ['keydown', 'pointerdown', 'blur'];
  for (const type of types) window.addEventListener(type, otherwise, { capture: true });
  return () => {
    endSteps();
    for (const type of types) window.removeEventListener(type, otherwise, { capture: true });
  };
}
