// Recent files, with pictures of how they looked. Both are kept by the browser; the studio's usual port makes them last.
import { effect } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Stage } from '../render/stage';
import { document_, isOpen } from '../store';
import { type Recent, recents } from './files';
import { Icon } from './icon_button';
import { remember, remembered } from './settings';

const pictureSize = { width: 120, height: 80 };
/** After opening, saving or a change of the document, in milliseconds: the picture shows what was seen last. */
const pictureDelay = 1500;
const keyOf = (what: string) => `sinew-picture:${what}`;

/** "2 h ago" */
export function agoOf(at: number, now = Date.now()): string {
  const minutes = Math.floor((now - at) / 60000);
  if (!(minutes >= 1)) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`;
}

/** The middle of the canvas, in the shape of the pictures. */
function pictureOf(canvas: HTMLCanvasElement): string {
  const { width, height } = pictureSize;
  const small = document.createElement('canvas');
  Object.assign(small, pictureSize);
  const scale = Math.min(canvas.width / width, canvas.height / height);
  const [w, h] = [scale * width, scale * height];
  small.getContext('2d')?.drawImage(canvas, (canvas.width - w) / 2, (canvas.height - h) / 2, w, h, 0, 0, width, height);
  return small.toDataURL('image/webp', 0.8);
}

/** Forgets pictures of files that are no longer listed. */
function prune(list: Recent[]): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(keyOf('')) && !list.some((one) => key === keyOf(one.what))) localStorage.removeItem(key);
  } catch {
    // Storage is disabled.
  }
}

/** Keeps a picture of each document that is listed. Returns a function that stops it. */
export function installPictures(stage: Stage): () => void {
  let timer = 0;
  const take = () => {
    const path = document_.peek()?.path ?? '';
    if (!recents().some((one) => one.what === path)) return;
    remember(keyOf(path), pictureOf(stage.canvas));
    prune(recents());
  };
  const stop = effect(() => {
    const path = document_.value?.path ?? '';
    window.clearTimeout(timer);
    if (isOpen.value && path !== '') timer = window.setTimeout(take, pictureDelay);
  });
  return () => {
    window.clearTimeout(timer);
    stop();
  };
}

/** Without a picture, or if it cannot be loaded: an icon. */
export function Picture({ source }: { source: string | null }) {
  const [missing, setMissing] = useState(false);
  return (
    <span class="picture" aria-hidden="true">
      {source === null || missing ? <Icon name="file" size={24} /> : <img src={source} alt="" width={pictureSize.width} height={pictureSize.height} onError={() => setMissing(true)} />}
    </span>
  );
}

/** Where titles repeat: the end of the folder, which tells the files apart. */
function folderOf(one: Recent, list: Recent[]): string {
  if (!list.some((other) => other.what !== one.what && other.title === one.title)) return '';
  const parts = one.what.split(/[/\\]/).slice(0, -1);
  return parts.slice(-2).join('/') || '.';
}

export function Recents({ go }: { go: (what: string) => void }) {
  const list = recents();
  if (list.length === 0) return null;
  return (
    <section aria-label="Recent files">
      <h2>Recent</h2>
      <ul class="cards">
        {list.map((one) => (
          <li key={one.what}>
            <button class="card-button" title={one.what} onClick={() => go(one.what)}>
              <Picture source={remembered(keyOf(one.what))} />
              <span class="card-title">{one.title}</span>
              {folderOf(one, list) !== '' && <span class="muted card-folder">{folderOf(one, list)}</span>}
              <span class="muted">{agoOf(one.at)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
