// Euler angles of a joint, for sliders and typed values.
import type { Transform } from '../protocol/document';

const degrees = 180 / Math.PI;

export type Angles = [number, number, number];

/** rest^-1 * rotation: x, y, z, w. */
export function turnOf(t: Transform, rest: Transform): Transform['rotation'] {
  const [ax, ay, az, aw] = rest.rotation;
  const [bx, by, bz, bw] = t.rotation;
  return [aw * bx - ax * bw - ay * bz + az * by, aw * by + ax * bz - ay * bw - az * bx, aw * bz - ax * by + ay * bx - az * bw, aw * bw + ax * bx + ay * by + az * bz];
}

/** Whether two rotations are equal to 32-bit precision; a quaternion equals its negative. */
export function sameTurn(a: Transform['rotation'], b: Transform['rotation']): boolean {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  return a.every((x, i) => Math.abs(x - sign * b[i]) < 3e-6);
}

/** Gimbal lock: below this cosine of y, x and z rotate about the same axis. */
const locked = 1e-4;

/**
 * Rz Ry Rx in degrees. Every rotation has many such angles: (x, y, z) and (x + 180, 180 - y, z + 180), each plus full
 * turns. Returns those nearest to `before`; in gimbal lock, where only x - z or x + z is known, z keeps its value.
 */
export function nearestEuler(turn: Transform['rotation'], before: Angles = [0, 0, 0]): Angles {
  const [x, y, z, w] = turn;
  const sinY = 2 * (w * y - z * x);
  const cosY = Math.hypot(1 - 2 * (y * y + z * z), 2 * (w * z + x * y));
  const nearest = (angle: number, i: number) => angle + 360 * Math.round((before[i] - angle) / 360);
  if (cosY < locked) {
    const sum = degrees * 2 * Math.atan2(x, w);
    return [sinY > 0 ? sum + before[2] : sum - before[2], degrees * Math.atan2(sinY, cosY), before[2]].map(nearest) as Angles;
  }
  const one: Angles = [
    degrees * Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    degrees * Math.atan2(sinY, cosY),
    degrees * Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
  const both = [one, [one[0] + 180, 180 - one[1], one[2] + 180]].map((angles) => angles.map(nearest) as Angles);
  const far = (angles: Angles) => angles.reduce((sum, angle, i) => sum + Math.abs(angle - before[i]), 0);
  return far(both[1]) < far(both[0]) - 1e-9 ? both[1] : both[0];
}

export function fromEuler(angles: Angles, rest: Transform): Transform['rotation'] {
  const [cx, cy, cz] = angles.map((a) => Math.cos(a / degrees / 2));
  const [sx, sy, sz] = angles.map((a) => Math.sin(a / degrees / 2));
  const w = cx * cy * cz + sx * sy * sz;
  const x = sx * cy * cz - cx * sy * sz;
  const y = cx * sy * cz + sx * cy * sz;
  const z = cx * cy * sz - sx * sy * cz;
  const [ax, ay, az, aw] = rest.rotation;
  return [aw * x + ax * w + ay * z - az * y, aw * y - ax * z + ay * w + az * x, aw * z + ax * y - ay * x + az * w, aw * w - ax * x - ay * y - az * z];
}
