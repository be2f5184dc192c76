// The camera of all views, with perspective or parallel rays. The controls always move the one with perspective; the
// other one takes its place and its size at the point that is looked at, so that switching changes nothing there.
import { OrthographicCamera, PerspectiveCamera } from 'three';

/** Of a parallel camera, before and behind: in diagonals of the character. Also how finely its depth is stored. */
const parallelReach = 50;

/**
 * Diagonals of the character between the camera and the point that it looks at: nearer, the skin would be cut off before
 * the camera (its near plane); farther, nothing would be seen of it.
 */
export const nearestLook = 1 / 250;
export const farthestLook = 12;

export class ViewCamera {
  readonly perspective = new PerspectiveCamera(35, 1, 0.01, 100);
  private readonly parallelOne = new OrthographicCamera();
  private diagonal = 1;
  parallel = false;

  get current(): PerspectiveCamera | OrthographicCamera {
    return this.parallel ? this.parallelOne : this.perspective;
  }

  setDiagonal(diagonal: number): void {
    this.diagonal = diagonal;
    this.perspective.near = diagonal / 500;
    this.perspective.far = diagonal * 20;
  }

  /** As a view of this shape sees it; `distance` is that of the point that is looked at. */
  shape(aspect: number, distance: number): PerspectiveCamera | OrthographicCamera {
    const from = this.perspective;
    from.aspect = aspect;
    from.updateProjectionMatrix();
    from.updateMatrixWorld();
    if (!this.parallel) return from;
    const to = this.parallelOne;
    const half = (distance * Math.tan((from.fov * Math.PI) / 360)) / from.zoom;
    Object.assign(to, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: -parallelReach * this.diagonal, far: parallelReach * this.diagonal });
    to.position.copy(from.position);
    to.quaternion.copy(from.quaternion);
    to.updateProjectionMatrix();
    to.updateMatrixWorld();
    return to;
  }

  /** What lies behind a camera of parallel rays is seen, too: rays must begin before it. */
  get rayStart(): number {
    return this.parallel ? -parallelReach * this.diagonal : 0;
  }
}
