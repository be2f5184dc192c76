// The timeline of the mode Pose: frames, keys and playback of clips. A playback is one step of undo, made when it stops.
import { effect, signal, untracked } from '@preact/signals';
import { command, connection, cancelPose } from '../../client';
import { addPlayback, undo } from '../../gestures/undo';
import { activeView, document_, isSwitch, keptOfDocument, notice, noticeWith, onNewDocument, perDocument } from '../../store';
import { IconButton } from '../../ui/icon_button';
import { countText } from '../../ui/labels';
import { type NumberChange, NumberField } from '../../ui/number_field';
import { Slider } from '../../ui/slider';
import { findPlace, forgetPlaces, frameAt, isKeyed, lastFrameOf, poseNow, rate, rememberPlace, timeOfFrame, versionOf } from './clip_places';

export const playing = perDocument(false);
export const loop = keptOfDocument('loop', signal(true), isSwitch);
export const clipIndex = keptOfDocument('clip', perDocument(0), Number.isInteger);
const asked = keptOfDocument('clip time', perDocument(0), (value) => Number.isFinite(value) && Number(value) >= 0);
/** End of the timeline in seconds, if a time beyond the last key was requested to add a key there. */
const extent = perDocument(0);
/** The pose of the clip at the current time, with the version of the clip; undefined: another pose is shown. */
const shownPose = perDocument<{ pose: string; clip: number; version: string } | undefined>(undefined);

const roomSeconds = 2;
/** The latest time of a key, the limit of the server. */
const longestSeconds = 3600;
/** With more keys, marks would overlap. */
const mostMarks = 400;

let asking: Promise<void> | undefined;
/** Number of the timeline's commands in flight: poses received meanwhile are their results. */
let underWay = 0;
let wanted: number | undefined;
onNewDocument(() => (wanted = undefined));

function clip() {
  const clips = document_.value?.clips ?? [];
  return clips[clipIndex.value] ?? clips[0];
}

/** Keys can be added beyond the last one; clips of the file have a fixed length. */
function openEnded(): boolean {
  const current = clip();
  return current === undefined || isKeyed(current.name);
}

/** Length of the timeline in seconds, with room after the last key for the next one. */
function shownSeconds(): number {
  const seconds = clip()?.seconds ?? 0;
  return openEnded() ? Math.max(seconds + roomSeconds, extent.value) : seconds;
}

/** The current time, clamped to the end, which changes when keys are removed or another clip is chosen. */
const time = () => Math.min(asked.value, shownSeconds());
const place = () => ({ clip: clip()?.index ?? 0, time: time() });

/** The shown pose is that of the clip at the current time. */
function arrived(): void {
  const index = clip()?.index ?? 0;
  shownPose.value = { pose: poseNow(), clip: index, version: versionOf(index) };
}

/** Shows a time; while a request is in flight, only the newest one waits. */
function show(seconds: number): Promise<void> {
  asked.value = seconds;
  wanted = seconds;
  asking ??= ask().finally(() => (asking = undefined));
  return asking;
}

async function ask(): Promise<void> {
  underWay += 1;
  while (wanted !== undefined) {
    const next: number = wanted;
    wanted = undefined;
    try {
      await connection.command('pose.clip', { view: activeView.peek(), clip: clip()?.index ?? 0, time: next, live: true });
      arrived();
    } catch {
      playing.value = false;
      shownPose.value = undefined;
    }
  }
  underWay -= 1;
}

async function keep(): Promise<void> {
  wanted = undefined;
  underWay += 1;
  const answer = await command('pose.clip', { view: activeView.value, clip: clip()?.index ?? 0, time: time() });
  underWay -= 1;
  if (answer === undefined) return;
  arrived();
  rememberPlace(place());
}

/**
 * After an undo, a manual change or a change of view: goes to the time at which this pose was shown. If there is none, the
 * time stays, for adding a key, and the timeline shows that the pose differs. Returns a function that stops it.
 */
export function followPose(): () => void {
  return effect(() => {
    const pose = poseNow();
    void document_.value;
    untracked(() => {
      const known = shownPose.value;
      const current = clip();
      if (underWay > 0 || playing.value || current === undefined) return;
      const gone = current.index !== clipIndex.value;
      if (!gone && (known === undefined ? lastPose === pose : known.pose === pose && known.version === versionOf(known.clip))) return;
      const found = findPlace(place(), !gone && known?.pose === pose ? current.index : undefined);
      lastPose = pose;
      shownPose.value = found === undefined ? undefined : { pose, clip: found.clip, version: versionOf(found.clip) };
      clipIndex.value = found?.clip ?? current.index;
      asked.value = found?.time ?? asked.value;
    });
  });
}
let lastPose = '';
onNewDocument(() => (lastPose = ''));

/** Cancels scrubbing or playback: restores the pose and the time from before. */
async function cancel(seconds: number): Promise<void> {
  playing.value = false;
  wanted = undefined;
  await asking;
  asked.value = seconds;
  await cancelPose();
}

/** The time at which playback started. */
let from = 0;
addPlayback(async () => {
  if (!playing.peek()) return false;
  await cancel(from);
  return true;
});

let last = 0;
function tick(now: number): void {
  if (!playing.peek()) return;
  const length = clip()?.seconds ?? 0;
  const next = time() + Math.min(0.1, (now - last) / 1000);
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
    // At its end a clip starts over.
    from = time();
    if (from >= current.seconds - 1e-6) asked.value = 0;
    last = performance.now();
    requestAnimationFrame(tick);
  } else {
    void keep();
  }
}

/** On leaving the mode: the shown frame becomes the pose. */
export function stopPlaying(): void {
  if (playing.peek()) togglePlay();
}

function goTo(seconds: number): void {
  const length = clip()?.seconds ?? 0;
  const wantedTime = Math.max(0, Math.min(openEnded() ? longestSeconds : length, seconds));
  if (playing.value) playing.value = false;
  // Outside of the clip the pose stays, ready for a key.
  if (wantedTime > length || length <= 0) goBeyond(wantedTime);
  else void show(wantedTime).then(keep);
}

function goBeyond(seconds: number): void {
  extent.value = Math.max(extent.value, seconds);
  asked.value = seconds;
  lastPose = poseNow();
  shownPose.value = undefined;
}

/** Goes to a typed frame. */
function goToFrame(frame: number, how: NumberChange): void {
  const last = lastFrameOf(openEnded() ? longestSeconds : shownSeconds());
  if (how === 'done' && frame > last) notice.value = `The clip ends at frame ${countText(last)}.`;
  scrub(timeOfFrame(Math.max(0, Math.min(frame, last)), openEnded() ? Infinity : shownSeconds()), how);
}

/** By the slider or the field: shown while it moves, a step of undo at the end. */
function scrub(seconds: number, how: NumberChange): void {
  if (how === 'back') void cancel(seconds);
  else if (how !== 'live') goTo(seconds);
  else if (seconds > (clip()?.seconds ?? 0)) goBeyond(seconds);
  else void show(seconds);
}

/** Playback continues with the new clip. */
export function chooseClip(index: number): void {
  clipIndex.value = index;
  extent.value = 0;
  if (playing.value && (clip()?.seconds ?? 0) > 0) asked.value = 0;
  else goTo(0);
}

function tellClip(index: number, before: string): void {
  const name = document_.peek()?.clips.find((one) => one.index === index)?.name ?? 'keys';
  noticeWith(`The key is in the clip "${name}", which is shown now. The clip "${before}" is unchanged.`, 'Undo key', undo);
}

/** Adds or replaces the key at the current frame. */
export async function addKey(): Promise<void> {
  if (playing.value) togglePlay();
  const at = Math.round(time() * rate) / rate;
  underWay += 1;
  const shown = clip();
  const answer = await command('pose.key', { view: activeView.value, time: at });
  underWay -= 1;
  if (answer === undefined) return;
  clipIndex.value = answer.clip;
  // Clips of the file cannot be changed: the key is in another clip, which is shown now.
  if (shown !== undefined && shown.index !== answer.clip) tellClip(answer.clip, shown.name || `clip ${shown.index}`);
  asked.value = at;
  extent.value = Math.max(extent.value, at);
  forgetPlaces(answer.clip);
  arrived();
  rememberPlace({ clip: answer.clip, time: at });
}

export function keyHere(): number | undefined {
  const current = clip();
  return current !== undefined && isKeyed(current.name) ? current.times?.find((t) => Math.abs(t - time()) < 0.5 / rate) : undefined;
}

export async function removeKey(): Promise<void> {
  const at = keyHere();
  if (at !== undefined) await command('pose.unkey', { time: at });
}

/** Steps to whole frames. */
export function step(frames: number): void {
  goTo((frameAt(time(), shownSeconds()) + frames) / rate);
}

/** Goes to the nearest key before or after the current time. */
export function goToKey(direction: -1 | 1): void {
  const times = clip()?.times ?? [];
  const near = 1e-4;
  const found = direction > 0 ? times.find((t) => t > time() + near) : [...times].reverse().find((t) => t < time() - near);
  if (found !== undefined) goTo(found);
}

/** Marks of the keys, above the slider. */
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

/** Playback controls, for clips only. */
function Playing() {
  return (
    <>
      <IconButton icon={playing.value ? 'pause' : 'play'} label={playing.value ? 'Pause' : 'Play'} keys="Space" pressed={playing.value} onClick={togglePlay} />
      <IconButton icon="previousKey" label="Previous key" keys="," onClick={() => goToKey(-1)} />
      <IconButton icon="nextKey" label="Next key" keys="." onClick={() => goToKey(1)} />
      <IconButton icon="loop" label="Loop" pressed={loop.value} onClick={() => (loop.value = !loop.value)} />
    </>
  );
}

export function Timeline() {
  const clips = document_.value?.clips ?? [];
  const current = clip();
  const skinned = document_.value?.skinned === true && document_.value.reduced === undefined;
  if (current === undefined && !skinned) return null;
  const seconds = shownSeconds();
  const frame = frameAt(time(), seconds);
  const last = lastFrameOf(seconds);
  const keyed = keyHere() !== undefined;
  const differs = current !== undefined && !playing.value && shownPose.value?.pose !== poseNow();
  return (
    <div class="section row timeline">
      {current !== undefined && <Playing />}
      <div class="grow track">
        <Marks times={current?.times ?? []} seconds={last / rate} />
        <Slider class="wide" label="Time" valueText={`frame ${frame}, ${time().toFixed(2)} seconds`} min={0} max={last} step={1} value={frame} change={(value, how) => scrub(timeOfFrame(value, seconds), how)} />
      </div>
      <span class="pair">
        Frame
        <NumberField label="Frame" value={frame} show={(value) => String(Math.round(value))} step={1} width={52} change={(value, how) => goToFrame(Math.round(value), how)} />/ {last}
      </span>
      <span class={differs ? 'off-frame' : 'muted'} data-test="time" title={differs ? 'The pose differs from the clip at this frame. Key (K) stores it; going to another frame replaces it.' : `${rate} frames per second`}>
        {differs ? 'Pose differs' : `${time().toFixed(2)} s`}
      </span>
      {skinned && (
        <IconButton icon="key" label="Key" tip={keyed ? 'Replace the key at this frame' : 'Add a key at this frame'} keys="K" onClick={addKey} />
      )}
      {skinned && <IconButton icon="trash" label="Remove key" tip="Remove the key at this frame" keys="Delete" disabled={!keyed} onClick={removeKey} />}
      {current !== undefined && (
        <select
          aria-label="Clip"
          class="cut"
          title={current.name}
          value={current.index}
          onChange={(event) => {
            chooseClip(Number(event.currentTarget.value));
          }}
        >
          {clips.map((one) => (
            <option key={one.index} value={one.index}>
              {one.name || `Clip ${one.index}`}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
