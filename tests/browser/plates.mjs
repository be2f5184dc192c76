// A character whose reachable sets are known exactly: small plates, each bound to joints that are offset from their
// bind positions, so that every joint moves a plate to a different position. With an independent skinning, so that a
// mistake shared by page and server is found.
import { writeFileSync } from 'node:fs';

/** The offset that each joint alone gives. */
export const offsets = { a: [0.4, 0, 0], b: [-0.4, 0, 0], c: [0, 0.5, 0], d: [0, 0.1, 0.6], e: [0.1, 0, 0] };
const names = Object.keys(offsets);

/** The joints of each plate, with equal weights. */
export const plates = { segment: ['a', 'b'], triangle: ['a', 'b', 'c'], collinear: ['a', 'b', 'e'], hull: ['a', 'b', 'c', 'd'], point: ['a'] };
const side = 5;
const size = 0.7;
const spacing = 1.7;

const perPlate = side * side;
export const middleOf = (plate) => Object.keys(plates).indexOf(plate) * perPlate + Math.floor(perPlate / 2);

/** Positions before skinning. */
export const rest = Object.keys(plates).flatMap((_, p) =>
  Array.from({ length: perPlate }, (__, i) => [(p - 2) * spacing + size * ((i % side) / (side - 1) - 0.5), size * (Math.floor(i / side) / (side - 1) - 0.5), 0]),
);

export function writePlates(path) {
  const triangles = Object.keys(plates).flatMap((_, p) =>
    Array.from({ length: (side - 1) ** 2 }, (__, i) => {
      const first = p * perPlate + Math.floor(i / (side - 1)) * side + (i % (side - 1));
      return [first, first + 1, first + side + 1, first, first + side + 1, first + side];
    }).flat(),
  );
  const joints = [];
  const weights = [];
  for (const list of Object.values(plates)) {
    for (let i = 0; i < perPlate; ++i) {
      for (let k = 0; k < 4; ++k) {
        joints.push(k < list.length ? names.indexOf(list[k]) : 0);
        weights.push(k < list.length ? 1 / list.length : 0);
      }
    }
  }
  const parts = [Buffer.from(Float32Array.from(rest.flat()).buffer), Buffer.from(Uint16Array.from(triangles).buffer), Buffer.from(Uint8Array.from(joints).buffer), Buffer.from(Float32Array.from(weights).buffer)];
  let at = 0;
  const views = parts.map((part) => {
    const view = { buffer: 0, byteOffset: at, byteLength: part.length };
    at += part.length;
    return view;
  });
  const count = rest.length;
  const low = [0, 1, 2].map((axis) => Math.min(...rest.map((p) => Math.fround(p[axis]))));
  const high = [0, 1, 2].map((axis) => Math.max(...rest.map((p) => Math.fround(p[axis]))));
  const gltf = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    // Omitted inverse bind matrices are the identity: a joint moves vertices by its own transform.
    nodes: [{ name: 'root', children: names.map((_, j) => j + 2) }, { name: 'plates', mesh: 0, skin: 0 }, ...names.map((name) => ({ name, translation: offsets[name] }))],
    skins: [{ joints: names.map((_, j) => j + 2) }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, JOINTS_0: 2, WEIGHTS_0: 3 }, indices: 1 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count, type: 'VEC3', min: low, max: high },
      { bufferView: 1, componentType: 5123, count: triangles.length, type: 'SCALAR' },
      { bufferView: 2, componentType: 5121, count, type: 'VEC4' },
      { bufferView: 3, componentType: 5126, count, type: 'VEC4' },
    ],
    bufferViews: views,
    buffers: [{ byteLength: at, uri: `data:application/octet-stream;base64,${Buffer.concat(parts).toString('base64')}` }],
  };
  writeFileSync(path, JSON.stringify(gltf));
}

/** The server's weights of all vertices: for each vertex a map from joint name to weight. */
export async function weightsOf(studio) {
  const state = await studio.state();
  const blob = Buffer.from(await (await studio.fetch(`/blob/${state.weightsName}`)).arrayBuffer());
  const arrays = new Map();
  for (let i = 0; i < blob.readUInt32LE(8); ++i) {
    const row = 12 + 32 * i;
    const bytes = Uint8Array.from(blob.subarray(Number(blob.readBigUInt64LE(row + 8)), Number(blob.readBigUInt64LE(row + 8)) + Number(blob.readBigUInt64LE(row + 16))));
    arrays.set(blob.readUInt32LE(row), blob.readUInt32LE(row + 4) === 1 ? new Float32Array(bytes.buffer) : new Uint32Array(bytes.buffer));
  }
  const [start, bindings, weights] = [4, 5, 6].map((kind) => arrays.get(kind));
  return Array.from({ length: start.length - 1 }, (_, v) => {
    const column = new Map();
    for (let i = start[v]; i < start[v + 1]; ++i) column.set(state.joints[state.bindings[bindings[i]]].name, weights[i]);
    return column;
  });
}

const turned = ([x, y, z, w], [a, b, c]) => {
  const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
};

/** The position that a joint alone gives to a point, in a view of the server's state. Its parent is at the origin. */
export function cornerOf(state, view, joint, place) {
  const j = state.joints.findIndex((one) => one.name === joint);
  const numbers = state.views[view].joints.slice(10 * j, 10 * j + 10);
  return turned(numbers.slice(3, 7), place).map((x, axis) => x + numbers[axis]);
}

/** The position of a vertex by linear blend skinning, in scene coordinates. */
export function skinned(state, view, column, place) {
  const sum = [0, 0, 0];
  for (const [joint, weight] of column) cornerOf(state, view, joint, place).forEach((x, axis) => (sum[axis] += weight * x));
  return sum;
}

export const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** The nearest point of the convex hull of some corners: Gilbert's algorithm, simple but slow. */
export function nearestInHull(corners, target) {
  let best = [...corners[0]];
  for (let i = 0; i < 20000; ++i) {
    const way = target.map((x, axis) => x - best[axis]);
    const far = corners.reduce((a, b) => (b.reduce((sum, x, axis) => sum + x * way[axis], 0) > a.reduce((sum, x, axis) => sum + x * way[axis], 0) ? b : a));
    const step = far.map((x, axis) => x - best[axis]);
    const length = step.reduce((sum, x) => sum + x * x, 0);
    const t = length > 0 ? Math.min(1, Math.max(0, step.reduce((sum, x, axis) => sum + x * way[axis], 0) / length)) : 0;
    if (t * Math.sqrt(length) < 1e-9) break;
    best = best.map((x, axis) => x + t * step[axis]);
  }
  return best;
}
