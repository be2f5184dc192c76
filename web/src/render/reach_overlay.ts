// The reachable set of a vertex: a point, a segment, a polygon or a hull with corners in the colours of their joints, and a
// dashed line to a target out of reach. With negative weights, the whole line or plane.
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
  Vector3,
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
const hullColour = '#4c9aff';

/** Orthogonal directions that span the set; only one for a line. */
function directions(reach: Reach): Vector3[] {
  const corners = [...reach.joints].map((_, i) => new Vector3().fromArray(reach.corners, 3 * i));
  const ways = corners.map((corner) => corner.clone().sub(corners[0])).sort((a, b) => b.lengthSq() - a.lengthSq());
  const first = ways[0]?.clone().normalize() ?? new Vector3();
  if (reach.dimension < 2) return [first];
  const across = ways.map((way) => way.clone().addScaledVector(first, -way.dot(first))).sort((a, b) => b.lengthSq() - a.lengthSq());
  return [first, across[0].clone().normalize()];
}

/** The line or plane through a flat set, as large as the character. */
function spanOf(reach: Reach, size: number): (Mesh | LineSegments)[] {
  if (reach.unbounded !== 1 || reach.dimension === 0 || reach.dimension === 3) return [];
  const middle = new Vector3().fromArray(reach.position);
  const [a, b] = directions(reach);
  const at = (x: number, y: number) => middle.clone().addScaledVector(a, size * x).addScaledVector(b ?? a, b === undefined ? 0 : size * y).toArray();
  if (b === undefined) return [new LineSegments(geometryOf(Float32Array.from([...at(-1, 0), ...at(1, 0)])), new LineBasicMaterial({ color: hullColour, opacity: 0.6, ...over }))];
  const square = geometryOf(Float32Array.from([...at(-1, -1), ...at(1, -1), ...at(1, 1), ...at(-1, 1)]), Uint32Array.from([0, 1, 2, 0, 2, 3]));
  return [new Mesh(square, new MeshBasicMaterial({ color: hullColour, opacity: 0.1, side: DoubleSide, ...over }))];
}

/** Edges or triangles whose joints all have weight, and the others, each with its opacity. */
function faces(corners: Uint32Array, size: number, offered: Uint32Array, opacities: [number, number]): [Uint32Array, number][] {
  const parts: number[][] = [[], []];
  for (let i = 0; i < corners.length; i += size) {
    const face = corners.subarray(i, i + size);
    parts[face.some((corner) => offered[corner] === 1) ? 1 : 0].push(...face);
  }
  return parts.map((part, i): [Uint32Array, number] => [Uint32Array.from(part), opacities[i]]).filter(([part]) => part.length > 0);
}

function draw(reach: Reach, colours: Uint8Array, diagonal: number): Group {
  const group = new Group();
  for (const part of spanOf(reach, 0.6 * diagonal)) group.add(part);
  for (const [triangles, opacity] of faces(reach.triangles, 3, reach.offered, [0.22, 0.1]))
    group.add(new Mesh(geometryOf(reach.corners, triangles), new MeshBasicMaterial({ color: hullColour, opacity, side: DoubleSide, ...over })));
  for (const [edges, opacity] of faces(reach.edges, 2, reach.offered, [1, 0.4])) group.add(new LineSegments(geometryOf(reach.corners, edges), new LineBasicMaterial({ color: hullColour, opacity, ...over })));
  for (const faint of [true, false]) {
    const kept = [...reach.joints.keys()].filter((i) => (reach.offered[i] === 1) === faint);
    if (kept.length === 0) continue;
    const places = Float32Array.from(kept.flatMap((i) => [...reach.corners.subarray(3 * i, 3 * i + 3)]));
    const dots = geometryOf(places);
    const shades = new Float32Array(places.length);
    kept.forEach((i, at) => new Color(categoryColours[colours[reach.joints[i]] ?? 7]).toArray(shades, 3 * at));
    dots.setAttribute('color', new BufferAttribute(shades, 3));
    const opacity = faint ? 0.45 : 1;
    // A dark rim, so that light colours are visible on a light background.
    group.add(new Points(geometryOf(places), new PointsMaterial({ size: 12, sizeAttenuation: false, color: '#14171c', opacity, ...over })));
    group.add(new Points(dots, new PointsMaterial({ size: 9, sizeAttenuation: false, vertexColors: true, opacity, ...over })));
  }
  // The position of the vertex, which also moves in the other poses.
  group.add(new Points(geometryOf(reach.position), new PointsMaterial({ size: 6, sizeAttenuation: false, color: '#e0218a', ...over })));
  if (reach.distance > 1e-6 * diagonal) {
    const line = new Line(
      geometryOf(Float32Array.from([...reach.position, ...reach.target])),
      new LineDashedMaterial({ color: reach.leads === 1 ? '#ff6b5e' : '#9aa4b2', dashSize: 0.008 * diagonal, gapSize: 0.006 * diagonal, ...over }),
    );
    line.computeLineDistances();
    group.add(line);
  }
  group.children.forEach((child, i) => (child.renderOrder = 10 + 0.01 * i));
  return group;
}

export class ReachOverlay {
  private readonly byView = new Map<number, { reach: Reach; overlay: Overlay }>();

  constructor(private readonly stage: Stage) {}

  /** Reaches by view; `colours`: per joint, an index into categoryColours. */
  show(reaches: ReadonlyMap<number, Reach>, colours: Uint8Array, diagonal: number): void {
    for (const view of [...this.byView.keys()]) if (this.byView.get(view)?.reach !== reaches.get(view)) this.remove(view);
    for (const [view, reach] of reaches) {
      if (this.byView.has(view)) continue;
      const overlay = { object: draw(reach, colours, diagonal), view };
      this.byView.set(view, { reach, overlay });
      this.stage.overlays.add(overlay);
    }
    this.stage.draw();
  }

  private remove(view: number): void {
    const old = this.byView.get(view)?.overlay;
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
