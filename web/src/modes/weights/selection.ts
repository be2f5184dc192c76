// Selecting vertices without a pointer: by number, by weight, and by rings of neighbours.
import { connection, stage } from '../../client';
import { ArrayKind, BlobArrays } from '../../protocol/blob';
import { document_, notice, selectedVertices } from '../../store';
import { counted } from '../../ui/labels';

/** Parses numbers and ranges such as "7, 12-20 33". Returns an error message if it fails. */
export function verticesOf(text: string, count: number): number[] | string {
  const found = new Set<number>();
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  if (parts.length === 0) return 'Type vertex numbers such as 12 or 12-20.';
  for (const part of parts) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (match === null) return `"${part}" is not a vertex number.`;
    const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (last >= count || first > last) return `There is no vertex ${part}. Vertices are numbered from 0 to ${count - 1}.`;
    for (let v = first; v <= last; ++v) found.add(v);
  }
  return [...found];
}

export function selectById(text: string): void {
  const vertices = verticesOf(text, document_.value?.vertices ?? 0);
  if (typeof vertices === 'string') notice.value = vertices;
  else selectedVertices.value = vertices;
}

/** Selects all vertices at which an influence has a weight above `least`. */
export function selectByWeight(binding: number, least: number): void {
  const influences = stage?.deformer?.influences;
  const count = document_.value?.vertices ?? 0;
  if (influences === undefined) return;
  const found: number[] = [];
  for (let v = 0; v < count; ++v) if (influences.column(v).some((one) => one.binding === binding && one.weight > least)) found.push(v);
  selectedVertices.value = found;
  notice.value = `${counted(found.length, 'vertex', 'vertices')} selected.`;
}

let topology: { name: string; triangles: Uint32Array; points: Uint32Array } | undefined;

async function load(): Promise<typeof topology> {
  const name = document_.value?.blobs.mesh;
  if (name === undefined || topology?.name === name) return topology;
  const arrays = new BlobArrays(await connection.blob(name));
  topology = { name, triangles: arrays.u32(ArrayKind.Triangles), points: arrays.u32(ArrayKind.PointOfVertex) };
  return topology;
}

/** Grows or shrinks the selection by one ring of neighbours, across seams. */
export async function growSelection(more: boolean): Promise<void> {
  const mesh = await load();
  if (mesh === undefined || selectedVertices.value.length === 0) return;
  const { triangles, points } = mesh;
  const inside = new Uint8Array(points.length);
  for (const v of selectedVertices.value) inside[points[v]] = 1;
  const next = inside.slice();
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [points[triangles[t]], points[triangles[t + 1]], points[triangles[t + 2]]];
    const some = corners.some((p) => inside[p] === 1);
    const all = corners.every((p) => inside[p] === 1);
    if (more ? some : !all) for (const p of corners) next[p] = more ? 1 : 0;
  }
  // The lead stays first.
  const kept = selectedVertices.value.filter((v) => next[points[v]] === 1);
  const known = new Set(kept);
  for (let v = 0; more && v < points.length; ++v) if (next[points[v]] === 1 && !known.has(v)) kept.push(v);
  selectedVertices.value = kept;
}
