// A mesh with its further instances: their vertices follow those of the first instances, so that these keep their numbers.

/** The vertices of an instance: `count` from `first` on are drawn as those from `at` on. */
export interface Stretch {
  first: number;
  count: number;
  at: number;
}

export interface PlacedMesh {
  /** Number of vertices with all instances. */
  count: number;
  triangles: Uint32Array;
  /** Per vertex: its welded point; instances share none. */
  points: Uint32Array;
  /** Per vertex: vertices with the same number share their normal. */
  normalPoints: Uint32Array;
  /** Per further instance. */
  stretches: Stretch[];
  /** Per vertex: the one that it is an instance of, and how many matrices farther its own lie in a palette. Undefined
   *  without further instances. */
  source: Uint32Array | undefined;
}

/** `instances`, `normals`: see ArrayKind.Instances and NormalPoints. */
export function placeInstances(vertexCount: number, triangles: Uint32Array, points: Uint32Array, instances: Uint32Array, normals: Uint32Array = points): PlacedMesh {
  const normalPoints = normals.length === vertexCount ? normals : points;
  if (instances.length === 0) return { count: vertexCount, triangles, points, normalPoints, stretches: [], source: undefined };
  const stretches: Stretch[] = [];
  let count = vertexCount;
  for (let i = 0; i < instances.length; i += 3) {
    stretches.push({ first: instances[i], count: instances[i + 1], at: count });
    count += instances[i + 1];
  }
  const source = new Uint32Array(2 * count);
  for (let v = 0; v < vertexCount; ++v) source[2 * v] = v;
  stretches.forEach(({ first, count: length, at }, i) => {
    for (let k = 0; k < length; ++k) {
      source[2 * (at + k)] = first + k;
      source[2 * (at + k) + 1] = instances[3 * i + 2];
    }
  });
  const meshes = new Map<string, MeshTopology>();
  const topologyOf = (stretch: Stretch): MeshTopology => {
    const key = `${stretch.first} ${stretch.count}`;
    const found = meshes.get(key) ?? { corners: cornersOf(stretch, triangles), points: ownPoints(stretch, points), normalPoints: ownPoints(stretch, normalPoints) };
    meshes.set(key, found);
    return found;
  };
  let corners = triangles.length;
  for (const stretch of stretches) corners += topologyOf(stretch).corners.length;
  const allTriangles = new Uint32Array(corners);
  allTriangles.set(triangles);
  const welded = points.length === vertexCount;
  const grown = (list: Uint32Array) => {
    const all = new Uint32Array(welded ? count : 0);
    if (welded) all.set(list);
    return all;
  };
  const [allPoints, allNormalPoints] = [grown(points), grown(normalPoints)];
  let next = triangles.length;
  for (const stretch of stretches) {
    const topology = topologyOf(stretch);
    for (const corner of topology.corners) allTriangles[next++] = stretch.at + corner;
    for (let k = 0; welded && k < stretch.count; ++k) {
      allPoints[stretch.at + k] = stretch.at + topology.points[k];
      allNormalPoints[stretch.at + k] = stretch.at + topology.normalPoints[k];
    }
  }
  return { count, triangles: allTriangles, points: allPoints, normalPoints: allNormalPoints, stretches, source };
}

/** Of one mesh alone, counted from its first vertex; a point is the first of its vertices. */
interface MeshTopology {
  corners: Uint32Array;
  points: Uint32Array;
  normalPoints: Uint32Array;
}

function cornersOf({ first, count }: Stretch, triangles: Uint32Array): Uint32Array {
  const corners: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    if (triangles[t] < first || triangles[t] >= first + count) continue;
    for (let c = 0; c < 3; ++c) corners.push(triangles[t + c] - first);
  }
  return Uint32Array.from(corners);
}

function ownPoints({ first, count }: Stretch, points: Uint32Array): Uint32Array {
  const firstOf = new Map<number, number>();
  const own = new Uint32Array(count);
  for (let k = 0; k < count; ++k) {
    const point = points[first + k];
    if (!firstOf.has(point)) firstOf.set(point, k);
    own[k] = firstOf.get(point) ?? k;
  }
  return own;
}
