// Clips of the character: frames, keys and play. A ride through a clip is one step of undo, made when it stops.
import { effect, signal } from '@preact/signals';
import { command, connection } from '../client';
import { activeView, document_, mode } from '../store';
import { NumberField } from '../ui/number_field';

export const playing = signal(false);
export const loop = signal(true);
const clipIndex = signal(0);
const time = signal(0);

/** Frames of a second, as the timeline counts them. */
const rate = 24;
/** Marks that can be told apart. */
const mostMarks = 400;

let asking: Promise<void> | undefined;
let wanted: number | undefined;

function clip() {
  const clips = document_.value?.clips ?? [];
  return clips[clipIndex.value] ?? clips[0];
}

/** Shows a moment; while one is on its way, only the newest waits. */
function show(seconds: number): Promise<void> {
  time.value = seconds;
  wanted = seconds;
  asking ??= ask().finally(() => (asking = undefined));
  return asking;
}

async function ask(): Promise<void> {
  while (wanted !== undefined) {
    const next: number = wanted;
    wanted = undefined;
    try {
      await connection.command('pose.clip', { view: activeView.peek(), clip: clip()?.index ?? 0, time: next, live: true });
    } catch {
      playing.value = false;
    }
  }
}

async function keep(): Promise<void> {
  wanted = undefined;
  await command('pose.clip', { view: activeView.value, clip: clip()?.index ?? 0, time: time.value });
}

let last = 0;
function tick(now: number): void {
  if (!playing.peek()) return;
  const length = clip()?.seconds ?? 0;
  const next = time.peek() + Math.min(0.1, (now - last) / 1000);
  last = now;
  if (length > 0 && !loop.peek() && next >= length) {
    void show(length);
    togglePlay();
    return;
  }
  if (length > 0) void show(next % length);
  requestAnimationFrame(tick);
}

export function togglePlay(): void {
  const current = clip();
  if (current === undefined) return;
  playing.value = !playing.value;
  if (playing.value) {
    // From its end a clip begins again.
    if (time.value >= current.seconds - 1e-6) time.value = 0;
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

function goTo(seconds: number): void {
  const length = clip()?.seconds ?? 0;
  if (length <= 0) return;
  if (playing.value) playing.value = false;
  void show(Math.max(0, Math.min(length, seconds))).then(keep);
}

/** To whole frames. */
export function step(frames: number): void {
  goTo((Math.round(time.value * rate) + frames) / rate);
}

/** The nearest key before or behind. */
export function goToKey(direction: -1 | 1): void {
  const times = clip()?.times ?? [];
  const near = 1e-4;
  const found = direction > 0 ? times.find((t) => t > time.value + near) : [...times].reverse().find((t) => t < time.value - near);
  if (found !== undefined) goTo(found);
}

/** Keys, above the slider. */
function Marks({ times, seconds }: { times: number[]; seconds: number }) {
  if (seconds <= 0 || times.length === 0 || times.length > mostMarks) return null;
  return (
    <div class="marks" aria-hidden="true">
      {times.map((t) => (
        <span key={t} style={{ left: `${(100 * t) / seconds}%` }} />
      ))}
    </div>
  );
}

export function Timeline() {
  const clips = document_.value?.clips ?? [];
  const current = clip();
  if (current === undefined) return null;
  const frame = Math.round(time.value * rate);
  const frames = Math.round(current.seconds * rate);
  return (
    <div class="section row timeline">
      <button aria-pressed={playing.value} title="Tap Space, or P" onClick={togglePlay}>
        {playing.value ? 'Pause' : 'Play'}
      </button>
      <button aria-label="Previous key" title="Previous key (,)" onClick={() => goToKey(-1)}>
        ‹
      </button>
      <button aria-label="Next key" title="Next key (.)" onClick={() => goToKey(1)}>
        ›
      </button>
      <button aria-pressed={loop.value} title="Again and again, or once" onClick={() => (loop.value = !loop.value)}>
        loop
      </button>
      <div class="grow track">
        <Marks times={current.times ?? []} seconds={current.seconds} />
        <input
          type="range"
          class="wide"
          aria-label="Time"
          aria-valuetext={`frame ${frame}, ${time.value.toFixed(2)} seconds`}
          min={0}
          max={current.seconds}
          step={1 / rate}
          value={time.value}
          onInput={(event) => void show(Number(event.currentTarget.value))}
          onChange={(event) => goTo(Number(event.currentTarget.value))}
        />
      </div>
      <span class="pair">
        frame
        <NumberField label="Frame" value={frame} show={(value) => String(Math.round(value))} step={1} width={52} change={(value, how) => (how === 'live' ? void show(Math.max(0, value) / rate) : goTo(Math.round(value) / rate))} />/ {frames}
      </span>
      <span class="muted" data-test="time">
        {time.value.toFixed(2)} s · {rate} fps
      </span>
      <select
        aria-label="Clip"
        value={clipIndex.value}
        onChange={(event) => {
          clipIndex.value = Number(event.currentTarget.value);
          goTo(0);
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
