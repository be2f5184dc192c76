// The circle of a brush on the surface: light with a dark rim, visible on every colour.
import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineLoop, Quaternion, Vector3 } from 'three';
import type { Overlay, Stage } from './stage';

const corners = 72;

function circle(scale: number, colour: string): LineLoop {
  const geometry = new BufferGeometry();
  const places = Float32Array.from(
    Array.from({ length: corners }, (_, i) => (2 * Math.PI * i) / corners).flatMap((angle) => [scale * Math.cos(angle), scale * Math.sin(angle), 0]),
  );
  geometry.setAttribute('position', new BufferAttribute(places, 3));
  const loop = new LineLoop(geometry, new LineBasicMaterial({ color: colour, depthTest: false, depthWrite: false, transparent: true }));
  loop.renderOrder = 11;
  loop.frustumCulled = false;
  return loop;
}

export class BrushRing {
  private readonly group = new Group();
  private readonly loops = [circle(1.015, '#14171c'), circle(1, '#ffffff')];
  private overlay: Overlay | undefined;

  constructor(private readonly stage: Stage) {
    this.group.add(...this.loops);
  }

  /** Around a position on the surface with this normal; the radius is in scene units. */
  show(view: number, place: Vector3, normal: Vector3, radius: number): void {
    this.group.position.copy(place);
    this.group.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
    this.group.scale.setScalar(radius);
    if (this.overlay?.view !== view) {
      this.hide();
      this.overlay = { object: this.group, view };
      this.stage.overlays.add(this.overlay);
    }
    this.stage.draw();
  }

  /** Changes the radius in place. */
  resize(radius: number): void {
    if (this.overlay === undefined) return;
    this.group.scale.setScalar(radius);
    this.stage.draw();
  }

  hide(): void {
    if (this.overlay === undefined) return;
    this.stage.removeOverlay(this.overlay);
    this.overlay = undefined;
  }

  dispose(): void {
    this.hide();
    for (const loop of this.loops) {
      loop.geometry.dispose();
      (loop.material as LineBasicMaterial).dispose();
    }
  }
}
