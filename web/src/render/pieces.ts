// The parts of a mesh with all their instances, as ranges of vertices and of corners of triangles, so that parts can be
// hidden and drawn with materials of their own.
import type { PlacedMesh } from './placed_mesh';

/** A part of the mesh, as the document lists it. */
export interface Part {
  firstVertex: number;
  vertices: number;
}

/** One instance of a part. */
export interface Piece {
  part: number;
  firstVertex: number;
  vertices: number;
  /** In the list of triangles. */
  firstCorner: number;
  corners: number;
}

/** The list of parts, or the whole mesh as one part. */
export function partsOf(vertexCount: number, parts: Part[]): Part[] {
  const covered = parts.reduce((sum, part) => sum + part.vertices, 0);
  return parts.length > 0 && covered === vertexCount ? parts : [{ firstVertex: 0, vertices: vertexCount }];
}

/** In the order of their vertices, which is that of the triangles. `parts` cover the first instances. */
export function piecesOf(placed: PlacedMesh, parts: Part[]): Piece[] {
  const pieces: Piece[] = [];
  const add = (part: number, firstVertex: number) => pieces.push({ part, firstVertex, vertices: parts[part].vertices, firstCorner: 0, corners: 0 });
  parts.forEach((part, p) => add(p, part.firstVertex));
  for (const { first, count, at } of placed.stretches) {
    parts.forEach((part, p) => {
      if (part.firstVertex >= first && part.firstVertex + part.vertices <= first + count) add(p, at + part.firstVertex - first);
    });
  }
  let corner = 0;
  for (const piece of pieces) {
    piece.firstCorner = corner;
    const end = piece.firstVertex + piece.vertices;
    while (corner < placed.triangles.length && placed.triangles[corner] >= piece.firstVertex && placed.triangles[corner] < end) corner += 3;
    piece.corners = corner - piece.firstCorner;
  }
  return pieces;
}

/** The triangles of some pieces, one after the other. */
export function trianglesOf(triangles: Uint32Array, pieces: Piece[]): Uint32Array {
  const total = pieces.reduce((sum, piece) => sum + piece.corners, 0);
  if (total === triangles.length) return triangles;
  const list = new Uint32Array(total);
  let at = 0;
  for (const piece of pieces) {
    list.set(triangles.subarray(piece.firstCorner, piece.firstCorner + piece.corners), at);
    at += piece.corners;
  }
  return list;
}

/** The vertices of some pieces, ascending; further instances are left out with `below`. */
export function verticesOf(pieces: Piece[], below = Infinity): Uint32Array {
  const kept = pieces.filter((piece) => piece.firstVertex < below);
  const list = new Uint32Array(kept.reduce((sum, piece) => sum + piece.vertices, 0));
  let at = 0;
  for (const piece of kept) for (let k = 0; k < piece.vertices; ++k) list[at++] = piece.firstVertex + k;
  return list;
}

/** Every edge of some triangles once, as pairs of vertices. */
export function edgesOf(triangles: Uint32Array): Uint32Array {
  const keys = new Float64Array(triangles.length);
  const base = 2 ** 26;
  for (let t = 0; t < triangles.length; t += 3) {
    for (let c = 0; c < 3; ++c) {
      const a = triangles[t + c];
      const b = triangles[t + ((c + 1) % 3)];
      keys[t + c] = Math.min(a, b) * base + Math.max(a, b);
    }
  }
  keys.sort();
  const edges = new Uint32Array(2 * keys.length);
  let at = 0;
  for (let i = 0; i < keys.length; ++i) {
    if (i > 0 && keys[i] === keys[i - 1]) continue;
    edges[at++] = Math.floor(keys[i] / base);
    edges[at++] = keys[i] % base;
  }
  return edges.slice(0, at);
}
