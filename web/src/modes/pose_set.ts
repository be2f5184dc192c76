// How joints are posed from the page, whichever tool does it: with the other side where that is wanted, and many presses
// of a key as one step.
import { signal } from '@preact/signals';
import { command, setJoints, takeBackPose } from '../client';
import { isSwitch, keptOfDocument, notice, poses, type Transform } from '../store';
import { mirrorAxis } from './pose_mirror';
import { keepAngles } from './shown_angles';

/** What is done to one side is done to the other. */
export const mirrorX = keptOfDocument('mirror', signal(false), isSwitch);

const mergeMilliseconds = 500;
let waiting: { timer: number; keep: () => void } | undefined;

/** While `live` the newest wins; the last of a gesture is a step of undo. */
export function setJoint(view: number, j: number, local: Transform, live: boolean): void {
  window.clearTimeout(waiting?.timer);
  waiting = undefined;
  const changes = new Map([[j, local]]);
  setJoints(view, changes, live, live ? [] : keepAngles(view, changes), mirrorX.peek() && mirrorAxis() !== undefined);
}

/** One of several: they become one step when they pause, or when anything else is done. */
export function stepJoint(view: number, j: number, local: Transform): void {
  setJoint(view, j, local, true);
  waiting = { timer: window.setTimeout(endSteps, mergeMilliseconds), keep: () => setJoint(view, j, local, false) };
}

export function endSteps(): void {
  window.clearTimeout(waiting?.timer);
  waiting?.keep();
}

/** Left and right change sides. */
export async function mirrorPose(view: number): Promise<void> {
  const answer = await command<{ changed?: boolean }>('pose.mirror', { view });
  if (answer?.changed === false) notice.value = 'The pose is symmetric: mirroring changes nothing.';
}

/** Where a gesture began: calling it puts everything back. */
export function startPosing(view: number): () => void {
  const before = poses.peek()[view] ?? [];
  return () => {
    const now = poses.peek()[view] ?? [];
    const changed = new Map(before.map((local, j) => [j, local] as const).filter(([j, local]) => now[j] !== local));
    if (changed.size === 0) return;
    setJoints(view, changed, true);
    void takeBackPose();
  };
}

/** Returns how to stop. */
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
