// Clips of the character: a time slider and play. A ride through a clip is one step of undo, made when it stops.
import { effect, signal } from '@preact/signals';
import { command, connection } from '../client';
import { activeView, document_, mode } from '../store';

export const playing = signal(false);
const clipIndex = signal(0);
const time = signal(0);

let asking = false;
let wanted: number | undefined;

function clip() {
  const clips = document_.value?.clips ?? [];
  return clips[clipIndex.value] ?? clips[0];
}

/** Shows a moment; while one is on its way, only the newest waits. */
async function show(seconds: number): Promise<void> {
  time.value = seconds;
  wanted = seconds;
  if (asking) return;
  asking = true;
  while (wanted !== undefined) {
    const next: number = wanted;
    wanted = undefined;
    try {
      await connection.command('pose.clip', { view: activeView.peek(), clip: clip()?.index ?? 0, time: next, live: true });
    } catch {
      playing.value = false;
    }
  }
  asking = false;
}

async function keep(): Promise<void> {
  wanted = undefined;
  await command('pose.clip', { view: activeView.value, clip: clip()?.index ?? 0, time: time.value });
}

let last = 0;
function tick(now: number): void {
  if (!playing.peek()) return;
  const length = clip()?.seconds ?? 0;
  const step = Math.min(0.1, (now - last) / 1000);
  last = now;
  if (length > 0) void show((time.peek() + step) % length);
  requestAnimationFrame(tick);
}

export function togglePlay(): void {
  if (clip() === undefined) return;
  playing.value = !playing.value;
  if (playing.value) {
    last = performance.now();
    requestAnimationFrame(tick);
  } else {
    void keep();
  }
}

/** Leaving the mode, or another document: the ride ends. */
export function stopWithMode(): () => void {
  return effect(() => {
    if (mode.value !== 'pose' && playing.peek()) togglePlay();
  });
}

export function step(frames: number): void {
  const length = clip()?.seconds ?? 0;
  if (length <= 0) return;
  void show(Math.max(0, Math.min(length, time.value + frames / 24))).then(keep);
}

export function Timeline() {
  const clips = document_.value?.clips ?? [];
  const current = clip();
  if (current === undefined) return null;
  return (
    <div class="section row">
      <button aria-pressed={playing.value} onClick={togglePlay}>{playing.value ? 'Pause' : 'Play'}</button>
      <input
        type="range"
        class="grow"
        aria-label="Time"
        aria-valuetext={`${time.value.toFixed(2)} seconds`}
        min={0}
        max={current.seconds}
        step={1 / 240}
        value={time.value}
        onInput={(event) => void show(Number(event.currentTarget.value))}
        onChange={(event) => {
          time.value = Number(event.currentTarget.value);
          void keep();
        }}
      />
      <span data-test="time">
        {time.value.toFixed(2)} / {current.seconds.toFixed(2)} s
      </span>
      <select
        aria-label="Clip"
        value={clipIndex.value}
        onChange={(event) => {
          clipIndex.value = Number(event.currentTarget.value);
          void show(0).then(keep);
        }}
      >
        {clips.map((one) => (
          <option key={one.index} value={one.index}>
            {one.name || `clip ${one.index}`}
          </option>
        ))}
      </select>
    </div>
  );
}
