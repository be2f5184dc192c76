// Undo, redo and jumps in the history. Playing a clip is a gesture like a drag: undo during playback stops it and restores
// the pose from before, and redo or a jump stops it first. Playback never adds a step that would discard the redo list.
import { command } from '../client';

type Cancel = () => Promise<boolean>;
const playbacks: Cancel[] = [];

/** `cancel` stops a running playback, restores the pose before it, and returns whether one was running. */
export function addPlayback(cancel: Cancel): void {
  playbacks.push(cancel);
}

async function cancelPlayback(): Promise<boolean> {
  let any = false;
  for (const cancel of playbacks) any = (await cancel()) || any;
  return any;
}

export async function undo(): Promise<void> {
  if (!(await cancelPlayback())) await command('undo');
}

export async function redo(): Promise<void> {
  await cancelPlayback();
  await command('redo');
}

export async function jump(depth: number): Promise<void> {
  await cancelPlayback();
  await command('history.jump', { depth });
}
