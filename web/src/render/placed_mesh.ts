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
  /** Per further instance. */
  stretches: Stretch[];
  /** Per vertex: the one that it is an instance of, and how many matrices farther its own lie in a palette. Undefined
   *  without further instances. */
  source: Uint32Array | undefined;
}

/** `instances`: see ArrayKind.Instances. */
export function placeInstances(vertexCount: number, triangles: Uint32Array, points: Uint32Array, instances: Uint32Array): PlacedMesh {
  if (instances.length === 0) return { count: vertexCount, triangles, points, stretches: [], source: undefined };
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
    const found = meshes.get(key) ?? meshTopology(stretch, triangles, points);
    meshes.set(key, found);
    return found;
  };
  let corners = triangles.length;
  for (const stretch of stretches) corners += topologyOf(stretch).corners.length;
  const allTriangles = new Uint32Array(corners);
  allTriangles.set(triangles);
  const welded = points.length === vertexCount;
  const allPoints = new Uint32Array(welded ? count : 0);
  if (welded) allPoints.set(points);
  let next = triangles.length;
  for (const stretch of stretches) {
    const topology = topologyOf(stretch);
    for (const corner of topology.corners) allTriangles[next++] = stretch.at + corner;
    for (let k = 0; welded && k < stretch.count; ++k) allPoints[stretch.at + k] = stretch.at + topology.points[k];
  }
  return { count, triangles: allTriangles, points: allPoints, stretches, source };
}

/** Of one mesh alone, counted from its first vertex; a point is the first of its vertices. */
interface MeshTopology {
  corners: Uint32Array;
  points: Uint32Array;
}

function meshTopology({ first, count }: Stretch, triangles: Uint32Array, points: Uint32Array): MeshTopology {
  const corners: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    if (triangles[t] < first || triangles[t] >= first + count) continue;
    for (let c = 0; c < 3; ++c) corners.push(triangles[t + c] - first);
  }
  const firstOf = new Map<number, number>();
  const own = new Uint32Array(count);
  for (let k = 0; k < count; ++k) {
    const point = points[first + k];
    if (!firstOf.has(point)) firstOf.set(point, k);
    own[k] = firstOf.get(point) ?? k;
  }
  return { corners: Uint32Array.from(corners), points: own };
}
