// Rest points with morph targets. A view has its own texture of them while some target has a weight; only texels whose
// points move are computed and uploaded.
import type { DataTexture, WebGLRenderer } from 'three';
import { ArrayKind, BlobArrays } from '../protocol/blob';
import type { PlacedMesh } from './placed_mesh';
import { ChangedTexels, roomFor, textureOfFloats } from './textures';

/** Displacements of all targets, as lists of the vertices that they move. */
export class MorphTargets {
  readonly start: Uint32Array;
  readonly vertices: Uint32Array;
  readonly deltas: Float32Array;
  readonly count: number;

  constructor(blob: ArrayBuffer) {
    const arrays = new BlobArrays(blob);
    this.start = arrays.u32(ArrayKind.MorphStart);
    this.vertices = arrays.u32(ArrayKind.MorphVertices);
    this.deltas = arrays.f32(ArrayKind.MorphDeltas);
    this.count = Math.max(0, this.start.length - 1);
  }
}

export class MorphedRest {
  readonly texture: DataTexture;
  private readonly data: Float32Array;
  private readonly changed: ChangedTexels;
  private targets = new Uint32Array();
  private weights = new Float32Array();

  /** `rest`: x, y, z and one more number per vertex of the first instances. */
  constructor(
    private readonly rest: Float32Array,
    private readonly morphs: MorphTargets,
    private readonly placed: PlacedMesh,
    width: number,
  ) {
    this.data = new Float32Array(4 * roomFor(placed.count, width));
    const own = placed.stretches.length === 0 ? placed.count : placed.stretches[0].at;
    this.data.set(rest.subarray(0, 4 * own));
    for (const { first, count, at } of placed.stretches) this.data.set(rest.subarray(4 * first, 4 * (first + count)), 4 * at);
    this.texture = textureOfFloats(this.data, 4, width);
    this.changed = new ChangedTexels(width);
  }

  /** Whether any target has a weight. */
  get active(): boolean {
    return this.targets.length > 0;
  }

  /** Targets in the numbering of Frame. False if nothing changed. */
  set(targets: Uint32Array, weights: Float32Array): boolean {
    if (sameList(targets, this.targets) && sameList(weights, this.weights)) return false;
    for (const target of this.targets) this.move(target, 0);
    targets.forEach((target, i) => this.move(target, weights[i]));
    this.targets = Uint32Array.from(targets);
    this.weights = Float32Array.from(weights);
    return true;
  }

  /** Adds a target with its weight; with the weight 0 its vertices go back to rest. */
  private move(target: number, weight: number): void {
    const { start, vertices, deltas, count } = this.morphs;
    const place = Math.floor(target / count);
    const morph = target % count;
    const stretch = place === 0 ? { first: 0, at: 0 } : this.placed.stretches[place - 1];
    // A frame of a document that is no longer shown.
    if (stretch === undefined) return;
    const shift = stretch.at - stretch.first;
    let from = -1;
    for (let i = start[morph]; i < start[morph + 1]; ++i) {
      const vertex = vertices[i];
      const to = 4 * (vertex + shift);
      for (let axis = 0; axis < 3; ++axis) {
        if (weight === 0) this.data[to + axis] = this.rest[4 * vertex + axis];
        else this.data[to + axis] += weight * deltas[3 * i + axis];
      }
      if (from < 0) from = vertex;
      if (i + 1 < start[morph + 1] && vertices[i + 1] === vertex + 1) continue;
      this.changed.touch(from + shift, vertex + shift);
      from = -1;
    }
  }

  /** Uploads what changed; returns the number of texels. */
  flush(renderer: WebGLRenderer): number {
    return this.changed.flush(renderer, this.texture);
  }

  dispose(): void {
    this.texture.dispose();
  }
}

function sameList(a: Uint32Array | Float32Array, b: Uint32Array | Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
