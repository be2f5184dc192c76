// Where a vertex can go: a point, a segment, a polygon or a hull with corners in the colours of their joints; a hollow
// target, and a dashed line where it cannot be reached.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  LineDashedMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
} from 'three';
import type { Reach } from '../protocol/messages';
import { categoryColours } from './colours';
import type { Overlay, Stage } from './stage';

function geometryOf(points: Float32Array, index?: Uint32Array): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(points, 3));
  if (index !== undefined) geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

const over = { depthTest: false, depthWrite: false, transparent: true };

export class ReachOverlay {
  private readonly byView = new Map<number, Overlay>();

  constructor(private readonly stage: Stage) {}

  /** `colours` are numbers of categoryColours, per joint. */
  show(reach: Reach, colours: Uint8Array, diagonal: number): void {
    this.remove(reach.view);
    const group = new Group();
    group.renderOrder = 10;
    if (reach.triangles.length > 0)
      group.add(new Mesh(geometryOf(reach.corners, reach.triangles), new MeshBasicMaterial({ color: '#4c9aff', opacity: 0.22, side: DoubleSide, ...over })));
    if (reach.edges.length > 0) group.add(new LineSegments(geometryOf(reach.corners, reach.edges), new LineBasicMaterial({ color: '#4c9aff', ...over })));
    const dots = geometryOf(reach.corners);
    const shades = new Float32Array(reach.corners.length);
    reach.joints.forEach((joint, i) => new Color(categoryColours[colours[joint] ?? 7]).toArray(shades, 3 * i));
    dots.setAttribute('color', new BufferAttribute(shades, 3));
    group.add(new Points(dots, new PointsMaterial({ size: 9, sizeAttenuation: false, vertexColors: true, ...over })));
    if (reach.distance > 1e-6 * diagonal && (reach.target[0] !== 0 || reach.target[1] !== 0 || reach.target[2] !== 0)) {
      const line = new Line(
        geometryOf(Float32Array.from([...reach.nearest, ...reach.target])),
        new LineDashedMaterial({ color: '#ff6b5e', dashSize: 0.008 * diagonal, gapSize: 0.006 * diagonal, ...over }),
      );
      line.computeLineDistances();
      group.add(line);
      group.add(new Points(geometryOf(reach.target), new PointsMaterial({ size: 7, sizeAttenuation: false, color: '#ff6b5e', ...over })));
    }
    for (const child of group.children) child.renderOrder = 10;
    const overlay = { object: group, view: reach.view };
    this.byView.set(reach.view, overlay);
    this.stage.overlays.add(overlay);
    this.stage.draw();
  }

  private remove(view: number): void {
    const old = this.byView.get(view);
    if (old === undefined) return;
    this.stage.removeOverlay(old);
    old.object.traverse((one) => {
      if (one instanceof Mesh || one instanceof Line || one instanceof Points) {
        one.geometry.dispose();
        (one.material as MeshBasicMaterial).dispose();
      }
    });
    this.byView.delete(view);
  }

  clear(): void {
    for (const view of [...this.byView.keys()]) this.remove(view);
  }
}
