// glTF 2.0 posed in plain JavaScript and double precision, straight from the file and the specification: a second
// opinion that shares no line with the library or with three.js.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const kComponents = {
  5120: { bytes: 1, read: 'getInt8', most: 127 },
  5121: { bytes: 1, read: 'getUint8', most: 255 },
  5122: { bytes: 2, read: 'getInt16', most: 32767 },
  5123: { bytes: 2, read: 'getUint16', most: 65535 },
  5125: { bytes: 4, read: 'getUint32', most: 4294967295 },
  5126: { bytes: 4, read: 'getFloat32' },
};
const kWidths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

// ---- the file ------------------------------------------------------------------------------------------------------

/** A document: its JSON and its buffers. Reads .glb, and .gltf with files or data URIs. */
export function readDocument(path) {
  const bytes = readFileSync(path);
  let json;
  let binary;
  if (bytes.toString('latin1', 0, 4) === 'glTF') {
    const jsonLength = bytes.readUInt32LE(12);
    json = JSON.parse(bytes.toString('utf8', 20, 20 + jsonLength));
    const chunk = 20 + jsonLength;
    if (chunk + 8 <= bytes.length) binary = bytes.subarray(chunk + 8, chunk + 8 + bytes.readUInt32LE(chunk));
  } else {
    json = JSON.parse(bytes.toString('utf8'));
  }
  const buffers = (json.buffers ?? []).map(({ uri }) => {
    if (uri === undefined) return binary;
    if (uri.startsWith('data:')) return Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64');
    return readFileSync(join(dirname(path), decodeURIComponent(uri)));
  });
  return { path, json, buffers };
}

function readElements({ json, buffers }, place, count, type, component, normalized) {
  const width = kWidths[type];
  const { bytes, read, most } = kComponents[component];
  const values = new Float64Array(count * width);
  if (place.bufferView === undefined) return values;
  const view = json.bufferViews[place.bufferView];
  const buffer = buffers[view.buffer];
  const data = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const start = (view.byteOffset ?? 0) + (place.byteOffset ?? 0);
  const stride = view.byteStride ?? bytes * width;
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < width; ++k) {
      const value = data[read](start + i * stride + k * bytes, true);
      values[i * width + k] = normalized ? Math.max(value / most, -1) : value;
    }
  }
  return values;
}

/** The values of an accessor, sparse ones filled in and normalised ones as fractions. */
export function readAccessor(document, index) {
  const accessor = document.json.accessors[index];
  const { count, type, componentType, normalized = false, sparse } = accessor;
  const values = readElements(document, accessor, count, type, componentType, normalized);
  if (sparse) {
    const width = kWidths[type];
    const places = readElements(document, sparse.indices, sparse.count, 'SCALAR', sparse.indices.componentType, false);
    const changed = readElements(document, sparse.values, sparse.count, type, componentType, normalized);
    places.forEach((place, i) => values.set(changed.subarray(i * width, (i + 1) * width), place * width));
  }
  return values;
}

// ---- matrices: column-major, as in the file ------------------------------------------------------------------------

const kIdentity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function multiply(a, b) {
  const product = new Array(16).fill(0);
  for (let column = 0; column < 4; ++column) {
    for (let row = 0; row < 4; ++row) {
      for (let k = 0; k < 4; ++k) product[column * 4 + row] += a[k * 4 + row] * b[column * 4 + k];
    }
  }
  return product;
}

function compose({ translation: t, rotation: [x, y, z, w], scale: s }) {
  return [
    (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0], 0,
    2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0,
    2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0,
    t[0], t[1], t[2], 1,
  ];
}

export function multiplyQuaternions([ax, ay, az, aw], [bx, by, bz, bw]) {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

function normalize(q) {
  const length = Math.hypot(...q);
  return q.map((value) => value / length);
}

export function slerp(a, b, t) {
  let cosine = a.reduce((sum, value, i) => sum + value * b[i], 0);
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(cosine * sign, 1);
  const angle = Math.acos(cosine);
  if (angle < 1e-9) return a.slice();
  const [wa, wb] = [Math.sin((1 - t) * angle) / Math.sin(angle), (sign * Math.sin(t * angle)) / Math.sin(angle)];
  return normalize(a.map((value, i) => wa * value + wb * b[i]));
}

// ---- clips ---------------------------------------------------------------------------------------------------------

/** [{index, name, first, last}] in the file's order. */
export function clips({ json }) {
  return (json.animations ?? []).map((animation, index) => {
    const inputs = animation.samplers.map(({ input }) => json.accessors[input]);
    const first = Math.min(...inputs.map(({ min }) => min[0]));
    const last = Math.max(...inputs.map(({ max }) => max[0]));
    return { index, name: animation.name, first, last };
  });
}

function sample(document, { input, output, interpolation = 'LINEAR' }, path, time) {
  const times = readAccessor(document, input);
  const values = readAccessor(document, output);
  const cubic = interpolation === 'CUBICSPLINE';
  const width = values.length / times.length / (cubic ? 3 : 1);
  const element = (key, part) => {
    const start = (cubic ? key * 3 + part : key) * width;
    return Array.from(values.subarray(start, start + width));
  };
  const value = (key) => element(key, 1);
  const end = times.length - 1;
  if (time <= times[0]) return value(0);
  if (time >= times[end]) return value(end);
  let key = 0;
  while (times[key + 1] <= time) ++key;
  const duration = times[key + 1] - times[key];
  const t = (time - times[key]) / duration;
  if (interpolation === 'STEP') return value(key);
  if (cubic) {
    // The specification's appendix C.5: cubic Hermite with tangents scaled by the duration.
    const [t2, t3] = [t * t, t * t * t];
    const [v0, out0, in1, v1] = [element(key, 1), element(key, 2), element(key + 1, 0), element(key + 1, 1)];
    const blended = v0.map(
      (v, i) =>
        (2 * t3 - 3 * t2 + 1) * v + duration * (t3 - 2 * t2 + t) * out0[i] + (3 * t2 - 2 * t3) * v1[i] +
        duration * (t3 - t2) * in1[i],
    );
    return path === 'rotation' ? normalize(blended) : blended;
  }
  if (path === 'rotation') return slerp(value(key), value(key + 1), t);
  const [a, b] = [value(key), value(key + 1)];
  return a.map((v, i) => v + t * (b[i] - v));
}

// ---- poses ---------------------------------------------------------------------------------------------------------

/** The rest pose: per node its local transform (`trs`, or `matrix` where the file gives one) and morph weights. */
export function restPose({ json }) {
  return json.nodes.map((node) => ({
    matrix: node.matrix,
    translation: node.translation ?? [0, 0, 0],
    rotation: node.rotation ?? [0, 0, 0, 1],
    scale: node.scale ?? [1, 1, 1],
    weights: node.mesh === undefined ? undefined : node.weights ?? json.meshes[node.mesh].weights,
  }));
}

/** The pose of a clip at a time. */
export function clipPose(document, clipIndex, time) {
  const pose = restPose(document);
  const { channels, samplers } = document.json.animations[clipIndex];
  for (const { sampler, target } of channels) {
    if (target.node === undefined) continue;
    pose[target.node][target.path] = sample(document, samplers[sampler], target.path, time);
  }
  return pose;
}

/** A pose file as people write it: joints by name, `euler` in degrees after the rest rotation. */
export function filePose(document, path) {
  const pose = restPose(document);
  const { joints } = JSON.parse(readFileSync(path, 'utf8'));
  for (const [name, { euler, rotation, translation, scale }] of Object.entries(joints)) {
    const index = document.json.nodes.findIndex((node) => node.name === name);
    if (index < 0 || pose[index].matrix) throw new Error(`${path}: no joint ${name} with a rest rotation`);
    if (euler) {
      const [x, y, z] = euler.map((degrees) => (degrees * Math.PI) / 360);
      const turns = [[0, 0, Math.sin(z), Math.cos(z)], [0, Math.sin(y), 0, Math.cos(y)], [Math.sin(x), 0, 0, Math.cos(x)]];
      pose[index].rotation = turns.reduce(multiplyQuaternions, pose[index].rotation);
    }
    if (rotation) pose[index].rotation = normalize(rotation);
    if (translation) pose[index].translation = translation;
    if (scale) pose[index].scale = scale;
  }
  return pose;
}

function worldMatrices({ json }, pose) {
  const world = new Array(json.nodes.length);
  const visit = (index, parent) => {
    const local = pose[index].matrix ?? compose(pose[index]);
    world[index] = multiply(parent, local);
    for (const child of json.nodes[index].children ?? []) visit(child, world[index]);
  };
  const children = new Set(json.nodes.flatMap((node) => node.children ?? []));
  json.nodes.forEach((_, index) => {
    if (!children.has(index)) visit(index, kIdentity);
  });
  return world;
}

// ---- skinning ------------------------------------------------------------------------------------------------------

function morphedPositions(document, { attributes, targets = [] }, weights = []) {
  const positions = readAccessor(document, attributes.POSITION);
  targets.forEach((target, i) => {
    if (target.POSITION === undefined || !weights[i]) return;
    readAccessor(document, target.POSITION).forEach((delta, k) => {
      positions[k] += weights[i] * delta;
    });
  });
  return positions;
}

function skinPrimitive(document, primitive, positions, matrices) {
  const sets = [];
  for (let n = 0; primitive.attributes[`JOINTS_${n}`] !== undefined; ++n) {
    sets.push([
      readAccessor(document, primitive.attributes[`JOINTS_${n}`]),
      readAccessor(document, primitive.attributes[`WEIGHTS_${n}`]),
    ]);
  }
  const posed = new Float64Array(positions.length);
  for (let v = 0; v < positions.length / 3; ++v) {
    const [x, y, z] = positions.subarray(3 * v, 3 * v + 3);
    let sum = 0;
    for (const [joints, weights] of sets) {
      for (let k = 4 * v; k < 4 * v + 4; ++k) {
        const [w, m] = [weights[k], matrices[joints[k]]];
        if (w === 0) continue;
        sum += w;
        for (let row = 0; row < 3; ++row) {
          posed[3 * v + row] += w * (m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
        }
      }
    }
    // Integer weights do not sum to one exactly.
    for (let row = 0; row < 3; ++row) posed[3 * v + row] /= sum;
  }
  return posed;
}

/** World positions of the skinned meshes, meshes in file order, primitives one after the other, flat. */
export function posedPoints(document, pose) {
  const { json } = document;
  const world = worldMatrices(document, pose);
  const parts = [];
  json.meshes.forEach((mesh, meshIndex) => {
    const nodeIndex = json.nodes.findIndex((node) => node.mesh === meshIndex && node.skin !== undefined);
    if (nodeIndex < 0) return;
    const skin = json.skins[json.nodes[nodeIndex].skin];
    const inverseBinds = skin.inverseBindMatrices === undefined ? undefined : readAccessor(document, skin.inverseBindMatrices);
    const matrices = skin.joints.map((joint, i) =>
      inverseBinds ? multiply(world[joint], inverseBinds.subarray(16 * i, 16 * i + 16)) : world[joint],
    );
    for (const primitive of mesh.primitives) {
      const positions = morphedPositions(document, primitive, pose[nodeIndex].weights);
      parts.push(skinPrimitive(document, primitive, positions, matrices));
    }
  });
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}
