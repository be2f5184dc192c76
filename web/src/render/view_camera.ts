// The camera of all views, perspective or orthographic. The controls always move the perspective one; the orthographic one
// copies its position, and its size at the target, so that switching does not change the size there.
import { OrthographicCamera, PerspectiveCamera } from 'three';

/** Near and far plane of the orthographic camera, in diagonals of the character; a larger value costs depth precision. */
const depthRange = 50;

/**
 * Least and largest distance of the camera to its target, in diagonals of the character: nearer, the near plane would cut
 * the skin; farther, the character would be too small to see.
 */
export const nearestLook = 1 / 250;
export const farthestLook = 12;

/** In degrees, of the shorter side of a view: a view that becomes narrower still shows the same from the same place. */
const fieldOfView = 35;

export function verticalField(aspect: number): number {
  const half = Math.tan((fieldOfView * Math.PI) / 360) / Math.min(1, aspect);
  return (360 * Math.atan(half)) / Math.PI;
}

export class ViewCamera {
  readonly perspective = new PerspectiveCamera(fieldOfView, 1, 0.01, 100);
  private readonly orthographicCamera = new OrthographicCamera();
  private diagonal = 1;
  orthographic = false;

  get current(): PerspectiveCamera | OrthographicCamera {
    return this.orthographic ? this.orthographicCamera : this.perspective;
  }

  setDiagonal(diagonal: number): void {
    this.diagonal = diagonal;
    this.perspective.near = diagonal / 500;
    this.perspective.far = diagonal * 20;
  }

  /** The camera for a view with this aspect; `distance` is that of the target. */
  shape(aspect: number, distance: number): PerspectiveCamera | OrthographicCamera {
    const from = this.perspective;
    from.aspect = aspect;
    from.fov = verticalField(aspect);
    from.updateProjectionMatrix();
    from.updateMatrixWorld();
    if (!this.orthographic) return from;
    const to = this.orthographicCamera;
    const half = (distance * Math.tan((from.fov * Math.PI) / 360)) / from.zoom;
    Object.assign(to, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: -depthRange * this.diagonal, far: depthRange * this.diagonal });
    to.position.copy(from.position);
    to.quaternion.copy(from.quaternion);
    to.updateProjectionMatrix();
    to.updateMatrixWorld();
    return to;
  }

  /** An orthographic camera also shows what is behind it: rays must start there. */
  get rayStart(): number {
    return this.orthographic ? -depthRange * this.diagonal : 0;
  }
}

export interface ViewRectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The place of one of up to four views, in two columns. */
export function rectangleOf(view: number, views: number, width: number, height: number): ViewRectangle {
  if (views <= 1) return { x: 0, y: 0, width, height };
  const columns = 2;
  const w = Math.floor(width / columns);
  const h = Math.floor(height / Math.ceil(views / columns));
  return { x: (view % columns) * w, y: Math.floor(view / columns) * h, width: w, height: h };
}
