// The nearest place of a perspective camera that shows all points, for a direction that is given.
import { type Quaternion, Vector3 } from 'three';

/**
 * `points`: 3 numbers each; `turn`: from the axes of the camera to the space of the points; `field`: the vertical one, in
 * degrees; `share`: of the view that the points may fill. The target is at the depth of the middle of the points.
 * Undefined: there are no points.
 */
export function fittingCamera(points: Float32Array, turn: Quaternion, aspect: number, field: number, share: number): { target: Vector3; distance: number } | undefined {
  const tanY = share * Math.tan((field * Math.PI) / 360);
  const tanX = tanY * aspect;
  const toCamera = turn.clone().invert();
  // A camera at (x, y, z) shows a point p if |p.x - x| <= tanX (z - p.z), and the same for y: two bounds per side.
  let [left, right, low, high, near, far] = [Infinity, -Infinity, Infinity, -Infinity, -Infinity, Infinity];
  const p = new Vector3();
  for (let i = 0; i + 2 < points.length; i += 3) {
    p.fromArray(points, i).applyQuaternion(toCamera);
    right = Math.max(right, p.x + tanX * p.z);
    left = Math.min(left, p.x - tanX * p.z);
    high = Math.max(high, p.y + tanY * p.z);
    low = Math.min(low, p.y - tanY * p.z);
    near = Math.max(near, p.z);
    far = Math.min(far, p.z);
  }
  if (!Number.isFinite(near)) return undefined;
  const middle = (near + far) / 2;
  const z = Math.max((right - left) / (2 * tanX), (high - low) / (2 * tanY));
  const target = new Vector3((left + right) / 2, (low + high) / 2, middle).applyQuaternion(turn);
  return { target, distance: z - middle };
}
