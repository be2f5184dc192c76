// Another character, drawn beside the document: linear blend and morph targets in plain JavaScript, as programs play a file
// that know nothing of Sinew. It shares no code with the deformer, so the two cannot agree on the same mistake.
import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, MeshStandardMaterial, Vector3 } from 'three';
import { ArrayKind, BlobArrays } from '../protocol/blob';
import type { ExportFrame } from '../protocol/messages';

/** A stretch of vertices that is drawn once more, with matrices of its own. */
interface Instance {
  first: number;
  count: number;
  shift: number;
  at: number;
}

export class Companion {
  readonly mesh: Mesh;
  readonly vertexCount: number;
  private readonly rest: Float32Array;
  private readonly points: Uint32Array;
  private readonly instances: Instance[] = [];
  private readonly start: Uint32Array;
  private readonly bindings: Uint32Array;
  private readonly weights: Float32Array;
  private readonly morphStart: Uint32Array;
  private readonly morphVertices: Uint32Array;
  private readonly morphDeltas: Float32Array;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly triangles: Uint32Array;

  constructor(mesh: ArrayBuffer, weights: ArrayBuffer, morphs: ArrayBuffer | undefined) {
    const arrays = new BlobArrays(mesh);
    this.rest = arrays.f32(ArrayKind.Rest);
    this.vertexCount = this.rest.length / 3;
    const rows = arrays.u32(ArrayKind.Instances);
    let count = this.vertexCount;
    for (let i = 0; i < rows.length; i += 3) {
      this.instances.push({ first: rows[i], count: rows[i + 1], shift: rows[i + 2], at: count });
      count += rows[i + 1];
    }
    const corners = arrays.u32(ArrayKind.Triangles);
    const shared = arrays.u32(ArrayKind.NormalPoints);
    const welded = shared.length === this.vertexCount ? shared : arrays.u32(ArrayKind.PointOfVertex);
    const all = [...corners];
    const points = new Uint32Array(count);
    for (let v = 0; v < this.vertexCount; ++v) points[v] = welded[v] ?? v;
    for (const one of this.instances) {
      // Its points are those of its first instance, counted on.
      for (let v = 0; v < one.count; ++v) points[one.at + v] = one.at + Math.max(0, points[one.first + v] - one.first);
      for (let t = 0; t < corners.length; t += 3)
        if (corners[t] >= one.first && corners[t] < one.first + one.count) for (let c = t; c < t + 3; ++c) all.push(corners[c] - one.first + one.at);
    }
    this.points = points;
    this.triangles = Uint32Array.from(all);
    const columns = new BlobArrays(weights);
    this.start = columns.u32(ArrayKind.InfluenceStart);
    this.bindings = columns.u32(ArrayKind.Bindings);
    this.weights = columns.f32(ArrayKind.Weights);
    const targets = morphs === undefined ? undefined : new BlobArrays(morphs);
    this.morphStart = targets?.u32(ArrayKind.MorphStart) ?? new Uint32Array(1);
    this.morphVertices = targets?.u32(ArrayKind.MorphVertices) ?? new Uint32Array();
    this.morphDeltas = targets?.f32(ArrayKind.MorphDeltas) ?? new Float32Array();
    this.positions = new Float32Array(3 * count);
    this.normals = new Float32Array(3 * count);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute('normal', new BufferAttribute(this.normals, 3).setUsage(DynamicDrawUsage));
    geometry.setIndex(new BufferAttribute(this.triangles, 1));
    this.mesh = new Mesh(geometry, new MeshStandardMaterial({ color: '#b9b3ab', roughness: 0.62, metalness: 0, side: DoubleSide }));
    this.mesh.frustumCulled = false;
  }

  /** Poses it as the server says. */
  apply(frame: ExportFrame): void {
    const targets = this.morphStart.length - 1;
    this.skin(0, this.vertexCount, 0, 0, this.morphed(frame, 0, targets), frame.palette);
    this.instances.forEach((one, i) => this.skin(one.first, one.count, one.shift, one.at, this.morphed(frame, i + 1, targets), frame.palette));
    this.turnNormals();
    for (const name of ['position', 'normal']) this.mesh.geometry.attributes[name].needsUpdate = true;
  }

  position(vertex: number): Vector3 {
    return new Vector3().fromArray(this.positions, 3 * vertex);
  }

  /** With further instances, 3 per vertex. */
  get drawnPositions(): Float32Array {
    return this.positions;
  }

  /** A copy, 3 per vertex. */
  allPositions(): Float32Array {
    return this.positions.slice(0, 3 * this.vertexCount);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as MeshStandardMaterial).dispose();
  }

  /** The rest points with the morph targets of the first instances (place 0) or of a further one. */
  private morphed(frame: ExportFrame, place: number, count: number): Float32Array {
    let points = this.rest;
    frame.targets.forEach((target, i) => {
      if (count === 0 || Math.floor(target / count) !== place) return;
      if (points === this.rest) points = this.rest.slice();
      const weight = frame.targetWeights[i];
      for (let e = this.morphStart[target % count]; e < this.morphStart[(target % count) + 1]; ++e)
        for (let axis = 0; axis < 3; ++axis) points[3 * this.morphVertices[e] + axis] += weight * this.morphDeltas[3 * e + axis];
    });
    return points;
  }

  private skin(first: number, count: number, shift: number, at: number, rest: Float32Array, palette: Float32Array): void {
    for (let i = 0; i < count; ++i) {
      const v = first + i;
      const [x, y, z] = [rest[3 * v], rest[3 * v + 1], rest[3 * v + 2]];
      for (let axis = 0; axis < 3; ++axis) {
        let sum = 0;
        for (let e = this.start[v]; e < this.start[v + 1]; ++e) {
          const m = 12 * (this.bindings[e] + shift) + 4 * axis;
          sum += this.weights[e] * (palette[m] * x + palette[m + 1] * y + palette[m + 2] * z + palette[m + 3]);
        }
        this.positions[3 * (at + i) + axis] = sum;
      }
    }
  }

  /** Means of the adjacent faces, over seams too. */
  private turnNormals(): void {
    const { normals, positions, triangles, points } = this;
    const sums = new Float32Array(normals.length);
    const [a, b, c] = [new Vector3(), new Vector3(), new Vector3()];
    for (let t = 0; t < triangles.length; t += 3) {
      a.fromArray(positions, 3 * triangles[t]);
      b.fromArray(positions, 3 * triangles[t + 1]).sub(a);
      c.fromArray(positions, 3 * triangles[t + 2]).sub(a);
      b.cross(c);
      for (let k = t; k < t + 3; ++k) {
        const p = 3 * points[triangles[k]];
        sums[p] += b.x;
        sums[p + 1] += b.y;
        sums[p + 2] += b.z;
      }
    }
    for (let v = 0; v < points.length; ++v) a.fromArray(sums, 3 * points[v]).normalize().toArray(normals, 3 * v);
  }
}
