// Queries for a point or a region of the canvas: visible vertices, all vertices, or the surface itself.
import { Vector3 } from 'three';
import { depthRow, type PickWindow } from './picker';
import type { Stage } from './stage';

export interface SurfacePoint {
  view: number;
  /** The nearest visible vertex within a few pixels. */
  vertex: number | undefined;
  vertexPlace: Vector3 | undefined;
  /** Position on the surface, in the page's space, and its normal; undefined off the surface. */
  place: Vector3 | undefined;
  normal: Vector3;
}

/** Distance in pixels of the samples for the normal. */
const slopeReach = 4;

function pointOf(stage: Stage, window: PickWindow, x: number, y: number, view: number): SurfacePoint {
  const row = depthRow(stage.cameraOf(view));
  const axis = new Vector3(row.x, row.y, row.z);
  const placeAt = (dx: number, dy: number): Vector3 | undefined => {
    const depth = window.depthAt(dx, dy);
    if (depth === undefined) return undefined;
    const ray = stage.ray(x + dx, y + dy, view);
    return ray.at((depth - axis.dot(ray.origin) - row.w) / axis.dot(ray.direction), new Vector3());
  };
  const place = placeAt(0, 0);
  const normal = axis.clone().negate().normalize();
  if (place !== undefined) {
    // Use the neighbour that is nearer in depth: the other one may be on another surface.
    const step = (dx: number, dy: number): Vector3 | undefined => {
      const ways = [placeAt(dx, dy)?.sub(place), placeAt(-dx, -dy)?.sub(place).negate()].filter((way) => way !== undefined);
      return ways.sort((a, b) => a.lengthSq() - b.lengthSq())[0];
    };
    const right = step(slopeReach, 0);
    const down = step(0, slopeReach);
    if (right !== undefined && down !== undefined) {
      const facing = new Vector3().crossVectors(down, right);
      if (facing.lengthSq() > 0) normal.copy(facing.normalize());
    }
  }
  const near = window.nearest();
  return { view, vertex: near?.vertex, vertexPlace: near === undefined ? undefined : placeAt(near.dx, near.dy), place, normal };
}

/** Without waiting for the GPU. x and y in CSS pixels of the canvas. */
export async function probeSurface(stage: Stage, x: number, y: number): Promise<SurfacePoint | undefined> {
  const view = stage.viewAt(x, y);
  const deformed = stage.shownAt(x, view);
  if (stage.picker === undefined || deformed === undefined) return undefined;
  const r = stage.rectangle(view);
  const window = await stage.picker.windowSoon(stage.renderer, stage.cameraOf(view), deformed.positions.texture, x - r.x, y - r.y, r.width, r.height);
  return pointOf(stage, window, x, y, view);
}

/** One vertex per layer of the surface at this point; layers are at least `gap` apart. */
export function pickLayers(stage: Stage, x: number, y: number, gap: number): number[] {
  const view = stage.viewAt(x, y);
  const deformed = stage.shownAt(x, view);
  if (stage.picker === undefined || deformed === undefined) return [];
  const r = stage.rectangle(view);
  return stage.picker.window(stage.renderer, stage.cameraOf(view), deformed.positions.texture, x - r.x, y - r.y, r.width, r.height, true).layers(gap);
}

export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Vertices of a view in a box of CSS pixels of the canvas, or in the part of it that is `inside`: visible ones, or all with
 * `through`.
 */
export function pickRegion(stage: Stage, view: number, box: Region, through: boolean, inside: (x: number, y: number) => boolean = () => true): number[] {
  const { deformer } = stage;
  const deformed = deformer?.views[view];
  if (stage.picker === undefined || deformer === undefined || deformed === undefined || box.width < 1 || box.height < 1) return [];
  const r = stage.rectangle(view);
  const camera = stage.cameraOf(view);
  if (!through) {
    const local = { ...box, x: box.x - r.x, y: box.y - r.y };
    return stage.picker.region(stage.renderer, camera, deformed.positions.texture, local, r.width, r.height, (x, y) => inside(x + r.x, y + r.y));
  }
  const texels = deformer.readPositions(stage.renderer, view);
  const matrix = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse);
  const found: number[] = [];
  const p = new Vector3();
  for (let v = 0; v < stage.vertexCount; ++v) {
    p.fromArray(texels, 4 * v).applyMatrix4(matrix);
    const x = r.x + ((p.x + 1) / 2) * r.width;
    const y = r.y + ((1 - p.y) / 2) * r.height;
    if (Math.abs(p.z) <= 1 && x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height && inside(x, y)) found.push(v);
  }
  return found;
}
