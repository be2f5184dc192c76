// Displacements after skinning, per vertex of a view: corrections that are shown before they are part of the document,
// and sculpting strokes. Only changed texels are uploaded.
import type { DataTexture, WebGLRenderer } from 'three';
import { ChangedTexels, roomFor, textureOfFloats } from './textures';

export class ViewOffsets {
  readonly texture: DataTexture;
  private readonly data: Float32Array;
  private readonly changed: ChangedTexels;
  /** Vertices that may have an offset. */
  private moved = new Set<number>();

  constructor(
    private readonly count: number,
    width: number,
  ) {
    this.data = new Float32Array(4 * roomFor(count, width));
    this.texture = textureOfFloats(this.data, 4, width);
    this.changed = new ChangedTexels(width);
  }

  /** Whether any vertex has an offset. */
  get active(): boolean {
    return this.moved.size > 0;
  }

  /** Replaces all offsets: x, y, z per vertex. False if there were none and are none. */
  set(vertices: Uint32Array, offsets: Float32Array): boolean {
    if (vertices.length === 0 && this.moved.size === 0) return false;
    const old = this.moved;
    this.moved = new Set();
    this.update(vertices, offsets);
    for (const vertex of old) if (!this.moved.has(vertex)) this.write(vertex, 0, 0, 0);
    return true;
  }

  /** Replaces those of some vertices. */
  update(vertices: Uint32Array, offsets: Float32Array): void {
    vertices.forEach((vertex, i) => {
      // A message of a document that is no longer shown.
      if (vertex >= this.count) return;
      this.moved.add(vertex);
      this.write(vertex, offsets[3 * i], offsets[3 * i + 1], offsets[3 * i + 2]);
    });
  }

  private write(vertex: number, x: number, y: number, z: number): void {
    const at = 4 * vertex;
    this.data[at] = x;
    this.data[at + 1] = y;
    this.data[at + 2] = z;
    this.changed.touch(vertex, vertex);
  }

  /** Uploads what changed; returns the number of texels. */
  flush(renderer: WebGLRenderer): number {
    return this.changed.flush(renderer, this.texture);
  }

  dispose(): void {
    this.texture.dispose();
  }
}
