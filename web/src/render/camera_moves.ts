// Moves of the camera that commands and keys ask for: framing, turning, coming nearer.
import type CameraControls from 'camera-controls';
import { Euler, Quaternion, Sphere, Vector3 } from 'three';
import { fittingCamera } from './fitting_camera';
import { verticalField } from './view_camera';

export class CameraMoves {
  /** Of the character, in the page's units. */
  radius = 1;
  private readonly calm = window.matchMedia('(prefers-reduced-motion: reduce)');

  constructor(
    private readonly controls: CameraControls,
    private readonly draw: () => void,
  ) {
    // With reduced motion the camera moves without easing.
    const soften = () => {
      controls.smoothTime = this.calm.matches ? 0 : 0.08;
      controls.draggingSmoothTime = this.calm.matches ? 0 : 0.02;
    };
    soften();
    this.calm.addEventListener('change', soften);
  }

  /** Whether camera moves are animated, unless the system asks for reduced motion. */
  private get glides(): boolean {
    return !this.calm.matches;
  }

  frameAll(animate = true): void {
    void this.controls.setLookAt(0.55 * this.radius, 0.35 * this.radius, 3.1 * this.radius, 0, 0, 0, false);
    void this.controls.fitToSphere(new Sphere(new Vector3(), 1.02 * this.radius), animate && this.glides);
    this.draw();
  }

  framePoint(point: Vector3, radius: number): void {
    void this.controls.fitToSphere(new Sphere(point, radius), this.glides);
    this.draw();
  }

  /** Sets the point that the view orbits. */
  centreOn(point: Vector3): void {
    void this.controls.moveTo(point.x, point.y, point.z, this.glides);
    this.draw();
  }

  /** Azimuth and polar angle, in radians. */
  lookFrom(azimuth: number, polar: number): void {
    const round = 2 * Math.PI;
    // By the shorter way.
    const near = azimuth + round * Math.round((this.controls.azimuthAngle - azimuth) / round);
    void this.controls.rotateTo(near, polar, this.glides);
    this.draw();
  }

  turn(azimuth: number, polar: number): void {
    void this.controls.rotate(azimuth, polar, this.glides);
    this.draw();
  }

  /**
   * Moves the camera, without turning it, so that these points (3 numbers each) just fit into a view with this
   * aspect. Returns the function that moves it back, unless it was moved meanwhile; a turn is kept.
   */
  fitPoints(points: Float32Array, aspect: number, share = 0.9): () => void {
    const { controls } = this;
    const before = { target: controls.getTarget(new Vector3()), distance: controls.distance };
    const turned = new Quaternion().setFromEuler(new Euler(controls.polarAngle - Math.PI / 2, controls.azimuthAngle, 0, 'YXZ'));
    const found = fittingCamera(points, turned, aspect, verticalField(aspect), share);
    if (found === undefined) return () => {};
    this.look(found.target, found.distance);
    return () => {
      const moved = controls.getTarget(new Vector3()).distanceTo(found.target) > 1e-3 * this.radius || Math.abs(controls.distance - found.distance) > 1e-3 * this.radius;
      if (!moved) this.look(before.target, before.distance);
    };
  }

  private look(target: Vector3, distance: number): void {
    void this.controls.moveTo(target.x, target.y, target.z, this.glides);
    void this.controls.dollyTo(distance, this.glides);
    this.draw();
  }

  /** Moves the camera nearer by this factor. */
  approach(factor: number): void {
    void this.controls.dollyTo(this.controls.distance / factor, this.glides);
    this.draw();
  }
}
