// Rings, arrows or boxes on the picked joint: three's TransformControls on a proxy object below the joint's parent, so that
// it changes the joint's local transform.
import { Euler, Matrix4, type Mesh, Object3D, Quaternion, TorusGeometry, Vector3, Vector4 } from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import type { Transform } from '../protocol/document';
import type { Overlay, Stage } from './stage';

export type GizmoTool = 'translate' | 'rotate' | 'scale';
export type GizmoAxis = 'X' | 'Y' | 'Z';

export interface GizmoEvents {
  start: () => void;
  /** While it moves, and once at the end. */
  change: (local: Transform, live: boolean) => void;
  /** Restore everything to the start of the gesture. */
  cancel: () => void;
}

export const snapDegrees = 5;
const snapScale = 0.1;
/** The snap step of moves, in scene units: a round number near a hundredth of the character. */
export function snapLength(diagonal: number): number {
  const [digits, power] = (diagonal / 100).toExponential().split('e');
  return Number(`${Number(digits) < 2 ? 1 : Number(digits) < 5 ? 2 : 5}e${power}`);
}

/** CSS pixels per unit of the gizmo, in views of any size; it is about one and a half units wide. */
const unitPixels = 140;
/** Width of the grab area of a ring. */
const hitPixels = { mouse: 28, pen: 28, touch: 46 } as const;
/** Speed of the pointer while Shift is held. */
const slow = 0.1;

/** Members of three's class that its types leave out. */
interface Inside {
  _getPointer: (event: PointerEvent) => { x: number; y: number; button: number };
  _gizmo: { picker: { rotate: Object3D } };
}

const ringTurns: Record<string, Euler> = {
  X: new Euler(0, -Math.PI / 2, -Math.PI / 2),
  Y: new Euler(Math.PI / 2, 0, 0),
  Z: new Euler(0, 0, -Math.PI / 2),
  E: new Euler(),
};

export class JointGizmo {
  readonly controls: TransformControls;
  /** Step of snapped moves, in scene units. */
  snapStep = 0.01;
  private readonly parent = new Object3D();
  private readonly joint = new Object3D();
  private readonly overlay: Overlay;
  private readonly standIns: Overlay;
  private start: Transform | undefined;
  private moved = false;
  private constraining = false;
  private view = 0;
  private tube = 0.1;
  /** The effective pointer, slowed by Shift; the real one; and where it was pressed. */
  private hand = { x: 0, y: 0 };
  private seen = { x: 0, y: 0 };
  private pressed = { x: 0, y: 0 };
  private readonly stops: (() => void)[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly events: GizmoEvents,
  ) {
    this.parent.matrixAutoUpdate = false;
    this.parent.add(this.joint);
    this.standIns = { object: this.parent };
    stage.overlays.add(this.standIns);
    // Before the camera's listeners, so that a press on a ring does not also orbit the view.
    this.listen('pointerdown', (event) => this.press(event as PointerEvent), true);
    this.listen('pointermove', (event) => this.snap(event as PointerEvent), true);
    this.controls = new TransformControls(stage.camera, stage.canvas);
    (this.controls as unknown as Inside)._getPointer = (event) => this.pointerOf(event);
    this.controls.space = 'local';
    this.controls.setColors('#ff5a52', '#5fbf3a', '#3d8bff', '#ffb000');
    this.overlay = { object: this.controls.getHelper(), view: 0 };
    this.controls.addEventListener('change', () => stage.draw());
    this.controls.addEventListener('objectChange', () => this.changed());
    this.controls.addEventListener('dragging-changed', (event) => this.dragging((event as unknown as { value: boolean }).value));
    this.listen('contextmenu', (event) => {
      if (this.start === undefined) return;
      event.preventDefault();
      this.cancel();
    });
    this.listen('pointercancel', () => this.cancel());
    const fit = () => this.fit();
    stage.beforeDraw.push(fit);
    this.stops.push(() => (stage.beforeDraw = stage.beforeDraw.filter((one) => one !== fit)));
  }

  private listen(type: string, call: (event: Event) => void, capture = false): void {
    this.stage.canvas.addEventListener(type, call, { capture });
    this.stops.push(() => this.stage.canvas.removeEventListener(type, call, { capture }));
  }

  private local(): Transform {
    return {
      translation: this.joint.position.toArray(),
      rotation: this.joint.quaternion.toArray() as [number, number, number, number],
      scale: this.joint.scale.toArray(),
    };
  }

  get busy(): boolean {
    return this.start !== undefined;
  }

  /** Puts the gizmo on a joint of a view. Ignored during a drag, which is ahead of the pose. */
  attach(view: number, parentMatrix: Matrix4, local: Transform, tool: GizmoTool): void {
    if (this.busy) return;
    this.view = view;
    this.overlay.view = view;
    this.standIns.view = view;
    this.parent.matrix.copy(parentMatrix);
    this.joint.position.fromArray(local.translation);
    this.joint.quaternion.fromArray(local.rotation);
    this.joint.scale.fromArray(local.scale);
    this.parent.updateMatrixWorld(true);
    this.controls.mode = tool;
    if (this.controls.object !== this.joint) this.controls.attach(this.joint);
    this.stage.overlays.add(this.overlay);
    this.stage.draw();
  }

  detach(): void {
    if (this.busy) this.cancel();
    this.controls.detach();
    this.stage.removeOverlay(this.overlay);
  }

  /** Keeps the size on the screen constant, and uses the camera that draws the view. */
  private fit(): void {
    const { height } = this.stage.rectangle(this.view);
    const share = this.stage.orthographic ? 0.25 : 0.2375;
    this.controls.size = unitPixels / (share * Math.max(1, height));
    if (this.controls.camera !== this.stage.camera) this.controls.camera = this.stage.camera;
  }

  /** Sets viewport and camera to those of the gizmo's view. */
  private aim(): void {
    this.fit();
    const r = this.stage.rectangle(this.view);
    this.controls.viewport = new Vector4(r.x, this.stage.size.height - r.y - r.height, r.width, r.height);
    this.stage.cameraOf(this.view);
    this.overlay.object.updateMatrixWorld(true);
  }

  /** Widens the grab area for touch. */
  private widen(pointer: string): void {
    const pixels = hitPixels[pointer as keyof typeof hitPixels] ?? hitPixels.mouse;
    const tube = pixels / 2 / unitPixels;
    if (tube === this.tube) return;
    this.tube = tube;
    for (const ring of (this.controls as unknown as Inside)._gizmo.picker.rotate.children as Mesh[]) {
      if (ringTurns[ring.name] === undefined) continue;
      const flat = ring.name === 'E';
      ring.geometry.dispose();
      ring.geometry = new TorusGeometry(flat ? 0.75 : 0.5, tube, flat ? 2 : 4, 24);
      ring.geometry.applyMatrix4(new Matrix4().makeRotationFromEuler(ringTurns[ring.name]));
    }
  }

  private normalised({ x, y }: { x: number; y: number }, button: number): { x: number; y: number; button: number } {
    const r = this.stage.rectangle(this.view);
    return { x: (2 * (x - r.x)) / r.width - 1, y: 1 - (2 * (y - r.y)) / r.height, button };
  }

  /** The pointer that the controls get: slower while Shift is held. */
  private pointerOf(event: PointerEvent): { x: number; y: number; button: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    const now = { x: event.clientX - box.left, y: event.clientY - box.top };
    const share = event.shiftKey ? slow : 1;
    this.hand = this.busy ? { x: this.hand.x + share * (now.x - this.seen.x), y: this.hand.y + share * (now.y - this.seen.y) } : now;
    this.seen = now;
    return this.normalised(this.hand, event.button);
  }

  /** The part of the gizmo at a point of the canvas: X, Y, Z, E, ... */
  partAt(x: number, y: number, pointer = 'mouse'): string | undefined {
    this.widen(pointer);
    this.aim();
    this.controls.pointerHover(this.normalised({ x, y }, 0) as unknown as PointerEvent);
    return this.controls.axis ?? undefined;
  }

  private press(event: PointerEvent): void {
    this.snap(event);
    if (this.controls.object === undefined || event.button !== 0 || event.altKey) {
      this.controls.enabled = false;
      return;
    }
    const box = this.stage.canvas.getBoundingClientRect();
    const place = { x: event.clientX - box.left, y: event.clientY - box.top };
    const inside = this.stage.viewAt(place.x, place.y) === this.view;
    this.controls.enabled = inside;
    if (!inside) return;
    this.pressed = place;
    this.partAt(place.x, place.y, event.pointerType);
    if (this.controls.axis !== null) this.stage.controls.enabled = false;
  }

  private snap(event: PointerEvent): void {
    this.aim();
    if (!this.busy && event.type === 'pointermove') this.controls.enabled = this.controls.object !== undefined && event.buttons === 0;
    this.controls.rotationSnap = event.ctrlKey ? (snapDegrees * Math.PI) / 180 : null;
    this.controls.translationSnap = event.ctrlKey ? this.snapStep : null;
    this.controls.scaleSnap = event.ctrlKey ? snapScale : null;
  }

  /** Whether the pointer is on the gizmo, so that a press does not pick something else. */
  get hovered(): boolean {
    return this.controls.axis !== null;
  }

  /** Constrains the drag to this axis, as if it had been grabbed there. */
  constrain(axis: GizmoAxis): void {
    const start = this.start;
    if (start === undefined) return;
    this.constraining = true;
    this.put(start);
    this.controls.dragging = false;
    this.controls.axis = axis;
    this.aim();
    this.controls.pointerDown(this.normalised(this.pressed, 0) as unknown as PointerEvent);
    this.constraining = false;
    this.controls.pointerMove(this.normalised(this.hand, -1) as unknown as PointerEvent);
  }

  private dragging(on: boolean): void {
    if (this.constraining) return;
    if (on) {
      this.start = this.local();
      this.moved = false;
      this.events.start();
      return;
    }
    this.stage.controls.enabled = true;
    if (this.start === undefined) return;
    this.start = undefined;
    if (this.moved) this.events.change(this.local(), false);
  }

  private changed(): void {
    if (!this.busy) return;
    this.moved = true;
    this.events.change(this.local(), true);
  }

  private put(local: Transform): void {
    this.joint.position.fromArray(local.translation);
    this.joint.quaternion.copy(new Quaternion(...local.rotation));
    this.joint.scale.copy(new Vector3(...local.scale));
    this.parent.updateMatrixWorld(true);
  }

  cancel(): void {
    const start = this.start;
    if (start === undefined) return;
    this.start = undefined;
    this.put(start);
    this.controls.dragging = false;
    this.controls.axis = null;
    this.stage.controls.enabled = true;
    this.events.cancel();
  }

  dispose(): void {
    this.detach();
    for (const stop of this.stops) stop();
    this.stage.removeOverlay(this.standIns);
    this.controls.dispose();
  }
}
