// A glTF file made by code with what the example files lack: cubic and stepped clips, morph targets (one of them
// sparse), eight influences, integer weights, several primitives, two skins on the same joints, a mesh without a skin,
// and scaled nodes above. As a program: node made.mjs OUT.glb 4|8.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const kFloat = 5126;
const kByte = 5121;
export const kShort = 5123;
const kArrays = { [kFloat]: Float32Array, [kByte]: Uint8Array, [kShort]: Uint16Array };
const kWidths = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 };
export const kVertexData = 34962;
export const kIndexData = 34963;

/** Collects bufferViews and accessors. */
export class Binary {
  chunks = [];
  length = 0;
  bufferViews = [];
  accessors = [];

  view(values, component, target) {
    const bytes = Buffer.from(kArrays[component].from(values).buffer);
    this.bufferViews.push({ buffer: 0, byteOffset: this.length, byteLength: bytes.length, ...(target && { target }) });
    const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
    bytes.copy(padded);
    this.chunks.push(padded);
    this.length += padded.length;
    return this.bufferViews.length - 1;
  }

  accessor(values, type, { component = kFloat, target, bounds = false, normalized = false } = {}) {
    const bufferView = this.view(values, component, target);
    const count = values.length / kWidths[type];
    const accessor = { bufferView, componentType: component, count, type, ...(normalized && { normalized }) };
    if (bounds) Object.assign(accessor, limits(values, kWidths[type]));
    this.accessors.push(accessor);
    return this.accessors.length - 1;
  }

  /** Zero but for some elements. */
  sparse(values, type) {
    const width = kWidths[type];
    const count = values.length / width;
    const places = [...Array(count).keys()].filter((i) => values.slice(i * width, (i + 1) * width).some((v) => v !== 0));
    const changed = places.flatMap((i) => values.slice(i * width, (i + 1) * width));
    const sparse = {
      count: places.length,
      indices: { bufferView: this.view(places, kShort), componentType: kShort },
      values: { bufferView: this.view(changed, kFloat) },
    };
    this.accessors.push({ componentType: kFloat, count, type, ...limits(values, width), sparse });
    return this.accessors.length - 1;
  }
}

function limits(values, width) {
  const rows = [...Array(width).keys()].map((k) => values.filter((_, i) => i % width === k).map(Math.fround));
  return { min: rows.map((row) => Math.min(...row)), max: rows.map((row) => Math.max(...row)) };
}

const turn = (axis, degrees) => {
  const half = (degrees * Math.PI) / 360;
  return [...axis.map((v) => v * Math.sin(half)), Math.cos(half)];
};
const inverseTranslation = (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1];

const kRings = 13;
const kSides = 6;

/** A tube along y from 0 to 3, as flat positions and triangles. */
function tube(radius, offset) {
  const positions = [];
  const triangles = [];
  for (let ring = 0; ring < kRings; ++ring) {
    for (let side = 0; side < kSides; ++side) {
      const angle = (2 * Math.PI * side) / kSides;
      positions.push(offset + radius * Math.cos(angle), (3 * ring) / (kRings - 1), radius * Math.sin(angle));
      if (ring + 1 === kRings) continue;
      const [a, b] = [ring * kSides + side, ring * kSides + ((side + 1) % kSides)];
      triangles.push(a, a + kSides, b, b, a + kSides, b + kSides);
    }
  }
  return { positions, triangles };
}

/** Weights of a vertex by its distance to each joint along y; joints beyond the third repeat them with smaller ones. */
function weightsAt(y, influences) {
  const weights = [0, 1, 2].map((joint) => Math.max(0, 1 - Math.abs(y - joint - 0.5) / 1.4));
  const all = [...weights, ...weights.map((w) => 0.3 * w * (1 + 0.2 * y))].slice(0, influences === 8 ? 6 : 3);
  const sum = all.reduce((a, b) => a + b, 0);
  return all.map((w) => w / sum);
}

/** Fractions of 255 that sum to 255: the remainder goes to the largest. */
function bytesOf(weights) {
  const bytes = weights.map((w) => Math.round(w * 255));
  bytes[bytes.indexOf(Math.max(...bytes))] += 255 - bytes.reduce((a, b) => a + b, 0);
  return bytes;
}

function skinAttributes(binary, positions, influences) {
  const sets = influences / 4;
  const joints = [...Array(sets)].map(() => []);
  const weights = [...Array(sets)].map(() => []);
  for (let v = 0; v < positions.length / 3; ++v) {
    const all = weightsAt(positions[3 * v + 1], influences);
    const stored = influences === 8 ? all : bytesOf(all);
    for (let k = 0; k < influences; ++k) {
      const weight = stored[k] ?? 0;
      weights[Math.floor(k / 4)].push(weight);
      joints[Math.floor(k / 4)].push(weight === 0 ? 0 : k);
    }
  }
  const kind = influences === 8 ? { component: kFloat } : { component: kByte, normalized: true };
  const attributes = {};
  for (let n = 0; n < sets; ++n) {
    const jointComponent = influences === 8 ? kShort : kByte;
    attributes[`JOINTS_${n}`] = binary.accessor(joints[n], 'VEC4', { component: jointComponent, target: kVertexData });
    attributes[`WEIGHTS_${n}`] = binary.accessor(weights[n], 'VEC4', { ...kind, target: kVertexData });
  }
  return attributes;
}

function skinnedPrimitive(binary, radius, offset, influences, morphs) {
  const { positions, triangles } = tube(radius, offset);
  const attributes = {
    POSITION: binary.accessor(positions, 'VEC3', { target: kVertexData, bounds: true }),
    ...skinAttributes(binary, positions, influences),
  };
  const indices = binary.accessor(triangles, 'SCALAR', { component: kShort, target: kIndexData });
  if (!morphs) return { attributes, indices };
  const bulge = positions.map((v, i) => (i % 3 === 1 ? 0 : 0.4 * v));
  const tip = positions.map((_, i) => (positions[i - (i % 3) + 1] > 2.6 && i % 3 === 1 ? 0.5 : 0));
  const targets = [
    { POSITION: binary.accessor(bulge, 'VEC3', { target: kVertexData, bounds: true }) },
    { POSITION: binary.sparse(tip, 'VEC3') },
  ];
  return { attributes, indices, targets };
}

/** Nodes 0 top, 1..3 joints (4..6 more joints with eight influences), then the three meshes. */
function makeNodes(influences) {
  const jointCount = influences === 8 ? 6 : 3;
  const chain = [...Array(jointCount).keys()].map((j) => ({
    name: `joint ${j}`,
    translation: j === 0 ? [0, 0, 0] : [0, j % 3 === 0 ? -2 : 1, 0.05 * j],
    rotation: turn([0, 0, 1], 3 * j),
    ...(j + 1 < jointCount && { children: [j + 2] }),
  }));
  const meshes = [
    { name: 'body', mesh: 0, skin: 0, weights: [0.25, 0] },
    { name: 'sleeve', mesh: 1, skin: 1 },
    { name: 'stone', mesh: 2, translation: [2, 0, 0] },
  ];
  const top = {
    name: 'top',
    translation: [0.5, 0.25, -1],
    rotation: turn([0.6, 0.8, 0], 35),
    scale: [1.5, 1.25, 1.5],
    children: [1],
  };
  return { nodes: [top, ...chain, ...meshes], joints: chain.map((_, j) => j + 1) };
}

function makeAnimations(binary, bodyNode) {
  const times = (values) => binary.accessor(values, 'SCALAR', { bounds: true });
  const flat = (values, type) => binary.accessor(values.flat(), type);
  const zero = [0, 0, 0, 0];
  const [x, z] = [[1, 0, 0], [0, 0, 1]];
  const animation = (name, curves) => ({
    name,
    samplers: curves.map(([, , input, output, interpolation]) => ({ input, output, interpolation })),
    channels: curves.map(([node, path], sampler) => ({ sampler, target: { node, path } })),
  });
  const keys = times([0.25, 0.75, 2]);
  return [
    animation('linear', [
      [2, 'rotation', keys, flat([turn(z, 0), turn(z, 80), turn(x, -50)], 'VEC4'), 'LINEAR'],
      [1, 'translation', times([0, 1]), flat([[0, 0, 0], [0.5, 1, -0.5]], 'VEC3'), 'LINEAR'],
      [3, 'scale', times([0, 1.5]), flat([[1, 1, 1], [1.5, 0.75, 1.25]], 'VEC3'), 'LINEAR'],
      [bodyNode, 'weights', keys, binary.accessor([0, 0, 1, 0.5, 0.25, 1], 'SCALAR'), 'LINEAR'],
    ]),
    animation('cubic', [
      [2, 'rotation', keys,
        flat([zero, turn(z, 0), [0, 0, 1, 0], [0, 0.5, 0, 0], turn(z, 60), [0.25, 0, 0, 0], zero, turn(x, 40), zero], 'VEC4'),
        'CUBICSPLINE'],
      [bodyNode, 'weights', times([0, 2]), binary.accessor([0, 0, 0, 0.5, 2, -1, -1, 0, 1, 0.25, 0, 0], 'SCALAR'), 'CUBICSPLINE'],
    ]),
    animation('step', [
      [2, 'rotation', keys, flat([turn(x, 10), turn(x, 50), turn(z, 45)], 'VEC4'), 'STEP'],
    ]),
  ];
}

/** Writes the file. `influences` is 4 (integer weights) or 8 (float weights, six of them used). */
export function writeMade(path, influences) {
  const binary = new Binary();
  const { nodes, joints } = makeNodes(influences);
  const binds = (y) => binary.accessor(joints.flatMap((_, j) => inverseTranslation(0, (j % 3) + y, 0)), 'MAT4');
  const stone = tube(0.25, 0);
  const meshes = [
    {
      name: 'body',
      extras: { targetNames: ['bulge', 'tip'] },
      weights: [0, 0],
      primitives: [
        skinnedPrimitive(binary, 0.4, 0, influences, true),
        skinnedPrimitive(binary, 0.2, 1, influences, true),
      ],
    },
    { name: 'sleeve', primitives: [skinnedPrimitive(binary, 0.5, 0, influences, false)] },
    {
      name: 'stone',
      primitives: [{
        attributes: { POSITION: binary.accessor(stone.positions, 'VEC3', { target: kVertexData, bounds: true }) },
        indices: binary.accessor(stone.triangles, 'SCALAR', { component: kShort, target: kIndexData }),
      }],
    },
  ];
  const skins = [0, 0.25].map((y) => ({ joints, inverseBindMatrices: binds(y) }));
  const bodyNode = joints.length + 1;
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, bodyNode, bodyNode + 1, bodyNode + 2] }],
    nodes,
    meshes,
    skins,
    animations: makeAnimations(binary, bodyNode),
    accessors: binary.accessors,
    bufferViews: binary.bufferViews,
    buffers: [{ byteLength: binary.length }],
  };
  writeFileSync(path, glb(json, Buffer.concat(binary.chunks)));
}

/** The bytes of a file from its document and its binary chunk. */
export function glb(json, data) {
  const text = Buffer.from(JSON.stringify(json), 'utf8');
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const words = (...values) => Buffer.from(Uint32Array.from(values).buffer);
  return Buffer.concat([
    words(0x46546c67, 2, 28 + padded.length + data.length),
    words(padded.length, 0x4e4f534a),
    padded,
    words(data.length, 0x004e4942),
    data,
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path, influences] = process.argv.slice(2);
  if (!path || !['4', '8'].includes(influences)) {
    console.error('usage: node made.mjs OUT.glb 4|8');
    process.exit(1);
  }
  writeMade(path, Number(influences));
}
