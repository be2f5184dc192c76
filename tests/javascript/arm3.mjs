// An arm with a shoulder of three axes and an elbow, 976 vertices, and its sculptor: dual quaternions and two muscles
// that bulge. Poses are random. The same as tests/learn/arm3.h.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Binary, glb, kIndexData, kShort, kVertexData } from './made.mjs';

const kRings = 61;
const kSides = 16;
const kDegree = Math.PI / 180;
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
const rise = (u) => clamp(0.5 + u / 0.8, 0, 1);

/** sinew/base/random.h. */
export class Lcg {
  constructor(seed) {
    this.state = seed;
  }
  uniform() {
    this.state = (Math.imul(1664525, this.state) + 1013904223) >>> 0;
    return this.state / 4294967296;
  }
  symmetric() {
    return 2 * this.uniform() - 1;
  }
}

const vertices = [...Array(kRings * kSides).keys()].map((v) => {
  const [x, angle] = [-1 + (3 * Math.floor(v / kSides)) / (kRings - 1), (2 * Math.PI * (v % kSides)) / kSides];
  const [upper, fore] = [rise(x), rise(x - 1)];
  return { x, angle, normal: [0, Math.cos(angle), Math.sin(angle)], weights: [1 - upper, upper * (1 - fore), upper * fore] };
});
const restPoints = vertices.map(({ x, normal }) => [x, 0.2 * normal[1], 0.2 * normal[2]]);

// Quaternions and vectors as [x, y, z, w] and [x, y, z].
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const multiply = ([ax, ay, az, aw], [bx, by, bz, bw]) => [
  aw * bx + bw * ax + ay * bz - az * by, aw * by + bw * ay + az * bx - ax * bz, aw * bz + bw * az + ax * by - ay * bx,
  aw * bw - ax * bx - ay * by - az * bz];
const rotate = (q, p) => {
  const t = cross(q, p).map((value) => 2 * value);
  const u = cross(q, t);
  return p.map((value, i) => value + q[3] * t[i] + u[i]);
};

/** Draws of the shoulder until they lie in the unit ball, times 70 degrees; the elbow up to 125 degrees. */
export function randomPose(random) {
  let axis;
  do axis = [random.symmetric(), random.symmetric(), random.symmetric()]; while (Math.hypot(...axis) > 1);
  const angle = Math.hypot(...axis) * 70 * kDegree;
  const scale = angle > 0 ? Math.sin(angle / 2) / Math.hypot(...axis) : 0;
  const elbow = (0.5 + 0.5 * random.symmetric()) * 125 * kDegree;
  return {
    elbow,
    upper: [...axis.map((value) => scale * value), Math.cos(angle / 2)],
    fore: [0, 0, Math.sin(elbow / 2), Math.cos(elbow / 2)],
  };
}

/** Dual quaternion skinning of the bulged rest shape. */
export function sculpted({ upper, fore, elbow }) {
  const raised = Math.acos(clamp(rotate(upper, [1, 0, 0])[0], -1, 1));
  const turned = multiply(upper, fore);
  const pivot = rotate(turned, [1, 0, 0]);
  const shift = rotate(upper, [1, 0, 0]).map((value, i) => value - pivot[i]);
  const joints = [
    [[0, 0, 0, 1], [0, 0, 0]], [upper, [0, 0, 0]], [turned, shift],
  ].map(([real, t]) => [real, multiply([...t, 0], real).map((value) => value / 2)]);
  return vertices.flatMap(({ x, angle, normal, weights }, v) => {
    const biceps = 0.04 * (1 - Math.cos(elbow)) * Math.exp(-(((x - 0.5) / 0.18) ** 2)) * Math.max(0, Math.cos(angle)) ** 2;
    const deltoid = 0.04 * (1 - Math.cos(raised)) * Math.exp(-(((x - 0.15) / 0.2) ** 2)) * (0.5 + 0.5 * Math.cos(angle - 1));
    const bulged = restPoints[v].map((value, i) => value + (biceps + deltoid) * normal[i]);
    const first = joints[weights.indexOf(Math.max(...weights))][0];
    const [real, dual] = [0, 1].map((part) => [0, 1, 2, 3].map((i) => joints.reduce((sum, joint, j) =>
      sum + (dot(joint[0], first) < 0 ? -weights[j] : weights[j]) * joint[part][i], 0)));
    const size = Math.hypot(...real);
    const unit = real.map((value) => value / size);
    const move = multiply(dual.map((value) => value / size), [-unit[0], -unit[1], -unit[2], unit[3]]);
    return rotate(unit, bulged).map((value, i) => value + 2 * move[i]);
  });
}

function triangles() {
  return [...Array(kRings - 1).keys()].flatMap((ring) => [...Array(kSides).keys()].flatMap((side) => {
    const [a, b] = [ring * kSides + side, ring * kSides + ((side + 1) % kSides)];
    return [a, b, a + kSides, b, b + kSides, a + kSides];
  }));
}

function writeObj(path, points) {
  const lines = [...Array(points.length / 3).keys()].map((v) => `v ${points.slice(3 * v, 3 * v + 3).join(' ')}`);
  const faces = triangles();
  for (let i = 0; i < faces.length; i += 3) lines.push(`f ${faces[i] + 1} ${faces[i + 1] + 1} ${faces[i + 2] + 1}`);
  writeFileSync(path, `${lines.join('\n')}\n`);
}

/** arm3.glb with a clip that visits `heldOut`, one pose per second, and examples.json with a sculpt of each of `poses`. */
export function writeArm3(folder, poses, heldOut) {
  const binary = new Binary();
  const attributes = {
    POSITION: binary.accessor(restPoints.flat(), 'VEC3', { target: kVertexData, bounds: true }),
    JOINTS_0: binary.accessor(vertices.flatMap(() => [0, 1, 2, 0]), 'VEC4', { component: kShort, target: kVertexData }),
    WEIGHTS_0: binary.accessor(vertices.flatMap(({ weights }) => [...weights, 0]), 'VEC4', { target: kVertexData }),
  };
  const indices = binary.accessor(triangles(), 'SCALAR', { component: kShort, target: kIndexData });
  const bind = (x) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, 0, 0, 1];
  const inverseBindMatrices = binary.accessor([0, 0, 1].flatMap(bind), 'MAT4');
  const input = binary.accessor(heldOut.map((_, k) => k), 'SCALAR', { bounds: true });
  const samplers = ['upper', 'fore'].map((joint) =>
    ({ input, output: binary.accessor(heldOut.flatMap((pose) => pose[joint]), 'VEC4'), interpolation: 'LINEAR' }));
  writeFileSync(join(folder, 'arm3.glb'), glb({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, 3] }],
    nodes: [
      { name: 'torso', children: [1] }, { name: 'upper', children: [2] }, { name: 'fore', translation: [1, 0, 0] },
      { name: 'arm', mesh: 0, skin: 0 },
    ],
    meshes: [{ primitives: [{ attributes, indices }] }],
    skins: [{ joints: [0, 1, 2], inverseBindMatrices }],
    animations: [{ name: 'held out', samplers, channels: [1, 2].map((node, sampler) => ({ sampler, target: { node, path: 'rotation' } })) }],
    accessors: binary.accessors,
    bufferViews: binary.bufferViews,
    buffers: [{ byteLength: binary.length }],
  }, Buffer.concat(binary.chunks)));
  writeObj(join(folder, 'rest.obj'), restPoints.flat());
  const examples = poses.map((pose, k) => {
    const name = `pose${k}`;
    const joints = { upper: { rotation: pose.upper }, fore: { rotation: pose.fore } };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ joints }));
    writeObj(join(folder, `${name}.obj`), sculpted(pose));
    return { name, pose: `${name}.json`, mesh: `${name}.obj` };
  });
  writeFileSync(join(folder, 'examples.json'), JSON.stringify({ rest: 'rest.obj', examples }));
}
