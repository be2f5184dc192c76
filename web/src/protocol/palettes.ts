// Palettes of all views, assembled from the frame of each.
import type { Frame } from './messages';

export class Palettes {
  views = 0;
  matricesPerView = 0;
  /** Views x matrices x 12: rows of world from rest. */
  values = new Float32Array();

  /** One view. False if nothing changed. */
  take(frame: Pick<Frame, 'view' | 'views' | 'palette'>): boolean {
    const size = frame.palette.length;
    const known = (view: number) => (view < this.views && size === 12 * this.matricesPerView ? this.values.subarray(size * view, size * (view + 1)) : undefined);
    if (this.views === frame.views && sameNumbers(known(frame.view), frame.palette)) return false;
    const values = new Float32Array(size * frame.views);
    // New views look like this one until their frame arrives.
    for (let view = 0; view < frame.views; ++view) values.set((view === frame.view ? undefined : known(view)) ?? frame.palette, size * view);
    this.values = values;
    this.views = frame.views;
    this.matricesPerView = size / 12;
    return true;
  }

  clear(): void {
    this.views = 0;
    this.matricesPerView = 0;
    this.values = new Float32Array();
  }
}

function sameNumbers(a: Float32Array | undefined, b: Float32Array): boolean {
  if (a === undefined || a.length !== b.length) return false;
  for (let i = 0; i < b.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}
