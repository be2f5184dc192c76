// Angles of a joint, for sliders and typed values.
import type { Transform } from '../store';

const degrees = 180 / Math.PI;

/** Rz Ry Rx of the turn away from rest, in degrees. */
export function eulerOf(t: Transform, rest: Transform): [number, number, number] {
  const [ax, ay, az, aw] = rest.rotation;
  const [bx, by, bz, bw] = t.rotation;
  // rest^-1 * rotation
  const w = aw * bw + ax * bx + ay * by + az * bz;
  const x = aw * bx - ax * bw - ay * bz + az * by;
  const y = aw * by + ax * bz - ay * bw - az * bx;
  const z = aw * bz - ax * by + ay * bx - az * bw;
  const sinY = Math.max(-1, Math.min(1, 2 * (w * y - z * x)));
  return [
    degrees * Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    degrees * Math.asin(sinY),
    degrees * Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}

export function fromEuler(angles: [number, number, number], rest: Transform): [number, number, number, number] {
  const [cx, cy, cz] = angles.map((a) => Math.cos(a / degrees / 2));
  const [sx, sy, sz] = angles.map((a) => Math.sin(a / degrees / 2));
  const w = cx * cy * cz + sx * sy * sz;
  const x = sx * cy * cz - cx * sy * sz;
  const y = cx * sy * cz + sx * cy * sz;
  const z = cx * cy * sz - sx * sy * cz;
  const [ax, ay, az, aw] = rest.rotation;
  return [aw * x + ax * w + ay * z - az * y, aw * y - ax * z + ay * w + az * x, aw * z + ax * y - ay * x + az * w, aw * w - ax * x - ay * y - az * z];
}

/** A number, or a small sum: "45/2", "90 - 12.5". Undefined where it is none. */
export function numberOf(text: string): number | undefined {
  let at = 0;
  const skip = () => {
    while (text[at] === ' ') at += 1;
  };
  const atom = (): number => {
    skip();
    if (text[at] === '-') {
      at += 1;
      return -atom();
    }
    if (text[at] === '(') {
      at += 1;
      const inner = sum();
      skip();
      if (text[at] !== ')') return NaN;
      at += 1;
      return inner;
    }
    const found = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i.exec(text.slice(at));
    if (found === null) return NaN;
    at += found[0].length;
    return Number(found[0]);
  };
  const product = (): number => {
    let value = atom();
    for (skip(); text[at] === '*' || text[at] === '/'; skip()) value = text[at++] === '*' ? value * atom() : value / atom();
    return value;
  };
  const sum = (): number => {
    let value = product();
    for (skip(); text[at] === '+' || text[at] === '-'; skip()) value = text[at++] === '+' ? value + product() : value - product();
    return value;
  };
  const value = sum();
  skip();
  return at === text.length && Number.isFinite(value) ? value : undefined;
}
