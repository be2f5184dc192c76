// Joint matrices in the page's space, and bones drawn through the skin.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Points,
  PointsMaterial,
  Quaternion,
  Vector3,
} from 'three';
import type { Joint, Transform } from '../protocol/document';
import type { Overlay, Stage } from './stage';

/** World matrices of all joints, relative to the page's centre. Parents need not precede their children. */
export function jointMatrices(joints: Joint[], pose: Transform[], centre: [number, number, number]): Matrix4[] {
  const world: (Matrix4 | undefined)[] = new Array<Matrix4 | undefined>(joints.length);
  const of = (j: number): Matrix4 => {
    const known = world[j];
    if (known !== undefined) return known;
    const t = pose[j] ?? joints[j].rest;
    const local = new Matrix4().compose(new Vector3(...t.translation), new Quaternion(...t.rotation), new Vector3(...t.scale));
    const parent = joints[j].parent;
    const mine = parent >= 0 ? local.premultiply(of(parent)) : local.premultiply(new Matrix4().makeTranslation(-centre[0], -centre[1], -centre[2]));
    world[j] = mine;
    return mine;
  };
  return joints.map((_, j) => of(j));
}

/** A helper joint, driven by a rule instead of the pose. */
export interface RuledJoint {
  joint: number;
  /** Per view. */
  pageFromRest: Matrix4[];
}

const through = { depthTest: false, depthWrite: false, transparent: true };
const boneColour = new Color('#f2c14e');
const pickedColour = new Color('#ff7a45');
/** Of joints that are selected with it. */
const otherColour = new Color('#ffb59a');

function dynamic(items: number): BufferAttribute {
  const attribute = new BufferAttribute(new Float32Array(3 * Math.max(1, items)), 3);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
}

/** Bones and joints of one view. */
class ViewSkeleton {
  readonly overlay: Overlay;
  private readonly bones: { from: number; to: number }[];
  private readonly lines = new BufferGeometry();
  private readonly dots = new BufferGeometry();

  constructor(joints: Joint[], view: number) {
    this.bones = joints.flatMap((joint, j) => (joint.parent >= 0 ? [{ from: joint.parent, to: j }] : []));
    this.lines.setAttribute('position', dynamic(2 * this.bones.length));
    this.lines.setDrawRange(0, 2 * this.bones.length);
    this.dots.setAttribute('position', dynamic(joints.length));
    this.dots.setAttribute('color', dynamic(joints.length));
    this.dots.setDrawRange(0, joints.length);
    const group = new Group();
    const lines = new LineSegments(this.lines, new LineBasicMaterial({ color: boneColour, opacity: 0.6, ...through }));
    const dots = new Points(this.dots, new PointsMaterial({ size: 8, sizeAttenuation: false, vertexColors: true, opacity: 0.9, ...through }));
    // A dark rim, so that joints are visible on skin of any colour.
    const rims = new Points(this.dots, new PointsMaterial({ size: 11, sizeAttenuation: false, color: '#14171c', opacity: 0.65, ...through }));
    for (const [i, one] of [lines, rims, dots].entries()) {
      one.frustumCulled = false;
      one.renderOrder = 8 + 0.1 * i;
      group.add(one);
    }
    this.overlay = { object: group, view };
  }

  update(places: Vector3[], picked: number | undefined, others: number[]): void {
    const lines = this.lines.getAttribute('position') as BufferAttribute;
    this.bones.forEach((bone, b) => {
      lines.setXYZ(2 * b, places[bone.from].x, places[bone.from].y, places[bone.from].z);
      lines.setXYZ(2 * b + 1, places[bone.to].x, places[bone.to].y, places[bone.to].z);
    });
    lines.needsUpdate = true;
    const dots = this.dots.getAttribute('position') as BufferAttribute;
    const colours = this.dots.getAttribute('color') as BufferAttribute;
    places.forEach((place, j) => {
      dots.setXYZ(j, place.x, place.y, place.z);
      const colour = j === picked ? pickedColour : others.includes(j) ? otherColour : boneColour;
      colours.setXYZ(j, colour.r, colour.g, colour.b);
    });
    dots.needsUpdate = true;
    colours.needsUpdate = true;
  }

  dispose(): void {
    this.lines.dispose();
    this.dots.dispose();
    for (const one of this.overlay.object.children) ((one as LineSegments).material as LineBasicMaterial).dispose();
  }
}

export class SkeletonOverlay {
  /** Joint matrices of each view, as drawn. */
  matrices: Matrix4[][] = [];
  private views: ViewSkeleton[] = [];
  private joints: Joint[] | undefined;
  private visible = false;

  constructor(private readonly stage: Stage) {}

  show(joints: Joint[], poses: Transform[][], centre: [number, number, number], picked: number | undefined, visible: boolean, ruled: RuledJoint[] = [], others: number[] = []): void {
    if (this.joints !== joints || this.views.length !== poses.length) {
      this.clear();
      this.joints = joints;
      this.views = poses.map((_, view) => new ViewSkeleton(joints, view));
    }
    this.visible = visible;
    this.matrices = poses.map((pose) => jointMatrices(joints, pose, centre));
    if (ruled.length > 0) {
      const rest = jointMatrices(joints, [], centre);
      for (const one of ruled) one.pageFromRest.forEach((matrix, v) => this.matrices[v]?.[one.joint]?.multiplyMatrices(matrix, rest[one.joint]));
    }
    this.views.forEach((view, v) => {
      view.update(this.matrices[v].map((matrix) => new Vector3().setFromMatrixPosition(matrix)), picked, others);
      if (visible) this.stage.overlays.add(view.overlay);
      else this.stage.removeOverlay(view.overlay);
    });
    this.stage.draw();
  }

  /** The drawn joint nearest to a point of the canvas, within some pixels. */
  jointAt(x: number, y: number, view: number, within = 10): number | undefined {
    if (!this.visible) return undefined;
    let best: { joint: number; distance: number } | undefined;
    (this.matrices[view] ?? []).forEach((matrix, joint) => {
      const p = this.stage.project(new Vector3().setFromMatrixPosition(matrix), view);
      const distance = Math.hypot(p.x - x, p.y - y);
      if (p.depth < 1 && distance <= within && (best === undefined || distance < best.distance)) best = { joint, distance };
    });
    return best?.joint;
  }

  clear(): void {
    for (const view of this.views) {
      this.stage.removeOverlay(view.overlay);
      view.dispose();
    }
    this.views = [];
    this.joints = undefined;
    this.visible = false;
  }
}
