// Images of the active view: one, a turn around the character, or a clip, without the background.
import { signal } from '@preact/signals';
import { cancelPose, connection, showFault, stage } from '../client';
import { activeView, document_, job, notice } from '../store';

/** Pixels per pixel of the view. */
export const pictureScale = signal(2);
/** Whether skeleton, handles and grid are in the image. */
export const pictureMarks = signal(false);
export const turnFrames = 36;
const framesPerSecond = 24;

const pngOf = (canvas: HTMLCanvasElement) =>
  new Promise<Blob>((resolve, reject) => canvas.toBlob((blob) => (blob === null ? reject(new Error('The image is too large for this browser.')) : resolve(blob)), 'image/png'));

function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  notice.value = `Saved ${name} to the browser's downloads.`;
}

const stem = () => (document_.peek()?.title ?? 'studio').replace(/\.[^.]*$/, '').replace(/[^\w.-]+/g, '_') || 'studio';

async function shoot(): Promise<Blob> {
  if (stage === undefined) throw new Error('Nothing is drawn.');
  return pngOf(stage.picture(activeView.peek(), pictureScale.peek(), pictureMarks.peek()));
}

export async function savePicture(): Promise<void> {
  try {
    download(await shoot(), `${stem()}.png`);
  } catch (fault) {
    showFault(fault);
  }
}

/** Images in one .zip; `prepare` sets up each frame. */
async function saveSequence(what: string, name: string, count: number, prepare: (frame: number) => Promise<void>): Promise<void> {
  const { zipSync } = await import('three/examples/jsm/libs/fflate.module.js');
  const files: Record<string, [Uint8Array, { level: 0 }]> = {};
  let cancelled = false;
  const began = performance.now();
  for (let frame = 0; frame < count; ++frame) {
    job.value = { id: 0, what, fraction: frame / count, stage: `image ${frame + 1} of ${count}`, seconds: (performance.now() - began) / 1000, cancel: () => (cancelled = true) };
    await prepare(frame);
    files[`${name}_${String(frame).padStart(4, '0')}.png`] = [new Uint8Array(await (await shoot()).arrayBuffer()), { level: 0 }];
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (cancelled) {
      notice.value = 'Cancelled.';
      return;
    }
  }
  download(new Blob([zipSync(files) as Uint8Array<ArrayBuffer>], { type: 'application/zip' }), `${name}.zip`);
}

async function whileBusy(run: () => Promise<void>, restore: () => unknown): Promise<void> {
  if (job.peek() !== undefined) return;
  try {
    await run();
  } catch (fault) {
    showFault(fault);
  } finally {
    job.value = undefined;
    await restore();
  }
}

/** Once around the character. */
export function saveTurn(): Promise<void> {
  const controls = stage?.controls;
  const azimuth = controls?.azimuthAngle ?? 0;
  const polar = controls?.polarAngle ?? 0;
  const look = async (angle: number) => void (await controls?.rotateTo(angle, polar, false));
  return whileBusy(
    () => saveSequence('Rendering the turntable', `${stem()}_turn`, turnFrames, (frame) => look(azimuth + (2 * Math.PI * frame) / turnFrames)),
    () => look(azimuth).then(() => stage?.draw()),
  );
}

/** Every frame of a clip; the pose stays as it is. */
export function saveClip(index: number): Promise<void> {
  const clip = document_.peek()?.clips.find((one) => one.index === index);
  const view = activeView.peek();
  if (clip === undefined) return Promise.resolve();
  const count = Math.ceil(clip.seconds * framesPerSecond - 1e-6) + 1;
  const show = async (frame: number) => void (await connection.command('pose.clip', { view, clip: index, time: Math.min(frame / framesPerSecond, clip.seconds), live: true }));
  return whileBusy(() => saveSequence('Rendering the clip', `${stem()}_${(clip.name || `clip${index}`).replace(/[^\w.-]+/g, '_')}`, count, show), cancelPose);
}
