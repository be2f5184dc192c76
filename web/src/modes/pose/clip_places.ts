// Frames of a clip, and at which clip and frame a pose was shown. The page cannot sample clips, so it remembers the poses
// that the timeline showed: an undo that restores one also restores its clip and frame.
import type { Transform } from '../../protocol/document';
import { activeView, document_, keptOfDocument, morphWeights, perDocument, poses } from '../../store';

/** Frames per second of the timeline. */
export const rate = 24;
/** Tolerance in frames: times in files are rounded. */
const rounding = 1e-3;

export const lastFrameOf = (seconds: number) => Math.ceil(seconds * rate - rounding);

export function frameAt(time: number, seconds: number): number {
  return time >= seconds - rounding / rate ? lastFrameOf(seconds) : Math.min(Math.round(time * rate), lastFrameOf(seconds));
}

/** Clamped to the end of the clip. */
export const timeOfFrame = (frame: number, seconds: number) => Math.min(frame / rate, seconds);

export interface ClipPlace {
  clip: number;
  time: number;
}
interface Known extends ClipPlace {
  pose: string;
  /** Version of the keys, if the clip can be edited. */
  version: string;
}

/** Largest number of remembered poses; older ones are dropped. */
const most = 200;
const known = keptOfDocument('clip poses', perDocument<Known[]>([]), Array.isArray);

const hashes = new WeakMap<Transform[], string>();

/** Equal for poses that agree to about 1e-6. */
export function hashOfPose(pose: Transform[]): string {
  const found = hashes.get(pose);
  if (found !== undefined) return found;
  let [a, b] = [2166136261, 5381];
  for (const { translation, rotation, scale } of pose) {
    for (const x of [...translation, ...rotation, ...scale]) {
      const n = Math.round(x * 1e6) | 0;
      a = Math.imul(a ^ n, 16777619);
      b = (Math.imul(b, 33) + n) | 0;
    }
  }
  const hash = `${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}`;
  hashes.set(pose, hash);
  return hash;
}

/** Short, because it is stored with every pose. */
function hashOfText(text: string): string {
  let hash = 2166136261;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0).toString(36);
}

/** Hash of the pose in the active view; empty if there is none. */
export function poseNow(): string {
  const pose = poses.value[activeView.value];
  if (pose === undefined) return '';
  const weights = morphWeights.value[activeView.value] ?? [];
  return hashOfPose(pose) + (weights.some((weight) => weight !== 0) ? hashOfText(weights.map((weight) => Math.round(weight * 1e6)).join()) : '');
}

export const isKeyed = (name: string) => name.startsWith('keys');

/** Hash of the steps that made the clip; empty for clips of the file, which never change. */
export function versionOf(clip: number): string {
  const info = document_.value;
  if (info === undefined || !isKeyed(info.clips[clip]?.name ?? '')) return '';
  const { names, depth } = info.history;
  return hashOfText((names ?? []).slice(0, depth).filter((name) => /^(Key|Remove the key) at /.test(name)).join('|'));
}

const same = (a: ClipPlace, b: ClipPlace) => a.clip === b.clip && Math.abs(a.time - b.time) < 1e-6;

/** Remembers that the pose in the active view is that of the clip at this time. */
export function rememberPlace(place: ClipPlace): void {
  const version = versionOf(place.clip);
  const others = known.peek().filter((one) => !same(one, place) || one.version !== version);
  known.value = [...others, { ...place, pose: poseNow(), version }].slice(-most);
}

/** After a key was set: forgets the poses of this version of the clip. */
export function forgetPlaces(clip: number): void {
  const version = versionOf(clip);
  known.value = known.peek().filter((one) => one.clip !== clip || one.version !== version);
}

/** The clip and time at which the pose in the active view was shown, in `clip` or any: `preferred` if possible, else the newest. */
export function findPlace(preferred: ClipPlace, clip?: number): ClipPlace | undefined {
  const pose = poseNow();
  const clips = document_.peek()?.clips ?? [];
  const found = known.peek().filter((one) => one.pose === pose && (clip ?? one.clip) === one.clip && clips[one.clip] !== undefined && one.version === versionOf(one.clip));
  return found.find((one) => same(one, preferred)) ?? found.at(-1);
}
