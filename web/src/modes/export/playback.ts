// Playback of the clips of the re-read file, the document beside it. It is no step of undo: the pose from before comes back.
import { connection } from '../../client';
import { addPlayback } from '../../gestures/undo';
import { onNewDocument, perDocument } from '../../store';
import { written } from './state';

export const playing = perDocument(false);
export const clip = perDocument(0);
export const time = perDocument(0);
/** Whether a time of a clip is shown instead of the pose. */
export const posed = perDocument(false);

const clips = () => written.value?.clips ?? [];
export const current = () => clips().find((one) => one.index === clip.value) ?? clips()[0];

let asking = false;
let wanted: number | undefined;
onNewDocument(() => (wanted = undefined));

/** Shows a time; while a request is in flight, only the newest one waits. */
export async function show(seconds: number): Promise<void> {
  const one = current();
  if (one === undefined) return;
  time.value = Math.max(0, Math.min(seconds, one.seconds));
  wanted = time.value;
  posed.value = true;
  if (asking) return;
  asking = true;
  while (wanted !== undefined) {
    const next: number = wanted;
    wanted = undefined;
    try {
      await connection.command('export.play', { clip: current()?.index ?? 0, time: next });
    } catch {
      playing.value = false;
    }
  }
  asking = false;
}

/** Back to the pose from before. */
export async function stop(): Promise<void> {
  const rode = posed.peek();
  playing.value = false;
  wanted = undefined;
  posed.value = false;
  if (rode) await connection.command('export.stop').catch(() => {});
}
addPlayback(async () => {
  const rode = playing.peek();
  await stop();
  return rode;
});

let last = 0;
function tick(now: number): void {
  const length = current()?.seconds ?? 0;
  if (length <= 0) playing.value = false;
  if (!playing.peek()) return;
  void show((time.peek() + Math.min(0.1, (now - last) / 1000)) % length);
  last = now;
  requestAnimationFrame(tick);
}

export function togglePlay(): void {
  if (!((current()?.seconds ?? 0) > 0)) return;
  playing.value = !playing.value;
  if (!playing.value) return;
  last = performance.now();
  requestAnimationFrame(tick);
}

export function chooseClip(index: number): void {
  clip.value = index;
  void show(0);
}
