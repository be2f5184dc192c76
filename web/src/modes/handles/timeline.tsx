// The timeline of the mode Handles: keys that can be moved and deleted, scrubbing, playback, export.
import { signal } from '@preact/signals';
import { command, connection, showFault } from '../../client';
import { addPlayback } from '../../gestures/undo';
import { CommandFault } from '../../protocol/connection';
import { document_, errorCard, notice, onNewDocument, perDocument } from '../../store';
import { IconButton } from '../../ui/icon_button';
import { counted, countText } from '../../ui/labels';
import { type NumberChange, NumberField } from '../../ui/number_field';
import { Slider } from '../../ui/slider';
import { hasModel } from './state';

export const playing = perDocument(false);
const asked = perDocument(0);
const loop = signal(true);
const exportPath = perDocument('');
/** A key that is dragged, and its new time. */
const moved = perDocument<{ key: number; time: number } | undefined>(undefined);

/** Frames per second, as in Pose. */
const rate = 24;
const frameSeconds = 1 / rate;
const frameOf = (seconds: number) => Math.round(seconds * rate);
const keys = () => document_.value?.keys ?? [];
const lastKey = () => keys().reduce((last, key) => Math.max(last, key.time), 0);
/** The timeline ends after the last key, with room for the next one. */
const lineEnd = () => Math.max(2, lastKey() + 0.5);
/** The current time, clamped to the end of the timeline, which changes with the keys. */
const moment = () => Math.min(asked.value, lineEnd());
const rounded = (seconds: number) => Math.max(0, Math.round(seconds * 1000) / 1000);

let asking = false;
let wanted: number | undefined;
/** Whether a time of the timeline is shown instead of the pose of the handles. */
let shows = false;
onNewDocument(() => {
  wanted = undefined;
  shows = false;
});

/** Shows a time; while a request is in flight, only the newest one waits. */
async function show(seconds: number): Promise<void> {
  asked.value = rounded(seconds);
  if (keys().length === 0) return;
  wanted = moment();
  shows = true;
  if (asking) return;
  asking = true;
  while (wanted !== undefined) {
    const next: number = wanted;
    wanted = undefined;
    try {
      await connection.command('handles.show', { time: next });
    } catch {
      playing.value = false;
    }
  }
  asking = false;
}

/** Commits the shown pose to the handles, as one step of undo for all of a playback. */
export async function keepMoment(): Promise<void> {
  playing.value = false;
  wanted = undefined;
  if (!shows) return;
  shows = false;
  await command('handles.show', { time: moment(), keep: true });
}

/** Restores the pose of the handles and the time from before. Returns whether another one was shown. */
async function cancel(seconds: number): Promise<boolean> {
  const rode = shows;
  playing.value = false;
  wanted = undefined;
  shows = false;
  asked.value = seconds;
  if (rode) await command('frame');
  return rode;
}

/** The time at which playback started. */
let from = 0;
addPlayback(async () => playing.peek() && cancel(from));

let last = 0;
function tick(now: number): void {
  if (!playing.peek()) return;
  const end = lastKey();
  const step = Math.min(0.1, (now - last) / 1000);
  last = now;
  if (!loop.peek() && moment() + step >= end) {
    void show(end).then(keepMoment);
    return;
  }
  void show(end > 0 ? (moment() + step) % end : 0);
  requestAnimationFrame(tick);
}

export function togglePlay(): void {
  if (keys().length < 2) return;
  if (playing.value) {
    void keepMoment();
    return;
  }
  playing.value = true;
  from = moment();
  if (from >= lastKey()) asked.value = 0;
  last = performance.now();
  requestAnimationFrame(tick);
}

/** Adds a key for the pose of the handles and advances the time for the next one. */
export async function addKey(): Promise<void> {
  await keepMoment();
  if ((await command('handles.key', { time: moment() })) !== undefined) asked.value = rounded(moment() + 0.5);
}

export function stepTime(frames: number): void {
  playing.value = false;
  void show(Math.min(lineEnd(), Math.max(0, moment() + frames * frameSeconds))).then(keepMoment);
}

/** Goes to the next or previous key; its pose is applied to the handles. */
export function jumpToKey(direction: 1 | -1): void {
  const list = keys().map((key, k) => ({ k, time: key.time }));
  const beside = list.filter((key) => direction * (key.time - moment()) > 1e-6).sort((a, b) => direction * (a.time - b.time))[0];
  if (beside !== undefined) void goTo(beside.k);
}

async function goTo(key: number): Promise<void> {
  playing.value = false;
  wanted = undefined;
  shows = false;
  asked.value = keys()[key].time;
  await command('handles.goto', { key });
}

/** Asks before replacing a file. */
export async function exportKeys(replace = false): Promise<void> {
  await keepMoment();
  const title = (document_.value?.title ?? 'model').replace(/\.[^.]*$/, '');
  const typed = exportPath.value.trim();
  const path = typed === '' ? `${title}_keys.glb` : /\.[a-z]\w*$/i.test(typed) ? typed : `${typed}.glb`;
  try {
    const answer = await connection.command('handles.export', { path, replace });
    notice.value = `Exported ${answer.path}. Read back, it deviates by ${answer.deviation.toExponential(1)} of the model size.`;
  } catch (fault) {
    if (!(fault instanceof CommandFault) || (fault.code !== 'exists' && fault.code !== 'open-document')) return showFault(fault);
    const run = () => {
      errorCard.value = undefined;
      void exportKeys(true);
    };
    errorCard.value = { text: fault.message, hint: fault.hint, actions: [{ label: 'Replace it', run }] };
  }
}

function Mark({ k, time }: { k: number; time: number }) {
  const at = moved.value?.key === k ? moved.value.time : time;
  const drag = (event: PointerEvent & { currentTarget: HTMLButtonElement }) => {
    const mark = event.currentTarget;
    const line = mark.parentElement?.getBoundingClientRect();
    if (line === undefined || event.button !== 0) return;
    const begin = event.clientX;
    mark.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent) => {
      if (moved.value !== undefined || Math.abs(next.clientX - begin) > 3)
        moved.value = { key: k, time: rounded(Math.min(lineEnd(), Math.max(0, time + ((next.clientX - begin) / line.width) * lineEnd()))) };
    };
    const end = (kept: boolean) => () => {
      for (const [type, listener] of listeners) mark.removeEventListener(type, listener as EventListener);
      const to = moved.value?.time;
      moved.value = undefined;
      if (kept && to !== undefined) void command('handles.moveKey', { key: k, time: to });
      else if (kept) void goTo(k);
    };
    const escape = (pressed: KeyboardEvent) => pressed.key === 'Escape' && end(false)();
    const listeners: [string, unknown][] = [
      ['pointermove', move],
      ['pointerup', end(true)],
      ['pointercancel', end(false)],
      ['keydown', escape],
    ];
    for (const [type, listener] of listeners) mark.addEventListener(type, listener as EventListener);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (step !== 0) void command('handles.moveKey', { key: k, time: rounded(time + step * (event.shiftKey ? 10 : 1) * frameSeconds) });
    else if (event.key === 'Delete') void command('handles.unkey', { key: k });
    else if (event.key === 'Enter' || event.key === ' ') void goTo(k);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <button
      class="key-mark"
      style={{ left: `${(100 * at) / lineEnd()}%` }}
      aria-label={`Key at ${time.toFixed(2)} s`}
      title={`Frame ${frameOf(at)}, ${at.toFixed(2)} s. Click to go to it, drag or use arrow keys to move it, Delete to remove it.`}
      onPointerDown={drag}
      onKeyDown={press}
    >
      <span aria-hidden="true">◆</span>
    </button>
  );
}

/** By the slider or the field: shown while it moves, a step of undo at the end. */
function scrub(seconds: number, how: NumberChange): void {
  playing.value = false;
  const wantedTime = Math.min(lineEnd(), Math.max(0, seconds));
  if (how === 'back') void cancel(wantedTime);
  else if (how === 'live') void show(wantedTime);
  else void show(wantedTime).then(keepMoment);
}

export function Dock() {
  if (!hasModel.value) return null;
  const list = keys();
  const smooth = list.some((key) => key.smooth);
  return (
    <div class="section">
      <Slider
        class="key-time"
        label="Time"
        valueText={`frame ${frameOf(moment())}, ${moment().toFixed(2)} seconds`}
        min={0}
        max={lineEnd()}
        step={frameSeconds / 4}
        value={moment()}
        change={scrub}
      />
      <div class="key-line" role="group" aria-label="Keys">
        <span class="key-moment" style={{ left: `${(100 * moment()) / lineEnd()}%` }} />
        {list.map((key, k) => (
          <Mark key={key.time} k={k} time={key.time} />
        ))}
        {list.length === 0 && <span class="muted">No keys. Pose the model, choose a time and press K.</span>}
      </div>
      <div class="row wrap key-tools">
        <IconButton icon={playing.value ? 'pause' : 'play'} label={playing.value ? 'Stop' : 'Play'} keys="Space" pressed={playing.value} disabled={list.length < 2} onClick={togglePlay} />
        <IconButton icon="loop" label="Loop" pressed={loop.value} onClick={() => (loop.value = !loop.value)} />
        <button aria-pressed={smooth} disabled={list.length < 2} title="Ease in and out at every key" onClick={() => void command('handles.ease', { smooth: !smooth })}>
          Smooth
        </button>
        <span class="pair">
          Frame
          <NumberField label="Frame" value={frameOf(moment())} show={(value) => String(Math.round(value))} step={1} width={52} change={(value, how) => scrub(Math.round(value) / rate, how)} />/ {countText(frameOf(lineEnd()))}
        </span>
        <span data-test="shown-time" class="muted" title={`${rate} frames per second`}>
          {moment().toFixed(2)} s
        </span>
        <button class="primary" title="Add a key at this time (K)" onClick={() => void addKey()}>
          Key
        </button>
        <span class="muted" data-test="keys">
          {counted(list.length, 'key')}
        </span>
        <span class="pair export-keys">
          <input class="export-name" aria-label="Export file name" placeholder="name.glb" disabled={list.length === 0} value={exportPath.value} onChange={(event) => (exportPath.value = event.currentTarget.value)} />
          <button disabled={list.length === 0} onClick={() => void exportKeys()}>
            Export animation
          </button>
        </span>
      </div>
    </div>
  );
}
